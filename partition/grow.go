package partition

import (
	"context"
	"log/slog"

	"github.com/weft-gnn/weft/internal/rng"
)

// bisection divides a small level in two again and again.
type bisection struct {
	slack float64 // of each cut
	lots  *rng.Stream
}

// divide puts the vertices into parts from first on, so many of them.
func (b *bisection) divide(ctx context.Context, l *level, vertices []int32, first, parts int32, part []int32) error {
	if parts == 1 || len(vertices) == 0 {
		for _, v := range vertices {
			part[v] = first
		}
		return ctx.Err()
	}
	sub := l.induced(vertices)
	side, err := b.cut(ctx, sub, float64(parts/2)/float64(parts))
	if err != nil {
		return err
	}
	var of [2][]int32
	for i, v := range vertices {
		of[side[i]] = append(of[side[i]], v)
	}
	if err := b.divide(ctx, l, of[0], first, parts/2, part); err != nil {
		return err
	}
	return b.divide(ctx, l, of[1], first+parts/2, parts-parts/2, part)
}

// induced returns the level of some vertices, and the edges among them.
func (l *level) induced(vertices []int32) *level {
	at := make([]int32, l.s.vertices())
	for i := range at {
		at[i] = -1
	}
	for i, v := range vertices {
		at[v] = int32(i)
	}
	sub := &level{s: &structure{ptr: make([]int64, 1, len(vertices)+1)}, d: demand{c: l.d.c}}
	for _, v := range vertices {
		sub.d.of = append(sub.d.of, l.d.at(v)...)
		for i := l.s.ptr[v]; i < l.s.ptr[v+1]; i++ {
			if u := at[l.s.col[i]]; u >= 0 {
				sub.s.col, sub.s.weight = append(sub.s.col, u), append(sub.s.weight, int32(l.s.weightOf(i)))
			}
		}
		sub.s.ptr = append(sub.s.ptr, int64(len(sub.s.col)))
	}
	return sub
}

// cut returns the side, 0 or 1, of each vertex; side 0 has the given share. Of
// several tries the one that cuts least is taken, of those that keep to the
// limits if any does. Each shrinks the graph on its own.
func (b *bisection) cut(ctx context.Context, l *level, share float64) ([]int32, error) {
	led := sides(l.d, share, b.slack)
	var best choice
	for range triesOf(l) {
		levels, err := coarsen(ctx, l, smallest, b.lots)
		if err != nil {
			return nil, err
		}
		side, err := b.start(ctx, levels[len(levels)-1], led, share)
		if err != nil {
			return nil, err
		}
		if side, err = refine(ctx, levels, side, led, b.lots, slog.New(slog.DiscardHandler)); err != nil {
			return nil, err
		}
		best.take(side, l.cutOf(side), led.balanced())
	}
	return best.side, nil
}

// cutOf is the weight of the edges between parts.
func (l *level) cutOf(part []int32) (w int64) {
	for v := range int32(len(part)) {
		for i := l.s.ptr[v]; i < l.s.ptr[v+1]; i++ {
			if part[l.s.col[i]] != part[v] {
				w += l.s.weightOf(i)
			}
		}
	}
	return w / 2
}

// start returns the sides of the vertices of a small level, the best of several.
func (b *bisection) start(ctx context.Context, l *level, led *ledger, share float64) ([]int32, error) {
	var best choice
	for range starts {
		side := b.grow(l, share)
		r := newRefinement(l, side, led)
		if err := r.rebalance(ctx); err != nil {
			return nil, err
		}
		if err := r.improve(ctx, b.lots); err != nil {
			return nil, err
		}
		best.take(side, r.cut(), led.balanced())
	}
	return best.side, nil
}

// How often a graph is cut in two, edges of all these together if more than the
// fewest; how many vertices are then left, and how often these are cut.
const (
	effort   = 1 << 21
	fewest   = 1
	few      = 3
	most     = 16
	smallest = 60
	starts   = 4
)

// triesOf is how often a level is cut. One that need not shrink is the same each
// time, and is cut from several starts anyway.
func triesOf(l *level) int {
	if l.s.vertices() <= smallest {
		return few
	}
	return min(max(effort/(len(l.s.col)+1), fewest), most)
}

// choice is the best of the sides that it was given.
type choice struct {
	side     []int32
	cut      int64
	balanced bool
}

func (c *choice) take(side []int32, cut int64, balanced bool) {
	if c.side == nil || balanced && !c.balanced || balanced == c.balanced && cut < c.cut {
		c.side, c.cut, c.balanced = side, cut, balanced
	}
}

// sides returns the ledger of two sides, of which the first is to have a share.
func sides(d demand, share, slack float64) *ledger {
	led := emptyLedger(2, d.c)
	total, most := d.totals()
	for p, f := range [2]float64{share, 1 - share} {
		_, limit := led.of(int32(p))
		for i := range limit {
			mean := f * float64(total[i])
			limit[i] = min(total[i], max(int64((1+slack)*mean), int64(mean)+(most[i]+1)/2))
		}
	}
	return led
}

// grow grows side 0 from a random vertex, the neighbour that cuts least first,
// until it has its share. Where a component ends it goes on in another.
//
// Source: Karypis and Kumar, SISC 20 (1998), greedy graph growing.
func (b *bisection) grow(l *level, share float64) []int32 {
	g := newGrowth(l, b.lots)
	total, _ := l.d.totals()
	for !grown(g.load, total, share) {
		v, ok := g.next()
		if !ok {
			break
		}
		g.take(v)
	}
	return g.side
}

// growth is side 0 in the making.
type growth struct {
	*level
	side []int32
	load []int64 // of side 0
	gain []int64 // by how much less is cut if a vertex joins it
	q    *queue  // neighbours of side 0
	rest []int32 // vertices in random order, of which some joined
}

func newGrowth(l *level, lots *rng.Stream) *growth {
	n := l.s.vertices()
	g := &growth{level: l, side: make([]int32, n), load: make([]int64, l.d.c), gain: make([]int64, n), q: newQueue(n), rest: identityOrder(n)}
	for v := range int32(n) {
		g.side[v] = 1
		for i := l.s.ptr[v]; i < l.s.ptr[v+1]; i++ {
			g.gain[v] -= l.s.weightOf(i)
		}
	}
	lots.Shuffle(n, func(i, j int) { g.rest[i], g.rest[j] = g.rest[j], g.rest[i] })
	return g
}

// next returns the vertex that joins next; false where all have.
func (g *growth) next() (int32, bool) {
	if g.q.len() > 0 {
		v, _ := g.q.pop()
		return v, true
	}
	for len(g.rest) > 0 && g.side[g.rest[0]] == 0 {
		g.rest = g.rest[1:]
	}
	if len(g.rest) == 0 {
		return 0, false
	}
	return g.rest[0], true
}

// take lets v join.
func (g *growth) take(v int32) {
	g.side[v] = 0
	for i, w := range g.d.at(v) {
		g.load[i] += w
	}
	for i := g.s.ptr[v]; i < g.s.ptr[v+1]; i++ {
		if u := g.s.col[i]; g.side[u] == 1 {
			g.gain[u] += 2 * g.s.weightOf(i)
			g.q.put(u, g.gain[u])
		}
	}
}

// grown reports whether a side has its share, on average over what is counted.
func grown(load, total []int64, share float64) bool {
	sum, counted := 0.0, 0
	for i, t := range total {
		if t > 0 {
			sum += float64(load[i]) / float64(t)
			counted++
		}
	}
	return counted == 0 || sum >= share*float64(counted)
}
