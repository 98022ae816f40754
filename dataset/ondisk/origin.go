package ondisk

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/dataset/internal/folder"
	"github.com/weft-gnn/weft/dataset/numpy"
	"github.com/weft-gnn/weft/graph"
)

// origin writes the identities of a graph that is a piece of another or the same
// in another order.
func (w *folderWriter) origin(x *metaWeft, d *dataset.Dataset) {
	x.Order = d.Order
	o := d.Graph.Origin
	if o == nil {
		return
	}
	x.Origin = &metaOrigin{Vertices: o.N, Arcs: o.M, Vertex: "vertex_identity.npy", Edge: "edge_identity.npy",
		Permuted: d.Graph.ValidateOrigin(true) == nil}
	folder.Column(w.Writer, x.Origin.Vertex, o.Vertex)
	folder.Column(w.Writer, x.Origin.Edge, o.Edge)
}

// identified gives the graph that was read the identities that the folder has
// for it. They are those of the arcs as the folder lists them: usual says that
// these were kept.
func (r *reader) identified(g *graph.Graph, usual bool) (*graph.Graph, error) {
	if r.weft == nil || r.weft.Origin == nil {
		return g, nil
	}
	m := r.weft.Origin
	vertex, vertices, err := r.identities(m.Vertex, g.N)
	if err != nil {
		return nil, err
	}
	if !usual {
		return r.identifiedAnew(g, vertices, vertex)
	}
	edge, arcs, err := r.identities(m.Edge, len(g.Src))
	if err != nil {
		return nil, err
	}
	if g.Listing != nil {
		if err := r.guard.Need(m.Edge, int64(len(edge)), 8); err != nil {
			return nil, err
		}
		listed := edge
		edge = make([]int64, len(listed))
		for i, row := range g.Listing {
			edge[i] = listed[row]
		}
	}
	g.Origin = &graph.Origin{Vertex: vertex, Edge: edge, N: m.Vertices, M: m.Arcs}
	return g, r.nameIdentity(g.ValidateOrigin(m.Permuted), vertices, arcs, g.Listing)
}

// identities maps a file of n identities.
func (r *reader) identities(path string, n int) ([]int64, *numpy.Array, error) {
	a, err := r.npy(path)
	if err != nil {
		return nil, nil, err
	}
	if err := a.WantShape(n); err != nil {
		return nil, nil, err
	}
	if ids, ok := numpy.View[int64](a); ok {
		return ids, a, nil
	}
	ids, err := a.Ints(r.guard)
	return ids, a, err
}

// nameIdentity says in which file the entry is that an error is about.
func (r *reader) nameIdentity(err error, vertices, arcs *numpy.Array, listing []int64) error {
	var bad *graph.IdentityError
	switch {
	case err == nil:
		return nil
	case !errors.As(err, &bad):
		return fmt.Errorf("dataset: %s: origin: %w", filepath.Join(r.dir, r.meta.Weft), err)
	case !bad.Arc:
		return vertices.Errorf("entry %d: %s", bad.At, bad.Text)
	case listing != nil:
		return arcs.Errorf("entry %d: %s", listing[bad.At], bad.Text)
	}
	return arcs.Errorf("entry %d: %s", bad.At, bad.Text)
}

// identifiedAnew gives identities to a graph whose arcs are others than the
// folder lists, in the order that the folder has: those that the same arcs have
// in the order of identities.
func (r *reader) identifiedAnew(g *graph.Graph, vertices *numpy.Array, vertex []int64) (*graph.Graph, error) {
	if !r.weft.Origin.Permuted {
		return nil, fmt.Errorf("dataset: %s: a piece of another graph: the arcs that it lists have identities, so that no others can be made of them", r.metaPath())
	}
	order, back := make([]int32, len(vertex)), slices.Repeat([]int32{-1}, len(vertex))
	for v, id := range vertex {
		if id < 0 || id >= int64(len(vertex)) {
			return nil, vertices.Errorf("entry %d: identity %d is out of range, want 0 ≤ id < %d", v, id, len(vertex))
		}
		if back[id] >= 0 {
			return nil, vertices.Errorf("entry %d: identity %d is that of entry %d too, want a permutation", v, id, back[id])
		}
		order[v], back[id] = int32(id), int32(v)
	}
	whole, err := g.Permute(back)
	if err != nil {
		return nil, vertices.Errorf("%v", err)
	}
	whole.Origin = nil
	return whole.Permute(order)
}
