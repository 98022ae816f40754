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

func gather[T any, I int32 | uint32](x []T, row []I) []T {
	out := make([]T, len(row))
	for i, r := range row {
		out[i] = x[r]
	}
	return out
}
