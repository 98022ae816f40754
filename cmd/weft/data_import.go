package main

import (
	"fmt"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/weft-gnn/weft/dataset/fetch"
	"github.com/weft-gnn/weft/dataset/source"
)

func (a *app) dataImportCommand() *cobra.Command {
	var data dataFlags
	var name string
	var overwrite, asJSON bool
	c := &cobra.Command{
		Use:   "import [NAME|PATH]",
		Short: "Read any source and keep it in the cache under a name",
		Long: `Read a set in any layout, or your own tables, and keep it in the cache in weft's
own form, under a name that --data then takes. It opens at once, whatever its
size: the arrays are mapped, not read. Ids, label names and what preprocessing
learnt are kept.`,
		Example: `  weft data import --vertices people.csv --edges knows.csv --label team --name people
  weft data import downloads/ogbg_molesol --name molesol
  weft train --data people`,
		Args: args(0, 1, "one set, a name or path"),
		RunE: func(c *cobra.Command, words []string) error {
			dir := a.cacheDir()
			if dir == "" {
				return usagef("there is no cache folder: set WEFT_CACHE, or write to a folder with weft data convert")
			}
			if !filepath.IsLocal(name) {
				return usagef("--name %q: want the name that the set will have, such as people", name)
			}
			if slices.Contains(fetch.Names(), name) {
				return usagef("--name %s is what `weft data fetch` calls a public set: choose another name", name)
			}
			if err := source.Nameable(name, a.lookup()); err != nil {
				return usage(fmt.Errorf("--name %w", err))
			}
			d, err := a.openNamed(c, &data, words)
			if err != nil {
				return err
			}
			d.Name = name
			return a.save(filepath.Join(dir, name), d, overwrite, asJSON)
		},
	}
	c.Flags().StringVar(&name, "name", "", "`NAME` that the set will have (required)")
	data.register(a, c, "", " (default: none)")
	overwriteFlag(c, &overwrite)
	jsonFlag(c, &asJSON)
	return c
}
