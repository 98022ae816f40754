package parted

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/dataset/budget"
)

// validate returns an error that says what is wrong with a manifest's counts.
func (m *Manifest) validate(g *budget.Guard) error {
	if m.Version != version {
		return fmt.Errorf("version is %d, want %d: written by another version of weft", m.Version, version)
	}
	if m.Task == dataset.GraphClassification || m.Task == dataset.GraphRegression {
		return fmt.Errorf("a divided set with the task %v, want one about vertices or edges", m.Task)
	}
	if err := g.Counts(m.Vertices, m.Arcs); err != nil {
		return err
	}
	if m.Features < 0 || m.EdgeFeatures < 0 || m.Targets < 0 || len(m.Parts) == 0 {
		return fmt.Errorf("%d features, %d of edges, %d targets, %d parts: want 0 or more, and a part", m.Features, m.EdgeFeatures, m.Targets, len(m.Parts))
	}
	if !slices.Contains([]IDKind{Numbered, Integers, Texts}, m.IDs) {
		return fmt.Errorf("ids %q, want none, int or text", m.IDs)
	}
	if m.Prep != nil {
		if err := m.Prep.Validate(); err != nil {
			return fmt.Errorf("prep: %w", err)
		}
	}
	if err := m.validateParts(); err != nil {
		return err
	}
	if err := m.validateSizes(); err != nil {
		return err
	}
	if hash, err := m.hash(); err != nil || hash != m.Hash {
		return errors.Join(err, errors.New("the hash is not that of what it says: it was changed after it was written"))
	}
	return nil
}

// validateSizes checks what ranks are told of the set beside their parts.
func (m *Manifest) validateSizes() error {
	s := m.Sizes
	if s.Vertices != m.Vertices || s.Loops < 0 || s.Loops > m.Arcs || s.Arcs != m.Arcs-s.Loops {
		return fmt.Errorf("sizes of %d vertices, %d arcs and %d loops, the set has %d vertices and %d arcs with loops", s.Vertices, s.Arcs, s.Loops, m.Vertices, m.Arcs)
	}
	for _, most := range []int64{s.In, s.Out, s.InHat, s.OutHat} {
		if most < 0 || most > m.Arcs+1 {
			return fmt.Errorf("a vertex of %d arcs, the set has %d", most, m.Arcs)
		}
	}
	if m.Nonzeros < 0 {
		return fmt.Errorf("%d entries of the features are not 0, want 0 or more", m.Nonzeros)
	}
	for _, split := range m.Splits {
		for _, n := range []Items{split.Train, split.Val, split.Test} {
			if n.Labelled < 0 || n.Labelled > n.Items || n.Present < 0 {
				return fmt.Errorf("split %q: %d items, %d of them labelled, with %d values", split.Name, n.Items, n.Labelled, n.Present)
			}
		}
		if m.Task == dataset.VertexRegression && len(split.Targets) != m.Targets {
			return fmt.Errorf("split %q: moments of %d targets, there are %d", split.Name, len(split.Targets), m.Targets)
		}
	}
	return nil
}

// validateParts checks that parts have what the set has.
func (m *Manifest) validateParts() error {
	vertices, arcs := int64(0), int64(0)
	for p, i := range m.Parts {
		switch {
		case i.Vertices < 0 || i.Vertices > m.Vertices-vertices || i.Arcs < 0 || i.Arcs > m.Arcs-arcs:
			return fmt.Errorf("part %d: %d vertices and %d arcs, the set has %d and %d", p, i.Vertices, i.Arcs, m.Vertices, m.Arcs)
		case i.Others < 0 || i.Others > m.Vertices-i.Vertices:
			return fmt.Errorf("part %d: %d other vertices, %d are left", p, i.Others, m.Vertices-i.Vertices)
		case i.Rows < i.Vertices || i.Rows > i.Vertices+i.Others || !m.VertexCut && i.Rows != i.Vertices:
			return fmt.Errorf("part %d: %d rows of %d vertices and %d others", p, i.Rows, i.Vertices, i.Others)
		}
		vertices, arcs = vertices+i.Vertices, arcs+i.Arcs
	}
	if vertices != m.Vertices || arcs != m.Arcs {
		return fmt.Errorf("parts of %d vertices and %d arcs, the set has %d and %d", vertices, arcs, m.Vertices, m.Arcs)
	}
	return nil
}

// structure reads and checks vertices and arcs.
func (r *reader) structure(p *Part) {
	places := p.Own + int(r.info.Others)
	p.Vertex = column[int32](r, "vertex.npy", places)
	p.Owner = column[int32](r, "owner.npy", int(r.info.Others))
	r.within("vertex.npy", p.Vertex, 0, int(r.m.Vertices))
	r.within("owner.npy", p.Owner, 0, len(r.m.Parts))
	if r.err == nil {
		r.order(p)
	}
	if r.m.Identified {
		p.Identity = column[int64](r, "identity.npy", places)
		r.within64("identity.npy", p.Identity, r.m.Whole.Vertices)
	}
	p.ArcsInto = column[int32](r, "arcs_into.npy", places)
	r.within("arcs_into.npy", p.ArcsInto, 0, int(r.m.Arcs)+1)
	p.Norm = column[float64](r, "norm.npy", places)
	p.Ptr = column[int64](r, "indptr.npy", p.Rows+1)
	p.Col = column[int32](r, "indices.npy", int(r.info.Arcs))
	r.ascend("indptr.npy", p.Ptr, len(p.Col))
	r.within("indices.npy", p.Col, 0, places)
	if r.m.Weighted {
		p.Weight = column[float32](r, "weight.npy", len(p.Col))
	}
	p.Edge = column[int64](r, "edge.npy", len(p.Col))
	// Loops beside the first of a vertex come after n + m.
	r.within64("edge.npy", p.Edge, r.m.Whole.Vertices+r.m.Whole.Arcs+r.m.Arcs)
}

// order checks that own vertices ascend, and others by kind, owner and number, of
// which none is the part's own.
func (r *reader) order(p *Part) {
	for i := 1; i < p.Own; i++ {
		if p.Vertex[i] <= p.Vertex[i-1] {
			r.failAt("vertex.npy", "entry %d: vertex %d after %d, want own vertices to ascend", i, p.Vertex[i], p.Vertex[i-1])
			return
		}
	}
	for i, owner := range p.Owner {
		at := p.Own + i
		if int(owner) == p.Rank {
			r.failAt("owner.npy", "entry %d: the part owns it itself", i)
			return
		}
		if i == 0 || at == p.Rows {
			continue // the first of its kind
		}
		if owner < p.Owner[i-1] || owner == p.Owner[i-1] && p.Vertex[at] <= p.Vertex[at-1] {
			r.failAt("owner.npy", "entry %d: vertex %d of part %d after %d of %d, want them to ascend by part and number", i, p.Vertex[at], owner, p.Vertex[at-1], p.Owner[i-1])
			return
		}
	}
}

// failAt keeps an error about a file.
func (r *reader) failAt(name, format string, args ...any) {
	r.fail(fmt.Errorf("dataset: %s: %s", filepath.Join(r.dir, name), fmt.Sprintf(format, args...)))
}

// within checks that every entry of a file is in lo ≤ x < hi.
func (r *reader) within(name string, v []int32, lo, hi int) {
	if r.err != nil {
		return
	}
	for i, x := range v {
		if int(x) < lo || int(x) >= hi {
			r.failAt(name, "entry %d is %d, want %d ≤ x < %d", i, x, lo, hi)
			return
		}
	}
}

func (r *reader) within64(name string, v []int64, hi int64) {
	if r.err != nil {
		return
	}
	for i, x := range v {
		if x < 0 || x >= hi {
			r.failAt(name, "entry %d is %d, want 0 ≤ x < %d", i, x, hi)
			return
		}
	}
}

// ascend checks that offsets go from 0 to end.
func (r *reader) ascend(name string, ptr []int64, end int) {
	if r.err == nil && (len(ptr) == 0 || ptr[0] != 0 || ptr[len(ptr)-1] != int64(end) || !slices.IsSorted(ptr)) {
		r.failAt(name, "the offsets do not ascend from 0 to %d", end)
	}
}
