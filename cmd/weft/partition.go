package main

import (
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/dataset/parted"
	"github.com/weft-gnn/weft/graph"
	"github.com/weft-gnn/weft/partition"
)

// partitionRun is one call of the command.
type partitionRun struct {
	app       *app
	data      dataFlags
	options   partition.Options
	spread    []string
	out       string
	overwrite bool
}

func (a *app) partitionCommand() *cobra.Command {
	r := &partitionRun{app: a}
	var asJSON bool
	c := &cobra.Command{
		Use:   "partition",
		Short: "Divide a graph among ranks, and say what that costs",
		Long: `Divide a graph among ranks and say what that costs. An edge-cut assigns
vertices: a rank has the arcs into its vertices, and fetches the rows of their
sources that others have, its halo. A vertex-cut assigns arcs: rows of sources
are fetched, and partial sums handed back to where a vertex's own row is.

  multilevel        edge-cut: fewest arcs cut, in the most time
  hash              edge-cut: by a hash of the vertex
  range             edge-cut: consecutive vertices, as good as their order
  random            edge-cut: dealt out in random order
  ldg, fennel       edge-cut: each vertex once, to where its neighbours are
  vertexcut-random  vertex-cut: by a hash of both ends
  dbh               vertex-cut: by a hash of the end of fewer neighbours
  hdrf              vertex-cut: each edge once, to where its ends are
  grid              vertex-cut: a row and a column of parts for each vertex

Words are what all parts send in a layer, for each column of features. With
--out the parts are written, and weft train --data DIR trains on them, each
rank with its own part alone.`,
		Example: `  weft partition --data cora --parts 4
  weft partition --data cora --parts 8 --method ldg --balance work --json
  weft partition --data ./products --parts 16 --spread train --out products-16
  weft partition --data ./reddit --parts 9 --method grid`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error { return r.run(c, asJSON) },
	}
	s := c.Flags()
	s.SortFlags = false
	var methods, balances []string
	for _, m := range partition.Methods() {
		methods = append(methods, m.String())
	}
	for _, b := range partition.Balances() {
		balances = append(balances, b.String())
	}
	s.IntVar(&r.options.Parts, "parts", 0, "`NUMBER` of parts (required)")
	choiceFlag(c, &r.options.Method, "method", methods, "how to divide")
	s.Uint64Var(&r.options.Seed, "seed", 0, "`SEED` of the lots that the method draws")
	choiceFlag(c, &r.options.Balance, "balance", balances, "what parts of an edge-cut have equally much of; work counts a vertex as ten arcs; a vertex-cut makes arcs equal")
	s.Float64Var(&r.options.Slack, "slack", partition.DefaultSlack, "by what `SHARE` of the mean a part may exceed it")
	s.StringSliceVar(&r.spread, "spread", nil, "`SETS` of the split that every part has equally many of too: any of train, val and test, separated by commas (default: none)")
	s.StringVar(&r.out, "out", "", "`DIR` to write the parts to (default: none)")
	overwriteFlag(c, &r.overwrite)
	jsonFlag(c, &asJSON)
	title(c, "Partition")
	r.data.register(a, c, "", " (default: none)")
	return c
}

// partitioned is the JSON of the command.
type partitioned struct {
	Data     string   `json:"data"`
	Method   string   `json:"method"`
	Parts    int      `json:"parts"`
	Seed     uint64   `json:"seed"`
	Vertices int      `json:"vertices"`
	Arcs     int64    `json:"arcs"`
	CutArcs  int64    `json:"cut_arcs"`
	Copies   float64  `json:"replication"`
	Balance  balanced `json:"balance"`
	// Spread is the same for each set of --spread.
	Spread map[string]float64 `json:"spread,omitempty"`

	Halo     partition.Spread `json:"halo"`
	Partial  partition.Spread `json:"partial"`
	Words    int64            `json:"words_per_layer"`
	WordsMax int64            `json:"words_per_layer_max"`
	Messages partition.Spread `json:"messages"`

	TimeS float64 `json:"time_s"`
	Path  *string `json:"path"`
}

// balanced is what the largest part has, of the mean.
type balanced struct {
	Vertices float64 `json:"vertices"`
	Arcs     float64 `json:"arcs"`
}

func (r *partitionRun) run(c *cobra.Command, asJSON bool) error {
	src, err := r.data.choose(c)
	if err != nil {
		return err
	}
	if err := r.check(c); err != nil {
		return err
	}
	d, err := src.Open(c.Context(), r.app.lookup(), nil)
	if err != nil {
		return err
	}
	r.app.noteAll(d)
	if r.options.Masks, err = masksOf(d, r.spread); err != nil {
		return err
	}
	start := time.Now()
	a, err := partition.Divide(c.Context(), d.Graph, r.options)
	took := time.Since(start).Seconds()
	if err != nil {
		return err
	}
	s, err := partition.Measure(d.Graph.Block(), a)
	if err != nil {
		return err
	}
	if err := r.write(c, d, a); err != nil {
		return err
	}
	p := r.report(d, s, took)
	p.Spread = r.spreads(a)
	if asJSON {
		return r.app.printJSON(p)
	}
	return r.app.print("%s", p.text())
}

// check refuses flags that do not go together, before anything is read.
func (r *partitionRun) check(c *cobra.Command) error {
	if changed(c, "parts") == "" {
		return usagef("partition needs --parts, the number of parts")
	}
	if r.options.Slack == 0 { // the library takes 0 for its default
		r.options.Slack = math.SmallestNonzeroFloat64
	}
	if m := r.options.Method; m.VertexCut() && changed(c, "balance") != "" && r.options.Balance != partition.ByEdges {
		return usagef("--balance %v: %v assigns arcs, and makes these equal", r.options.Balance, m)
	}
	if r.overwrite && r.out == "" {
		return usagef("--overwrite goes with --out")
	}
	for _, name := range r.spread {
		if _, err := partOfSplit(dataset.Split{}, name); err != nil {
			return usage(err)
		}
	}
	o := r.options
	o.Masks = make([][]bool, len(r.spread)) // of no vertices yet
	return usage(o.Validate(0))
}

// partOfSplit returns the items that a name of --spread stands for.
func partOfSplit(s dataset.Split, name string) ([]int32, error) {
	switch name {
	case "train":
		return s.Train, nil
	case "val":
		return s.Val, nil
	case "test":
		return s.Test, nil
	}
	return nil, fmt.Errorf("--spread %q%s", name, accepted(name, []string{"train", "val", "test"}))
}

// masksOf returns the vertices of each named part of the set's first split.
func masksOf(d *dataset.Dataset, names []string) ([][]bool, error) {
	if len(names) == 0 {
		return nil, nil
	}
	switch {
	case len(d.Splits) == 0:
		return nil, usagef("--spread %s: %s has no split: make one with --split", strings.Join(names, ","), d.Name)
	case d.Task != dataset.VertexClassification && d.Task != dataset.VertexRegression:
		return nil, usagef("--spread %s: the split of %s divides no vertices: its task is %v", strings.Join(names, ","), d.Name, d.Task)
	}
	var masks [][]bool
	for _, name := range names {
		items, err := partOfSplit(d.Splits[0], name)
		if err != nil {
			return nil, err
		}
		mask := make([]bool, d.Graph.N)
		for _, v := range items {
			mask[v] = true
		}
		masks = append(masks, mask)
	}
	return masks, nil
}

// write writes the parts, if a folder for them is named.
func (r *partitionRun) write(c *cobra.Command, d *dataset.Dataset, a graph.Assignment) error {
	if r.out == "" {
		return nil
	}
	div := parted.Division{Assignment: a, Method: r.options.Method.String(), Seed: r.options.Seed, Balance: r.balance().String()}
	_, found := os.Stat(filepath.Join(r.out, parted.ManifestFile))
	err := parted.Write(c.Context(), r.out, d, div, parted.Options{Overwrite: r.overwrite})
	if err != nil && found == nil && !r.overwrite { // nothing but a divided set is ever replaced
		return fmt.Errorf("%w (--overwrite replaces it)", err)
	}
	return err
}

// balance is what the method makes equal.
func (r *partitionRun) balance() partition.Balance {
	if r.options.Method.VertexCut() {
		return partition.ByEdges
	}
	return r.options.Balance
}

func (r *partitionRun) report(d *dataset.Dataset, s *partition.Stats, took float64) partitioned {
	p := partitioned{
		Data: d.Name, Method: r.options.Method.String(), Parts: s.Parts, Seed: r.options.Seed,
		Vertices: d.Graph.N, Arcs: d.Graph.Counts.Arcs, CutArcs: s.CutArcs, Copies: s.Replication,
		Balance: balanced{s.VertexBalance(), s.ArcBalance()},
		Halo:    s.Halo, Partial: s.Partial, Words: s.Words.Total, WordsMax: s.Words.Max, Messages: s.Messages, TimeS: took,
	}
	if r.out != "" {
		p.Path = &r.out
	}
	return p
}

// spreads returns the most vertices that a part has of each set of --spread, of the
// mean.
func (r *partitionRun) spreads(a graph.Assignment) map[string]float64 {
	of := map[string]float64{}
	for i, mask := range r.options.Masks {
		counts, all := make([]int, a.Parts), 0
		for v, in := range mask {
			if in {
				counts[a.Vertex[v]]++
				all++
			}
		}
		of[r.spread[i]] = float64(slices.Max(counts)*a.Parts) / float64(max(all, 1))
	}
	return of
}

// text is the report for people.
func (p partitioned) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s in %s by %s, seed %d: %s\n", p.Data, plural(int64(p.Parts), "part", "parts"), p.Method, p.Seed, seconds(p.TimeS))
	line := func(name, format string, args ...any) {
		fmt.Fprintf(&b, "%-8s  %s\n", name, fmt.Sprintf(format, args...))
	}
	line("cut", "%s of %s (%.1f %%)", grouped(p.CutArcs), plural(p.Arcs, "arc", "arcs"), 100*float64(p.CutArcs)/float64(max(p.Arcs, 1)))
	line("halo", "%s, of a part at most %s", plural(p.Halo.Total, "row", "rows"), grouped(p.Halo.Max))
	if p.Partial.Total > 0 {
		line("partial", "%s handed back, of a part at most %s", plural(p.Partial.Total, "row", "rows"), grouped(p.Partial.Max))
	}
	line("words", "%s in a layer for each column; a part sends at most %s, in at most %s", grouped(p.Words), grouped(p.WordsMax), plural(p.Messages.Max, "message", "messages"))
	line("copies", "%.2f of each vertex", p.Copies)
	shares := fmt.Sprintf("vertices %.3f, arcs %.3f", p.Balance.Vertices, p.Balance.Arcs)
	for _, name := range slices.Sorted(maps.Keys(p.Spread)) {
		shares += fmt.Sprintf(", %s %.3f", name, p.Spread[name])
	}
	line("balance", "%s: the largest part, of the mean", shares)
	if p.Path != nil {
		line("written", "to %s", *p.Path)
	}
	return b.String()
}
