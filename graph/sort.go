package graph

// sorted is an edge list in (destination, source, row) order.
type sorted struct {
	ptr []int64  // by destination, n+1 entries
	col []int32  // source of each arc
	row []uint32 // row of the list that each arc comes from
}

// sortArcs orders the arcs of a list by destination, then source, then row, by
// two stable counting sorts: first by source, then by destination. With mirror
// it puts the mirrored arc of every arc that is not a loop among them; arcs is
// how many there are with those.
//
// Cost: O(n + arcs) time.
func sortArcs(n int, src, dst []int32, arcs int, mirror bool) *sorted {
	other, row, end := bySource(n, src, dst, arcs, mirror)
	s := &sorted{ptr: make([]int64, n+1), col: make([]int32, arcs), row: make([]uint32, arcs)}
	for _, v := range other {
		s.ptr[v+1]++
	}
	for v := range n {
		s.ptr[v+1] += s.ptr[v]
	}
	i := uint32(0)
	for u := range n {
		for ; i < end[u]; i++ {
			q := &s.ptr[other[i]]
			s.col[*q], s.row[*q] = int32(u), row[i]
			*q++
		}
	}
	// Each cursor now stands where the next row begins.
	copy(s.ptr[1:], s.ptr[:n])
	s.ptr[0] = 0
	return s
}

// bySource orders arcs by source, then row: it returns each arc's destination
// and row, and where each source's arcs end.
func bySource(n int, src, dst []int32, arcs int, mirror bool) (other []int32, row, end []uint32) {
	end = make([]uint32, n+1)
	for i, u := range src {
		end[u+1]++
		if mirror && dst[i] != u {
			end[dst[i]+1]++
		}
	}
	for u := range n {
		end[u+1] += end[u]
	}
	other, row = make([]int32, arcs), make([]uint32, arcs)
	put := func(u, v int32, i int) {
		q := end[u]
		other[q], row[q] = v, uint32(i)
		end[u]++
	}
	for i, u := range src {
		put(u, dst[i], i)
		if mirror && dst[i] != u {
			put(dst[i], u, i)
		}
	}
	return other, row, end[:n]
}

// reduce applies the policy to each group of parallel arcs, in place, and counts.
// dst is the list's, by which a mirrored arc is told from a listed one: it
// points away from its row's destination.
func (s *sorted) reduce(dst []int32, p Policy) (c Counts) {
	w := int64(0)
	for v := range len(s.ptr) - 1 {
		lo, hi := s.ptr[v], s.ptr[v+1]
		s.ptr[v] = w
		for lo < hi {
			end := lo + 1
			for end < hi && s.col[end] == s.col[lo] {
				end++
			}
			kept := s.group(lo, end, w, int32(v), dst, p, &c)
			lo, w = end, w+kept
		}
	}
	s.ptr[len(s.ptr)-1] = w
	s.col, s.row = shrink(s.col, w), shrink(s.row, w)
	return c
}

// group moves what the policy keeps of the parallel arcs at lo to hi, which
// point to v, to position w, and returns how many it kept.
func (s *sorted) group(lo, hi, w int64, v int32, dst []int32, p Policy, c *Counts) int64 {
	u := s.col[lo]
	size := hi - lo
	listed := size
	if p.Symmetrise && u != v {
		listed = 0
		for _, r := range s.row[lo:hi] {
			if dst[r] == v {
				listed++
			}
		}
	}
	if u == v && p.Loops == DropLoops {
		c.Listed += listed
		c.Dropped += listed
		return 0
	}
	kept := int64(1)
	if p.Duplicates == Merge {
		s.col[w], s.row[w] = u, s.row[lo]
		c.Duplicates += max(listed, 1) - 1
		c.Listed += max(listed, 1)
	} else {
		kept = s.keep(lo, hi, w, v, listed, dst)
		c.Listed += kept
	}
	if u == v {
		c.Loops += kept
	} else {
		c.Arcs += kept
	}
	return kept
}

// keep moves the listed arcs of a group, and the mirrored ones beyond as many
// as are listed, to position w, and returns how many.
func (s *sorted) keep(lo, hi, w int64, v int32, listed int64, dst []int32) int64 {
	start, mirrored := w, int64(0)
	all := listed == hi-lo
	for i := lo; i < hi; i++ {
		if r := s.row[i]; !all && dst[r] != v {
			mirrored++
			if mirrored <= listed {
				continue
			}
		}
		s.col[w], s.row[w] = s.col[i], s.row[i]
		w++
	}
	return w - start
}

// shrink returns the first n entries, moved to a slice of their own size where
// the old one would waste memory.
func shrink[T any](s []T, n int64) []T {
	if n == int64(len(s)) {
		return s
	}
	return append(make([]T, 0, n), s[:n]...)
}

func isIdentity(row []uint32) bool {
	for i, r := range row {
		if int(r) != i {
			return false
		}
	}
	return true
}

func gatherRows(row []uint32) []int64 {
	out := make([]int64, len(row))
	for i, r := range row {
		out[i] = int64(r)
	}
	return out
}

func gather[T any](x []T, row []uint32) []T {
	out := make([]T, len(row))
	for i, r := range row {
		out[i] = x[r]
	}
	return out
}
