package graph

import "sync"

// Ranges divide the positions of every row by the vertices that they name, in
// ranges of Width vertices: those of row r that name vertices whose place is i·Width
// or more, and before (i+1)·Width, are positions At[i][r] to At[i+1][r]. A kernel that
// goes through the rows range by range finds the rows that it gathers in a
// cache that one range fits.
type Ranges struct {
	Width int
	At    [][]int64
}

// rangesByWidth are the ranges that were asked for.
type rangesByWidth struct {
	mu   sync.Mutex
	made map[int]*Ranges
}

// Ranges divide the in-edges of every destination by their sources.
//
// Contract: built once per width and shared; safe for concurrent use. Nil for a
// block of [Hops], whose rows have their sources in no order.
// Cost: O(edges + Dst·⌈Src/width⌉) time; 8 bytes per row and range.
func (b *Block) Ranges(width int) *Ranges {
	if b.unordered {
		return nil
	}
	return b.ranges.get(b.Ptr, b.Col, b.Place, b.Src, width)
}

// Ranges divide the out-edges of every source by their destinations, as
// [Block.Ranges] does the in-edges; dst is the number of destinations.
func (t *Transposed) Ranges(dst, width int) *Ranges {
	return t.ranges.get(t.Ptr, t.Row, t.of.DstPlace, dst, width)
}

func (c *rangesByWidth) get(ptr []int64, other, place []int32, vertices, width int) *Ranges {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.made == nil {
		c.made = map[int]*Ranges{}
	}
	if c.made[width] == nil {
		c.made[width] = newRanges(ptr, other, place, vertices, width)
	}
	return c.made[width]
}

// newRanges walks every row once: its positions name vertices in ascending order of
// their places.
func newRanges(ptr []int64, other, place []int32, vertices, width int) *Ranges {
	rows, ranges := len(ptr)-1, (vertices+width-1)/width
	c := &Ranges{Width: width, At: make([][]int64, ranges+1)}
	for i := range c.At {
		c.At[i] = make([]int64, rows)
	}
	for r := range rows {
		p := ptr[r]
		for i := range c.At {
			for first := i * width; p < ptr[r+1] && int(placeOf(other[p], place)) < first; p++ {
			}
			c.At[i][r] = p
		}
		c.At[ranges][r] = ptr[r+1]
	}
	return c
}

// placeOf is where a vertex stands in the order in which rows name them.
func placeOf(v int32, place []int32) int32 {
	if place == nil {
		return v
	}
	return place[v]
}
