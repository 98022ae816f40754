package dataset

import "github.com/weft-gnn/weft/graph"

// Facts are what `weft data info` prints of a set; the JSON keys are its
// machine-readable form.
type Facts struct {
	Name string `json:"name"`
	Task Task   `json:"task"`
	// Vertices, Arcs: n and m, loops left out. Listed = Arcs + Loops +
	// Duplicates, arcs added by symmetrising among them.
	Vertices   int64 `json:"vertices"`
	Arcs       int64 `json:"arcs"`
	Listed     int64 `json:"listed"`
	Duplicates int64 `json:"duplicates"`
	Loops      int64 `json:"loops"`
	Isolated   int64 `json:"isolated"` // vertices without an arc in or out
	// Order is what the vertices were last put in order by.
	Order    graph.Ordering `json:"order"`
	Graphs   int            `json:"graphs"`
	Features int            `json:"features"` // columns per vertex
	// EdgeFeatures are columns per listed edge.
	EdgeFeatures int `json:"edge_features"`
	Classes      int `json:"classes"` // 0 where nothing is classified
	Targets      int `json:"targets"` // columns of regression or multi-label targets
	// Labelled counts the items with a label.
	Labelled int64 `json:"labelled"`
	// Degree describes in-degrees, loops left out.
	Degree  DegreeFacts `json:"degree"`
	Density float64     `json:"density"` // m/n²
	// Splits are the sizes of the parts of the split in use: train, val, test.
	// Null where the set has none.
	Splits map[string]int `json:"splits"`
	// SplitNames are all splits of the set, the one in use first.
	SplitNames []string `json:"split_names"`
	Notes      []string `json:"notes"`
}

// DegreeFacts describe a distribution of degrees.
type DegreeFacts struct {
	Max  int     `json:"max"`
	Mean float64 `json:"mean"`
	P50  int     `json:"p50"` // at least half of the vertices have at most so many in-arcs
	P99  int     `json:"p99"`
}

// Info sums a set up.
//
// Cost: O(n + m).
func Info(d *Dataset) Facts {
	c, s := d.Graph.Counts, d.Graph.Stats()
	f := Facts{
		Name: d.Name, Task: d.Task,
		Vertices: s.Vertices, Arcs: c.Arcs, Listed: c.Listed, Duplicates: c.Duplicates, Loops: c.Loops,
		Isolated: s.Isolated, Order: d.Order, Graphs: d.Graphs(),
		Features: d.X.Cols, EdgeFeatures: d.EdgeX.Cols, Classes: d.Labels.Classes(), Targets: d.Labels.Value.Cols,
		Degree:  DegreeFacts{Max: s.In.Max, Mean: s.In.Mean, P50: s.In.P50, P99: s.In.P99},
		Density: s.Density, Notes: d.Notes,
	}
	if (d.Labels.Class != nil || d.Labels.Value.Cols > 0) && d.Task != LinkPrediction {
		for i := range d.Items() {
			if d.Labelled(i) {
				f.Labelled++
			}
		}
	}
	for i, s := range d.Splits {
		if i == 0 {
			f.Splits = map[string]int{"train": len(s.Train), "val": len(s.Val), "test": len(s.Test)}
		}
		f.SplitNames = append(f.SplitNames, s.Name)
	}
	return f
}
