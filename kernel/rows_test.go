package kernel

import (
	"fmt"
	"math"
	"testing"

	"github.com/weft-gnn/weft/internal/ref"
	"github.com/weft-gnn/weft/tensor"
)

// namedRow is one loop of rowLoops under a name.
type namedRow struct {
	name string
	run  rowFunc
	unit bool // y has one column
}

// all lists the loops of a variant, in the same order for each.
func (r *rowLoops) all() []namedRow {
	softmaxOf := func(dst, x, _ tensor.Matrix, lo, hi int, s float32) {
		var rows []int32
		for i := hi - 1; i >= lo; i-- {
			rows = append(rows, int32(i))
		}
		n := len(rows)
		for i := range 20 { // listed, but not taken
			rows = append(rows, int32(i%max(1, x.Rows)))
		}
		r.softmaxOf(dst, x, rows, n, s)
	}
	return []namedRow{
		{"copy", r.copy, false}, {"scale", r.scale, true}, {"normalize", r.normalize, false},
		{"normalizeGrad", r.normalizeGrad, false}, {"softmax", r.softmax, false}, {"softmaxGrad", r.softmaxGrad, false},
		{"shift", r.shift, true}, {"logSoftmaxGrad", r.logSoftmaxGrad, false}, {"softmaxOf", softmaxOf, false},
	}
}

// Every loop of every variant agrees with the portable one at every width, side
// by side and apart, to the roundings of its sums; it has the same bits over an
// operand as apart, and a row's bits do not depend on the rows beside it.
func TestRowLoopsAtEveryWidth(t *testing.T) {
	portable := rowsGeneric.all()
	const n = 5
	for k := range 2*32 + 4 {
		for layout := range 4 {
			src := newSource(uint64(4*k + layout))
			for i, f := range portable {
				x, y, want := src.within(-3, 3, n, k), src.uniform(n, k), src.empty(n, k)
				if f.unit {
					y = src.uniform(n, 1)
				}
				f.run(want, x, y, 0, n, 0.5)
				// Sums of up to k terms of at most 9, and exponentials to 2 ulp.
				limit := float64(k+8) * 9 * unit * max(1, finiteMax(ref.Of(want)))
				for _, isa := range variants()[1:] {
					what := fmt.Sprintf("%v: %s of %d columns", isa, f.name, k)
					run := valueVariants[isa].rows.all()[i].run
					got := src.empty(n, k)
					before := guards(got)
					run(got, x, y, 0, n, 0.5)
					if at, off := farthest(got, want); !(off <= limit) || guards(got) != before {
						t.Fatalf("%s: row %d is off by %g, or something beside it was written", what, at, off)
					}
					one := src.empty(n, k)
					run(one, x, y, 2, 3, 0.5)
					over := x.Clone()
					run(over, over, y, 0, n, 0.5)
					if !one.Between(2, 3).Equal(got.Between(2, 3)) || !over.Equal(got) {
						t.Fatalf("%s: bits differ alone or over x", what)
					}
				}
			}
		}
	}
}

// Sums of exponentials agree with their definition, of listed rows and of the first.
func TestSumExpAtEveryWidth(t *testing.T) {
	for k := 1; k < 2*32+4; k++ {
		src := newSource(uint64(k))
		x := src.within(-90, 90, 7, k)
		for _, isa := range variants() {
			for _, rows := range [][]int32{{6, 0, 3}, nil} {
				out := src.empty(2, 3)
				before := guards(out)
				valueVariants[isa].rows.sumExp(out.Row(0), out.Row(1), x, rows)
				for i := range 3 {
					r := i
					if rows != nil {
						r = int(rows[i])
					}
					top, sum := sumExpOf(x.Row(r))
					if got := out.Row(1)[i]; float64(out.Row(0)[i]) != top || !near(float64(got), sum, float64(k+4)*unit*sum) {
						t.Fatalf("%v: row %d of %d columns: %v, want %v", isa, r, k, got, sum)
					}
				}
				if guards(out) != before {
					t.Fatalf("%v: %d columns: wrote beside the result", isa, k)
				}
			}
		}
	}
}

// Decisions are the first of the largest values, at every width, of ties and NaN too.
func TestDecideAtEveryWidth(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(-1))
	for k := 1; k < 2*32+4; k++ {
		x := newSource(uint64(k)).within(-3, 3, 40, k)
		for r := range 8 {
			for j := range x.Row(r) {
				x.Row(r)[j] = float32(math.Floor(float64(x.Row(r)[j]))) // ties
			}
			x.Row(8 + r)[(7*r)%k] = nan
			x.Row(16 + r)[(5*r)%k] = inf
		}
		for j := range k {
			x.Row(24)[j], x.Row(25)[j], x.Row(26)[j] = nan, inf, nan
		}
		x.Row(26)[k-1] = inf
		rows := []int32{25, 24, 26}
		for r := range x.Rows {
			rows = append(rows, int32(r))
		}
		for _, isa := range variants() {
			arg := make([]int32, len(rows)+1)
			arg[len(rows)] = -7
			valueVariants[isa].rows.argMax(arg[:len(rows)], x, rows)
			for i, r := range rows {
				want := 0
				for j, v := range x.Row(int(r)) {
					if v > x.Row(int(r))[want] || x.Row(int(r))[want] != x.Row(int(r))[want] && v == v {
						want = j
					}
				}
				if int(arg[i]) != want {
					t.Fatalf("%v: row %v: column %d, want %d", isa, x.Row(int(r)), arg[i], want)
				}
			}
			if arg[len(rows)] != -7 {
				t.Fatalf("%v: wrote beside the result", isa)
			}
		}
	}
}

func sumExpOf(x []float32) (top, sum float64) {
	top = math.Inf(-1)
	for _, v := range x {
		top = max(top, float64(v))
	}
	for _, v := range x {
		sum += math.Exp(float64(v) - top)
	}
	return top, sum
}

// A row with a NaN, or with +Inf or no number above −Inf in a softmax, is NaN
// and no other row changes.
func TestRowLoopsKeepFaultsApart(t *testing.T) {
	inf := float32(math.Inf(1))
	for _, k := range []int{1, 7, 16, 40, 67} {
		for _, isa := range variants() {
			for _, f := range valueVariants[isa].rows.all() {
				if f.name == "copy" || f.unit {
					continue // value by value
				}
				for _, bad := range []float32{nan32, inf} {
					src := newSource(uint64(k))
					x, y, want, got := src.uniform(3, k), src.uniform(3, k), src.empty(3, k), src.empty(3, k)
					f.run(want, x, y, 0, 3, 0.5)
					if bad == inf && (f.name != "softmax" && f.name != "softmaxOf") {
						continue
					}
					x.Row(1)[k/2] = bad
					f.run(got, x, y, 0, 3, 0.5)
					for i := range 3 {
						for j, v := range got.Row(i) {
							own := i == 1 && (f.name != "logSoftmaxGrad" || j == k/2)
							if own != isNaN(v) || !own && i != 1 && v != want.Row(i)[j] {
								t.Fatalf("%v: %s, %v among %d columns: row %d, column %d is %v", isa, f.name, bad, k, i, j, v)
							}
						}
					}
				}
			}
		}
	}
}
