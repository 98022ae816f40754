package kernel

import (
	"slices"
	"testing"
	"unsafe"

	"github.com/weft-gnn/weft/tensor"
)

// atLine returns rows of cols values, apart words from each other, the first of
// them so many words beyond the start of a cache line.
func atLine(rows, cols, apart, words int) tensor.Matrix {
	data := make([]float32, rows*apart+2*lineValues)
	off := int(uintptr(unsafe.Pointer(&data[0]))/4) % lineValues
	at := (lineValues-off)%lineValues + words
	return tensor.Matrix{Rows: rows, Cols: cols, Stride: apart, Data: data[at : at+(rows-1)*apart+cols]}
}

// TestSumsOfLines: where the rows of x fill a cache line each, sums have the bits
// that they have of the same rows across two lines, in every variant, weighted, with
// steps at rows' ends and without, and write nothing beside their rows.
func TestSumsOfLines(t *testing.T) {
	const k, guard = lineValues, 7777
	for _, m := range []int{0, 1, 2, 5, 60, 400, 3000} {
		s := newSource(uint64(m))
		b := scattered(s, 70, 50, m)
		values, weight := s.uniform(b.Src, k), s.uniform(b.Edges(), 1)
		add := TailStep{Kind: AddValues, X: s.uniform(b.Dst, k)}
		for _, isa := range variants() {
			for _, kind := range []struct {
				name   string
				weight tensor.Matrix
				steps  []TailStep
			}{{name: "plain"}, {name: "weighted", weight: weight}, {name: "ended", steps: []TailStep{add, {Kind: ApplyFunc, Func: Func{Kind: ReLU}}}}} {
				sum := func(apart, words int) []float32 {
					x := atLine(b.Src, k, apart, words)
					for r := range x.Rows {
						copy(x.Row(r), values.Row(r))
					}
					y := atLine(b.Dst, k, apart+3, words)
					for i := range y.Data {
						y.Data[i] = guard
					}
					ctx := &Ctx{isa: &isa}
					for _, step := range kind.steps {
						ctx.Then(step)
					}
					SpMM(ctx, b, Dst, kind.weight, x, y)
					var sums []float32
					for r := range y.Rows {
						sums = append(sums, y.Row(r)...)
						for _, v := range y.Data[r*y.Stride+k : min((r+1)*y.Stride, len(y.Data))] {
							if v != guard {
								t.Fatalf("%v, %s, %d edges, rows %d words apart: row %d was written beyond its end", isa, kind.name, m, apart, r)
							}
						}
					}
					return sums
				}
				want := sum(k+1, 3)
				for _, apart := range []int{k, 2 * k, 3 * k} {
					if !slices.Equal(sum(apart, 0), want) {
						t.Errorf("%v, %s, %d edges, rows at lines, %d words apart: the bits differ", isa, kind.name, m, apart)
					}
				}
			}
		}
	}
}
