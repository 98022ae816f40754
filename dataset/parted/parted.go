// Package parted writes and reads a data set that is divided among ranks: a folder
// with a manifest, and for each part a folder of .npy files that its rank maps
// into memory. A rank opens its own part alone.
//
// A part has vertices of its own, with their features, labels and items of splits,
// and arcs. In an edge-cut these are all arcs into its vertices, in a vertex-cut
// any. The other ends of its arcs, whose rows are another part's, are its other
// vertices: their owners and their ids are listed.
//
// The files of a part, n vertices of its own, o others, r ≥ n rows that arcs end
// in, a arcs, P parts:
//
//	vertex.npy      int32 n + o   numbers in the set that was divided
//	identity.npy    int64 n + o   identities, where the set was a piece or in another order
//	owner.npy       int32 o       parts of the others
//	arcs_into.npy   int32 n + o   the set's arcs into each vertex, loops included
//	norm.npy        float64 n + o weights into each with one loop: Σ w over N̂(v)
//	indptr.npy      int64 r + 1   where the arcs into each row begin
//	indices.npy     int32 a       sources, as places in vertex.npy
//	weight.npy      float32 a     where arcs have weights
//	edge.npy        int64 a       identities of the arcs
//	send.npy        int32         own vertices whose rows other parts fetch, part by part,
//	send_ptr.npy    int64 P + 1   and where each part's begin
//	gather.npy      int32         own vertices of which other parts have partial sums,
//	gather_ptr.npy  int64 P + 1   in a vertex-cut
//	feat.npy        float32 n × k
//	edge_feat.npy   float32 a × k
//	labels.npy      int32 n       classes, −1 where one is missing
//	targets.npy     float32 n × t
//	ids.npy         int64 n + o   users' ids; or uint8, texts end to end,
//	id_starts.npy   int64         and where each begins
//	split_I_{train,val,test}.npy int32: places of own vertices, or of arcs for link prediction
package parted

import (
	"fmt"

	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/graph"
)

// Division says which part has what of a set.
type Division struct {
	graph.Assignment
	// Method, Seed and Balance say how it was made, for whoever reads it.
	Method  string
	Seed    uint64
	Balance string
}

// ManifestFile is the name of the file that describes a divided set in its folder.
const ManifestFile = "parts.json"

// version is that of the manifest and of the files, raised when their meaning
// changes.
const version = 3

// Manifest describes a divided set.
type Manifest struct {
	Version int            `json:"version"`
	Name    string         `json:"name"`
	Task    dataset.Task   `json:"task"`
	Metric  string         `json:"metric,omitempty"`
	Order   graph.Ordering `json:"order,omitempty"` // what the vertices were last put in order by

	Method    string `json:"method"`
	Seed      uint64 `json:"seed"`
	Balance   string `json:"balance,omitempty"`
	VertexCut bool   `json:"vertex_cut"` // arcs were assigned, not only vertices

	Vertices int64        `json:"vertices"`
	Arcs     int64        `json:"arcs"` // loops included
	Whole    Whole        `json:"whole"`
	Counts   graph.Counts `json:"counts"` // of the edge list that was read
	// Sizes are those of the graph, which costs are stated in.
	Sizes graph.Sizes `json:"sizes"`

	Features int `json:"features"`
	// Nonzeros are the entries of the features that are not 0; of a set without, the
	// vertices that have arcs, whose number models read instead.
	Nonzeros     int64    `json:"nonzeros"`
	EdgeFeatures int      `json:"edge_features"`
	Classes      []string `json:"classes,omitempty"` // names
	Labelled     bool     `json:"labelled"`          // vertices have classes
	Targets      int      `json:"targets"`
	Weighted     bool     `json:"weighted"`
	Symmetric    bool     `json:"symmetric"`  // every arc has its reverse, of the same weight
	Identified   bool     `json:"identified"` // identities are not the numbers
	IDs          IDKind   `json:"ids"`
	Splits       []Split  `json:"splits,omitempty"`

	Prep *dataset.Prep `json:"prep,omitempty"`

	// Fingerprint is [dataset.Dataset.Fingerprint] of the set.
	Fingerprint string `json:"fingerprint"`
	// Hash is the SHA-256 of the manifest without it, digests of files included: divided
	// sets of the same hash are the same.
	Hash  string `json:"hash"`
	Parts []Info `json:"parts"`
}

// Split says of how much the parts of a split are, over all parts of the set.
type Split struct {
	Name  string `json:"name"`
	Train Items  `json:"train"`
	Val   Items  `json:"val"`
	Test  Items  `json:"test"`
	// Fingerprint is [dataset.Dataset.FingerprintOf] the split.
	Fingerprint string `json:"fingerprint"`
	// Targets are the moments of each target over the items to train on, where values
	// are to be predicted.
	Targets []dataset.Moments `json:"targets,omitempty"`
}

// Items counts what predictions are compared with.
type Items struct {
	Items int64 `json:"items"`
	// Labelled are those that have a label, Present the classes, or the values of
	// targets, that are not missing.
	Labelled int64 `json:"labelled"`
	Present  int64 `json:"present"`
}

// SplitOf counts the items of a split of a set that is whole.
func SplitOf(d *dataset.Dataset, s dataset.Split) Split {
	split := Split{Name: s.Name, Train: itemsOf(d, s.Train), Val: itemsOf(d, s.Val), Test: itemsOf(d, s.Test), Fingerprint: d.FingerprintOf(s)}
	if d.Task == dataset.VertexRegression {
		split.Targets = d.Labels.Moments(s.Train)
	}
	return split
}

func itemsOf(d *dataset.Dataset, items []int32) Items {
	n := Items{Items: int64(len(items))}
	if d.Task == dataset.LinkPrediction || d.Labels.Class == nil && d.Labels.Value.Cols == 0 {
		return n
	}
	labelled := d.Labels.Labelled(items)
	n.Labelled, n.Present = int64(len(labelled)), int64(len(labelled))
	if d.Labels.Class == nil {
		n.Present = 0
		for _, i := range labelled {
			for _, y := range d.Labels.Value.Row(int(i)) {
				if y == y {
					n.Present++
				}
			}
		}
	}
	return n
}

// Whole is the graph in which identities were fixed.
type Whole struct {
	Vertices int64 `json:"vertices"`
	Arcs     int64 `json:"arcs"` // m
}

// Info describes a part.
type Info struct {
	Vertices int64 `json:"vertices"` // of its own
	Others   int64 `json:"others"`   // ends of its arcs whose rows are another part's
	Rows     int64 `json:"rows"`     // its own vertices, and the others that its arcs end in
	Arcs     int64 `json:"arcs"`
	// Files are the SHA-256 of its files, in hexadecimal.
	Files map[string]string `json:"files"`
}

// IDKind says of what kind users' ids are.
type IDKind string

// The kinds of ids.
const (
	Numbered IDKind = "none" // vertices are called by their numbers
	Integers IDKind = "int"
	Texts    IDKind = "text"
)

// partFolder is the folder of part p.
func partFolder(p int) string { return fmt.Sprintf("part-%d", p) }

// partNames are what the three parts of a split are called in names of files.
var partNames = [3]string{"train", "val", "test"}

func splitFile(i int, part string) string { return fmt.Sprintf("split_%d_%s.npy", i, part) }
