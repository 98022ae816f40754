package dataset

import (
	"fmt"

	"github.com/weft-gnn/weft/dataset/budget"
	"github.com/weft-gnn/weft/graph"
	"github.com/weft-gnn/weft/tensor"
)

// Reorder returns the set with its vertices in another order: the same graph,
// features, labels, splits and ids, each with its vertex. What is learnt from it
// is the same but for rounding, since random numbers are keyed by identities; so
// are the splits that [Dataset.UseSplit] makes. Vertices without ids of their own
// get the numbers they had as ids, so that results are found under them.
//
// Contract: d is as source.Open returns it; parts that no order changes are
// shared with it. graph.Original gives back the order of the set that was
// first read.
// Cost: that of [graph.Graph.Order] and [graph.Graph.Permute], and O(n·k); the
// memory that [Dataset.ReorderFits] asks for.
// Errors: those of Validate; graphs that the offsets of d delimit and its graph
// does not.
func (d *Dataset) Reorder(by graph.Ordering, seed uint64) (*Dataset, error) {
	if err := d.Validate(); err != nil {
		return nil, err
	}
	if d.Offsets != nil && d.Graph.Graphs == nil {
		return nil, fmt.Errorf("dataset: %s: its graphs cannot be kept apart before the set is finished", d.Name)
	}
	order := d.Graph.Order(by, seed)
	g, err := d.Graph.Permute(order)
	if err != nil {
		return nil, fmt.Errorf("dataset: %s: %w", d.Name, err)
	}
	out := *d
	out.Graph, out.Order = g, by
	out.X, out.IDs = inOrder(d.X, order), d.IDs.inOrder(order)
	if !d.aboutGraphs() {
		out.Labels = d.Labels.inOrder(order)
	}
	if d.aboutVertices() {
		out.Splits = renumbered(d.Splits, order)
	}
	return &out, nil
}

// ReorderFits refuses to put a set in order that needs more than so many bytes of
// memory, 0 for any, beside the set: 4 for each feature and target of a vertex and
// 40 for the vertex, 20 for each arc and 24 for one with a weight. The orders'
// scratch memory, which [graph.Graph.Order] states, is not held with these.
//
// Errors: a [budget.LimitError].
func (d *Dataset) ReorderFits(memory int64) error {
	arc := int64(20)
	if d.Graph.Weight != nil {
		arc += 4
	}
	need := int64(d.Graph.N)*(40+4*int64(d.X.Cols+d.Labels.Value.Cols)) + arc*int64(len(d.Graph.Src))
	if memory > 0 && need > memory {
		return &budget.LimitError{Path: d.Name, What: "another order of its vertices", Want: need, Max: memory, Unit: "bytes", Memory: true}
	}
	return nil
}

// aboutVertices reports whether the items of splits are vertices.
func (d *Dataset) aboutVertices() bool { return d.Task != LinkPrediction && !d.aboutGraphs() }

// byIdentity returns the items in the order in which the set that was first read
// lists them.
func (d *Dataset) byIdentity() []int32 {
	if d.aboutVertices() {
		return d.Graph.Order(graph.Original, 0)
	}
	items := make([]int32, d.Items())
	for i := range items {
		items[i] = int32(i)
	}
	return items
}

// inOrder returns the rows of x in an order.
func inOrder(x tensor.Matrix, order []int32) tensor.Matrix {
	out := tensor.New(x.Rows, x.Cols)
	for i, v := range order {
		copy(out.Row(i), x.Row(int(v)))
	}
	return out
}

func (ids IDs) inOrder(order []int32) IDs {
	if ids.Text != nil {
		return IDs{Text: entries(ids.Text, order)}
	}
	if ids.Int != nil {
		return IDs{Int: entries(ids.Int, order)}
	}
	numbers := make([]int64, len(order))
	for i, v := range order {
		numbers[i] = int64(v)
	}
	return IDs{Int: numbers}
}

func (l Labels) inOrder(order []int32) Labels {
	if l.Class != nil {
		l.Class = entries(l.Class, order)
	}
	if l.Value.Cols > 0 {
		l.Value = inOrder(l.Value, order)
	}
	return l
}

// renumbered returns splits of the same vertices, each part as it was listed.
func renumbered(splits []Split, order []int32) []Split {
	at := make([]int32, len(order))
	for i, v := range order {
		at[v] = int32(i)
	}
	var out []Split
	for _, s := range splits {
		out = append(out, s.naming(at))
	}
	return out
}

// naming returns the split with items[i] in place of i.
func (s Split) naming(items []int32) Split {
	return Split{s.Name, entries(items, s.Train), entries(items, s.Val), entries(items, s.Test)}
}

// entries returns the entries of x with the given indices.
func entries[T any](x []T, at []int32) []T {
	out := make([]T, len(at))
	for i, a := range at {
		out[i] = x[a]
	}
	return out
}
