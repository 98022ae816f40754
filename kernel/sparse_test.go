package kernel

import (
	"math"
	"testing"

	"github.com/weft-gnn/weft/graph"
	"github.com/weft-gnn/weft/internal/cpu"
	"github.com/weft-gnn/weft/tensor"
)

// everyWidth is twice the widest block of columns that any variant keeps in
// registers, and one more.
const everyWidth = 2*16*16 + 1

// smallPiece has rows of no edges, of one and of several at both ends, and
// parallel edges.
func smallPiece() *graph.Block {
	src := newSource(0)
	from, to := make([]int32, 60), make([]int32, 60)
	for i := range from {
		from[i], to[i] = int32(src.Uint32n(31)), int32(src.Uint32n(13)+src.Uint32n(9))
	}
	return blockOf(22, 31, from, to)
}

// eachVariant runs f on a context of every variant but the portable one.
func eachVariant(f func(isa cpu.ISA, ctx *Ctx)) {
	for _, isa := range variants()[1:] {
		contexts[1].using(isa, func(ctx *Ctx) { f(isa, ctx) })
	}
}

// Sums of neighbours and of edges have the bits of the portable loops, which
// add in the same order, at every width.
func TestUnweightedSumsAtEveryWidth(t *testing.T) {
	b := smallPiece()
	for k := range everyWidth + 1 {
		src := newSource(uint64(k))
		for _, end := range []End{Dst, Src} {
			n, other := vertices(b, end), vertices(b, end.other())
			x, e := src.uniform(other, k), src.uniform(b.Edges(), k)
			want, wantSum := tensor.New(n, k), tensor.New(n, k)
			contexts[0].using(cpu.Generic, func(ctx *Ctx) {
				SpMM(ctx, b, end, tensor.Matrix{}, x, want)
				Aggregate(ctx, b, end, e, wantSum)
			})
			eachVariant(func(isa cpu.ISA, ctx *Ctx) {
				y, sum := src.empty(n, k), src.empty(n, k)
				before := guards(y)
				SpMM(ctx, b, end, tensor.Matrix{}, x, y)
				Aggregate(ctx, b, end, e, sum)
				if !y.Equal(want) || !sum.Equal(wantSum) {
					t.Fatalf("%v at %v, k = %d: sums differ", isa, end, k)
				}
				if guards(y) != before {
					t.Fatalf("%v at %v, k = %d: wrote beside the result", isa, end, k)
				}
			})
		}
	}
}

// Weighted sums agree with the portable loops to the rounding of each product,
// for every number of heads that divides the width.
func TestWeightedSumsAtEveryWidth(t *testing.T) {
	b := smallPiece()
	limit := float64(maxDegree(b, Src)+maxDegree(b, Dst)) * 2 * unit
	for k := 1; k <= everyWidth; k++ {
		src := newSource(uint64(k))
		for heads := 1; heads <= k; heads++ {
			if k%heads != 0 {
				continue
			}
			for _, end := range []End{Dst, Src} {
				n := vertices(b, end)
				x, w := src.uniform(vertices(b, end.other()), k), src.uniform(b.Edges(), heads)
				want := tensor.New(n, k)
				contexts[0].using(cpu.Generic, func(ctx *Ctx) { SpMM(ctx, b, end, w, x, want) })
				eachVariant(func(isa cpu.ISA, ctx *Ctx) {
					y := src.empty(n, k)
					before := guards(y)
					SpMM(ctx, b, end, w, x, y)
					if at, off := farthest(y, want); !(off <= limit) {
						t.Fatalf("%v at %v, k = %d, %d heads: row %d is off by %g", isa, end, k, heads, at, off)
					}
					if guards(y) != before {
						t.Fatalf("%v at %v, k = %d, %d heads: wrote beside the result", isa, end, k, heads)
					}
				})
			}
		}
	}
}

// ladder has a row of every number of edges up to n, and one that is cut.
func ladder(n int) *graph.Block {
	b := &graph.Block{Src: 1, Ptr: []int64{0}}
	for d := range n + 2 {
		if d > n {
			d = 2*chunkEdges + 19
		}
		b.Col = append(b.Col, make([]int32, d)...)
		b.Ptr = append(b.Ptr, int64(len(b.Col)))
	}
	b.Dst = len(b.Ptr) - 1
	return b
}

// Softmax and its gradient agree with the portable loops for rows of every
// length around the vectors' and every number of heads, side by side and apart.
func TestEdgeSoftmaxAtEveryLength(t *testing.T) {
	b := ladder(2*16 + 1)
	// Up to about 4100 terms that sum to 1, and exponentials to 2 ulp.
	const limit = 64 * unit
	for heads := 1; heads <= 35; heads++ {
		for range 4 { // contiguous and padded, by the source's layout
			src := newSource(uint64(heads))
			m := b.Edges()
			x, up := src.within(-9, 9, m, heads), src.uniform(m, heads)
			y, d, want, wantGrad := src.empty(m, heads), src.empty(m, heads), tensor.New(m, heads), tensor.New(m, heads)
			contexts[0].using(cpu.Generic, func(ctx *Ctx) {
				EdgeSoftmax(ctx, b, x, want)
				EdgeSoftmaxGrad(ctx, b, want, up, wantGrad)
			})
			guarded := [2]int{guards(y), guards(d)}
			eachVariant(func(isa cpu.ISA, ctx *Ctx) {
				EdgeSoftmax(ctx, b, x, y)
				if e, off := farthest(y, want); !(off <= limit) {
					t.Fatalf("%v, %d heads: edge %d is off by %g", isa, heads, e, off)
				}
				EdgeSoftmaxGrad(ctx, b, want, up, d)
				if e, off := farthest(d, wantGrad); !(off <= limit) {
					t.Fatalf("%v, %d heads: gradient of edge %d is off by %g", isa, heads, e, off)
				}
				if got := [2]int{guards(y), guards(d)}; got != guarded {
					t.Fatalf("%v, %d heads: wrote beside the result", isa, heads)
				}
			})
		}
	}
}

// A NaN, +Inf or a lack of scores makes its own head NaN at its own
// destination; others keep their bits.
func TestEdgeSoftmaxKeepsFaultsApart(t *testing.T) {
	inf := float32(math.Inf(1))
	b := ladder(2*16 + 1)
	for _, heads := range []int{1, 2, 4, 8, 3, 16, 17} {
		src := newSource(1)
		good := src.uniform(b.Edges(), heads).Clone() // of the layout of what follows
		for _, isa := range variants() {
			contexts[1].using(isa, func(ctx *Ctx) {
				want := tensor.New(b.Edges(), heads)
				EdgeSoftmax(ctx, b, good, want)
				for v := 1; v < b.Dst; v++ {
					lo, hi := int(b.Ptr[v]), int(b.Ptr[v+1])
					for _, bad := range []float32{nan32, inf, -inf} {
						x, y := good.Clone(), tensor.New(b.Edges(), heads)
						h, from := v%heads, lo+(hi-lo)/2
						to := from + 1
						if bad == -inf {
							from, to = lo, hi // a single one would only be 0
						}
						for e := from; e < to; e++ {
							x.Row(e)[h] = bad
						}
						EdgeSoftmax(ctx, b, x, y)
						for e := range b.Edges() {
							for k, got := range y.Row(e) {
								own := k == h && e >= lo && e < hi
								if own != isNaN(got) || !own && got != want.Row(e)[k] {
									t.Fatalf("%v, %d heads, %v at vertex %d: edge %d, head %d is %v", isa, heads, bad, v, e, k, got)
								}
							}
						}
					}
				}
			})
		}
	}
}

// Rows per edge agree with the portable loops at every width: copies and sums
// in all bits, products to the rounding of each term.
func TestEdgeRowsAtEveryWidth(t *testing.T) {
	b := smallPiece()
	m := b.Edges()
	for k := range everyWidth + 1 {
		src := newSource(uint64(k))
		x, y := src.uniform(b.Src, k), src.uniform(b.Dst, k)
		for _, f := range []struct {
			name string
			run  func(ctx *Ctx, z tensor.Matrix)
		}{
			{"EdgeAdd", func(ctx *Ctx, z tensor.Matrix) { EdgeAdd(ctx, b, x, y, z) }},
			{"Scatter at src", func(ctx *Ctx, z tensor.Matrix) { Scatter(ctx, b, Src, x, z) }},
			{"Scatter at dst", func(ctx *Ctx, z tensor.Matrix) { Scatter(ctx, b, Dst, y, z) }},
		} {
			want := tensor.New(m, k)
			contexts[0].using(cpu.Generic, func(ctx *Ctx) { f.run(ctx, want) })
			eachVariant(func(isa cpu.ISA, ctx *Ctx) {
				z := src.empty(m, k)
				before := guards(z)
				f.run(ctx, z)
				if !z.Equal(want) || guards(z) != before {
					t.Fatalf("%v: %s of width %d differs, or wrote beside its result", isa, f.name, k)
				}
			})
		}
		for heads := 1; heads <= k; heads++ {
			if k%heads != 0 {
				continue
			}
			want := tensor.New(m, heads)
			contexts[0].using(cpu.Generic, func(ctx *Ctx) { EdgeDot(ctx, b, x, y, want) })
			eachVariant(func(isa cpu.ISA, ctx *Ctx) {
				z := src.empty(m, heads)
				before := guards(z)
				EdgeDot(ctx, b, x, y, z)
				if e, off := farthest(z, want); !(off <= float64(k/heads)*2*unit) || guards(z) != before {
					t.Fatalf("%v: product of width %d, %d heads: edge %d is off by %g, or wrote beside its result", isa, k, heads, e, off)
				}
			})
		}
	}
}

// An edge's product has the same bits wherever it lies in a row, a group or a piece.
func TestEdgeDotDoesNotDependOnPlace(t *testing.T) {
	b := ladder(70)
	for _, w := range []struct{ k, heads int }{{1, 1}, {7, 1}, {64, 1}, {64, 8}, {150, 1}, {24, 3}} {
		src := newSource(uint64(w.k))
		x, row := src.uniform(1, w.k), src.uniform(1, w.k)
		y, z := tensor.New(b.Dst, w.k), tensor.New(b.Edges(), w.heads)
		for v := range b.Dst {
			copy(y.Row(v), row.Row(0))
		}
		for _, isa := range variants() {
			contexts[1].using(isa, func(ctx *Ctx) { EdgeDot(ctx, b, x, y, z) })
			for e := range z.Rows {
				if !z.Between(e, e+1).Equal(z.Between(0, 1)) {
					t.Fatalf("%v, k = %d, %d heads: edge %d is %v, edge 0 is %v", isa, w.k, w.heads, e, z.Row(e), z.Row(0))
				}
			}
		}
	}
}

// farthest returns the row in which two matrices differ most, and by how much.
func farthest(x, y tensor.Matrix) (row int, off float64) {
	for i := range x.Rows {
		p, q := x.Row(i), y.Row(i)
		for j := range p {
			d := math.Abs(float64(p[j]) - float64(q[j]))
			if d > off || d != d {
				row, off = i, d
			}
			if d != d {
				return row, off
			}
		}
	}
	return row, off
}

// guards counts the NaNs that stand beside the rows of a matrix, by their bits.
func guards(m tensor.Matrix) (n int) {
	own := make([]bool, len(m.Data))
	for i := range m.Rows {
		for j := range m.Cols {
			own[i*m.Stride+j] = true
		}
	}
	for i, v := range m.Data {
		if !own[i] && math.Float32bits(v) == math.Float32bits(nan32) {
			n++
		}
	}
	return n
}
