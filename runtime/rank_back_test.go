package runtime_test

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/weft-gnn/weft/graph"
	"github.com/weft-gnn/weft/internal/rng"
	"github.com/weft-gnn/weft/model"
	"github.com/weft-gnn/weft/program"
	"github.com/weft-gnn/weft/tensor"
)

// bothWays is a random graph whose edges have a reverse each, of the same weight.
func bothWays(t *testing.T, n, m int, weighted bool) *graph.Graph {
	t.Helper()
	s := rng.Key{Seed: 6, Purpose: rng.Test}.Stream(1)
	src, dst := make([]int32, m), make([]int32, m)
	var weight []float32
	for e := range src {
		src[e], dst[e] = int32(s.Uint32n(uint32(n))), int32(s.Uint32n(uint32(n)))
		if weighted {
			weight = append(weight, 0.25+s.Float32())
		}
	}
	g, err := graph.FromCOO(n, src, dst, weight, graph.Policy{Symmetrise: true})
	if err != nil {
		t.Fatal(err)
	}
	if !g.Block().SymmetricWeights() {
		t.Fatal("edges are to have reverses")
	}
	return g
}

// TestRowsSentBackEqualOne: where ranks send rows of gradients back instead of sums,
// every model has the gradients of one rank, whoever owns edges and wherever rows of
// forward are exchanged; computing while they exchange, ranks have the same bits.
func TestRowsSentBackEqualOne(t *testing.T) {
	w := newWorld(t, "both ways", 40, nil, nil)
	w.g = bothWays(t, 40, 150, false)
	for i, m := range model.All() {
		want, exact := onOne(t, m, w, "")
		for _, edges := range spreadings {
			if edges.columns || edges.owner == program.AllEdges || edges.owner == program.Shared {
				continue // no rows are exchanged for edges to read
			}
			for _, side := range []program.Distribution{{}, sides[4]} {
				for _, back := range []program.Return{program.ReturnRows, program.ReturnFewer} {
					if testing.Short() && (back == program.ReturnFewer || side != sides[4]) {
						continue
					}
					t.Run(fmt.Sprintf("%s/%s/%v,%v,%v", m.Name, edges.name, side.Exchange, side.Recompute, back), func(t *testing.T) {
						ranks := map[bool]int{true: 4, false: 3}[edges.owner == program.Copied]
						o := edges.owners(w, ranks, uint64(i))
						overlapped := func(overlap bool) []ranked {
							return onRanks(t, w, o, 3, func(d *program.Distribution) *program.Program {
								d.Overlap, d.Exchange, d.Recompute, d.Backward = overlap, side.Exchange, side.Recompute, back
								return spread(t, m, w, d, "")
							})
						}
						all := overlapped(true)
						for r, got := range all {
							compareRanked(t, r, got, want, exact, cancels(m))
						}
						if back == program.ReturnFewer {
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

// TestRowsSentBackKeepBits: a rank that is sent rows of gradients sums each transposed
// row as one rank does, so that the gradient of the input has its bits; one that is sent
// sums adds parts up, and rounds otherwise.
func TestRowsSentBackKeepBits(t *testing.T) {
	const n, features = 60, 9
	s := rng.Key{Seed: 4, Purpose: rng.Test}.Stream(1)
	x := tensor.New(n, features)
	for i := range x.Data {
		x.Data[i] = float32(s.Normal())
	}
	for _, weighted := range []bool{false, true} {
		g, p := bothWays(t, n, 300, weighted), inputGradient(t, features)
		want := map[int32][]float32{}
		_, one := evaluateProgram(t, g, x, "algorithm=1d,partition=1", p)
		for i, v := range one[0].vertex {
			want[v] = one[0].y.Row(i)
		}
		differ := map[string]int{}
		for _, back := range []string{"sums", "rows", "auto"} {
			for _, plan := range []string{"algorithm=1d,partition=4,partitioner=hash", "algorithm=1d-allgather,partition=3"} {
				_, ranks := evaluateProgram(t, g, x, plan+",backward="+back, p)
				for _, rank := range ranks {
					for i, v := range rank.vertex {
						for j, a := range rank.y.Row(i) {
							if math.Float32bits(a) != math.Float32bits(want[v][j]) {
								differ[back]++
							}
						}
					}
				}
			}
		}
		if differ["rows"]+differ["auto"] > 0 || differ["sums"] == 0 {
			t.Errorf("weighted %v: of %d numbers %v have other bits than one rank's, want those of sums alone", weighted, 7*n*features/3, differ)
		}
	}
}

// inputGradient declares two layers of normalised sums over neighbours and, as y, the
// gradient of the sum of what they make with respect to their input.
func inputGradient(t *testing.T, features int) *program.Program {
	t.Helper()
	b := program.NewBuilder("gradient")
	x := b.Input("x", program.Vertices, program.Cols(features))
	h := x
	for i, k := range []int{5, 1} {
		b.Layer(i)
		z := b.ELU(b.Linear(h, program.Cols(k)))
		root := b.VertexCoef(program.InvSqrt) // a coefficient of edges rounds otherwise for their reverse
		msg := b.HeadScale(b.Scatter(b.HeadScale(z, root), program.Src, program.LoopEdges), b.EdgeCoef(program.EdgeWeight, program.LoopEdges))
		h = b.ELU(b.HeadScale(b.Sum(msg, program.Dst), root))
	}
	b.EndLayers()
	loss := b.ColumnSum(h)
	p, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	q, of, err := program.Grad(p, loss, []program.Value{x})
	if err != nil {
		t.Fatal(err)
	}
	q.Outputs = append(q.Outputs, program.Output{Name: "y", Value: of[0]})
	return q
}

// TestRowsSentBackRefused: edges without a reverse of the same weight carry no rows back,
// and the plan that chooses by itself sends sums.
func TestRowsSentBackRefused(t *testing.T) {
	m, err := model.ByName("gcn")
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, "one way", 3, []int32{0, 1}, []int32{1, 2})
	compiled := func(back program.Return) (string, error) {
		d := spreadings[0].owners(w, 2, 1).Distribution(0)
		d.Backward = back
		o := options(m)
		p, err := m.Objective(model.NamedWidths(w.x.Cols, w.classes, o), o, model.CrossEntropy, model.Decay{})
		if err != nil {
			t.Fatal(err)
		}
		f := program.Facts{Env: program.ExtentOf(w.g, p).Env(), Optimizer: &program.Optimizer{}, Distribution: d, Skip: map[string]bool{"reorder": true, "sparse": true, "fold": true}}
		q, err := program.Compile(p, f, nil)
		if err != nil {
			return "", err
		}
		return q.String(), nil
	}
	if _, err := compiled(program.ReturnRows); err == nil || !strings.Contains(err.Error(), "edges without one of the same weight") {
		t.Errorf("rows along edges without a reverse: %v", err)
	}
	all := make([]string, 0, 2)
	for _, back := range []program.Return{program.ReturnSums, program.ReturnFewer} {
		text, err := compiled(back)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, text)
	}
	if len(slices.Compact(all)) > 1 {
		t.Errorf("sums are sent where rows cannot be, got\n%s\nwant\n%s", all[1], all[0])
	}
}
