package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/dataset/ondisk"
)

func (a *app) dataCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "data",
		Short: "List, describe, fetch, make and convert data sets",
		Long: `List, describe, fetch, make and convert data sets.

A set is called by a name, looked up in every folder of $WEFT_DATA and then in
the cache, or by the path of a file or folder. Its layout is detected from its
content. Your own tables need neither: see weft train --help.`,
	}
	group(c)
	c.AddCommand(a.dataListCommand(), a.dataInfoCommand(), a.dataFetchCommand(), a.dataGenCommand(), a.dataImportCommand(), a.dataConvertCommand())
	return c
}

// saved is the JSON of commands that write a set.
type saved struct {
	dataset.Facts
	Path string `json:"path"`
}

// save writes a set as a folder and says so.
func (a *app) save(dir string, d *dataset.Dataset, overwrite, asJSON bool) error {
	_, found := os.Stat(filepath.Join(dir, "metadata.yaml"))
	if err := ondisk.Write(dir, d, ondisk.Options{Overwrite: overwrite}); err != nil {
		if found == nil && !overwrite { // nothing but a set is ever replaced
			return fmt.Errorf("%w (--overwrite replaces it)", err)
		}
		return err
	}
	if asJSON {
		return a.printJSON(saved{dataset.Info(d), dir})
	}
	return a.print("%s\nwritten to %s\n", describe(d), dir)
}

func overwriteFlag(c *cobra.Command, to *bool) {
	c.Flags().BoolVar(to, "overwrite", false, "replace a data set that is there already")
}
