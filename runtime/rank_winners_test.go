package runtime_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/weft-gnn/weft/graph"
	"github.com/weft-gnn/weft/internal/rng"
	"github.com/weft-gnn/weft/kernel"
	"github.com/weft-gnn/weft/program"
	"github.com/weft-gnn/weft/tensor"
)

// winning declares a maximum, or a minimum, over the edges at one end, and the gradient
// at the other end's rows of what depends on it: of the first columns of x the
// extremes, the last ones being the gradients of these. What flows to an edge is
// multiplied by its weight, so that it tells which of two equal edges has won.
func winning(of program.Reduction, end program.Map, s program.Space) func(b *program.Builder, x program.Value) program.Value {
	return func(b *program.Builder, x program.Value) program.Value {
		half := program.Cols(b.Type(x).Cols.N / 2)
		far := map[program.Map]program.Map{program.Dst: program.Src, program.Src: program.Dst}[end]
		e := b.Scatter(b.Add(program.Slice{From: program.Cols(0), Width: half}, x), far, s)
		arg := b.Add(program.ArgSelect{Of: of, Along: end, Over: s}, e)
		dy := b.Add(program.Slice{From: half, Width: half}, x)
		de := b.HeadScale(b.Add(program.Route{Along: end, To: s}, dy, arg), b.EdgeCoef(program.EdgeWeight, s))
		return b.Concat(b.Add(program.Pick{Along: end, Over: s}, e, arg), b.Sum(de, far))
	}
}

// TestWinnersEqualOne: where the edges of a vertex are spread over ranks, maxima and
// their gradients have the bits of one rank: with ties, parallel edges, zeros of both
// signs, NaN, infinities and vertices without edges. Weights and gradients are small
// whole numbers, whose sums are exact in any order.
func TestWinnersEqualOne(t *testing.T) {
	const n, m, k = 17, 190, 6 // edges enough that a rank has several of one vertex
	s := rng.Key{Seed: 4, Purpose: rng.Test}.Stream(2)
	src, dst, weight := make([]int32, m), make([]int32, m), make([]float32, m)
	for e := range src {
		src[e], dst[e], weight[e] = int32(s.Uint32n(n-2)), int32(1+s.Uint32n(n-2)), float32(1+s.Uint32n(9))
	}
	g, err := graph.FromCOO(n, src, dst, weight, graph.Policy{Duplicates: graph.Keep})
	if err != nil {
		t.Fatal(err)
	}
	inf := float32(math.Inf(1))
	odd := []float32{0, float32(math.Copysign(0, -1)), float32(math.NaN()), inf, -inf, 1, 1, -1, 2, 2}
	x := tensor.New(n, 2*k)
	for i := range n {
		for j := range k {
			x.Row(i)[j], x.Row(i)[k+j] = odd[s.Uint32n(uint32(len(odd)))], float32(s.Uint32n(100))-50
		}
	}
	for _, of := range []program.Reduction{program.Max, program.Min} {
		for _, end := range []program.Map{program.Dst, program.Src} {
			for _, over := range []program.Space{program.Edges, program.LoopEdges} {
				_, one := evaluate(t, g, x, "algorithm=1d,partition=1", winning(of, end, over))
				for _, text := range []string{
					"algorithm=1d,partition=3", "algorithm=2d,partition=1x3", "algorithm=1d-allgather,partition=4", "algorithm=2d,partition=2x3", "algorithm=2d,partition=4x1", "algorithm=3d,partition=2x2x2", "algorithm=3d,partition=1x2x3", "algorithm=3d,partition=1x1x8",
					"algorithm=vertexcut,partition=2,partitioner=vertexcut-random", "algorithm=vertexcut,partition=5,partitioner=vertexcut-random",
					"algorithm=1.5d,partition=6,replication=3", "algorithm=1.5d,partition=4,replication=4", "algorithm=2d,partition=2x2,feature=2", "algorithm=weights,feature=3",
					"algorithm=feature,feature=4", "algorithm=feature,feature=3,resplit=reduce-scatter", "algorithm=replicas,replica=2",
				} {
					_, ranks := evaluate(t, g, x, text, winning(of, end, over))
					for r, rank := range ranks {
						for i, v := range rank.vertex {
							for j, want := range one[0].y.Row(int(v)) {
								if got := rank.y.Row(i)[j]; kernel.Bits(got) != kernel.Bits(want) {
									t.Fatalf("%v of %v at %v, %s: rank %d has %v for column %d of vertex %d, want %v", of, over, end, text, r, got, j, v, want)
								}
							}
						}
					}
				}
			}
		}
	}
}

// TestMaximaOnRanks: models that reduce edges by a maximum have the gradients of one
// rank, and count what they predict, however edges are owned.
func TestMaximaOnRanks(t *testing.T) {
	for i, w := range rankWorlds(t) {
		for _, m := range edgeModels() {
			if m.Name != "max" && m.Name != "two layers per edge" {
				continue
			}
			want, exact := onOne(t, m, w, "")
			for _, edges := range spreadings {
				for _, ranks := range []int{2, 6} {
					if testing.Short() && ranks > 2 || edges.owner == program.Shared {
						continue // columns are gathered before they are multiplied on edges
					}
					t.Run(fmt.Sprintf("%s/%s/%s/%d", w.name, m.Name, edges.name, ranks), func(t *testing.T) {
						for _, overlap := range []bool{false, true} {
							all := onRanks(t, w, edges.owners(w, ranks, uint64(i)), 3, func(d *program.Distribution) *program.Program {
								d.Overlap = overlap
								return spread(t, m, w, d, "")
							})
							for r, got := range all {
								compareRanked(t, r, got, want, exact, 4e-6)
							}
						}
					})
				}
			}
		}
	}
}
