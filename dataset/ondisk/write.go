package ondisk

import (
	"fmt"
	"iter"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/goccy/go-yaml"

	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/dataset/internal/folder"
	"github.com/weft-gnn/weft/dataset/numpy"
	"github.com/weft-gnn/weft/graph"
	"github.com/weft-gnn/weft/tensor"
)

// Options say how [Write] treats what is there.
type Options struct {
	// Overwrite replaces a data set that is at the path; without it, and for
	// anything else that is there, Write is an error.
	Overwrite bool
}

// Write saves a set as a folder that source.Open and GraphBolt's OnDiskDataset read.
// Open gives back what was written: the arcs that are left of the edge list, in
// the order of the compressed rows, each with its weight and its row of edge
// features, and all else as it was. The items of a split for link prediction
// are those arcs.
//
// Contract: the folder appears whole or not at all; on an error or a full disk
// nothing is left, and what was there before stays.
// Cost: O(size) time, constant memory besides; 16 bytes on disk per arc for the
// edges, 12 or more for the compressed rows, and 8 for the identities of a graph
// that has any.
// Errors: a set that is not valid, an existing path, and those of the system.
func Write(dir string, d *dataset.Dataset, opt Options) error {
	return write(dir, d, opt, folder.Create)
}

func write(dir string, d *dataset.Dataset, opt Options, create folder.CreateFunc) error {
	if err := d.Validate(); err != nil {
		return err
	}
	if err := folder.MayReplace(dir, folder.Kind{Name: "data set", Marker: metadataFile, Others: []string{"*.npy", extraFile, csrFolder}}, opt.Overwrite); err != nil {
		return err
	}
	return folder.Replace(dir, opt.Overwrite, create, func(to *folder.Writer) {
		w := &folderWriter{to}
		m := &metadata{Name: plainName(d.Name), Weft: extraFile}
		x := &metaWeft{Version: weftVersion, Task: d.Task, Metric: d.Metric.String(), Classes: d.Labels.Names, Prep: d.Prep, Notes: d.Notes}
		w.graph(m, x, d)
		w.origin(x, d)
		w.features(m, d)
		w.labels(x, d)
		w.splits(m, x, d)
		w.ids(x, d)
		w.Bytes(metadataFile, func() ([]byte, error) { return yaml.Marshal(m) })
		w.JSON(extraFile, x)
		w.csr(d.Graph)
	})
}

// folderWriter writes the files of a set.
type folderWriter struct{ *folder.Writer }

// plainName is the last part of a set's name, without what YAML cannot hold.
func plainName(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return '_'
	}, filepath.Base(name))
}

// graph writes edges.npy, sources above destinations, and their weights.
func (w *folderWriter) graph(m *metadata, x *metaWeft, d *dataset.Dataset) {
	g := d.Graph
	m.Graph.Nodes = []metaNodes{{Num: int64(g.N)}}
	m.Graph.Edges = []metaEdges{{File: metaFile{Format: "numpy", Path: "edges.npy"}}}
	folder.Array(w.Writer, "edges.npy", []int{2, len(g.Src)}, joined(numpy.Converted(g.Src), destinations(g)))
	if g.Weight != nil {
		folder.Column(w.Writer, "edge_weight.npy", g.Weight)
		m.Graph.Features = []metaFeature{{Domain: "edge", Name: "weight", File: metaFile{"numpy", "edge_weight.npy"}}}
	}
	x.Counts = metaCounts{Listed: g.Counts.Listed, Duplicates: g.Counts.Duplicates, Dropped: g.Counts.Dropped}
	if d.Offsets != nil {
		folder.Column(w.Writer, "graphs.npy", d.Offsets)
		x.Offsets = "graphs.npy"
	}
}

// destinations yields the destination of every arc, a row at a time.
func destinations(g *graph.Graph) iter.Seq[[]int64] {
	return func(yield func([]int64) bool) {
		var row []int64
		for v := range g.N {
			row = row[:0]
			for range g.Ptr[v+1] - g.Ptr[v] {
				row = append(row, int64(v))
			}
			if !yield(row) {
				return
			}
		}
	}
}

func joined[T any](seqs ...iter.Seq[T]) iter.Seq[T] {
	return func(yield func(T) bool) {
		for _, s := range seqs {
			for v := range s {
				if !yield(v) {
					return
				}
			}
		}
	}
}

// features writes the vertices' features and, one row for each arc, the edges'.
func (w *folderWriter) features(m *metadata, d *dataset.Dataset) {
	if d.X.Cols > 0 {
		w.matrix(m, "node", "feat.npy", d.X.Rows, d.X.Cols, numpy.MatrixRows(d.X))
	}
	if d.EdgeX.Cols > 0 {
		w.matrix(m, "edge", "edge_feat.npy", len(d.Graph.Src), d.EdgeX.Cols, arcRows(d.Graph, d.EdgeX))
	}
}

// arcRows yields the row of each arc, in the order of the compressed rows.
func arcRows(g *graph.Graph, x tensor.Matrix) iter.Seq[[]float32] {
	if g.Listing == nil {
		x.Rows = len(g.Src) // rows after the last arc's were dropped with their edges
		return numpy.MatrixRows(x)
	}
	return func(yield func([]float32) bool) {
		for _, row := range g.Listing {
			if !yield(x.Row(int(row))) {
				return
			}
		}
	}
}

func (w *folderWriter) matrix(m *metadata, domain, name string, rows, cols int, chunks iter.Seq[[]float32]) {
	folder.Array(w.Writer, name, []int{rows, cols}, chunks)
	m.Features = append(m.Features, metaFeature{Domain: domain, Name: "feat", File: metaFile{"numpy", name}})
}

// labels writes the labels of all items.
func (w *folderWriter) labels(x *metaWeft, d *dataset.Dataset) {
	if d.Labels.Class != nil {
		x.Labels = "labels.npy"
		folder.Array(w.Writer, x.Labels, []int{len(d.Labels.Class)}, numpy.Converted(d.Labels.Class))
	}
	if v := d.Labels.Value; v.Cols > 0 {
		x.Targets = "targets.npy"
		folder.Array(w.Writer, x.Targets, []int{v.Rows, v.Cols}, numpy.MatrixRows(v))
	}
}

// splits writes every split, and the first one as GraphBolt's task where its
// items are vertices with a class.
func (w *folderWriter) splits(m *metadata, x *metaWeft, d *dataset.Dataset) {
	for i, s := range d.Splits {
		s = arcSplit(d, s)
		name := fmt.Sprintf("split_%d", i)
		x.Splits = append(x.Splits, metaSplit{Name: s.Name,
			Train: w.items(name+"_train.npy", s.Train),
			Val:   w.items(name+"_val.npy", s.Val),
			Test:  w.items(name+"_test.npy", s.Test)})
		if i > 0 || d.Task != dataset.VertexClassification || d.Labels.Class == nil {
			continue
		}
		m.Tasks = []metaTask{{Name: "node_classification", Classes: d.Labels.Classes(),
			Train: w.part(name+"_train", s.Train, d.Labels.Class),
			Val:   w.part(name+"_val", s.Val, d.Labels.Class),
			Test:  w.part(name+"_test", s.Test, d.Labels.Class)}}
	}
}

// arcSplit names the items of a split as the written list numbers them: for
// link prediction, a row of the first list becomes the arcs it led to.
func arcSplit(d *dataset.Dataset, s dataset.Split) dataset.Split {
	if d.Task != dataset.LinkPrediction {
		return s
	}
	const train, val, test = 1, 2, 3
	part := make([]uint8, d.Graph.Counts.Rows)
	for p, rows := range [][]int32{train: s.Train, val: s.Val, test: s.Test} {
		for _, row := range rows {
			part[row] = uint8(p)
		}
	}
	var of [4][]int32
	for i := range d.Graph.Src {
		row := i
		if d.Graph.Listing != nil {
			row = int(d.Graph.Listing[i])
		}
		p := part[row]
		of[p] = append(of[p], int32(i))
	}
	return dataset.Split{Name: s.Name, Train: of[train], Val: of[val], Test: of[test]}
}

func (w *folderWriter) items(name string, items []int32) string {
	folder.Array(w.Writer, name, []int{len(items)}, numpy.Converted(items))
	return name
}

func (w *folderWriter) part(name string, items, class []int32) []metaSet {
	of := make([]int64, len(items))
	for i, item := range items {
		of[i] = int64(class[item])
	}
	folder.Column(w.Writer, name+"_labels.npy", of)
	return []metaSet{{Data: []metaData{
		{Name: "seeds", File: metaFile{"numpy", name + ".npy"}},
		{Name: "labels", File: metaFile{"numpy", name + "_labels.npy"}},
	}}}
}

// ids writes the users' ids.
func (w *folderWriter) ids(x *metaWeft, d *dataset.Dataset) {
	switch {
	case d.IDs.Int != nil:
		x.IDs = &metaIDs{Int: "ids.npy"}
		folder.Column(w.Writer, "ids.npy", d.IDs.Int)
	case d.IDs.Text != nil:
		x.IDs = &metaIDs{Bytes: "ids.npy", Starts: "id_starts.npy"}
		starts := make([]int64, 1, len(d.IDs.Text)+1)
		for _, s := range d.IDs.Text {
			starts = append(starts, starts[len(starts)-1]+int64(len(s)))
		}
		folder.Array(w.Writer, "ids.npy", []int{int(starts[len(starts)-1])}, textBytes(d.IDs.Text))
		folder.Column(w.Writer, "id_starts.npy", starts)
	}
}

func textBytes(texts []string) iter.Seq[[]uint8] {
	return func(yield func([]uint8) bool) {
		for _, s := range texts {
			if !yield([]byte(s)) {
				return
			}
		}
	}
}

// csr writes the compressed rows beside the edges, whose stamp they carry.
func (w *folderWriter) csr(g *graph.Graph) {
	if w.Err != nil {
		return
	}
	r := reader{dir: w.Dir, n: g.N}
	var weights *metaFile
	if g.Weight != nil {
		weights = &metaFile{Path: "edge_weight.npy"}
	}
	s, err := r.stamp(metaFile{Path: "edges.npy"}, weights, true)
	if err != nil {
		w.Err = err
		return
	}
	// The arcs are listed in the order of the rows.
	rows := &graph.Graph{N: g.N, Ptr: g.Ptr, Src: g.Src, Weight: g.Weight, Counts: g.Counts}
	rows.Counts.Rows = int64(len(g.Src))
	s.set(rows)
	w.In(csrFolder, false, func(sub *folder.Writer) { csrFiles(sub, rows, s) })
}
