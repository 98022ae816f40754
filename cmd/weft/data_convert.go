package main

import "github.com/spf13/cobra"

func (a *app) dataConvertCommand() *cobra.Command {
	var data dataFlags
	var out string
	var overwrite, asJSON bool
	c := &cobra.Command{
		Use:   "convert [NAME|PATH]",
		Short: "Write a set as a folder that weft and DGL's GraphBolt read",
		Long: `Read a set in any layout, or your own tables, and write it as a folder in weft's
own form: .npy arrays and a metadata.yaml, as DGL's GraphBolt (OnDiskDataset)
reads them too, and beside them the compressed rows that weft maps. The folder
appears whole or not at all.`,
		Example: `  weft data convert cora --out cora
  weft data convert graph.mtx --directed --out graph
  weft data convert --edges knows.csv --out knows --overwrite`,
		Args: args(0, 1, "one set, a name or path"),
		RunE: func(c *cobra.Command, words []string) error {
			if out == "" {
				return usagef("%s needs --out, the folder to write", name(c))
			}
			d, err := a.openNamed(c, &data, words)
			if err != nil {
				return err
			}
			return a.save(out, d, overwrite, asJSON)
		},
	}
	c.Flags().StringVar(&out, "out", "", "`DIR` to write (required)")
	data.register(a, c, "", " (default: none)")
	overwriteFlag(c, &overwrite)
	jsonFlag(c, &asJSON)
	return c
}
