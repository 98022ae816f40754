package partition

import (
	"context"

	"github.com/weft-gnn/weft/internal/rng"
)

// refinement improves a division of a level.
type refinement struct {
	*level
	part   []int32
	ledger *ledger
	near   *connections
	q      *queue
	moved  []bool
	log    []move
}

// move is a step that may be taken back.
type move struct{ vertex, from int32 }

// newRefinement puts the vertices' demands on an empty ledger.
func newRefinement(l *level, part []int32, led *ledger) *refinement {
	r := &refinement{level: l, part: part, ledger: led}
	clear(led.load)
	for v, p := range part {
		led.add(p, l.d.at(int32(v)))
	}
	r.near = newConnections(l.s, part, led.parts)
	r.q = newQueue(len(part))
	r.moved = make([]bool, len(part))
	return r
}

// move puts v into part to; near follows.
func (r *refinement) move(v, to int32) {
	from := r.part[v]
	w := r.d.at(v)
	r.ledger.remove(from, w)
	r.ledger.add(to, w)
	r.part[v] = to
	for i := r.s.ptr[v]; i < r.s.ptr[v+1]; i++ {
		u, w := r.s.col[i], r.s.weightOf(i)
		r.near.remove(u, from, w)
		r.near.add(u, to, w)
	}
}

// best returns the part, of those that v has edges to and fits into, to which it
// has the heaviest, and by how much less is cut if it goes there; false where
// there is none. Of equals it is the emptiest.
func (r *refinement) best(v int32) (to int32, gain int64, ok bool) {
	own, inside := r.part[v], int64(0)
	w := r.d.at(v)
	part, weight := r.near.of(v)
	most := int64(-1)
	for i, p := range part {
		switch {
		case p == own:
			inside = weight[i]
		case weight[i] < most || !r.ledger.fits(p, w):
		case weight[i] > most || r.ledger.fill(p, w) < r.ledger.fill(to, w):
			to, most, ok = p, weight[i], true
		}
	}
	return to, most - inside, ok
}

// offer puts v into the queue by the gain of its best move, or out of it.
func (r *refinement) offer(v int32) {
	if _, gain, ok := r.best(v); ok {
		r.q.put(v, gain)
	} else {
		r.q.drop(v)
	}
}

// boundary reports whether v has an edge to another part.
func (r *refinement) boundary(v int32) bool {
	part, _ := r.near.of(v)
	return len(part) > 1 || len(part) == 1 && part[0] != r.part[v]
}

// improve moves vertices of the boundary until that cuts no less. In each pass a
// vertex moves once at most, the one of the largest gain first, also where it is
// negative; of all states of the pass the best is kept.
//
// Source: Fiduccia and Mattheyses, "A linear-time heuristic for improving network
// partitions", DAC'82; for many parts as Karypis and Kumar, "Multilevel k-way
// partitioning scheme for irregular graphs", JPDC 48 (1998), with one queue.
func (r *refinement) improve(ctx context.Context, lots *rng.Stream) error {
	cut := r.cut()
	for range passes {
		gain, err := r.pass(ctx, lots)
		if err != nil {
			return err
		}
		if cut -= gain; float64(gain) <= worthwhile*float64(cut) {
			return nil
		}
	}
	return nil
}

// At most so many passes are made, and one more only after one that lessened the
// cut by more than this share.
const (
	passes     = 8
	worthwhile = 0.001
)

// patience is how many moves in a row a pass goes on for without a new best
// state: a share of all vertices, but within bounds.
func (r *refinement) patience() int { return min(max(len(r.part)/50, 50), 500) }

// pass returns by how much less is cut than before it.
func (r *refinement) pass(ctx context.Context, lots *rng.Stream) (int64, error) {
	r.q.clear()
	clear(r.moved)
	r.log = r.log[:0]
	r.offerBoundary(lots)
	gain, best, kept := int64(0), int64(0), 0
	for r.q.len() > 0 && len(r.log)-kept < r.patience() {
		if len(r.log)%1024 == 0 && ctx.Err() != nil {
			return 0, context.Cause(ctx)
		}
		v, was := r.q.pop()
		to, now, ok := r.best(v)
		if !ok {
			continue
		}
		if now < was && r.q.len() > 0 && now < r.q.top() {
			r.q.put(v, now) // the part that it was to go to has become full
			continue
		}
		r.log = append(r.log, move{v, r.part[v]})
		r.moved[v] = true
		r.move(v, to)
		if gain += now; gain > best {
			best, kept = gain, len(r.log)
		}
		for _, u := range r.s.neighbours(v) {
			if !r.moved[u] {
				r.offer(u)
			}
		}
	}
	for i := len(r.log) - 1; i >= kept; i-- {
		r.move(r.log[i].vertex, r.log[i].from)
	}
	return best, nil
}

// offerBoundary puts the vertices of the boundary into the queue, in random order,
// so that of equal gains any may come first.
func (r *refinement) offerBoundary(lots *rng.Stream) {
	var boundary []int32
	for v := range int32(len(r.part)) {
		if r.boundary(v) {
			boundary = append(boundary, v)
		}
	}
	lots.Shuffle(len(boundary), func(i, j int) { boundary[i], boundary[j] = boundary[j], boundary[i] })
	for _, v := range boundary {
		r.offer(v)
	}
}

// cut is the weight of the edges between parts.
func (r *refinement) cut() (w int64) {
	for v := range int32(len(r.part)) {
		part, weight := r.near.of(v)
		for i, p := range part {
			if p != r.part[v] {
				w += weight[i]
			}
		}
	}
	return w / 2
}

// rebalance moves vertices out of parts that have more than they may, those of
// the largest gain first, until none has or no move helps. A move must lessen
// what parts have too much, in shares of their limits.
//
// With one limit, parts end up less than one vertex above the mean: while one has
// more, its vertices w fit the emptiest part in its place, since
// (W − load)/(P − 1) + w < load.
func (r *refinement) rebalance(ctx context.Context) error {
	for !r.ledger.balanced() {
		r.offerOver()
		moves, err := r.relieve(ctx)
		if err != nil || moves == 0 {
			return err
		}
	}
	return nil
}

// offerOver puts the vertices of parts that have too much into the queue.
func (r *refinement) offerOver() {
	r.q.clear()
	for v, p := range r.part {
		if r.ledger.over(p, r.d.at(int32(v))) {
			if to, gain := r.relief(int32(v)); to >= 0 {
				r.q.put(int32(v), gain)
			}
		}
	}
}

// relieve moves the vertices in the queue, each once at most, and returns how many.
func (r *refinement) relieve(ctx context.Context) (moves int, err error) {
	for step := 0; r.q.len() > 0; step++ {
		if step%1024 == 0 && ctx.Err() != nil {
			return moves, context.Cause(ctx)
		}
		v, was := r.q.pop()
		if !r.ledger.over(r.part[v], r.d.at(v)) {
			continue
		}
		to, now := r.relief(v)
		if to < 0 {
			continue
		}
		if now < was && r.q.len() > 0 && now < r.q.top() {
			r.q.put(v, now)
			continue
		}
		r.move(v, to)
		moves++
	}
	return moves, nil
}

// relief returns the part to which v should go out of one that is too full, and by
// how much less is cut then; −1 where no move helps. Parts that it fits into come
// before those that it only helps to put it into.
func (r *refinement) relief(v int32) (to int32, gain int64) {
	own, w := r.part[v], r.d.at(v)
	inside := r.near.to(v, own)
	spared := r.ledger.excess(own, 0, w) - r.ledger.excess(own, -1, w)
	to = -1
	most, least, fits := int64(-1), 0.0, false
	for p := range int32(r.ledger.parts) {
		// What is equal but for rounding would go to and fro without end.
		if p == own || r.ledger.excess(p, 1, w)-r.ledger.excess(p, 0, w) >= spared*(1-1e-9) {
			continue
		}
		near, full, ok := r.near.to(v, p), r.ledger.fill(p, w), r.ledger.fits(p, w)
		if ok && !fits || ok == fits && (near > most || near == most && full < least) {
			to, most, least, fits = p, near, full, ok
		}
	}
	return to, most - inside
}
