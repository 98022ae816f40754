package parted

import (
	"fmt"
	"slices"

	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/graph"
)

// View is a part as a rank reads it that trains on the set.
type View struct {
	// Graph has the part's arcs, and the vertices at their ends, in the order of the
	// set's: see [graph.Part.Graph].
	Graph *graph.Graph
	// Own are the vertices of Graph that the part owns, ascending; Owner is the part of
	// each vertex.
	Own, Owner []int32
	// Named says of each part which vertices of Graph its arcs name: of another part,
	// those that this one owns.
	Named []graph.Named
}

// View returns the part as a graph, with what is exchanged of it.
//
// Cost: that of [graph.Part.Graph] and, of what other parts name, O(h log h).
// Errors: a vertex that is there twice, and sources that are not in order.
func (p *Part) View() (View, error) {
	whole := p.Manifest.Whole
	g, at := graph.Part{
		Vertex: p.Vertex, Identity: p.Identity, Ptr: p.Ptr, Col: p.Col, Weight: p.Weight, Edge: p.Edge,
		N: whole.Vertices, M: whole.Arcs, Into: graph.Into{Arcs: p.ArcsInto, Norm: p.Norm},
	}.Graph()
	v := View{Graph: g, Own: at[:p.Own], Owner: make([]int32, len(at)), Named: make([]graph.Named, len(p.Manifest.Parts))}
	for place, to := range at {
		v.Owner[to] = int32(p.Rank)
		if place >= p.Own {
			v.Owner[to] = p.Owner[place-p.Own]
		}
	}
	for q := range v.Named {
		v.Named[q] = p.namedBy(q, at)
	}
	v.Named[p.Rank] = g.Block().Named(1, func(int64, int32, int32) int32 { return 0 })[0]
	return v, p.check(g)
}

// check holds the part as a graph against what numbers of vertices and arcs promise.
func (p *Part) check(g *graph.Graph) error {
	numbers := slices.Sorted(slices.Values(p.Vertex))
	for i := 1; i < len(numbers); i++ {
		if numbers[i] == numbers[i-1] {
			return fmt.Errorf("dataset: part %d of %s: vertex %d is there twice", p.Rank, p.Manifest.Name, numbers[i])
		}
	}
	if err := g.Validate(); err != nil {
		return fmt.Errorf("dataset: part %d of %s: %w", p.Rank, p.Manifest.Name, err)
	}
	return nil
}

// namedBy lists which vertices of the part another part's arcs name.
func (p *Part) namedBy(q int, at []int32) (named graph.Named) {
	ends := map[int32]graph.End{}
	for _, place := range p.Send.To(q) {
		ends[at[place]] |= graph.Source
	}
	for _, place := range p.Gather.To(q) {
		ends[at[place]] |= graph.Destination
	}
	for v := range ends {
		named.Vertex = append(named.Vertex, v)
	}
	slices.Sort(named.Vertex)
	for _, v := range named.Vertex {
		named.At = append(named.At, ends[v])
	}
	return named
}

// OwnSet returns what the part owns as a set of its own, with a row for each own vertex
// and without a graph: features, labels, splits, and what the vertices are called. What there
// was to note of the set, whoever divided it has heard. Its slices are the part's.
func (p *Part) OwnSet() *dataset.Dataset {
	m := p.Manifest
	d := &dataset.Dataset{
		Name: m.Name, Task: m.Task, Metric: dataset.ParseMetric(m.Metric), Order: m.Order, X: p.X, Labels: p.Labels, Splits: p.Splits,
		IDs: dataset.IDs{Int: p.IDs.Int, Text: p.IDs.Text}, Prep: m.Prep,
	}
	switch {
	case d.IDs.Int != nil:
		d.IDs.Int = d.IDs.Int[:p.Own]
	case d.IDs.Text != nil:
		d.IDs.Text = d.IDs.Text[:p.Own]
	default:
		for _, v := range p.Vertex[:p.Own] {
			d.IDs.Int = append(d.IDs.Int, int64(v))
		}
	}
	return d
}
