package parted

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"

	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/dataset/internal/folder"
	"github.com/weft-gnn/weft/dataset/numpy"
	"github.com/weft-gnn/weft/graph"
	"github.com/weft-gnn/weft/tensor"
)

// Options say how [Write] treats what is there.
type Options struct {
	// Overwrite replaces a divided set that is at the path; without it, and for
	// anything else that is there, Write is an error.
	Overwrite bool
}

// Write saves a set that is divided among ranks.
//
// Contract: the folder appears whole or not at all; on an error, a full disk or
// the end of ctx nothing is left, and what was there before stays. Arcs of a row
// are in the order of the set's graph, so that a sum over them adds in that order.
// Cost: O(size + P²) time; some 36 bytes of memory per vertex and 16 per arc of the
// largest part besides the set, in a vertex-cut 12 more per arc of all parts.
// Errors: a set that is not valid, one of several graphs, targets that have no finite
// mean, a division that does not fit, an existing path, those of the system, and ctx's.
func Write(ctx context.Context, dir string, d *dataset.Dataset, div Division, opt Options) error {
	return write(ctx, dir, d, div, opt, folder.Create)
}

func write(ctx context.Context, dir string, d *dataset.Dataset, div Division, opt Options, create folder.CreateFunc) error {
	if err := d.Validate(); err != nil {
		return err
	}
	if n := d.Graphs(); n > 1 {
		return fmt.Errorf("dataset: %s is a set of %d graphs: ranks share out whole graphs, which need not be divided", d.Name, n)
	}
	if err := div.Validate(d.Graph.Block()); err != nil {
		return fmt.Errorf("dataset: a division of %s: %w", d.Name, err)
	}
	if err := folder.MayReplace(dir, folder.Kind{Name: "divided data set", Marker: ManifestFile, Others: []string{"part-*"}}, opt.Overwrite); err != nil {
		return err
	}
	m := newManifest(d, div)
	if err := m.finite(); err != nil {
		return err
	}
	return folder.Replace(dir, opt.Overwrite, create, func(w *folder.Writer) {
		s := &splitter{d: d, b: d.Graph.Block(), into: d.Graph.Into(), div: newDivision(d.Graph, div), m: m}
		s.items = s.splitOfItems()
		for p := range div.Parts {
			if ctx.Err() != nil && w.Err == nil {
				w.Err = context.Cause(ctx)
			}
			info := &s.m.Parts[p]
			info.Files = w.In(partFolder(p), true, func(w *folder.Writer) { s.part(w, int32(p), info) })
		}
		hash, err := m.hash()
		if w.Err == nil {
			w.Err = err
		}
		m.Hash = hash
		w.JSON(ManifestFile, m)
	})
}

func newManifest(d *dataset.Dataset, div Division) *Manifest {
	g := d.Graph
	m := &Manifest{
		Version: version, Name: d.Name, Task: d.Task, Metric: d.Metric.String(), Order: d.Order,
		Method: div.Method, Seed: div.Seed, Balance: div.Balance, VertexCut: div.Arc != nil,
		Vertices: int64(g.N), Arcs: int64(len(g.Src)), Counts: g.Counts,
		Features: d.X.Cols, EdgeFeatures: d.EdgeX.Cols,
		Classes: d.Labels.Names, Labelled: d.Labels.Class != nil, Targets: d.Labels.Value.Cols,
		Weighted: g.Weight != nil, Symmetric: g.Block().SymmetricWeights(), Identified: g.Origin != nil, IDs: Numbered,
		Prep: d.Prep, Fingerprint: d.Fingerprint(), Parts: make([]Info, div.Parts),
	}
	m.Whole, m.Sizes, m.Nonzeros = wholeOf(g), g.Sizes(), nonzeros(d)
	switch {
	case d.IDs.Int != nil:
		m.IDs = Integers
	case d.IDs.Text != nil:
		m.IDs = Texts
	}
	for _, s := range d.Splits {
		m.Splits = append(m.Splits, SplitOf(d, s))
	}
	return m
}

// finite refuses targets whose moments are not finite, which no manifest holds.
func (m *Manifest) finite() error {
	for _, s := range m.Splits {
		for j, t := range s.Targets {
			if x := t.Mean + t.Deviation; math.IsNaN(x) || math.IsInf(x, 0) {
				return fmt.Errorf("dataset: %s: split %q: target %d (counted from 0) of the items to train on has the mean %v and the deviation %v, want finite values", m.Name, s.Name, j, t.Mean, t.Deviation)
			}
		}
	}
	return nil
}

// nonzeros counts what [Manifest.Nonzeros] says.
func nonzeros(d *dataset.Dataset) (n int64) {
	for v := range d.Graph.N {
		if d.X.Cols == 0 && d.Graph.Ptr[v+1] > d.Graph.Ptr[v] {
			n++
		}
		for _, x := range d.X.Row(v) {
			if x != 0 {
				n++
			}
		}
	}
	return n
}

func wholeOf(g *graph.Graph) Whole {
	if o := g.Origin; o != nil {
		return Whole{o.N, o.M}
	}
	loops := int64(0)
	for v := range g.N {
		for _, u := range g.Src[g.Ptr[v]:g.Ptr[v+1]] {
			if int(u) == v {
				loops++
			}
		}
	}
	return Whole{int64(g.N), int64(len(g.Src)) - loops}
}

// hash is what [Manifest.Hash] has to be.
func (m *Manifest) hash() (string, error) {
	rest := *m
	rest.Hash = ""
	text, err := json.Marshal(&rest)
	if err != nil {
		return "", fmt.Errorf("dataset: %w", err)
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), nil
}

// splitter writes the parts of a set.
type splitter struct {
	d     *dataset.Dataset
	b     *graph.Block
	into  graph.Into
	div   *division
	m     *Manifest
	items [][]uint8 // for each split, a bit for each of its parts that an item is in
}

// splitOfItems inverts the splits.
func (s *splitter) splitOfItems() [][]uint8 {
	all := make([][]uint8, len(s.d.Splits))
	for i, split := range s.d.Splits {
		all[i] = make([]uint8, s.d.Items())
		for k, items := range [3][]int32{split.Train, split.Val, split.Test} {
			for _, item := range items {
				all[i][item] |= 1 << k
			}
		}
	}
	return all
}

// part writes the files of a part.
func (s *splitter) part(w *folder.Writer, p int32, info *Info) {
	n := &s.div.parts[p]
	r := s.div.rowsOf(p)
	*info = Info{Vertices: int64(len(n.own)), Others: int64(len(n.others)), Rows: int64(n.rows()), Arcs: int64(len(r.at))}
	all := n.all()
	folder.Column(w, "vertex.npy", all)
	if o := s.d.Graph.Origin; o != nil {
		folder.Array(w, "identity.npy", []int{len(all)}, picked(o.Vertex, all))
	}
	owner := make([]int32, len(n.others))
	for i, o := range n.others {
		owner[i] = s.div.d.Vertex[o.v]
	}
	folder.Column(w, "owner.npy", owner)
	folder.Array(w, "arcs_into.npy", []int{len(all)}, picked(s.into.Arcs, all))
	folder.Array(w, "norm.npy", []int{len(all)}, picked(s.into.Norm, all))
	folder.Column(w, "indptr.npy", r.ptr)
	folder.Column(w, "indices.npy", r.col)
	if s.b.Weight != nil {
		folder.Array(w, "weight.npy", []int{len(r.at)}, picked(s.b.Weight, r.at))
	}
	folder.Array(w, "edge.npy", []int{len(r.at)}, s.identities(r.at))
	s.lists(w, p)
	s.values(w, n.own, r)
	s.ids(w, all)
	s.splits(w, n.own, r)
}

// identities yields the identity of each arc.
func (s *splitter) identities(at []int64) iter.Seq[[]int64] {
	if ids := s.b.Identities(); ids != nil {
		return picked(ids, at)
	}
	return numpy.Whole(at)
}

// lists writes what the part sends, and gathers.
func (s *splitter) lists(w *folder.Writer, p int32) {
	folder.Column(w, "send.npy", s.div.send[p].place)
	folder.Column(w, "send_ptr.npy", s.div.send[p].ptr)
	if s.m.VertexCut {
		folder.Column(w, "gather.npy", s.div.gather[p].place)
		folder.Column(w, "gather_ptr.npy", s.div.gather[p].ptr)
	}
}

// values writes features and labels.
func (s *splitter) values(w *folder.Writer, own []int32, r rows) {
	if k := s.d.X.Cols; k > 0 {
		folder.Array(w, "feat.npy", []int{len(own), k}, rowsAt(s.d.X, own, nil))
	}
	if k := s.d.EdgeX.Cols; k > 0 {
		folder.Array(w, "edge_feat.npy", []int{len(r.at), k}, rowsAt(s.d.EdgeX, r.at, s.d.Graph.Listing))
	}
	if s.d.Labels.Class != nil {
		folder.Array(w, "labels.npy", []int{len(own)}, picked(s.d.Labels.Class, own))
	}
	if v := s.d.Labels.Value; v.Cols > 0 {
		folder.Array(w, "targets.npy", []int{len(own), v.Cols}, rowsAt(v, own, nil))
	}
}

// ids writes users' ids of all vertices of the part.
func (s *splitter) ids(w *folder.Writer, all []int32) {
	switch s.m.IDs {
	case Integers:
		folder.Array(w, "ids.npy", []int{len(all)}, picked(s.d.IDs.Int, all))
	case Texts:
		starts, text := []int64{0}, strings.Builder{}
		for _, v := range all {
			text.WriteString(s.d.IDs.Text[v])
			starts = append(starts, int64(text.Len()))
		}
		folder.Column(w, "ids.npy", []byte(text.String()))
		folder.Column(w, "id_starts.npy", starts)
	}
}

// splits writes which of its vertices, or arcs, are in each part of each split.
func (s *splitter) splits(w *folder.Writer, own []int32, r rows) {
	for i, part := range s.items {
		var places [3][]int32
		put := func(place int, item int64) {
			for k := range places {
				if part[item]>>k&1 != 0 {
					places[k] = append(places[k], int32(place))
				}
			}
		}
		if s.d.Task == dataset.LinkPrediction {
			for place, at := range r.at {
				put(place, listed(s.d.Graph.Listing, at))
			}
		} else {
			for place, v := range own {
				put(place, int64(v))
			}
		}
		for k, name := range partNames {
			folder.Column(w, splitFile(i, name), places[k])
		}
	}
}

// listed is the row of the edge list that an arc stands for.
func listed(listing []int64, at int64) int64 {
	if listing == nil {
		return at
	}
	return listing[at]
}

// chunk is how many elements are gathered at a time.
const chunk = 1 << 14

// picked yields x at each place, a chunk at a time.
func picked[T any, I int32 | int64](x []T, at []I) iter.Seq[[]T] {
	return func(yield func([]T) bool) {
		buffer := make([]T, 0, min(chunk, len(at)))
		for part := range slices.Chunk(at, chunk) {
			buffer = buffer[:0]
			for _, i := range part {
				buffer = append(buffer, x[i])
			}
			if !yield(buffer) {
				return
			}
		}
	}
}

// rowsAt yields rows of a matrix: those at the given places, or where listing has
// an entry for each place, the ones that it names.
func rowsAt[I int32 | int64](m tensor.Matrix, at []I, listing []int64) iter.Seq[[]float32] {
	return func(yield func([]float32) bool) {
		for _, i := range at {
			if !yield(m.Row(int(listed(listing, int64(i))))) {
				return
			}
		}
	}
}
