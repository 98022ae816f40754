package partition

// hdrf puts pairs where their ends are already: into the part p of the largest
//
//	C_REP + C_BAL = Σ_{x of both ends, in p} (1 + (1 − θ_x)) + (max − |p|)/(ε + max − min)
//
// with θ the end's share of both ends' neighbours, so that an end of few of them
// counts more, |p| the arcs in p, and max and min those of the fullest and emptiest
// part. A part that would pass its limit is left out.
//
// Source: Petroni, Querzoni, Daudjee, Kamali and Iacoboni, "HDRF: stream-based
// partitioning for power-law graphs", CIKM'15, with λ = 1. Differs: neighbours are
// known, not counted as pairs come; pairs come in random order; there is a limit.
type hdrf struct {
	e        *edgeCutting
	load     []int64
	limit    int64
	min, max int64
	words    int      // of 64 parts for each vertex
	in       []uint64 // the parts that a vertex is in
}

func (e *edgeCutting) newHDRF() *hdrf {
	d := demand{c: 1, of: make([]int64, len(e.ends))}
	for k, x := range e.ends {
		d.of[k] = int64(x.arcs)
	}
	words := (e.o.Parts + 63) / 64
	h := &hdrf{e: e, load: make([]int64, e.o.Parts), words: words, in: make([]uint64, words*e.s.vertices())}
	h.limit = newLedger(d, e.o.Parts, e.o.Slack).limit[0]
	return h
}

func (h *hdrf) of(v int32) []uint64 { return h.in[int(v)*h.words : (int(v)+1)*h.words] }

func (h *hdrf) choose(x ends) int32 {
	d, f := float64(h.e.s.degree(x.lo)), float64(h.e.s.degree(x.hi))
	lo, hi := h.of(x.lo), h.of(x.hi)
	best, most := int32(-1), 0.0
	h.spread()
	for p, load := range h.load {
		if load+int64(x.arcs) > h.limit {
			continue
		}
		score := float64(h.max-load) / float64(1+h.max-h.min)
		if lo[p/64]>>(p%64)&1 != 0 {
			score += 1 + f/(d+f)
		}
		if hi[p/64]>>(p%64)&1 != 0 {
			score += 1 + d/(d+f)
		}
		if best < 0 || score > most {
			best, most = int32(p), score
		}
	}
	if best < 0 { // a pair of more arcs than others have
		best = h.emptiest()
	}
	lo[best/64] |= 1 << (best % 64)
	hi[best/64] |= 1 << (best % 64)
	h.load[best] += int64(x.arcs)
	return best
}

func (h *hdrf) emptiest() int32 {
	best := int32(0)
	for p, load := range h.load {
		if load < h.load[best] {
			best = int32(p)
		}
	}
	return best
}

// spread finds the least and the most that a part has.
func (h *hdrf) spread() {
	h.min, h.max = h.load[0], h.load[0]
	for _, load := range h.load {
		h.min, h.max = min(h.min, load), max(h.max, load)
	}
}
