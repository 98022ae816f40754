package kernel

import (
	"testing"

	"github.com/weft-gnn/weft/internal/ref"
	"github.com/weft-gnn/weft/tensor"
)

// headLoop is one loop over heads, brought to one form: dst is its result, of
// some rows and columns.
type headLoop struct {
	name       string
	rows, cols func(n, k, heads int) int
	run        func(r *rowLoops, dst, x, y, s tensor.Matrix, lane []uint32)
}

// x and y have n rows of k columns, s one of heads columns.
var headLoops = []headLoop{
	{"headDot", rowsAre, headsAre, func(r *rowLoops, dst, x, y, _ tensor.Matrix, _ []uint32) { r.headDot(dst, x, y, 0, x.Rows, 0) }},
	{"headSum", rowsAre, widthIs, func(r *rowLoops, dst, x, _, _ tensor.Matrix, _ []uint32) { r.headSum(dst, x, x, 0, x.Rows, 0) }},
	{"headScale", rowsAre, colsAre, func(r *rowLoops, dst, x, _, s tensor.Matrix, lane []uint32) {
		r.headScale(dst, x, s, 0, x.Rows, lane)
	}},
	{"headScale of one row", rowsAre, colsAre, func(r *rowLoops, dst, x, _, s tensor.Matrix, lane []uint32) {
		r.headScale(dst, repeated(x, x.Rows), s, 0, x.Rows, lane)
	}},
	{"headAdd", rowsAre, colsAre, func(r *rowLoops, dst, x, y, s tensor.Matrix, lane []uint32) {
		for i := range dst.Rows {
			copy(dst.Row(i), y.Row(i))
		}
		r.headAdd(dst, x, s, 0, x.Rows, lane)
	}},
	{"columnSum", oneRow, colsAre, func(r *rowLoops, dst, x, _, _ tensor.Matrix, _ []uint32) { r.columnSum(dst.Row(0), x, 0, x.Rows) }},
	{"headColumnSum", oneRow, colsAre, func(r *rowLoops, dst, x, _, s tensor.Matrix, lane []uint32) {
		r.headColumnSum(dst.Row(0), x, s, 0, x.Rows, lane)
	}},
}

func rowsAre(n, _, _ int) int      { return n }
func oneRow(_, _, _ int) int       { return 1 }
func colsAre(_, k, _ int) int      { return k }
func headsAre(_, _, heads int) int { return heads }
func widthIs(_, k, heads int) int  { return k / heads }

// Loops over heads and columns agree with the portable ones for every number of
// heads that divides every width, to the roundings of their sums; sums of
// columns have the same bits, since all add in the order of the rows.
func TestHeadLoopsAtEveryWidth(t *testing.T) {
	for k := 1; k < 2*64+4; k++ {
		for heads := 1; heads <= k; heads++ {
			if k%heads != 0 {
				continue
			}
			src, n := newSource(uint64(k*heads)), 1+k%5
			x, y, s := src.uniform(n, k), src.uniform(n, k), src.uniform(n, heads)
			lane := (&Ctx{}).headLanes(k, heads)
			limit := float64(k+n) * unit
			for _, f := range headLoops {
				rows, cols := f.rows(n, k, heads), f.cols(n, k, heads)
				want := src.empty(rows, cols)
				f.run(&rowsGeneric, want, x, y, s, lane)
				for _, isa := range variants()[1:] {
					got := src.empty(rows, cols)
					before := guards(got)
					f.run(&valueVariants[isa].rows, got, x, y, s, lane)
					at, off := farthest(got, want)
					if !(off <= limit) || f.name == "columnSum" && off != 0 || guards(got) != before {
						t.Fatalf("%v: %s of %d columns in %d heads: row %d is off by %g, or something beside it was written", isa, f.name, k, heads, at, off)
					}
				}
			}
		}
	}
}

// Sums in double precision are exact to a rounding of the result, and of products to one each.
func TestDoubleSumsAtEveryLength(t *testing.T) {
	for n := range 2*32 + 4 {
		for offset := range 16 {
			src := newSource(uint64(n))
			x, y := guarded(1, n, offset, 0), guarded(1, n, (offset+5)%16, 0)
			for i := range n {
				x.Row(0)[i], y.Row(0)[i] = src.Float32()-0.5, src.Float32()-0.5
			}
			sum, dot := ref.Of(x).Sum(), ref.Of(x).Dot(ref.Of(y))
			for _, isa := range variants() {
				v := &valueVariants[isa]
				const limit = 1e-14 // up to 67 terms below 1, of roundings of 1e−16
				if got := v.sum(x.Row(0), nil); !near(got, sum, limit) {
					t.Fatalf("%v: %d values sum to %v, want %v", isa, n, got, sum)
				}
				if got := v.dot(x.Row(0), y.Row(0)); !near(got, dot, limit) {
					t.Fatalf("%v: %d products sum to %v, want %v", isa, n, got, dot)
				}
			}
		}
	}
}

// A NaN reaches its own head, or its own column, and no other.
func TestHeadLoopsKeepFaultsApart(t *testing.T) {
	const n, k = 5, 40
	for _, heads := range []int{1, 4, 8, 20} {
		width := k / heads
		for _, isa := range variants() {
			x, y, s := tensor.New(n, k), tensor.New(n, k), tensor.New(n, heads)
			x.Row(2)[7] = nan32
			lane := (&Ctx{}).headLanes(k, heads)
			for _, f := range headLoops {
				if f.name == "headScale of one row" {
					continue // of which row 2 is none
				}
				got := tensor.New(f.rows(n, k, heads), f.cols(n, k, heads))
				f.run(&valueVariants[isa].rows, got, x, y, s, lane)
				row, col := 2, 7
				switch f.name {
				case "headDot":
					col = 7 / width
				case "headSum":
					col = 7 % width
				case "columnSum", "headColumnSum":
					row = 0
				}
				for i := range got.Rows {
					for j, v := range got.Row(i) {
						if isNaN(v) != (i == row && j == col) {
							t.Fatalf("%v: %s in %d heads: row %d, column %d is %v", isa, f.name, heads, i, j, v)
						}
					}
				}
			}
		}
	}
}
