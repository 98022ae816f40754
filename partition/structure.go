package partition

import (
	"slices"

	"github.com/weft-gnn/weft/graph"
)

// structure is what is cut: each vertex's neighbours, whichever way the arcs go,
// once each, in ascending order, without the vertex itself.
type structure struct {
	ptr []int64
	col []int32
	// weight is the number of arcs between the two, both ways; nil where it is
	// the same everywhere.
	weight []int32
}

func (s *structure) vertices() int { return len(s.ptr) - 1 }

func (s *structure) degree(v int32) int64 { return s.ptr[v+1] - s.ptr[v] }

func (s *structure) neighbours(v int32) []int32 { return s.col[s.ptr[v]:s.ptr[v+1]] }

// weightOf is the weight at a position of col.
func (s *structure) weightOf(i int64) int64 {
	if s.weight == nil {
		return 1
	}
	return int64(s.weight[i])
}

// total is the sum of all weights; each pair counts at both of its ends.
func (s *structure) total() int64 {
	if s.weight == nil {
		return int64(len(s.col))
	}
	sum := int64(0)
	for _, w := range s.weight {
		sum += int64(w)
	}
	return sum
}

// newStructure returns the structure of a block whose destinations are all of
// its sources. It shares the block's columns where these are the structure.
//
// Cost: O(n + m).
func newStructure(b *graph.Block) *structure {
	ptr := b.Ptr
	if b.Dst == 0 {
		ptr = []int64{0}
	}
	if isStructure(ptr, b.Col) {
		return &structure{ptr: ptr, col: b.Col}
	}
	outPtr, out := bySource(ptr, b.Col)
	s := &structure{ptr: make([]int64, 1, b.Dst+1)}
	for v := range b.Dst {
		s.merge(int32(v), b.Col[ptr[v]:ptr[v+1]], out[outPtr[v]:outPtr[v+1]])
		s.ptr = append(s.ptr, int64(len(s.col)))
	}
	return s
}

// isStructure reports whether rows are symmetric, ascend strictly and name no row
// in itself. Where v ascends, the sources of its row are met by rows that list v
// next.
func isStructure(ptr []int64, col []int32) bool {
	next := slices.Clone(ptr)
	for v := range int32(len(ptr) - 1) {
		last := int32(-1)
		for _, u := range col[ptr[v]:ptr[v+1]] {
			at := next[u]
			if u == v || u == last || at == ptr[u+1] || col[at] != v {
				return false
			}
			last = u
			next[u]++
		}
	}
	return true
}

// bySource returns the destinations of each vertex's arcs.
func bySource(ptr []int64, col []int32) (start []int64, row []int32) {
	start, row = make([]int64, len(ptr)), make([]int32, len(col))
	for _, u := range col {
		start[u+1]++
	}
	for u := range len(ptr) - 1 {
		start[u+1] += start[u]
	}
	next := slices.Clone(start)
	for v := range len(ptr) - 1 {
		for _, u := range col[ptr[v]:ptr[v+1]] {
			row[next[u]] = int32(v)
			next[u]++
		}
	}
	return start, row
}

// merge appends the neighbours of v: the union of two ascending lists.
func (s *structure) merge(v int32, in, out []int32) {
	for len(in)+len(out) > 0 {
		var u int32
		switch {
		case len(out) == 0 || len(in) > 0 && in[0] <= out[0]:
			u, in = in[0], in[1:]
		default:
			u, out = out[0], out[1:]
		}
		if last := len(s.col) - 1; u == v {
			continue
		} else if int64(last) >= s.ptr[v] && s.col[last] == u {
			s.weight[last]++
			continue
		}
		s.col, s.weight = append(s.col, u), append(s.weight, 1)
	}
}
