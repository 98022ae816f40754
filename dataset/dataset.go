// Package dataset says what a data set is: a graph, or a batch of graphs, with
// features, labels, splits and original identifiers; and what a [Format] must
// offer so that one can be read.
//
// The rooms of the folder, from the files up:
//
//	budget  how much memory a file may make its reader use
//	yamldoc YAML files that are not trusted
//	numpy   the arrays of NumPy and SciPy: .npy, .npz and pickles
//	layout  the layouts in which others publish sets, a file for each
//	table   users' own tables, CSV and Parquet
//	ondisk  weft's own form, a folder that DGL's GraphBolt reads too
//	parted  sets that are divided among ranks, a folder for each part; all parts are the set again
//	source  finding a set by name or path, and opening it
//	synth   synthetic graphs
//	fetch   downloads
//
// All readers produce the same [Dataset], check every id and count before they
// use it, and name the file and line, row or field of what is wrong.
package dataset

import (
	"slices"
	"strconv"

	"github.com/weft-gnn/weft/graph"
	"github.com/weft-gnn/weft/tensor"
)

// Dataset is a graph, or a batch of graphs, with what is to be learnt from it.
type Dataset struct {
	// Name is how the set was asked for.
	Name string
	Task Task
	// Metric is what the set's authors score it by, where they say.
	Metric Metric
	// Graph holds all vertices; a set of several graphs is their disjoint union.
	Graph *graph.Graph
	// Order is what the vertices were last put in order by.
	Order graph.Ordering
	// X has one row per vertex; 0 columns where the set has no features.
	X tensor.Matrix
	// EdgeX has one row per row of the edge list (see graph.Graph.Listing);
	// the zero Matrix where edges have no features.
	EdgeX tensor.Matrix
	// Offsets delimits the graphs of a set of several: graph g owns vertices
	// Offsets[g] to Offsets[g+1]. Nil means one graph.
	Offsets []int64
	// Labels has one entry per vertex, or per graph for graph-level tasks.
	Labels Labels
	// Splits are the named partitions of the labelled items; Train, Val and
	// Test of the first one are used unless another is asked for.
	Splits []Split
	// IDs are the users' own vertex identifiers.
	IDs IDs
	// Prep is what preprocessing learnt from a user's tables, kept with the
	// model; nil for sets that come ready.
	Prep *Prep
	// Notes are facts a user should hear once, such as features scaled or
	// duplicate edges merged.
	Notes []string
}

// Labels holds class labels or regression targets, never both.
type Labels struct {
	// Class is the class of each item, −1 where it is missing.
	Class []int32
	// Names are the classes' names; its length is the number of classes.
	Names []string
	// Value holds regression targets, or 0/1 multi-label targets, one row per
	// item and one column per target; NaN where one is missing.
	Value tensor.Matrix
}

// Classes returns the number of classes, 0 for regression.
func (l Labels) Classes() int { return len(l.Names) }

// Labelled returns those of the items that have a label, in order, each once. It is
// never nil.
func (l Labels) Labelled(items []int32) []int32 {
	out := []int32{}
	for _, i := range items {
		if l.Class != nil && l.Class[i] >= 0 || l.Class == nil && slices.ContainsFunc(l.Value.Row(int(i)), isThere) {
			out = append(out, i)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// isThere reports whether a value is not missing.
func isThere(v float32) bool { return v == v }

// Split names the items to train on, to validate on and to test on, by index.
type Split struct {
	Name             string // "public", "fold 3", "random", …
	Train, Val, Test []int32
}

// IDs are original identifiers: integers or strings, the other being nil.
// Both nil means that vertex i is called i.
type IDs struct {
	Int  []int64
	Text []string
}

// Of returns what vertex v is called.
func (ids IDs) Of(v int) string {
	switch {
	case ids.Text != nil:
		return ids.Text[v]
	case ids.Int != nil:
		return strconv.FormatInt(ids.Int[v], 10)
	}
	return strconv.Itoa(v)
}

// NumberedClasses are the names "0", "1", … of classes that have no others.
func NumberedClasses(n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = strconv.Itoa(i)
	}
	return names
}
