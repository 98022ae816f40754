package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/weft-gnn/weft/dataset/fetch"
	"github.com/weft-gnn/weft/dataset/source"
)

func (a *app) dataListCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "list",
		Short: "List the sets at hand and those that can be fetched",
		Long: `List the sets in the folders of $WEFT_DATA and in the cache, and the public ones
that weft data fetch can bring. karate is contained in weft.`,
		Example: "  weft data list\n  weft data list --json",
		Args:    noArgs,
		RunE:    func(*cobra.Command, []string) error { return a.listData(asJSON) },
	}
	jsonFlag(c, &asJSON)
	return c
}

// dataList is the JSON of weft data list.
type dataList struct {
	Sets      []listedSet `json:"sets"`
	Fetchable []string    `json:"fetchable"`
}

type listedSet struct {
	Name   string  `json:"name"`
	Format *string `json:"format"` // null for sets that weft contains
	Path   *string `json:"path"`
}

func (a *app) listData(asJSON bool) error {
	opt := a.lookup()
	found, err := source.List(append(slices.Clone(opt.DataPath), opt.CacheDir))
	if err != nil {
		return err
	}
	l := dataList{Fetchable: fetch.Names()}
	width := 0
	for _, e := range found {
		s := listedSet{Name: e.Name}
		if e.Path != "" {
			s.Format, s.Path = &e.Format, &e.Path
		}
		l.Sets = append(l.Sets, s)
		width = max(width, len(e.Name))
	}
	if asJSON {
		return a.printJSON(l)
	}
	var b strings.Builder
	for _, e := range found {
		fmt.Fprintf(&b, "%-*s  %-10s  %s\n", width, e.Name, e.Format, orBuiltin(e.Path))
	}
	fmt.Fprintf(&b, "\nto fetch: %s\n", strings.Join(wrap(strings.Join(l.Fetchable, ", "), helpWidth-len("to fetch: ")), "\n          "))
	return a.print("%s", b.String())
}

func orBuiltin(path string) string {
	if path == "" {
		return "(contained in weft)"
	}
	return path
}
