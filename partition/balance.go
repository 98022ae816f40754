package partition

import (
	"cmp"
	"math"
	"slices"

	"github.com/weft-gnn/weft/graph"
)

// demand is what each vertex takes of what parts have limits on: c numbers per
// vertex, the balance's first, then 1 or 0 for each mask.
type demand struct {
	c  int
	of []int64
}

func newDemand(b *graph.Block, o Options) demand {
	d := demand{c: 1 + len(o.Masks), of: make([]int64, b.Dst*(1+len(o.Masks)))}
	for v := range b.Dst {
		w := d.at(int32(v))
		w[0] = weight(b, v, o.Balance)
		for i, mask := range o.Masks {
			if mask[v] {
				w[1+i] = 1
			}
		}
	}
	return d
}

// weight is what a vertex counts in a balance.
func weight(b *graph.Block, v int, by Balance) int64 {
	switch by {
	case ByEdges:
		return int64(b.InDegree(v))
	case ByWork:
		return VertexWork + int64(b.InDegree(v))
	}
	return 1
}

// at is the demand of vertex v.
func (d demand) at(v int32) []int64 { return d.of[int(v)*d.c : (int(v)+1)*d.c] }

// totals returns the sum and the largest of each number.
func (d demand) totals() (total, most []int64) {
	total, most = make([]int64, d.c), make([]int64, d.c)
	for i, w := range d.of {
		total[i%d.c] += w
		most[i%d.c] = max(most[i%d.c], w)
	}
	return total, most
}

// above returns the i-th numbers that are larger than x, the largest first.
func (d demand) above(i int, x float64) []int64 {
	var heavy []int64
	for k := i; k < len(d.of); k += d.c {
		if float64(d.of[k]) > x {
			heavy = append(heavy, d.of[k])
		}
	}
	slices.SortFunc(heavy, func(a, b int64) int { return cmp.Compare(b, a) })
	return heavy
}

// ledger keeps what parts have, and how much they may.
type ledger struct {
	parts, c int
	load     []int64 // c numbers per part
	limit    []int64 // c numbers per part
}

// newLedger returns the ledger of empty parts. A part may have 1 + slack times the
// mean, or what the fullest part has after vertices were added to the emptiest part
// each, the heaviest first: for weights w_1 ≥ w_2 ≥ … that sum to W
//
//	limit = max(⌊(1 + slack)·W/P⌋, max_j ⌊(w_1 + … + w_{j−1})/P⌋ + w_j)
//
// where vertices of at most slack·W/P cannot be the j of the maximum. In another
// order a part may end up with more: less than a vertex above the mean.
//
// Source: Graham, "Bounds on multiprocessing timing anomalies", SIAM J. Appl. Math.
// 17 (1969).
func newLedger(d demand, parts int, slack float64) *ledger {
	l := emptyLedger(parts, d.c)
	total, _ := d.totals()
	limit := make([]int64, d.c)
	for i, w := range total {
		mean := float64(w) / float64(parts)
		limit[i] = int64(math.Min((1+slack)*mean, float64(w)))
		before := int64(0)
		for _, x := range d.above(i, slack*mean) {
			limit[i] = max(limit[i], before/int64(parts)+x)
			before += x
		}
	}
	for i := range l.limit {
		l.limit[i] = limit[i%d.c]
	}
	return l
}

func emptyLedger(parts, c int) *ledger {
	return &ledger{parts: parts, c: c, load: make([]int64, parts*c), limit: make([]int64, parts*c)}
}

// of is what part p has, and may have.
func (l *ledger) of(p int32) (load, limit []int64) {
	lo, hi := int(p)*l.c, (int(p)+1)*l.c
	return l.load[lo:hi], l.limit[lo:hi]
}

// add puts a demand on part p.
func (l *ledger) add(p int32, w []int64) {
	load, _ := l.of(p)
	for i, x := range w {
		load[i] += x
	}
}

// remove takes it off again.
func (l *ledger) remove(p int32, w []int64) {
	load, _ := l.of(p)
	for i, x := range w {
		load[i] -= x
	}
}

// fits reports whether part p may take a demand.
func (l *ledger) fits(p int32, w []int64) bool {
	load, limit := l.of(p)
	for i, x := range w {
		if load[i]+x > limit[i] {
			return false
		}
	}
	return true
}

// fill is how full part p would be, of 1, with a demand more: that of its fullest
// limit. A limit of 0 is never filled.
func (l *ledger) fill(p int32, more []int64) float64 {
	load, limit := l.of(p)
	most := 0.0
	for i, x := range load {
		if limit[i] > 0 {
			most = max(most, float64(x+more[i])/float64(limit[i]))
		}
	}
	return most
}

// excess is by how much part p is above its limits, in shares of these, with sign
// times a demand more.
func (l *ledger) excess(p int32, sign int64, more []int64) float64 {
	load, limit := l.of(p)
	sum := 0.0
	for i, x := range load {
		if over := x + sign*more[i] - limit[i]; over > 0 {
			sum += float64(over) / float64(max(limit[i], 1))
		}
	}
	return sum
}

// over reports whether part p has more than it may of what a demand takes.
func (l *ledger) over(p int32, w []int64) bool {
	load, limit := l.of(p)
	for i, x := range load {
		if w[i] > 0 && x > limit[i] {
			return true
		}
	}
	return false
}

// balanced reports whether every part keeps to its limits.
func (l *ledger) balanced() bool {
	for i, x := range l.load {
		if x > l.limit[i] {
			return false
		}
	}
	return true
}
