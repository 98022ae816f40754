package partition

import (
	"context"
	"math"

	"github.com/weft-gnn/weft/graph"
)

// score is what a part is worth to a vertex: near is the number of the vertex's
// neighbours there, full how full the part is, of 1, and w what share of a full
// part the vertex is. The largest wins, of equals the emptiest part.
type score func(near int64, full, w float64) float64

// ldg is linear deterministic greedy: near · (1 − full).
//
// Source: Stanton and Kliot, "Streaming graph partitioning for large distributed
// graphs", KDD'12, section 3. Differs: a part is full at the limit of the options,
// not at the mean.
func ldg(near int64, full, _ float64) float64 { return float64(near) * (1 - full) }

// fennel is near − w·α·γ·x^(γ−1), the price of load x rising with γ = 1.5. In the
// paper x counts vertices and α = m·P^(γ−1)/n^γ, with m edges; written for shares
// of a full part of L = limit, so that any weights will do, the price of a whole
// mean part, n/P vertices at γ·m/n each, is the same.
//
// Source: Tsourakakis, Gkantsidis, Radunovic and Vojnovic, "FENNEL: streaming graph
// partitioning for massive scale graphs", WSDM'14, section 4.
func fennel(s *structure, o Options) score {
	// A share w of a full part is w·(1 + slack)·n/P mean vertices.
	perPart := 1.5 * float64(s.total()) / 2 / float64(o.Parts)
	ratio := 1 + o.Slack
	return func(near int64, full, w float64) float64 {
		return float64(near) - w*ratio*perPart*math.Sqrt(full*ratio)
	}
}

// stream reads the vertices once, in random order, and puts each into the part of
// the best score, of those that it fits into.
func stream(ctx context.Context, b *graph.Block, o Options) ([]int32, error) {
	st := &streaming{s: newStructure(b), d: newDemand(b, o), score: ldg, near: make([]int64, o.Parts)}
	if o.Method == Fennel {
		st.score = fennel(st.s, o)
	}
	st.ledger = newLedger(st.d, o.Parts, o.Slack)
	st.part = make([]int32, b.Dst)
	for v := range st.part {
		st.part[v] = -1
	}
	for i, v := range shuffled(b, o) {
		if i%(1<<14) == 0 && ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		p := st.choose(v)
		st.part[v] = p
		st.ledger.add(p, st.d.at(v))
	}
	if st.ledger.balanced() {
		return st.part, nil
	}
	r := newRefinement(&level{s: st.s, d: st.d}, st.part, st.ledger)
	return st.part, r.rebalance(ctx)
}

// streaming is a division in the making.
type streaming struct {
	s      *structure
	d      demand
	ledger *ledger
	score  score
	part   []int32 // −1 where a vertex has none yet
	near   []int64 // neighbours of the vertex by part
}

// choose returns the part of a vertex. Where it fits nowhere, which takes several
// limits, it goes to the part that is least full, and something must move later.
func (st *streaming) choose(v int32) int32 {
	clear(st.near)
	for i := st.s.ptr[v]; i < st.s.ptr[v+1]; i++ {
		if p := st.part[st.s.col[i]]; p >= 0 {
			st.near[p] += st.s.weightOf(i)
		}
	}
	w, nothing := st.d.at(v), make([]int64, st.d.c)
	share := 0.0
	if w[0] > 0 {
		share = float64(w[0]) / float64(st.ledger.limit[0])
	}
	best, most, least := int32(-1), 0.0, 0.0
	for p := range int32(st.ledger.parts) {
		if !st.ledger.fits(p, w) {
			continue
		}
		full := st.ledger.fill(p, nothing)
		if s := st.score(st.near[p], full, share); best < 0 || s > most || s == most && full < least {
			best, most, least = p, s, full
		}
	}
	if best >= 0 {
		return best
	}
	return st.emptiest(w)
}

func (st *streaming) emptiest(w []int64) int32 {
	best := int32(0)
	for p := range int32(st.ledger.parts) {
		if st.ledger.fill(p, w) < st.ledger.fill(best, w) {
			best = p
		}
	}
	return best
}
