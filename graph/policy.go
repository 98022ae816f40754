package graph

// Duplicates says what becomes of parallel arcs: arcs that share both ends.
type Duplicates int

// The policies for parallel arcs.
const (
	Merge Duplicates = iota // keep the first listed arc with its weight
	Keep                    // keep all, in listing order
)

// Loops says what becomes of arcs from a vertex to itself.
type Loops int

// The policies for loops.
const (
	KeepLoops Loops = iota
	DropLoops
)

// Policy says how an edge list becomes a graph. The zero Policy keeps the
// list's directions and loops and merges duplicates.
//
// Merge keeps the first listed arc of each ordered pair, its weight and its
// row; the others' weights are not added to it. Parallel loops are duplicates
// like any others.
//
// Symmetrise adds to each arc that is not a loop the mirrored arc where the list
// lacks it; a mirrored arc has the weight and the row of its original. With
// Merge the first listed row of an unordered pair stands for both directions,
// so that A = Aᵀ, weights included. With Keep the j-th u→v and the j-th v→u of
// the list are each other's mirror and stay as they are; only what is left over
// on one side is mirrored. Either way, symmetrising twice equals once.
type Policy struct {
	Duplicates Duplicates
	Loops      Loops
	Symmetrise bool
}

// reducer applies a policy to a sorted edge list, in place.
type reducer struct {
	*sorted
	policy Policy
	// dst is the list's. By it a mirrored arc is told from a listed one: it
	// does not point to its row's destination.
	dst    []int32
	w      int64 // arcs kept so far
	counts Counts
}

// reduce drops the arcs that the policy does not keep and counts what it found.
// dst holds the destinations of the list that s was sorted from.
func (s *sorted) reduce(dst []int32, p Policy) Counts {
	r := reducer{sorted: s, policy: p, dst: dst}
	for v := range len(s.ptr) - 1 {
		lo, hi := s.ptr[v], s.ptr[v+1]
		s.ptr[v] = r.w
		for lo < hi {
			end := lo + 1
			for end < hi && s.col[end] == s.col[lo] {
				end++
			}
			if int(s.col[lo]) == v {
				r.loops(lo, end)
			} else {
				r.parallel(lo, end, int32(v))
			}
			lo = end
		}
	}
	s.ptr[len(s.ptr)-1] = r.w
	s.col, s.row = shrink(s.col, r.w), shrink(s.row, r.w)
	c := r.counts
	c.Rows = int64(len(dst))
	c.Listed = c.Arcs + c.Loops + c.Duplicates + c.Dropped
	return c
}

// loops reduces the loops of one vertex.
func (r *reducer) loops(lo, hi int64) {
	switch {
	case r.policy.Loops == DropLoops:
		r.counts.Dropped += hi - lo
	case r.policy.Duplicates == Merge:
		r.put(lo)
		r.counts.Loops++
		r.counts.Duplicates += hi - lo - 1
	default:
		for i := lo; i < hi; i++ {
			r.put(i)
		}
		r.counts.Loops += hi - lo
	}
}

// parallel reduces the arcs of one ordered pair, listed and mirrored ones.
func (r *reducer) parallel(lo, hi int64, v int32) {
	listed := hi - lo
	if r.policy.Symmetrise && listed > 1 { // an arc that is alone stays, listed or mirrored
		listed = r.listed(lo, hi, v)
	}
	before := r.w
	if r.policy.Duplicates == Merge {
		r.put(lo)
		r.counts.Duplicates += max(listed, 1) - 1
	} else {
		r.keep(lo, hi, v, listed)
	}
	r.counts.Arcs += r.w - before
}

// listed counts the arcs that the list itself has.
func (r *reducer) listed(lo, hi int64, v int32) (listed int64) {
	for _, row := range r.row[lo:hi] {
		if r.dst[row] == v {
			listed++
		}
	}
	return listed
}

// keep keeps the listed arcs, and those mirrored ones that no listed arc is the
// mirror of already.
func (r *reducer) keep(lo, hi int64, v int32, listed int64) {
	mirrored := int64(0)
	for i := lo; i < hi; i++ {
		if listed < hi-lo && r.dst[r.row[i]] != v {
			mirrored++
			if mirrored <= listed {
				continue
			}
		}
		r.put(i)
	}
}

// put keeps the arc at i, which is not below the arcs kept so far.
func (r *reducer) put(i int64) {
	r.col[r.w], r.row[r.w] = r.col[i], r.row[i]
	r.w++
}

// shrink returns the first n entries, moved to a slice of their own size where
// the old one would waste memory.
func shrink[T any](s []T, n int64) []T {
	if n == int64(len(s)) {
		return s
	}
	return append(make([]T, 0, n), s[:n]...)
}
