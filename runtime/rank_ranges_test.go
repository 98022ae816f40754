package runtime_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/weft-gnn/weft/comm"
	"github.com/weft-gnn/weft/graph"
	"github.com/weft-gnn/weft/model"
	"github.com/weft-gnn/weft/plan"
	"github.com/weft-gnn/weft/program"
	"github.com/weft-gnn/weft/tensor"
)

// graphOf builds a graph of n vertices whose arcs go both ways.
func graphOf(t *testing.T, n int, arcs func(add func(u, v int))) *graph.Graph {
	t.Helper()
	var src, dst []int32
	arcs(func(u, v int) { src, dst = append(src, int32(u), int32(v)), append(dst, int32(v), int32(u)) })
	g, err := graph.FromCOO(n, src, dst, nil, graph.Policy{})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// TestWordsOf3D: a sum over the neighbours of the neighbours of a grid, of a star and
// of a complete bipartite graph takes the words that plan.ThreeD states for each sum,
// whatever the graph, but for rows that are whole to begin with, and columns that are
// gathered in the end.
func TestWordsOf3D(t *testing.T) {
	const n, k = 144, 12
	graphs := map[string]*graph.Graph{
		"grid": graphOf(t, n, func(add func(u, v int)) {
			for v := range n {
				if v%12 < 11 {
					add(v, v+1)
				}
				if v+12 < n {
					add(v, v+12)
				}
			}
		}),
		"star": graphOf(t, n, func(add func(u, v int)) {
			for v := 1; v < n; v++ {
				add(0, v)
			}
		}),
		"bipartite": graphOf(t, n, func(add func(u, v int)) {
			for v := range n * n / 4 {
				add(v%(n/2), n/2+v/(n/2))
			}
		}),
	}
	x := tensor.New(n, k)
	for i := range x.Data {
		x.Data[i] = float32(i % 5)
	}
	twice := func(b *program.Builder, x program.Value) program.Value {
		for range 2 {
			x = b.Sum(b.Scatter(x, program.Src, program.Edges), program.Dst)
		}
		return x
	}
	for name, g := range graphs {
		_, one := evaluate(t, g, x, "algorithm=1d,partition=1", twice)
		for _, mesh := range [][3]int64{{2, 2, 2}, {1, 1, 2}, {3, 1, 4}, {1, 3, 4}, {1, 2, 6}} {
			r, s, c := mesh[0], mesh[1], mesh[2]
			own := k * n / (r * s * c)
			sum := own*(r-1) + own*c*(s-1) + own*(c-1)
			want := comm.Counter{Words: 2*sum + own*(c-1)/c + own*(c-1), Messages: 2*(r-1+s-1+c-1) + 2*(c-1), Supersteps: 8}
			text := fmt.Sprintf("algorithm=3d,partition=%dx%dx%d", r, s, c)
			_, ranks := evaluate(t, g, x, text, twice)
			for i, rank := range ranks {
				if rank.sent != want {
					t.Errorf("%s, %s: rank %d sends %+v, want %+v", name, text, i, rank.sent, want)
				}
				for j, v := range rank.vertex { // sums of whole numbers are exact
					if !slices.Equal(rank.y.Row(j), one[0].y.Row(int(v))) {
						t.Errorf("%s, %s: rank %d has %v for vertex %d, want %v", name, text, i, rank.y.Row(j), v, one[0].y.Row(int(v)))
					}
				}
			}
		}
	}
}

// Test3DEqualsOne: every model, and those that are dense on edges, on 4, 8 and 12 ranks
// of which some share out columns and edges, has the gradients of one rank and counts
// what it predicts; computing while they exchange, ranks have the same bits.
func Test3DEqualsOne(t *testing.T) {
	for _, w := range rankWorlds(t) {
		for _, m := range append(model.All(), edgeModels()...) {
			want, exact := onOne(t, m, w, "")
			_, known := model.ByName(m.Name)
			for _, mesh := range []string{"2x1x2", "2x2x2", "2x2x3"} {
				if mesh != "2x2x2" && known != nil || testing.Short() && (mesh != "2x2x2" || w.name != "random 4") {
					continue
				}
				t.Run(fmt.Sprintf("%s/%s/%s", w.name, m.Name, mesh), func(t *testing.T) {
					p, err := plan.Parse("algorithm=3d,partition=" + mesh)
					if err != nil {
						t.Fatal(err)
					}
					owners, err := p.Owners(t.Context(), w.g, 3)
					if err != nil {
						t.Fatal(err)
					}
					overlapped := func(overlap bool) []ranked {
						return onRanks(t, w, owners, 3, func(d *program.Distribution) *program.Program {
							d.Overlap = overlap
							return spread(t, m, w, d, "")
						})
					}
					all := overlapped(true)
					for r, got := range all {
						compareRanked(t, r, got, want, exact, 4e-6)
					}
					if mesh == "2x1x2" && !slices.EqualFunc(overlapped(false), all, func(a, b ranked) bool {
						return slices.Equal(a.losses, b.losses) && slices.Equal(a.gradient, b.gradient)
					}) {
						t.Error("with overlap the bits differ from those without")
					}
				})
			}
		}
	}
}
