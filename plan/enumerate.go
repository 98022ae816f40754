package plan

import (
	"slices"

	"github.com/weft-gnn/weft/partition"
	"github.com/weft-gnn/weft/program"
)

// All lists the plans for so many ranks: every algorithm, on every mesh of ranks
// that it takes, with every partitioner that may pay.
// Where ranks exchange rows for edges to read, a plan is followed by those that choose
// where, and what goes back, by the words that are sent. What these make of a model may be
// what the plan before makes of it.
//
// The partitioner matters where what is sent depends on the cut. Where it does not
// the plan deals vertices out evenly, and no other partitioner sends less; hashing
// balances only in expectation what dealing out balances exactly.
func All(ranks int) []Plan {
	var all []Plan
	for _, a := range Algorithms() {
		for p := range meshes(ranks) {
			if p.Algorithm = a; p.Validate() == nil && (ranks == 1 || p.own() > 1) {
				all = append(all, p.partitioned()...)
			}
		}
	}
	return all
}

// own is the number of ranks along the axis that the algorithm is about.
func (p Plan) own() int {
	if p.whole() {
		return map[string]int{"feature": p.Feature, "replica": p.Replica}[p.axis()]
	}
	if p.Algorithm == ThreeD {
		return p.Partition[2] // of one it is TwoD
	}
	return p.parts()
}

// maxDims is the most dimensions that a grid of ranks has: R × S × C.
const maxDims = 3

// meshes yields every way to arrange ranks, as plans of no algorithm yet.
func meshes(ranks int) func(yield func(Plan) bool) {
	return func(yield func(Plan) bool) {
		for axes := range grids(ranks, 3) { // features, replicas, and those that share the graph
			for dims := range maxDims {
				for grid := range grids(axes[2], dims+1) {
					for c := range grids(ranks, 2) {
						for resplit := range resplitNames {
							p := Plan{Partition: grid, Feature: axes[0], Replica: axes[1], Replication: c[0], Resplit: Resplit(resplit)}
							if !yield(p) {
								return
							}
						}
					}
				}
			}
		}
	}
}

// grids yields the ways to write a number as so many factors, in order.
func grids(ranks, dims int) func(yield func([]int) bool) {
	return func(yield func([]int) bool) { factors(nil, ranks, dims, yield) }
}

// factors yields what continues the factors so far, until yield wants no more.
func factors(before []int, rest, more int, yield func([]int) bool) bool {
	if more == 1 {
		return yield(append(slices.Clone(before), rest))
	}
	for f := 1; f <= rest; f++ {
		if rest%f == 0 && !factors(append(before, f), rest/f, more-1, yield) {
			return false
		}
	}
	return true
}

// sides returns the plan with rows exchanged where fewest words are sent, and with rows
// computed again besides, and of each what sends rows of gradients back where that is as
// few: of the default partitioner alone, where no axes are multiplied.
func (p Plan) sides() []Plan {
	if !p.sided() || p.Ranks() > p.parts() || p.Ranks() == 1 {
		return nil
	}
	var all []Plan
	for _, p.Backward = range []program.Return{program.ReturnSums, program.ReturnFewer} {
		p.Exchange, p.Recompute = program.AfterProducts, false
		if p.Backward != program.ReturnSums {
			all = append(all, p)
		}
		p.Exchange = program.FewerWords
		for _, p.Recompute = range []bool{false, true} {
			all = append(all, p)
		}
	}
	return all
}

// partitioned returns the plan with every partitioner that may pay, the default first,
// with every side: that alone where axes are multiplied, since a graph that falls apart
// better by another does so without.
func (p Plan) partitioned() []Plan {
	preset := p.partitioner()
	all := append([]Plan{p}, p.sides()...)
	if preset == partition.Random || p.Ranks() > p.parts() || p.Ranks() == 1 {
		return all
	}
	for _, m := range partition.Methods() {
		p.Partitioner, p.Partitioned = m, true
		if m != preset && m != partition.Hash && p.Validate() == nil {
			all = append(all, p)
		}
	}
	return all
}
