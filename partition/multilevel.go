package partition

import (
	"context"
	"log/slog"

	"github.com/weft-gnn/weft/graph"
	"github.com/weft-gnn/weft/internal/rng"
)

// How far graphs are shrunk, and how much is done on each level.
const (
	coarsest = 50   // vertices per part of the smallest level
	least    = 600  // but not less than so many
	shrinks  = 0.95 // a level that has more than this share of the one before is the last
)

// multilevel divides by matching, bisection and refinement.
func multilevel(ctx context.Context, b *graph.Block, o Options) ([]int32, error) {
	lots := o.key().Stream(ofMultilevel)
	levels, err := coarsen(ctx, &level{s: newStructure(b), d: newDemand(b, o)}, max(coarsest*o.Parts, least), lots)
	if err != nil {
		return nil, err
	}
	small := levels[len(levels)-1]
	part := make([]int32, small.s.vertices())
	cut := &bisection{slack: o.Slack, lots: lots}
	if err := cut.divide(ctx, small, identityOrder(len(part)), 0, int32(o.Parts), part); err != nil {
		return nil, err
	}
	led := newLedger(levels[0].d, o.Parts, o.Slack)
	return refine(ctx, levels, part, led, lots, o.Log)
}

// coarsen shrinks a level again and again, until it has so many vertices.
func coarsen(ctx context.Context, l *level, goal int, lots *rng.Stream) ([]*level, error) {
	total, _ := l.d.totals()
	limit := make([]int64, len(total))
	for i, t := range total {
		limit[i] = max(1, 3*t/(2*int64(goal)))
	}
	levels := []*level{l}
	var r room
	for l.s.vertices() > goal {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		next := l.match(limit, lots).contract(&r)
		if float64(next.s.vertices()) > shrinks*float64(l.s.vertices()) {
			break
		}
		levels = append(levels, next)
		l = next
	}
	return levels, nil
}

// refine takes a division of the last level back to the first, and improves it on
// each.
func refine(ctx context.Context, levels []*level, part []int32, led *ledger, lots *rng.Stream, log *slog.Logger) ([]int32, error) {
	for i := len(levels) - 1; ; i-- {
		l := levels[i]
		r := newRefinement(l, part, led)
		if err := r.rebalance(ctx); err != nil {
			return nil, err
		}
		if err := r.improve(ctx, lots); err != nil {
			return nil, err
		}
		log.Debug("partition: refined", "level", i, "vertices", len(part), "edges", len(l.s.col)/2, "cut", r.cut(), "balanced", led.balanced())
		if i == 0 {
			return part, nil
		}
		fine := make([]int32, levels[i-1].s.vertices())
		for v, c := range levels[i-1].coarse {
			fine[v] = part[c]
		}
		part = fine
	}
}
