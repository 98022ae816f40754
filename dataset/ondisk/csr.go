package ondisk

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/dataset/budget"
	"github.com/weft-gnn/weft/dataset/internal/folder"
	"github.com/weft-gnn/weft/dataset/numpy"
	"github.com/weft-gnn/weft/graph"
)

// csrFolder holds the graph in compressed sparse rows, made from the folder's
// edges so that the next reader maps it instead of sorting them. It is a cache:
// whoever cannot write it does without, whoever finds it stale replaces it.
const csrFolder = "weft_csr"

// csrVersion is the version of the files in csrFolder.
const csrVersion = 1

// csrStamp says what the compressed rows were made from.
type csrStamp struct {
	Version  int          `json:"version"`
	Vertices int          `json:"vertices"`
	Policy   string       `json:"duplicates"` // what was done with parallel arcs
	Sources  []sourceFile `json:"sources"`    // the files of the edges and weights
	Counts   graph.Counts `json:"counts"`
	Weighted bool         `json:"weighted"`
	Listing  bool         `json:"listing"` // whether the arcs are in another order than the list
}

type sourceFile struct {
	Path string `json:"path"` // in the data set's folder
	Size int64  `json:"size"`
	Time int64  `json:"modified_ns"`
}

// graph reads the structure: from the compressed rows where these are fresh
// and the options ask for what they were made with, else from the edges.
func (r *reader) graph(ctx context.Context, f metaFile, opt dataset.Options) (*graph.Graph, error) {
	e := dataset.EdgeList{Path: r.metaPath(), N: r.n, Keep: r.keepsDuplicates()}
	e.Row = func(i int64) string { return fmt.Sprintf("%s, edge %d (counted from 0)", f.Path, i) }
	weights := r.weights()
	want, err := r.stamp(f, weights, e.Keep)
	if err != nil {
		return nil, err
	}
	usual := !opt.IsUndirected(false) && opt.Duplicates == dataset.LayoutDefault
	if usual {
		if g := r.mapCSR(want); g != nil {
			return r.identified(g, usual)
		}
	}
	src, dst, err := r.edgeColumns(ctx, f)
	if err != nil {
		return nil, err
	}
	if err := e.AddAll(src, dst); err != nil {
		return nil, err
	}
	if weights != nil {
		if e.Weight, err = r.weightsOf(*weights, len(src)); err != nil {
			return nil, err
		}
	}
	g, err := e.Build(opt)
	if err != nil {
		return nil, err
	}
	if usual {
		if err := r.restoreCounts(g); err != nil {
			return nil, err
		}
		want.set(g)
		// Without the files the next reader sorts again: nothing is lost.
		_ = writeCSR(filepath.Join(r.dir, csrFolder), g, want)
	}
	return r.identified(g, usual)
}

// keepsDuplicates: weft wrote the arcs that its policy had left; other
// folders' parallel edges differ where edges have features.
func (r *reader) keepsDuplicates() bool {
	f, _ := chooseFeature(r.meta.Features, "edge")
	return r.weft != nil || f != nil
}

// weights returns the edges' weights where the structure has them.
func (r *reader) weights() *metaFile {
	for _, f := range r.meta.Graph.Features {
		if f.Domain == "edge" && f.Name == "weight" {
			return &f.File
		}
	}
	return nil
}

func (r *reader) weightsOf(f metaFile, m int) ([]float32, error) {
	a, err := r.array(f)
	if err != nil {
		return nil, err
	}
	w, err := a.RowsFor(m, "edges", r.guard)
	if err != nil {
		return nil, err
	}
	if w.Cols != 1 {
		return nil, a.Errorf("%d columns, want one weight per edge", w.Cols)
	}
	return w.Flat(), nil
}

// restoreCounts puts back what was counted when the edges were first read.
func (r *reader) restoreCounts(g *graph.Graph) error {
	if r.weft == nil {
		return nil
	}
	w, c := r.weft.Counts, &g.Counts
	c.Listed, c.Duplicates, c.Dropped = w.Listed, w.Duplicates, w.Dropped
	if sum := c.Arcs + c.Loops + c.Duplicates + c.Dropped; c.Listed != sum {
		return fmt.Errorf("dataset: %s: counts: listed is %d, want arcs + loops + duplicates + dropped = %d", filepath.Join(r.dir, r.meta.Weft), c.Listed, sum)
	}
	return nil
}

// stamp describes compressed rows made from the files as they are now.
func (r *reader) stamp(edges metaFile, weights *metaFile, keep bool) (csrStamp, error) {
	s := csrStamp{Version: csrVersion, Vertices: r.n, Policy: "merge", Weighted: weights != nil}
	if keep {
		s.Policy = "keep"
	}
	files := []metaFile{edges}
	if weights != nil {
		files = append(files, *weights)
	}
	for _, f := range files {
		path, err := f.in(r.dir)
		if err != nil {
			return s, err
		}
		fi, err := os.Stat(path)
		if err != nil {
			return s, fmt.Errorf("dataset: %w", err)
		}
		s.Sources = append(s.Sources, sourceFile{Path: f.Path, Size: fi.Size(), Time: fi.ModTime().UnixNano()})
	}
	return s, nil
}

// set takes from the graph what is not known before it is built.
func (s *csrStamp) set(g *graph.Graph) { s.Counts, s.Listing = g.Counts, g.Listing != nil }

// sameSources reports whether s was made from what want describes.
func (s *csrStamp) sameSources(want csrStamp) bool {
	return s.Version == want.Version && s.Vertices == want.Vertices && s.Policy == want.Policy &&
		s.Weighted == want.Weighted && slices.Equal(s.Sources, want.Sources)
}

// mapCSR maps the compressed rows, nil where they are absent, stale or broken.
func (r *reader) mapCSR(want csrStamp) *graph.Graph {
	dir := filepath.Join(r.dir, csrFolder)
	data, err := os.ReadFile(filepath.Join(dir, "stamp.json"))
	if err != nil {
		return nil
	}
	var s csrStamp
	if json.Unmarshal(data, &s) != nil || !s.sameSources(want) {
		return nil
	}
	g := &graph.Graph{N: s.Vertices, Counts: s.Counts}
	ok := mapInto(&g.Ptr, dir, "indptr.npy", r.guard) && mapInto(&g.Src, dir, "indices.npy", r.guard)
	if s.Weighted {
		ok = ok && mapInto(&g.Weight, dir, "weight.npy", r.guard)
	}
	if s.Listing {
		ok = ok && mapInto(&g.Listing, dir, "listing.npy", r.guard)
	}
	if !ok || g.Validate() != nil {
		return nil
	}
	return g
}

func mapInto[T numpy.Element](to *[]T, dir, name string, g *budget.Guard) bool {
	a, err := numpy.Open(filepath.Join(dir, name), g)
	if err != nil || len(a.Shape) != 1 {
		return false
	}
	v, ok := numpy.View[T](a)
	*to = v
	return ok
}

// writeCSR replaces the folder dir by the compressed rows of g.
func writeCSR(dir string, g *graph.Graph, s csrStamp) error {
	return folder.Replace(dir, true, folder.Create, func(w *folder.Writer) { csrFiles(w, g, s) })
}

// csrFiles writes the compressed rows of g.
func csrFiles(w *folder.Writer, g *graph.Graph, s csrStamp) {
	folder.Column(w, "indptr.npy", g.Ptr)
	folder.Column(w, "indices.npy", g.Src)
	if g.Weight != nil {
		folder.Column(w, "weight.npy", g.Weight)
	}
	if g.Listing != nil {
		folder.Column(w, "listing.npy", g.Listing)
	}
	w.JSON("stamp.json", s)
}
