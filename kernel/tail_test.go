package kernel

import (
	"testing"

	"github.com/weft-gnn/weft/graph"
	"github.com/weft-gnn/weft/internal/cpu"
	"github.com/weft-gnn/weft/internal/rng"
	"github.com/weft-gnn/weft/tensor"
)

// TestTail: a product with a tail has the bits of the product and its steps one
// by one, their work, and their operands' bytes but not the result's, on any
// number of threads; a row that is cut is followed once, after it is combined.
func TestTail(t *testing.T) {
	const n, k, w = 6000, 9, 21
	s := rng.Key{Seed: 3, Purpose: rng.Test}.Stream(1)
	fill := func(rows, cols int) tensor.Matrix {
		m := tensor.New(rows, cols)
		for i := range m.Data {
			m.Data[i] = float32(s.Normal())
		}
		return m
	}
	src, dst := make([]int32, 0, 3*n), make([]int32, 0, 3*n)
	for v := range int32(n) { // vertex 0 is a hub
		src, dst = append(src, v, v, v/2), append(dst, 0, (v*7+1)%n, v)
	}
	g, err := graph.FromCOO(n, src, dst, nil, graph.Policy{})
	if err != nil {
		t.Fatal(err)
	}
	b := g.Block()
	if b.MaxInDegree() <= chunkEdges {
		t.Fatal("no row is cut")
	}
	x, y, weights := fill(n, w), fill(n, k), fill(k, w)
	scale, bias, at := fill(n, 1), fill(1, w), fill(n, w)
	ends, relu := fill(n, 3), Func{Kind: ReLU}
	add, activate := TailStep{Kind: AddRow, X: bias}, TailStep{Kind: ApplyFunc, Func: relu}
	scaled, sum := TailStep{Kind: ScaleRows, X: scale}, TailStep{Kind: AddValues, X: at}
	multiple := TailStep{Kind: AddMultiple, X: at, S: fill(1, 1), Plus: 1}
	outer := TailStep{Kind: AddProduct, X: ends, S: bias}
	ids := make([]int64, n)
	for i := range ids {
		ids[i] = int64(3 * i)
	}
	drop, own := TailStep{Kind: DropValues, Mask: testMask(0.4)}, TailStep{Kind: DropValues, Mask: testMask(0.4), IDs: ids}
	slope := TailStep{Kind: ApplySlope, Func: relu, X: at}
	tails := [][]TailStep{{scaled, add, multiple, slope}, {scaled, add, activate, sum}, {add, activate, drop}, {own, scaled, sum}, {multiple, activate}, {outer, activate, outer}}
	for name, product := range map[string]func(*Ctx, tensor.Matrix){
		"SpMM at dst": func(c *Ctx, out tensor.Matrix) { SpMM(c, b, Dst, tensor.Matrix{}, x, out) },
		"SpMM at src": func(c *Ctx, out tensor.Matrix) { SpMM(c, b, Src, tensor.Matrix{}, x, out) },
		"MatMul":      func(c *Ctx, out tensor.Matrix) { MatMul(c, y, weights, out) },
		"MatMulNT":    func(c *Ctx, out tensor.Matrix) { MatMulNT(c, x, fill(w, w), out) },
		"Attend": func(c *Ctx, out tensor.Matrix) {
			Attend(c, b, Attention{Heads: 3, Slope: 0.2, Mask: testMask(0.3)}, x, ends, ends, out)
		},
		"Dense": func(c *Ctx, out tensor.Matrix) { Dense(c, y, weights, bias, Func{Kind: Tanh}, out) },
	} {
		if name == "MatMulNT" {
			fixed := fill(w, w)
			product = func(c *Ctx, out tensor.Matrix) { MatMulNT(c, x, fixed, out) }
		}
		for _, steps := range tails {
			for _, isa := range variants() {
				sameAsAlone(t, isa, name, product, steps, tensor.New(n, w))
			}
		}
	}
	// Of w + 3 columns, outer products are added to the first w.
	moments, first, own3 := fill(n, 12), TailStep{Kind: AddProduct, X: ends, S: bias}, TailStep{Kind: AddOwnProduct, S: bias}
	for _, mask := range []Mask{{}, testMask(0.3)} {
		back := func(c *Ctx, out tensor.Matrix) {
			AttendGradSrc(c, b, Attention{Heads: 3, Slope: 0.2, Mask: mask}, x, ends, x, moments, out)
		}
		for _, steps := range [][]TailStep{{first}, {own3}, {first, own3, activate}} {
			for _, isa := range variants() {
				sameAsAlone(t, isa, "AttendGradSrc", back, steps, tensor.New(n, w+3))
			}
		}
	}
}

// sameAsAlone holds a product with a tail against its steps one by one.
func sameAsAlone(t *testing.T, isa cpu.ISA, name string, product func(*Ctx, tensor.Matrix), steps []TailStep, want tensor.Matrix) {
	t.Helper()
	alone := Ctx{isa: &isa}
	product(&alone, want)
	for _, s := range steps {
		switch s.Kind {
		case ScaleRows:
			HeadScale(&alone, want, s.X, want)
		case AddRow:
			AddBias(&alone, want, s.X, want)
		case ApplyFunc:
			Apply(&alone, s.Func, want, want)
		case AddValues:
			Add(&alone, want, s.X, want)
		case AddMultiple:
			AddScaled(&alone, s.Plus, s.S, want, s.X, want)
		case ApplySlope:
			ApplyGrad(&alone, s.Func, s.X, want, want)
		case AddProduct:
			AddOuter(&alone, want, s.X, s.S, want)
		case AddOwnProduct:
			AddOwnOuter(&alone, want, s.S, want)
		case DropValues:
			Dropout(&alone, s.Mask, s.IDs, want, want)
		}
	}
	wantWork, wantBytes := alone.Count.Read()
	wantBytes -= 4 * 2 * int64(len(steps)*want.Rows*want.Cols) // each step read and wrote the result
	for _, threads := range []int{1, 2, 5} {
		ctx := &Ctx{Pool: NewPool(threads), isa: &isa}
		got := tensor.New(want.Rows, want.Cols)
		for _, s := range steps {
			ctx.Then(s)
		}
		product(ctx, got)
		if !got.Equal(want) {
			t.Errorf("%s, %v on %d threads: the bits differ from those of the steps one by one", name, isa, threads)
		}
		if work, bytes := ctx.Count.Read(); work != wantWork || bytes != wantBytes {
			t.Errorf("%s: counted %d and %d, want %d and %d", name, work, bytes, wantWork, wantBytes)
		}
		ctx.Count.Reset()
		product(ctx, got)
		if work, _ := ctx.Count.Read(); work == wantWork {
			t.Errorf("%s: the tail followed a second product", name)
		}
		ctx.Pool.Close()
	}
}

// TestTailOver: a dense product may be written over what its tail reads, in float32 and
// in bfloat16.
func TestTailOver(t *testing.T) {
	s := rng.Key{Seed: 5, Purpose: rng.Test}.Stream(1)
	fill := func(rows, cols int) tensor.Matrix {
		m := tensor.New(rows, cols)
		for i := range m.Data {
			m.Data[i] = float32(s.Normal())
		}
		return m
	}
	for _, shape := range [][3]int{{0, 3, 4}, {1, 1, 1}, {700, 5, 40}, {301, 800, 33}, {65, 2, 5000}} {
		n, a, b := shape[0], shape[1], shape[2]
		x, w, turned, bias := fill(n, a), fill(a, b), fill(b, a), fill(1, b)
		at, factor := fill(n, b+b%2), fill(1, 1)
		for name, product := range map[string]func(*Ctx, tensor.Matrix){
			"MatMul":   func(c *Ctx, y tensor.Matrix) { MatMul(c, x, w, y) },
			"MatMulNT": func(c *Ctx, y tensor.Matrix) { MatMulNT(c, x, turned, y) },
			"Dense":    func(c *Ctx, y tensor.Matrix) { Dense(c, x, w, bias, Func{Kind: ReLU}, y) },
		} {
			for _, as := range []func(tensor.Matrix) tensor.Matrix{
				func(m tensor.Matrix) tensor.Matrix { return m.Columns(0, b) },
				func(m tensor.Matrix) tensor.Matrix { return m.Columns(0, (b+1)/2).AsBFloat16(b) },
			} {
				for _, isa := range variants() {
					run := func(threads int, at, y tensor.Matrix) {
						ctx := &Ctx{Pool: NewPool(threads), isa: &isa}
						defer ctx.Pool.Close()
						ctx.Then(TailStep{Kind: AddValues, X: at})
						ctx.Then(TailStep{Kind: AddRow, X: bias})
						ctx.Then(TailStep{Kind: AddMultiple, X: at, S: factor, Plus: 1})
						ctx.Then(TailStep{Kind: ApplySlope, Func: Func{Kind: LeakyReLU, Param: 0.1}, X: at})
						product(ctx, y)
					}
					want := as(tensor.New(n, b+b%2))
					run(1, as(at), want)
					for _, threads := range []int{1, 3} {
						got := as(at.Clone())
						if run(threads, got, got); !got.AsWords().Equal(want.AsWords()) {
							t.Errorf("%s, %v, %v on %d threads: over its tail's operand it has other bits", name, want, isa, threads)
						}
					}
				}
			}
		}
	}
}

// TestTailSlope: the gradient of a function follows a product.
func TestTailSlope(t *testing.T) {
	ctx := &Ctx{}
	x, w, at := tensor.Of(2, 1, []float32{1, 2}), tensor.Of(1, 2, []float32{3, 5}), tensor.Of(2, 2, []float32{1, 0, 0, 4})
	y := tensor.New(2, 2)
	ctx.Then(TailStep{Kind: ApplySlope, Func: Func{Kind: ReLU}, X: at})
	MatMul(ctx, x, w, y)
	if want := tensor.Of(2, 2, []float32{3, 0, 0, 10}); !y.Equal(want) {
		t.Errorf("got %v, want %v", y.Data, want.Data)
	}
}

func TestTailMisuse(t *testing.T) {
	ctx := &Ctx{}
	for range MaxTail {
		ctx.Then(TailStep{Kind: ApplyFunc})
	}
	wantTooMany(t, ctx, TailStep{Kind: ApplyFunc})
	ctx = &Ctx{}
	ctx.Then(TailStep{Kind: DropValues})
	wantTooMany(t, ctx, TailStep{Kind: DropValues})
}

func wantTooMany(t *testing.T, ctx *Ctx, s TailStep) {
	t.Helper()
	defer func() {
		if _, ok := recover().(tensor.ShapeError); !ok {
			t.Error("a step too many raised no ShapeError")
		}
	}()
	ctx.Then(s)
}
