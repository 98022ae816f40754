package kernel

import (
	"fmt"
	"math"
	"testing"

	"github.com/weft-gnn/weft/graph"
	"github.com/weft-gnn/weft/internal/ref"
	"github.com/weft-gnn/weft/tensor"
)

// coarse returns a guarded matrix of few distinct values, so that ties abound,
// with a NaN in some places.
func (s *source) coarse(rows, cols int) tensor.Matrix {
	m := s.uniform(rows, cols)
	for i := range rows {
		for j := range cols {
			v := float32(math.Round(float64(m.Row(i)[j]) * 3))
			if s.Uint32n(97) == 0 {
				v = nan32
			}
			m.Row(i)[j] = v
		}
	}
	return m
}

// positions turns winners into the bit patterns that a kernel stores.
func positions(arg ref.Matrix) ref.Matrix {
	return arg.Map(func(v float64) float64 {
		var bits float32
		if v < 0 {
			SetBits(&bits, None)
		} else {
			SetBits(&bits, uint32(v))
		}
		return float64(bits)
	})
}

// picked is the oracle of Pick.
func picked(arg, x ref.Matrix) ref.Matrix {
	y := ref.New(arg.Rows, arg.Cols)
	for i := range arg.Rows {
		for c, e := range arg.Row(i) {
			if e >= 0 {
				y.Set(i, c, x.At(int(e), c))
			}
		}
	}
	return y
}

// routed is the oracle of Route: the one-hot matrix of the winners, per column,
// applied to g.
func routed(arg, g ref.Matrix, rows int) ref.Matrix {
	d := ref.New(rows, arg.Cols)
	for c := range arg.Cols {
		hot := ref.New(rows, arg.Rows)
		for i := range arg.Rows {
			if e := arg.At(i, c); e >= 0 {
				hot.Set(int(e), i, 1)
			}
		}
		for e, v := range hot.Mul(g.Columns(c, c+1)).V {
			d.Set(e, c, v)
		}
	}
	return d
}

func TestArgMaxPickRoute(t *testing.T) {
	for i, b := range blocks() {
		for end, in := range ends(b.Block) {
			for _, k := range []int{1, 3, argColumns + 1} {
				if b.Edges() > 1000 && k > 3 {
					continue // the oracle's one-hot matrices are large
				}
				m, n := b.Edges(), vertices(b.Block, end)
				src := newSource(uint64(i))
				x, g, arg := src.coarse(m, k), src.uniform(n, k), src.empty(n, k)
				y, d := src.empty(n, k), src.empty(m, k)
				bytes := structure(b.Block, end) + int64(4*m*k+4*n*k) + ifSrc(end, 4*m)
				name := fmt.Sprintf("%s/%v/k=%d", b.name, end, k)
				least := ref.SegmentArgMax(in, ref.Of(x).Scale(-1))
				trial{
					name: "ArgMin/" + name,
					in:   []tensor.Matrix{x}, out: []tensor.Matrix{arg},
					run:  func(ctx *Ctx) { ArgMin(ctx, b.Block, end, x, arg) },
					want: []ref.Matrix{positions(least)}, work: int64(m * k), bytes: bytes,
				}.check(t)
				most := ref.SegmentArgMax(in, ref.Of(x))
				trial{
					name: "ArgMax/" + name,
					in:   []tensor.Matrix{x}, out: []tensor.Matrix{arg},
					run:  func(ctx *Ctx) { ArgMax(ctx, b.Block, end, x, arg) },
					want: []ref.Matrix{positions(most)}, work: int64(m * k), bytes: bytes,
				}.check(t)
				trial{
					name: "Pick/" + name,
					in:   []tensor.Matrix{arg, x}, out: []tensor.Matrix{y},
					run:  func(ctx *Ctx) { Pick(ctx, arg, x, y) },
					want: []ref.Matrix{picked(most, ref.Of(x))}, bytes: int64(12 * n * k),
				}.check(t)
				trial{
					name: "Route/" + name,
					in:   []tensor.Matrix{arg, g}, out: []tensor.Matrix{d},
					run:  func(ctx *Ctx) { Route(ctx, arg, g, d) },
					want: []ref.Matrix{routed(most, ref.Of(g), m)},
					work: int64(n * k), bytes: int64(4 * (2*n*k + m*k)),
				}.check(t)
			}
		}
	}
}

// NaN patterns compare equal as float64, so TestArgMaxPickRoute alone would
// confuse None with a position that happens to be NaN; this looks at the bits.
func TestArgMaxOfNothingIsNone(t *testing.T) {
	b := blockOf(2, 2, []int32{0}, []int32{1})
	arg := tensor.New(2, 1)
	ArgMax(contexts[0], b, Dst, mat(1, 1, 5), arg)
	if Bits(arg.Data[0]) != None || Bits(arg.Data[1]) != 0 {
		t.Errorf("winners %#x %#x, want none and edge 0", Bits(arg.Data[0]), Bits(arg.Data[1]))
	}
}

func TestArgMaxTiesAndNaN(t *testing.T) {
	b := blockOf(2, 6, []int32{0, 1, 2, 3, 4, 5}, []int32{0, 0, 0, 1, 1, 1})
	x := mat(6, 3,
		1, 2, nan32,
		2, 2, 9,
		2, 1, nan32,
		-1, 0, 4,
		-1, nan32, 4,
		-2, nan32, 5)
	arg := tensor.New(2, 3)
	ArgMax(contexts[0], b, Dst, x, arg)
	for i, want := range []uint32{1, 0, 0, 3, 4, 5} {
		if got := Bits(arg.Data[i]); got != want {
			t.Errorf("vertex %d, column %d: edge %d, want %d", i/3, i%3, got, want)
		}
	}
}

// batches are blocks cut into graphs: empty ones, one large one, none at all.
func batches() (all []namedBlock) {
	for _, g := range [][]int64{nil, {0}, {0, 0, 2, 2}, {0, 5}, {0, 3, 3, 4, 40}, {0, 1, 1 + 2*chunkEdges + 3, 2*chunkEdges + 10}} {
		n := 7
		if g != nil {
			n = int(g[len(g)-1])
		}
		b := &graph.Block{Dst: n, Src: n, Ptr: make([]int64, n+1), Graphs: g}
		all = append(all, namedBlock{fmt.Sprint(g), b})
	}
	return all
}

func TestGraphKernels(t *testing.T) {
	for i, b := range batches() {
		for _, k := range []int{1, 6} {
			in := ref.Members(b.Block)
			n, graphs := b.Dst, in.Cols
			src := newSource(uint64(i))
			x, few, p := src.uniform(n, k), src.coarse(n, k), src.uniform(graphs, k)
			y, q, arg := src.empty(graphs, k), src.empty(n, k), src.empty(graphs, k)
			bytes := int64(8*(graphs+1) + 4*n*k + 4*graphs*k)
			trial{
				name: fmt.Sprintf("GraphSum/%s/k=%d", b.name, k),
				in:   []tensor.Matrix{x}, out: []tensor.Matrix{y},
				run:    func(ctx *Ctx) { GraphSum(ctx, b.Block, x, y) },
				want:   []ref.Matrix{in.T().Mul(ref.Of(x))},
				rounds: float64(n) + 2, work: int64(n * k), bytes: bytes,
			}.check(t)
			trial{
				name: fmt.Sprintf("GraphBroadcast/%s/k=%d", b.name, k),
				in:   []tensor.Matrix{p}, out: []tensor.Matrix{q},
				run:  func(ctx *Ctx) { GraphBroadcast(ctx, b.Block, p, q) },
				want: []ref.Matrix{in.Mul(ref.Of(p))}, bytes: bytes,
			}.check(t)
			trial{
				name: fmt.Sprintf("GraphArgMax/%s/k=%d", b.name, k),
				in:   []tensor.Matrix{few}, out: []tensor.Matrix{arg},
				run:  func(ctx *Ctx) { GraphArgMax(ctx, b.Block, few, arg) },
				want: []ref.Matrix{positions(ref.SegmentArgMax(in, ref.Of(few)))},
				work: int64(n * k), bytes: bytes,
			}.check(t)
			trial{
				name: fmt.Sprintf("GraphArgMin/%s/k=%d", b.name, k),
				in:   []tensor.Matrix{few}, out: []tensor.Matrix{arg},
				run:  func(ctx *Ctx) { GraphArgMin(ctx, b.Block, few, arg) },
				want: []ref.Matrix{positions(ref.SegmentArgMax(in, ref.Of(few).Scale(-1)))},
				work: int64(n * k), bytes: bytes,
			}.check(t)
		}
	}
}

// Pooling an empty graph, in each way.
func TestPoolingOfEmptyGraphs(t *testing.T) {
	b := &graph.Block{Dst: 2, Src: 2, Ptr: make([]int64, 3), Graphs: []int64{0, 0, 2, 2}}
	x, sum, arg := mat(2, 1, 1, 1), tensor.New(3, 1), tensor.New(3, 1)
	GraphSum(contexts[0], b, x, sum)
	GraphArgMax(contexts[0], b, x, arg)
	Pick(contexts[0], arg, x, arg)
	for g, want := range [][2]float32{{0, 0}, {2, 1}, {0, 0}} {
		if sum.Data[g] != want[0] || arg.Data[g] != want[1] {
			t.Errorf("graph %d: sum %v and maximum %v, want %v", g, sum.Data[g], arg.Data[g], want)
		}
	}
}
