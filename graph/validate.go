package graph

import (
	"fmt"
	"math"
)

// Validate returns an error that says where the graph breaks what the fields of
// [Graph] promise, nil where it does not. Readers that map a graph from a file
// call it before they trust the file.
//
// Cost: O(n + m).
func (g *Graph) Validate() error {
	if err := checkSize(int64(g.N), int64(len(g.Src))); err != nil {
		return err
	}
	if err := checkRows(g.N, g.N, g.Ptr, g.Src, nil); err != nil {
		return err
	}
	if err := checkWeights(g.Weight, len(g.Src)); err != nil {
		return err
	}
	if err := g.checkListing(); err != nil {
		return err
	}
	if err := checkGraphs(g.Graphs, g.N); err != nil {
		return err
	}
	if err := g.checkCounts(); err != nil {
		return err
	}
	return g.ValidateOrigin(false)
}

// Validate returns an error that says where the block breaks what the fields of
// [Block] promise, nil where it does not.
//
// Cost: O(Src + edges).
func (b *Block) Validate() error {
	if b.Dst > b.Src || b.Src > math.MaxInt32 {
		return fmt.Errorf("graph: block of %d destinations and %d sources, want destinations ≤ sources ≤ %d", b.Dst, b.Src, math.MaxInt32)
	}
	if err := checkRows(b.Dst, b.Src, b.Ptr, b.Col, b.Place); err != nil {
		return err
	}
	if err := checkWeights(b.Weight, len(b.Col)); err != nil {
		return err
	}
	for _, s := range []struct {
		name      string
		len, want int
		isNil     bool
	}{
		{"edge identities", len(b.identities), len(b.Col), b.identities == nil},
		{"vertex identities", len(b.Vertex), b.Src, b.Vertex == nil},
	} {
		if !s.isNil && s.len != s.want {
			return fmt.Errorf("graph: block has %d %s, want %d", s.len, s.name, s.want)
		}
	}
	return checkGraphs(b.Graphs, b.Dst)
}

// checkRows checks compressed rows: pointers that rise from 0 to the number of
// entries, columns in range and in ascending order of place within a row.
func checkRows(rows, cols int, ptr []int64, col, place []int32) error {
	if rows < 0 {
		return fmt.Errorf("graph: %d rows, want 0 or more", rows)
	}
	if err := checkOffsets("row pointers", ptr, rows, int64(len(col))); err != nil {
		return err
	}
	for v := range rows {
		last := int32(0)
		for i := ptr[v]; i < ptr[v+1]; i++ {
			u := col[i]
			if u < 0 || int(u) >= cols {
				return fmt.Errorf("graph: source %d of arc %d is out of range, want 0 ≤ id < %d", u, i, cols)
			}
			if u = placeOf(u, place); u < last {
				return fmt.Errorf("graph: source %d of arc %d follows %d in row %d, want ascending", u, i, last, v)
			}
			last = u
		}
	}
	return nil
}

// checkOffsets checks that off has parts+1 entries that rise from 0 to end.
func checkOffsets(name string, off []int64, parts int, end int64) error {
	if len(off) != parts+1 {
		return fmt.Errorf("graph: %d %s, want %d", len(off), name, parts+1)
	}
	if off[0] != 0 || off[parts] != end {
		return fmt.Errorf("graph: %s run from %d to %d, want 0 to %d", name, off[0], off[parts], end)
	}
	for i := range parts {
		if off[i] > off[i+1] {
			return fmt.Errorf("graph: %s fall from %d to %d at %d", name, off[i], off[i+1], i)
		}
	}
	return nil
}

func checkWeights(weight []float32, arcs int) error {
	if weight != nil && len(weight) != arcs {
		return fmt.Errorf("graph: %d weights for %d arcs", len(weight), arcs)
	}
	for i, w := range weight {
		if !finite(w) {
			return fmt.Errorf("graph: weight %v of arc %d is not finite", w, i)
		}
	}
	return nil
}

func checkGraphs(graphs []int64, n int) error {
	if graphs == nil {
		return nil
	}
	return checkOffsets("graph offsets", graphs, max(len(graphs)-1, 0), int64(n))
}

// checkListing checks that rows are rows of the list, and that parallel arcs are
// in listing order.
func (g *Graph) checkListing() error {
	if g.Listing == nil {
		if int64(len(g.Src)) > g.Counts.Rows {
			return fmt.Errorf("graph: %d arcs from a list of %d rows, want listing rows", len(g.Src), g.Counts.Rows)
		}
		return nil
	}
	if len(g.Listing) != len(g.Src) {
		return fmt.Errorf("graph: %d listing rows for %d arcs", len(g.Listing), len(g.Src))
	}
	for v := range g.N {
		for i := g.Ptr[v]; i < g.Ptr[v+1]; i++ {
			r := g.Listing[i]
			if r < 0 || r >= g.Counts.Rows {
				return fmt.Errorf("graph: arc %d comes from row %d of a list of %d rows", i, r, g.Counts.Rows)
			}
			if i > g.Ptr[v] && g.Src[i-1] == g.Src[i] && g.Listing[i-1] >= r {
				return fmt.Errorf("graph: parallel arcs %d and %d come from rows %d and %d, want listing order", i-1, i, g.Listing[i-1], r)
			}
		}
	}
	return nil
}

func (g *Graph) checkCounts() error {
	c, loops := g.Counts, g.loopsIn()
	if c.Loops != loops || c.Arcs != int64(len(g.Src))-loops {
		return fmt.Errorf("graph: counts say %d arcs and %d loops, want %d and %d", c.Arcs, c.Loops, int64(len(g.Src))-loops, loops)
	}
	if sum := c.Arcs + c.Loops + c.Duplicates + c.Dropped; c.Listed != sum {
		return fmt.Errorf("graph: counts say %d listed, want arcs + loops + duplicates + dropped = %d", c.Listed, sum)
	}
	return nil
}
