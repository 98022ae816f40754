package kernel

import (
	"fmt"
	"math"
	"testing"

	"github.com/weft-gnn/weft/internal/cpu"
	"github.com/weft-gnn/weft/tensor"
)

// nearestHalf is the number nearest to x whose lower 16 bits are 0, by distances:
// halfway the one whose last bit is 0. Beyond the largest one, infinity stands where
// the next number would.
func nearestHalf(x float32) float32 {
	if x != x {
		return math.Float32frombits(math.Float32bits(x)&^0xffff | 1<<22)
	}
	down := math.Float32frombits(math.Float32bits(x) &^ 0xffff)
	if down == x {
		return x
	}
	up := math.Float32frombits(math.Float32bits(down) + 1<<16)
	far := float64(up)
	if math.IsInf(far, 0) {
		far = math.Copysign(0x1p128, far)
	}
	below, above := math.Abs(float64(x)-float64(down)), math.Abs(far-float64(x))
	if below < above || below == above && math.Float32bits(down)>>16&1 == 0 {
		return down
	}
	return up
}

// halves returns an empty guarded matrix of cols values a row in bfloat16.
func (s *source) halves(rows, cols int) tensor.Matrix {
	return s.empty(rows, (cols+1)/2).AsBFloat16(cols)
}

// stored returns m in bfloat16, and what that is in float32.
func (s *source) stored(m tensor.Matrix) (half, wide tensor.Matrix) {
	half, wide = s.halves(m.Rows, m.Cols), s.empty(m.Rows, m.Cols)
	var ctx Ctx
	Narrow(&ctx, m, half)
	Widen(&ctx, half, wide)
	return half, wide
}

// TestNarrowRoundsToTheNearest goes through all upper halves of numbers, NaN,
// infinities and subnormal ones among them, with lower halves about the ties.
func TestNarrowRoundsToTheNearest(t *testing.T) {
	lower := []uint32{0, 1, 0x7fff, 0x8000, 0x8001, 0xffff}
	x := tensor.New(1<<16, len(lower))
	for i := range x.Rows {
		for j, bits := range lower {
			x.Row(i)[j] = math.Float32frombits(uint32(i)<<16 | bits)
		}
	}
	for _, isa := range variants() {
		half, back := tensor.New(x.Rows, x.Cols/2).AsBFloat16(x.Cols), tensor.New(x.Rows, x.Cols)
		contexts[1].using(isa, func(ctx *Ctx) {
			Narrow(ctx, x, half)
			Widen(ctx, half, back)
		})
		for i, v := range x.Data {
			if want := nearestHalf(v); math.Float32bits(back.Data[i]) != math.Float32bits(want) {
				t.Fatalf("%v: %x is stored as %x, want %x", isa, math.Float32bits(v), math.Float32bits(back.Data[i]), math.Float32bits(want))
			}
		}
	}
}

// Storing and reading back rounds every value by itself, at every length and
// offset, and touches nothing beside the result.
func TestNarrowAtEveryLength(t *testing.T) {
	for cols := range 3*16 + 2 {
		src := newSource(uint64(cols))
		for range 16 {
			x := src.empty(5, cols)
			for i := range x.Rows {
				copy(x.Row(i), oddValues(cols, uint64(i)))
			}
			half, wide := src.halves(5, cols), src.empty(5, cols)
			for _, isa := range variants() {
				poison(half.AsWords())
				poison(wide)
				before := [2]int{guards(half.AsWords()), guards(wide)}
				contexts[0].using(isa, func(ctx *Ctx) {
					Narrow(ctx, x, half)
					Widen(ctx, half, wide)
				})
				if got := [2]int{guards(half.AsWords()), guards(wide)}; got != before {
					t.Fatalf("%v, %d columns: wrote beside the result", isa, cols)
				}
				checkStored(t, fmt.Sprintf("%v, %d columns", isa, cols), x, half, wide)
			}
		}
	}
}

// checkStored compares half, and wide, which was read from it, with x.
func checkStored(t *testing.T, what string, x, half, wide tensor.Matrix) {
	t.Helper()
	for i := range x.Rows {
		for j, v := range x.Row(i) {
			if want := nearestHalf(v); math.Float32bits(wide.Row(i)[j]) != math.Float32bits(want) {
				t.Fatalf("%s: row %d, column %d is %v, want %v", what, i, j, wide.Row(i)[j], want)
			}
		}
		if row := half.AsWords().Row(i); x.Cols%2 == 1 && math.Float32bits(row[len(row)-1])>>16 != 0 {
			t.Fatalf("%s: row %d does not end with 0", what, i)
		}
	}
}

// alike runs two kernels in every variant on all numbers of threads: they must
// leave the same bits, and nothing beside them.
func alike(t *testing.T, what string, got, want tensor.Matrix, run, reference func(ctx *Ctx)) {
	t.Helper()
	for _, isa := range variants() {
		contexts[0].using(isa, reference)
		for i, ctx := range contexts {
			plain := got.AsWords()
			poison(plain)
			before := guards(plain)
			ctx.using(isa, run)
			if !plain.Equal(want) {
				t.Fatalf("%s, %v, %d threads: the bits differ from those of rounded values in float32", what, isa, threadCounts[i])
			}
			if guards(plain) != before {
				t.Fatalf("%s, %v, %d threads: wrote beside the result", what, isa, threadCounts[i])
			}
		}
	}
}

// A sum of rows in bfloat16 has the bits of one of the same numbers in float32, at
// every width and both ends, with weights and without; so has its rounded result.
func TestSumsOfNarrowRows(t *testing.T) {
	b, none := smallPiece(), tensor.Matrix{}
	for k := range everyWidth + 1 {
		src := newSource(uint64(k))
		for _, end := range []End{Dst, Src} {
			n := vertices(b, end)
			half, x := src.stored(src.uniform(vertices(b, end.other()), k))
			w, wide, y := src.uniform(b.Edges(), 1), src.empty(n, k), src.empty(n, k)
			rounded, out := src.halves(n, k), src.halves(n, k)
			what := fmt.Sprintf("%v, k=%d", end, k)
			alike(t, what, y, wide, func(ctx *Ctx) { SpMM(ctx, b, end, none, half, y) }, func(ctx *Ctx) { SpMM(ctx, b, end, none, x, wide) })
			if k > 0 {
				alike(t, what+", weighted", y, wide, func(ctx *Ctx) { SpMM(ctx, b, end, w, half, y) }, func(ctx *Ctx) { SpMM(ctx, b, end, w, x, wide) })
			}
			alike(t, what+", rounded", out, rounded.AsWords(), func(ctx *Ctx) { SpMM(ctx, b, end, none, half, out) }, func(ctx *Ctx) {
				SpMM(ctx, b, end, none, x, wide)
				Narrow(ctx, wide, rounded)
			})
		}
	}
}

// Rows that are cut, and those summed range by range, sum alike in bfloat16.
func TestNarrowSumsOfManyEdges(t *testing.T) {
	none := tensor.Matrix{}
	for _, k := range []int{5, 275} {
		src := newSource(uint64(k))
		b := crowded(2100, 70)
		half, x := src.stored(src.uniform(2100, k))
		wide, y, rounded, out := src.empty(2100, k), src.empty(2100, k), src.halves(2100, k), src.halves(2100, k)
		for _, end := range []End{Dst, Src} {
			widest := variants()[len(variants())-1]
			contexts[0].using(widest, func(ctx *Ctx) {
				if widest != cpu.Generic && (ctx.ranges(b, end, half, k, 0) != nil) != (k > 5) {
					t.Fatalf("%d columns: the test shows nothing of ranges", k)
				}
			})
			what := fmt.Sprintf("%v, k=%d", end, k)
			alike(t, what, y, wide, func(ctx *Ctx) { SpMM(ctx, b, end, none, half, y) }, func(ctx *Ctx) { SpMM(ctx, b, end, none, x, wide) })
			alike(t, what+", rounded", out, rounded.AsWords(), func(ctx *Ctx) { SpMM(ctx, b, end, none, half, out) }, func(ctx *Ctx) {
				SpMM(ctx, b, end, none, x, wide)
				Narrow(ctx, wide, rounded)
			})
		}
	}
}

// Products of operands in bfloat16 have the bits of the same numbers in float32,
// and a result in bfloat16 is theirs, rounded.
func TestProductsOfNarrowOperands(t *testing.T) {
	for i, s := range append(productShapes(), [3]int{2300, 85, 40}, [3]int{300, 563, 7}) {
		n, a, b := s[0], s[1], s[2]
		src := newSource(uint64(i))
		half, x := src.stored(src.uniform(n, a))
		halfG, g := src.stored(src.uniform(n, b))
		w, wt, bias := src.uniform(a, b), src.uniform(b, a), src.uniform(1, b)
		wide, rounded, out := src.empty(n, b), src.halves(n, b), src.halves(n, b)
		dw, wantDW := src.empty(a, b), src.empty(a, b)
		what := fmt.Sprintf("%d×%d×%d", n, a, b)
		tanh := Func{Kind: Tanh}
		alike(t, what, out, rounded.AsWords(), func(ctx *Ctx) { MatMul(ctx, half, w, out) }, func(ctx *Ctx) {
			MatMul(ctx, x, w, wide)
			Narrow(ctx, wide, rounded)
		})
		alike(t, what+" NT", out, rounded.AsWords(), func(ctx *Ctx) { MatMulNT(ctx, half, wt, out) }, func(ctx *Ctx) {
			MatMulNT(ctx, x, wt, wide)
			Narrow(ctx, wide, rounded)
		})
		alike(t, what+" dense", out, rounded.AsWords(), func(ctx *Ctx) { Dense(ctx, half, w, bias, tanh, out) }, func(ctx *Ctx) {
			Dense(ctx, x, w, bias, tanh, wide)
			Narrow(ctx, wide, rounded)
		})
		reference := func(ctx *Ctx) { MatMulTN(ctx, x, g, wantDW) }
		alike(t, what+" TN, left", dw, wantDW, func(ctx *Ctx) { MatMulTN(ctx, half, g, dw) }, reference)
		alike(t, what+" TN, right", dw, wantDW, func(ctx *Ctx) { MatMulTN(ctx, x, halfG, dw) }, reference)
		alike(t, what+" TN, both", dw, wantDW, func(ctx *Ctx) { MatMulTN(ctx, half, halfG, dw) }, reference)
	}
}

// A tail reads operands in bfloat16, and its result is rounded after its last step.
func TestNarrowTail(t *testing.T) {
	for _, k := range []int{1, 40, 41, 200} {
		src := newSource(uint64(k))
		b := hubs(false).Block
		half, x := src.stored(src.uniform(b.Src, k))
		sum, addend := src.stored(src.uniform(b.Dst, k))
		wide, rounded, out := src.empty(b.Dst, k), src.halves(b.Dst, k), src.halves(b.Dst, k)
		relu := Func{Kind: ReLU}
		then := func(ctx *Ctx, values, slope tensor.Matrix) {
			ctx.Then(TailStep{Kind: AddValues, X: values})
			ctx.Then(TailStep{Kind: ApplySlope, Func: relu, X: slope})
			ctx.Then(TailStep{Kind: DropValues, Mask: testMask(0.3)})
		}
		alike(t, fmt.Sprintf("k=%d", k), out, rounded.AsWords(), func(ctx *Ctx) {
			then(ctx, sum, sum)
			SpMM(ctx, b, Dst, tensor.Matrix{}, half, out)
		}, func(ctx *Ctx) {
			then(ctx, addend, addend)
			SpMM(ctx, b, Dst, tensor.Matrix{}, x, wide)
			Narrow(ctx, wide, rounded)
		})
	}
}

// Scaled rows and dropped values are rounded as they are stored.
func TestNarrowRowsOfOneOperand(t *testing.T) {
	for _, k := range []int{1, 6, 40, 201, 5000} {
		src := newSource(uint64(k))
		const n = 77
		x, s := src.uniform(n, k), src.uniform(n, 1)
		wide, rounded, out := src.empty(n, k), src.halves(n, k), src.halves(n, k)
		alike(t, fmt.Sprintf("HeadScale, k=%d", k), out, rounded.AsWords(), func(ctx *Ctx) { HeadScale(ctx, x, s, out) }, func(ctx *Ctx) {
			HeadScale(ctx, x, s, wide)
			Narrow(ctx, wide, rounded)
		})
		alike(t, fmt.Sprintf("Dropout, k=%d", k), out, rounded.AsWords(), func(ctx *Ctx) { Dropout(ctx, testMask(0.5), nil, x, out) }, func(ctx *Ctx) {
			Dropout(ctx, testMask(0.5), nil, x, wide)
			Narrow(ctx, wide, rounded)
		})
	}
}

// TestNarrowBytes: what is stored in bfloat16 counts 2 bytes a value.
func TestNarrowBytes(t *testing.T) {
	src, b := newSource(3), smallPiece()
	n, other, m := int64(b.Dst), int64(b.Src), int64(b.Edges())
	const k, c = 7, 5
	half, _ := src.stored(src.uniform(b.Src, k))
	out, w, g := src.halves(b.Dst, k), src.uniform(k, c), src.uniform(b.Src, c)
	for name, try := range map[string]struct {
		run         func(ctx *Ctx)
		work, bytes int64
	}{
		"Narrow":    {func(ctx *Ctx) { Narrow(ctx, src.uniform(b.Src, k), half) }, 0, 6 * other * k},
		"Widen":     {func(ctx *Ctx) { Widen(ctx, half, src.empty(b.Src, k)) }, 0, 6 * other * k},
		"SpMM":      {func(ctx *Ctx) { SpMM(ctx, b, Dst, tensor.Matrix{}, half, out) }, m * k, 8*(n+1) + 4*m + 2*m*k + 2*n*k},
		"HeadScale": {func(ctx *Ctx) { HeadScale(ctx, src.uniform(b.Src, k), src.uniform(b.Src, 1), half) }, other * k, 6*other*k + 4*other},
		"Dropout":   {func(ctx *Ctx) { Dropout(ctx, testMask(0.5), nil, src.uniform(b.Src, k), half) }, 2 * other * k, 6 * other * k},
		"MatMul":    {func(ctx *Ctx) { MatMul(ctx, half, w, src.halves(b.Src, c)) }, 2 * other * k * c, 2*other*k + 4*k*c + 2*other*c},
		"MatMulTN":  {func(ctx *Ctx) { MatMulTN(ctx, half, g, src.empty(k, c)) }, 2 * other * k * c, 2*other*k + 4*other*c + 4*k*c},
	} {
		var ctx Ctx
		try.run(&ctx)
		if work, bytes := ctx.Count.Read(); work != try.work || bytes != try.bytes {
			t.Errorf("%s: counted %d and %d bytes, want %d and %d", name, work, bytes, try.work, try.bytes)
		}
	}
}

// TestNarrowOperandsAreRefused: a kernel that reads float32 alone does not take
// bfloat16 for it.
func TestNarrowOperandsAreRefused(t *testing.T) {
	src, b := newSource(4), smallPiece()
	half, wide := src.halves(b.Src, 8), src.uniform(b.Src, 8)
	for name, run := range map[string]func(ctx *Ctx){
		"Add":             func(ctx *Ctx) { Add(ctx, half, wide, wide) },
		"Apply":           func(ctx *Ctx) { Apply(ctx, Func{Kind: ReLU}, half, wide) },
		"Narrow of half":  func(ctx *Ctx) { Narrow(ctx, half, half) },
		"Narrow to wide":  func(ctx *Ctx) { Narrow(ctx, wide, wide) },
		"Widen of wide":   func(ctx *Ctx) { Widen(ctx, wide, wide) },
		"Scatter":         func(ctx *Ctx) { Scatter(ctx, b, Src, half, src.empty(b.Edges(), 8)) },
		"SpMM of 2 heads": func(ctx *Ctx) { SpMM(ctx, b, Dst, src.uniform(b.Edges(), 2), half, src.empty(b.Dst, 8)) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			run(&Ctx{})
		}()
	}
}
