package kernel

import (
	"fmt"
	"math"
	"testing"

	"github.com/weft-gnn/weft/internal/ref"
	"github.com/weft-gnn/weft/tensor"
)

func TestEdgeSoftmax(t *testing.T) {
	for i, b := range blocks() {
		for _, heads := range []int{1, 2, 9, 17} {
			m := b.Edges()
			if m > 1000 && heads > 2 {
				continue // the oracle is quadratic in the degree
			}
			src := newSource(uint64(i))
			x, y := src.within(-4, 4, m, heads), src.empty(m, heads)
			trial{
				name: fmt.Sprintf("%s/heads=%d", b.name, heads),
				in:   []tensor.Matrix{x}, out: []tensor.Matrix{y},
				run:  func(ctx *Ctx) { EdgeSoftmax(ctx, b.Block, x, y) },
				want: []ref.Matrix{ref.SegmentSoftmax(ref.Destinations(b.Block), ref.Of(x))},
				// The scores' differences round at 8, which the exponential passes on.
				rounds: 8 + sumRounds(b.Block, Dst), work: int64(5 * m * heads),
				bytes: structure(b.Block, Dst) + int64(8*m*heads),
			}.check(t)
		}
	}
}

func TestEdgeSoftmaxGrad(t *testing.T) {
	for i, b := range blocks() {
		for _, heads := range []int{1, 3, 11} {
			m := b.Edges()
			src := newSource(uint64(i))
			y, g, d := src.within(0, 1, m, heads), src.uniform(m, heads), src.empty(m, heads)
			in := ref.Destinations(b.Block)
			yg := ref.Of(y).Had(ref.Of(g))
			want := yg.Add(ref.Of(y).Had(in.Mul(in.T().Mul(yg))).Scale(-1))
			trial{
				name: fmt.Sprintf("%s/heads=%d", b.name, heads),
				in:   []tensor.Matrix{y, g}, out: []tensor.Matrix{d},
				run:    func(ctx *Ctx) { EdgeSoftmaxGrad(ctx, b.Block, y, g, d) },
				want:   []ref.Matrix{want},
				rounds: sumRounds(b.Block, Dst) + 4, work: int64(4 * m * heads),
				bytes: structure(b.Block, Dst) + int64(12*m*heads),
			}.check(t)
		}
	}
}

// The gradient along random directions, against central differences.
func TestEdgeSoftmaxGradIsTheDerivative(t *testing.T) {
	for i, b := range blocks() {
		if b.Edges() > 1000 {
			continue
		}
		src := newSource(uint64(i))
		x, g, y, d := src.uniform(b.Edges(), 2), src.uniform(b.Edges(), 2), tensor.New(b.Edges(), 2), tensor.New(b.Edges(), 2)
		EdgeSoftmax(contexts[0], b.Block, x, y)
		EdgeSoftmaxGrad(contexts[0], b.Block, y, g, d)
		in, direction := ref.Destinations(b.Block), ref.Of(src.uniform(b.Edges(), 2))
		want := ref.Derivative(func(x ref.Matrix) float64 {
			return ref.SegmentSoftmax(in, x).Dot(ref.Of(g))
		}, ref.Of(x), direction)
		// float32 gradients of m values; differences are good to 1e−8 each.
		if got := ref.Of(d).Dot(direction); !near(got, want, 1e-6*float64(1+b.Edges())) {
			t.Errorf("%s: derivative %v, want %v", b.name, got, want)
		}
	}
}

// Destinations keep their own maximum: a global one would underflow B to 0/0.
func TestEdgeSoftmaxRange(t *testing.T) {
	b := blockOf(2, 5, []int32{0, 1, 2, 3, 4}, []int32{0, 0, 0, 1, 1})
	x := mat(5, 1, 1000, 1001, -2000, -500, -501)
	y := tensor.New(5, 1)
	EdgeSoftmax(contexts[0], b, x, y)
	for i, want := range []float64{.268941, .731059, 0, .731059, .268941} {
		if got := float64(y.Data[i]); math.Abs(got-want) > 1e-6 {
			t.Errorf("edge %d: %v, want %v", i, got, want)
		}
	}
}

// NaN, and a destination whose scores are all −Inf, stay in their segment and head.
func TestEdgeSoftmaxPoisonsOnlyItsSegment(t *testing.T) {
	inf := float32(math.Inf(1))
	b := blockOf(3, 5, []int32{0, 1, 2, 3, 4}, []int32{0, 0, 1, 1, 2})
	x := mat(5, 2, 1, 1, nan32, 1, -inf, 2, -inf, -inf, 3, 3)
	y := tensor.New(5, 2)
	EdgeSoftmax(contexts[0], b, x, y)
	want := mat(5, 2, nan32, 0.5, nan32, 0.5, nan32, 1, nan32, 0, 1, 1)
	for i, w := range want.Data {
		if got := y.Data[i]; got != w && !(isNaN(got) && isNaN(w)) {
			t.Errorf("edge %d, head %d: %v, want %v", i/2, i%2, got, w)
		}
	}
}

// The same within a row that is cut: its chunks share one maximum, and NaN.
func TestEdgeSoftmaxOfAHub(t *testing.T) {
	b := hubs(false)
	x, y := tensor.New(b.Edges(), 1), tensor.New(b.Edges(), 1)
	last := b.Ptr[5] - 1
	fill(x.Data[b.Ptr[4]:last], nil, nil, -200)
	x.Data[last] = 300                  // the largest score is in the last chunk
	x.Data[b.Ptr[7]+chunkEdges] = nan32 // and a NaN in the second one of another row
	EdgeSoftmax(contexts[2], b.Block, x, y)
	if y.Data[last] != 1 || y.Data[b.Ptr[4]] != 0 {
		t.Errorf("the largest score has %v, the first %v, want 1 and 0", y.Data[last], y.Data[b.Ptr[4]])
	}
	if v := y.Data[b.Ptr[7]]; !isNaN(v) {
		t.Errorf("the first edge of the poisoned row has %v, want NaN", v)
	}
	if v := y.Data[b.Ptr[7]-1]; v != 1.0/(chunkEdges-1) {
		t.Errorf("the last edge of the row before has %v", v)
	}
}

func TestEdgeSoftmaxInPlace(t *testing.T) {
	b := blocks()[len(blocks())-2]
	src := newSource(3)
	x, g := src.uniform(b.Edges(), 3), src.uniform(b.Edges(), 3)
	y, d := tensor.New(b.Edges(), 3), tensor.New(b.Edges(), 3)
	EdgeSoftmax(contexts[0], b.Block, x, y)
	EdgeSoftmaxGrad(contexts[0], b.Block, y, g, d)
	EdgeSoftmax(contexts[1], b.Block, x, x)
	EdgeSoftmaxGrad(contexts[1], b.Block, x, g, g)
	for e := range b.Edges() {
		for h := range 3 {
			if x.Row(e)[h] != y.Row(e)[h] || g.Row(e)[h] != d.Row(e)[h] {
				t.Fatalf("edge %d, head %d: %v and %v in place, %v and %v apart", e, h, x.Row(e)[h], g.Row(e)[h], y.Row(e)[h], d.Row(e)[h])
			}
		}
	}
}

func BenchmarkEdgeSoftmax(b *testing.B) {
	g := benchBlock(1<<15, 14)
	for _, heads := range []int{1, 8} {
		for _, threads := range []int{1, 2} {
			b.Run(fmt.Sprintf("graph=skewed15/heads=%d/threads=%d", heads, threads), func(b *testing.B) {
				src := newSource(1)
				x, y := src.uniform(g.Edges(), heads), src.empty(g.Edges(), heads)
				ctx := &Ctx{Pool: NewPool(threads)}
				defer ctx.Pool.Close()
				for b.Loop() {
					EdgeSoftmax(ctx, g, x, y)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(g.Edges()*heads), "ns/score")
				reportRate(b, ctx)
			})
		}
	}
}
