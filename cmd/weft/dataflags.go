package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/dataset/source"
	"github.com/weft-gnn/weft/dataset/table"
)

// dataFlags say which data to read, and how.
type dataFlags struct {
	data, format                      string
	directed, undirected              bool
	vertices, edges                   string
	id, label, source, target, weight string
	features                          []string
	task                              dataset.Task
	unknown                           string
	split                             string
}

// tableFlags are those that describe a user's own tables.
var tableFlags = []string{"vertices", "edges", "id", "label", "features", "source", "target", "weight", "task", "unknown"}

// register declares the flags; preset is the data where none are named, or
// without says what holds then.
func (f *dataFlags) register(a *app, c *cobra.Command, preset, without string) {
	s := c.Flags()
	s.SortFlags = false
	s.StringVar(&f.data, "data", preset, "data `SET`: a name looked up in $WEFT_DATA and the cache, such as cora or tu/MUTAG, or a path"+without)
	complete(c, "data", a.completeData)
	var layouts []string
	for _, l := range source.Formats() {
		layouts = append(layouts, l.Name)
	}
	wordFlag(c, &f.format, "format", "", layouts, "layout of --data (default: detected from its content)")
	s.BoolVar(&f.directed, "directed", false, "an edge is one arc, source to target (default: what the data state; tables of your own are undirected)")
	s.BoolVar(&f.undirected, "undirected", false, "an edge is two arcs, one each way")
	s.StringVar(&f.split, "split", "", "items to train on, validate and test: random:0.6,0.2,0.2[:SEED] (shares), per-class:20,500,1000[:SEED] (counts), column:NAME, file:PATH, or the `NAME` of one of the set's own (default: the set's first; of your own tables 60, 20 and 20 %)")
	title(c, "Data")
	s.StringVar(&f.vertices, "vertices", "", "`FILE` with a row per vertex: CSV, TSV or Parquet (default: none)")
	s.StringVar(&f.edges, "edges", "", "`FILE` with a row per edge (default: none)")
	s.StringVar(&f.id, "id", "", "vertex `COLUMN` that names vertices, by numbers or texts (default: the first)")
	s.StringVar(&f.label, "label", "", "vertex `COLUMN` to learn (default: none)")
	s.StringSliceVar(&f.features, "features", nil, "vertex `COLUMNS` to learn from, numbers or texts of few values, separated by commas (default: all that are left)")
	s.StringVar(&f.source, "source", "", "edge `COLUMN` of the first end (default: the first)")
	s.StringVar(&f.target, "target", "", "edge `COLUMN` of the second end (default: the second)")
	s.StringVar(&f.weight, "weight", "", "edge `COLUMN` of weights (default: none, all are 1)")
	choiceFlag(c, &f.task, "task", []string{"vertex-classification", "vertex-regression", "link-prediction"}, "what to learn (default: by the label's values)")
	wordFlag(c, &f.unknown, "unknown", "error", []string{"error", "add", "drop"}, "what becomes of an edge to an id that the vertex table lacks: an error, another vertex, or nothing")
	title(c, "Your own tables, in place of --data")
}

// hide leaves flags out of the help of a command to which they say nothing that
// its model does not know. Given all the same, they must agree with it.
func hide(c *cobra.Command, names ...string) {
	for _, name := range names {
		c.Flags().Lookup(name).Hidden = true
	}
}

// changed returns the first of the given flags that was set, "" for none.
func changed(c *cobra.Command, names ...string) string {
	for _, name := range names {
		if f := c.Flags().Lookup(name); f != nil && f.Changed {
			return name
		}
	}
	return ""
}

// given reports whether the command line names data.
func (f *dataFlags) given(c *cobra.Command) bool {
	return changed(c, "data", "vertices", "edges") != ""
}

// choose returns how the data are opened.
//
// Errors: flags that do not go together.
func (f *dataFlags) choose(c *cobra.Command) (source.Spec, error) {
	s := source.Spec{Data: f.data, Format: f.format}
	switch {
	case f.directed && f.undirected:
		return s, usagef("--directed and --undirected: want one of them")
	case f.directed:
		s.Direction = dataset.Directed
	case f.undirected:
		s.Direction = dataset.Undirected
	}
	if f.split != "" {
		if err := s.Split.UnmarshalText([]byte(f.split)); err != nil {
			return s, usage(fmt.Errorf("--split: %w", err))
		}
	}
	if f.vertices == "" && f.edges == "" {
		if name := changed(c, tableFlags...); name != "" {
			if isDescription(c) {
				return s, usagef("--%s is said by %s itself, or goes with --vertices and --edges in its place", name, s.Data)
			}
			return s, usagef("--%s is about your own tables: name them with --vertices, --edges or both", name)
		}
		if s.Data == "" {
			return s, usagef("no data: name a set with --data, or your own tables with --vertices and --edges")
		}
		return s, nil
	}
	if name := changed(c, "data", "format"); name != "" {
		return s, usagef("--%s and --%s: want either a data set or tables", name, changed(c, "vertices", "edges"))
	}
	return f.tables(s)
}

// tables completes the source of a user's own tables.
func (f *dataFlags) tables(s source.Spec) (source.Spec, error) {
	spec := &table.Spec{
		Vertices: table.Vertices{File: f.vertices, ID: f.id, Features: f.features, Label: f.label},
		Edges:    table.Edges{File: f.edges, Source: f.source, Target: f.target, Weight: f.weight},
		Task:     f.task,
		Unknown:  map[string]table.Unknown{"error": table.RefuseUnknown, "add": table.AddUnknown, "drop": table.DropUnknown}[f.unknown],
	}
	s.Data, s.Tables = "", spec
	return s, usage(spec.Validate())
}

// completeData offers the sets at hand, and files.
func (a *app) completeData(_ *cobra.Command, _ []string, word string) ([]string, cobra.ShellCompDirective) {
	opt := a.lookup()
	found, err := source.List(append(opt.DataPath, opt.CacheDir))
	if err != nil {
		return nil, cobra.ShellCompDirectiveDefault
	}
	var names []string
	for _, e := range found {
		if strings.HasPrefix(e.Name, word) {
			names = append(names, e.Name)
		}
	}
	return names, cobra.ShellCompDirectiveDefault
}
