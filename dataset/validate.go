package dataset

import (
	"fmt"
	"slices"
)

// Validate checks that the parts of a set agree: as many rows of features,
// labels and ids as there are items for them, classes and split indices in
// range. It does not look at the features' values.
//
// Cost: O(n + items in splits).
func (d *Dataset) Validate() error {
	if d.Graph == nil {
		return fmt.Errorf("dataset: %s: no graph", d.Name)
	}
	for _, check := range []func() error{d.checkShapes, d.checkOffsets, d.checkLabels, d.checkSplits} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

// Finish makes a set that was just read from path ready for use: it gets its
// name, is checked, and the split asked for comes first.
//
// Errors: those of Validate, with the path, and of UseSplit.
func (d *Dataset) Finish(name, path string, split SplitSpec) error {
	d.Name = name
	if d.Offsets != nil && d.Graph.Graphs == nil {
		d.Graph.Graphs = d.Offsets
	}
	if err := d.Validate(); err != nil {
		return fmt.Errorf("%w (in %s)", err, path)
	}
	return d.UseSplit(split)
}

// Items is the number of things that a split divides: rows of the edge list
// for link prediction, else what labels describe.
func (d *Dataset) Items() int {
	if d.Task == LinkPrediction {
		return int(d.Graph.Counts.Rows)
	}
	return d.labels()
}

// labels is the number of things that labels describe: graphs for tasks on
// graphs, else vertices.
func (d *Dataset) labels() int {
	if d.aboutGraphs() {
		return d.Graphs()
	}
	return d.Graph.N
}

func (d *Dataset) aboutGraphs() bool {
	return d.Task == GraphClassification || d.Task == GraphRegression
}

// Labelled reports whether item i has what is to be learnt: a class, or at
// least one target. Every item does where nothing labels the items.
func (d *Dataset) Labelled(i int) bool {
	switch {
	case d.Task == LinkPrediction:
	case d.Labels.Class != nil:
		return d.Labels.Class[i] >= 0
	case d.Labels.Value.Cols > 0:
		return slices.ContainsFunc(d.Labels.Value.Row(i), func(v float32) bool { return v == v })
	}
	return true
}

// Graphs is the number of graphs in the set.
func (d *Dataset) Graphs() int {
	if d.Offsets == nil {
		return 1
	}
	return len(d.Offsets) - 1
}

func (d *Dataset) checkShapes() error {
	n := d.Graph.N
	if d.X.Rows != n {
		return fmt.Errorf("dataset: %s: %d rows of features for %d vertices", d.Name, d.X.Rows, n)
	}
	if rows := d.Graph.Counts.Rows; d.EdgeX.Cols > 0 && int64(d.EdgeX.Rows) != rows {
		return fmt.Errorf("dataset: %s: %d rows of edge features for %d listed edges", d.Name, d.EdgeX.Rows, rows)
	}
	if (d.IDs.Int != nil && len(d.IDs.Int) != n) || (d.IDs.Text != nil && len(d.IDs.Text) != n) {
		return fmt.Errorf("dataset: %s: %d ids for %d vertices", d.Name, max(len(d.IDs.Int), len(d.IDs.Text)), n)
	}
	return nil
}

func (d *Dataset) checkOffsets() error {
	if d.Offsets == nil {
		return nil
	}
	if len(d.Offsets) == 0 || d.Offsets[0] != 0 || d.Offsets[len(d.Offsets)-1] != int64(d.Graph.N) || !slices.IsSorted(d.Offsets) {
		return fmt.Errorf("dataset: %s: the offsets of the graphs do not ascend from 0 to %d", d.Name, d.Graph.N)
	}
	return nil
}

func (d *Dataset) checkLabels() error {
	l, items := d.Labels, d.labels()
	if l.Class != nil && len(l.Class) != items {
		return fmt.Errorf("dataset: %s: %d labels for %d items", d.Name, len(l.Class), items)
	}
	if l.Value.Cols > 0 && l.Value.Rows != items {
		return fmt.Errorf("dataset: %s: %d rows of targets for %d items", d.Name, l.Value.Rows, items)
	}
	for i, c := range l.Class {
		if c < -1 || int(c) >= l.Classes() {
			return fmt.Errorf("dataset: %s: item %d has the class %d of %d", d.Name, i, c, l.Classes())
		}
	}
	return nil
}

func (d *Dataset) checkSplits() error {
	items := d.Items()
	for _, s := range d.Splits {
		for _, part := range []struct {
			name string
			item []int32
		}{{"train", s.Train}, {"val", s.Val}, {"test", s.Test}} {
			for _, i := range part.item {
				if i < 0 || int(i) >= items {
					return fmt.Errorf("dataset: %s: split %q, %s: item %d is outside 0…%d", d.Name, s.Name, part.name, i, items-1)
				}
			}
		}
	}
	return nil
}
