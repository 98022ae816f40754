package runtime_test

import (
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"testing"

	"github.com/weft-gnn/weft/graph"
	"github.com/weft-gnn/weft/internal/rng"
	"github.com/weft-gnn/weft/model"
	"github.com/weft-gnn/weft/program"
	"github.com/weft-gnn/weft/tensor"
)

// sides are the ways to choose where rows are exchanged, but for the one that all
// other tests take.
var sides = []program.Distribution{
	{Exchange: program.AfterProducts, Recompute: true},
	{Exchange: program.BeforeProducts}, {Exchange: program.BeforeProducts, Recompute: true},
	{Exchange: program.FewerWords}, {Exchange: program.FewerWords, Recompute: true},
}

// TestSidesEqualOne: wherever among the operations on rows the ranks exchange, every
// model has the gradients of one rank, whoever owns edges; computing while they
// exchange, ranks have the same bits.
func TestSidesEqualOne(t *testing.T) {
	few := slices.DeleteFunc(rankWorlds(t), func(w world) bool { return w.name != "random 4" && w.name != "hub in" })
	for i, w := range few {
		for _, m := range model.All() {
			want, exact := onOne(t, m, w, "")
			for _, edges := range spreadings {
				if edges.columns || edges.owner == program.AllEdges || edges.owner == program.Shared {
					continue // no rows are exchanged for edges to read
				}
				for _, side := range sides {
					if (testing.Short() || w.name != "random 4") && side != sides[2] {
						continue
					}
					t.Run(fmt.Sprintf("%s/%s/%s/%v,%v", w.name, m.Name, edges.name, side.Exchange, side.Recompute), func(t *testing.T) {
						ranks := map[bool]int{true: 4, false: 3}[edges.owner == program.Copied]
						o := edges.owners(w, ranks, uint64(i))
						overlapped := func(overlap bool) []ranked {
							return onRanks(t, w, o, 3, func(d *program.Distribution) *program.Program {
								d.Overlap, d.Exchange, d.Recompute = overlap, side.Exchange, side.Recompute
								return spread(t, m, w, d, "")
							})
						}
						all := overlapped(true)
						for r, got := range all {
							compareRanked(t, r, got, want, exact, cancels(m))
						}
						if side != sides[2] {
							return
						}
						if blocking := overlapped(false); !reflect.DeepEqual(blocking, all) {
							t.Errorf("with overlap %v, without %v", all, blocking)
						}
					})
				}
			}
		}
	}
}

// TestSidesKeepBits: what is computed again for a row has the bits of what its owner
// computes: predictions are those of one rank wherever rows are exchanged.
func TestSidesKeepBits(t *testing.T) {
	s := rng.Key{Seed: 4, Purpose: rng.Test}.Stream(1)
	const n, m, features = 60, 300, 9
	src, dst := make([]int32, m), make([]int32, m)
	for e := range src {
		src[e], dst[e] = int32(s.Uint32n(n)), int32(s.Uint32n(n))
	}
	g, err := graph.FromCOO(n, src, dst, nil, graph.Policy{Symmetrise: true})
	if err != nil {
		t.Fatal(err)
	}
	x := tensor.New(n, features)
	for i := range x.Data {
		x.Data[i] = float32(s.Normal())
	}
	layers := func(b *program.Builder, x program.Value) program.Value {
		for i, k := range []int{5, 17, 3} {
			b.Layer(i)
			z := b.ELU(b.Linear(x, program.Cols(k)))
			x = b.AddValues(b.Mean(b.Scatter(z, program.Src, program.Edges)), z)
		}
		b.EndLayers()
		return x
	}
	want := map[int32][]float32{}
	_, one := evaluate(t, g, x, "algorithm=1d,partition=1", layers)
	for i, v := range one[0].vertex {
		want[v] = one[0].y.Row(i)
	}
	for _, plan := range []string{"algorithm=1d,partition=4,partitioner=hash", "algorithm=1d-allgather,partition=3"} {
		sent := map[string]int64{}
		for _, side := range []string{"", ",halo=recompute", ",exchange=before", ",exchange=before,halo=recompute", ",exchange=auto", ",exchange=auto,halo=recompute"} {
			_, ranks := evaluate(t, g, x, plan+side, layers)
			for r, rank := range ranks {
				sent[side] += rank.sent.Words
				for i, v := range rank.vertex {
					for j, a := range rank.y.Row(i) {
						if math.Float32bits(a) != math.Float32bits(want[v][j]) {
							t.Fatalf("%s%s: rank %d has %v for vertex %d, one rank %v", plan, side, r, rank.y.Row(i), v, want[v])
						}
					}
				}
			}
		}
		if words := slices.Compact(slices.Sorted(maps.Values(sent))); len(words) < len(sent) {
			t.Errorf("%s: the sides are to differ, words sent are %v", plan, sent)
		}
	}
}
