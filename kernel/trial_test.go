package kernel

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/weft-gnn/weft/internal/cpu"
	"github.com/weft-gnn/weft/internal/ref"
	"github.com/weft-gnn/weft/internal/rng"
	"github.com/weft-gnn/weft/tensor"
)

// threadCounts are those at which every kernel must give the same bits.
var threadCounts = []int{1, 2, 3, 5, 8}

// contexts are one context per thread count, shared by all tests.
var contexts = func() (all []*Ctx) {
	for _, threads := range threadCounts {
		all = append(all, &Ctx{Pool: NewPool(threads)})
	}
	return all
}()

// variants are the instruction sets that this machine and build have kernels for.
func variants() []cpu.ISA { return cpu.Sets() }

// using runs f on a context that uses one variant.
func (c *Ctx) using(isa cpu.ISA, f func(ctx *Ctx)) {
	c.isa = &isa
	defer func() { c.isa = nil }()
	f(c)
}

// unit is the largest relative error of one float32 rounding.
const unit = 0x1p-24

// trial is one call of a kernel and all that must hold of it.
type trial struct {
	name string
	in   []tensor.Matrix // inputs, in guarded memory
	out  []tensor.Matrix // results, in guarded memory
	run  func(ctx *Ctx)
	want []ref.Matrix
	// rounds is how many roundings, of values no larger than the largest result
	// or 1, separate the kernel from its oracle at most; 0 asks for equality.
	rounds      float64
	work, bytes int64
}

// check runs a trial in every variant on every number of threads, on results
// filled with NaN that must be overwritten, and holds values, bits, guards,
// inputs and counters against what they must be.
func (tr trial) check(t *testing.T) {
	t.Helper()
	t.Run(tr.name, func(t *testing.T) {
		t.Helper()
		before := snapshot(tr.in)
		for _, isa := range variants() {
			var first [][]uint32
			for i, ctx := range contexts {
				for _, y := range tr.out {
					poison(y)
				}
				ctx.Count.Reset()
				ctx.using(isa, tr.run)
				if work, bytes := ctx.Count.Read(); work != tr.work || bytes != tr.bytes {
					t.Fatalf("%v: counted work %d and bytes %d, want %d and %d", isa, work, bytes, tr.work, tr.bytes)
				}
				got := snapshot(tr.out)
				if i == 0 {
					first = got
					tr.compare(t, isa)
				} else if !equalBits(got, first) {
					t.Fatalf("%v: on %d threads bits differ from those on one", isa, threadCounts[i])
				}
			}
		}
		if !equalBits(snapshot(tr.in), before) {
			t.Error("an input was changed")
		}
	})
}

func (tr trial) compare(t *testing.T, isa cpu.ISA) {
	t.Helper()
	for k, y := range tr.out {
		want := tr.want[k]
		got := ref.Of(y)
		limit := tr.rounds * unit * math.Max(1, finiteMax(want))
		for i := range got.V {
			if !near(got.V[i], want.V[i], limit) {
				t.Fatalf("%v: result %d of %v: row %d, column %d is %v, want %v ± %.3g",
					isa, k, y, i/y.Cols, i%y.Cols, got.V[i], want.V[i], limit)
			}
		}
	}
}

func near(got, want, limit float64) bool {
	return got == want || math.Abs(got-want) <= limit || (math.IsNaN(got) && math.IsNaN(want))
}

func finiteMax(m ref.Matrix) float64 {
	return m.Map(func(v float64) float64 {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return 0
		}
		return v
	}).MaxAbs()
}

// guardWidth is how many NaNs stand on either side of a guarded matrix, and
// between its rows where it is padded.
const guardWidth = 3

// guarded returns a matrix of NaN that starts offset values into its memory,
// with rows pad values apart. A kernel that reads beside it spreads NaN.
func guarded(rows, cols, offset, pad int) tensor.Matrix {
	stride := cols + pad
	data := make([]float32, offset+guardWidth+rows*stride+guardWidth)
	for i := range data {
		data[i] = nan32
	}
	m := tensor.Matrix{Rows: rows, Cols: cols, Stride: stride, Data: data[offset+guardWidth:]}
	return m
}

var nan32 = math.Float32frombits(0x7fc0beef)

func poison(m tensor.Matrix) {
	for i := range m.Rows {
		fill(m.Row(i), nil, nil, nan32)
	}
}

// snapshot returns all the memory of some matrices, guards included.
func snapshot(ms []tensor.Matrix) (all [][]uint32) {
	for _, m := range ms {
		var bits []uint32
		for _, v := range m.Data {
			bits = append(bits, math.Float32bits(v))
		}
		all = append(all, bits)
	}
	return all
}

func equalBits(a, b [][]uint32) bool {
	return slices.EqualFunc(a, b, func(x, y []uint32) bool { return slices.Equal(x, y) })
}

// source draws the operands of one test from its seed.
type source struct {
	*rng.Stream
	layout int // varies offsets and padding from one matrix to the next
}

func newSource(seed uint64) *source {
	return &source{Stream: rng.Key{Seed: seed, Purpose: rng.Test}.Stream(0)}
}

// empty returns a guarded matrix of NaN.
func (s *source) empty(rows, cols int) tensor.Matrix {
	s.layout++
	pad := []int{0, guardWidth, 0, 1}[s.layout%4]
	return guarded(rows, cols, s.layout*5%16, pad)
}

// uniform returns a guarded matrix of values in [−1, 1).
func (s *source) uniform(rows, cols int) tensor.Matrix {
	m := s.empty(rows, cols)
	for i := range rows {
		row := m.Row(i)
		for j := range row {
			row[j] = 2*s.Float32() - 1
		}
	}
	return m
}

// within returns a guarded matrix of values in [lo, hi).
func (s *source) within(lo, hi float32, rows, cols int) tensor.Matrix {
	m := s.uniform(rows, cols)
	for i := range rows {
		row := m.Row(i)
		for j, v := range row {
			row[j] = lo + (hi-lo)*(v+1)/2
		}
	}
	return m
}

// scalar returns a guarded 1×1 matrix.
func (s *source) scalar(v float32) tensor.Matrix {
	m := s.empty(1, 1)
	m.Data[0] = v
	return m
}

// shapesToTry are rows and columns around every unrolling: 0 to twice the
// widest block and one more, thin and flat ones, and ones of several pieces.
func shapesToTry() (shapes [][2]int) {
	for k := range 10 {
		shapes = append(shapes, [2]int{k, 9 - k}, [2]int{3, k}, [2]int{k, 5})
	}
	return append(shapes, [2]int{1, 70}, [2]int{70, 1}, [2]int{2*grainValues + 7, 1}, [2]int{700, 130}, [2]int{3, grainValues + 5})
}

func shapeName(rows, cols int) string { return fmt.Sprintf("%d×%d", rows, cols) }

// mat is a short name for a one-off matrix.
func mat(rows, cols int, values ...float32) tensor.Matrix { return tensor.Of(rows, cols, values) }
