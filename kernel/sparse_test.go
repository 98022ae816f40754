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
