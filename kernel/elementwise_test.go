package kernel

import (
	"testing"

	"github.com/weft-gnn/weft/internal/ref"
	"github.com/weft-gnn/weft/tensor"
)

func TestBinary(t *testing.T) {
	for _, op := range []struct {
		name string
		run  func(ctx *Ctx, x, y, z tensor.Matrix)
		want func(a, b float64) float64
	}{
		{"Add", Add, func(a, b float64) float64 { return a + b }},
		{"Sub", Sub, func(a, b float64) float64 { return a - b }},
		{"Mul", Mul, func(a, b float64) float64 { return a * b }},
		{"Div", Div, func(a, b float64) float64 { return a / b }},
	} {
		for i, s := range shapesToTry() {
			r, k := s[0], s[1]
			src := newSource(uint64(i))
			x, y, z := src.uniform(r, k), src.uniform(r, k), src.empty(r, k)
			trial{
				name: op.name + "/" + shapeName(r, k),
				in:   []tensor.Matrix{x, y}, out: []tensor.Matrix{z},
				run:    func(ctx *Ctx) { op.run(ctx, x, y, z) },
				want:   []ref.Matrix{ref.Of(x).Zip(ref.Of(y), op.want)},
				rounds: 1, work: int64(r * k), bytes: int64(12 * r * k),
			}.check(t)
		}
	}
}

func TestMoves(t *testing.T) {
	for i, s := range shapesToTry() {
		r, k := s[0], s[1]
		src := newSource(uint64(i))
		x, y, row := src.uniform(r, k), src.empty(r, k), src.uniform(1, k)
		trial{
			name: "Copy/" + shapeName(r, k),
			in:   []tensor.Matrix{x}, out: []tensor.Matrix{y},
			run:  func(ctx *Ctx) { Copy(ctx, x, y) },
			want: []ref.Matrix{ref.Of(x)}, bytes: int64(8 * r * k),
		}.check(t)
		trial{
			name: "Fill/" + shapeName(r, k),
			out:  []tensor.Matrix{y},
			run:  func(ctx *Ctx) { Fill(ctx, 0.5, y) },
			want: []ref.Matrix{ref.Full(r, k, 0.5)}, bytes: int64(4 * r * k),
		}.check(t)
		trial{
			name: "Expand/" + shapeName(r, k),
			in:   []tensor.Matrix{row}, out: []tensor.Matrix{y},
			run:  func(ctx *Ctx) { Expand(ctx, row, y) },
			want: []ref.Matrix{ref.Full(r, 1, 1).Mul(ref.Of(row))}, bytes: int64(4 * (k + r*k)),
		}.check(t)
	}
}

func TestScaleByAndAddBias(t *testing.T) {
	for i, sh := range shapesToTry() {
		r, k := sh[0], sh[1]
		src := newSource(uint64(i))
		x, y, s, bias := src.uniform(r, k), src.empty(r, k), src.scalar(-1.75), src.uniform(1, k)
		trial{
			name: "ScaleBy/" + shapeName(r, k),
			in:   []tensor.Matrix{x, s}, out: []tensor.Matrix{y},
			run:    func(ctx *Ctx) { ScaleBy(ctx, 0, s, x, y) },
			want:   []ref.Matrix{ref.Of(x).Scale(-1.75)},
			rounds: 1, work: int64(r * k), bytes: int64(4 * (2*r*k + 1)),
		}.check(t)
		const plus = 2
		trial{
			name: "ScaleBy a sum/" + shapeName(r, k),
			in:   []tensor.Matrix{x, s}, out: []tensor.Matrix{y},
			run:    func(ctx *Ctx) { ScaleBy(ctx, plus, s, x, y) },
			want:   []ref.Matrix{ref.Of(x).Scale(0.25)},
			rounds: 1, work: int64(r*k + 1), bytes: int64(4 * (2*r*k + 1)),
		}.check(t)
		z := src.uniform(r, k)
		trial{
			name: "AddScaled/" + shapeName(r, k),
			in:   []tensor.Matrix{x, z, s}, out: []tensor.Matrix{y},
			run:    func(ctx *Ctx) { AddScaled(ctx, plus, s, x, z, y) },
			want:   []ref.Matrix{ref.Of(x).Add(ref.Of(z).Scale(0.25))},
			rounds: 2, work: int64(2*r*k + 1), bytes: int64(4 * (3*r*k + 1)),
		}.check(t)
		trial{
			name: "AddBias/" + shapeName(r, k),
			in:   []tensor.Matrix{x, bias}, out: []tensor.Matrix{y},
			run:    func(ctx *Ctx) { AddBias(ctx, x, bias, y) },
			want:   []ref.Matrix{ref.Of(x).Add(ref.Full(r, 1, 1).Mul(ref.Of(bias)))},
			rounds: 1, work: int64(r * k), bytes: int64(4 * (2*r*k + k)),
		}.check(t)
	}
}

func TestAccumulate(t *testing.T) {
	x, y := mat(2, 2, 1, 2, 3, 4), mat(2, 2, 10, 20, 30, 40)
	var ctx Ctx
	Accumulate(&ctx, x, y)
	for i, want := range []float32{11, 22, 33, 44} {
		if y.Data[i] != want {
			t.Errorf("value %d is %v, want %v", i, y.Data[i], want)
		}
	}
	if work, bytes := ctx.Count.Read(); work != 4 || bytes != 48 {
		t.Errorf("counted work %d and bytes %d, want 4 and 48", work, bytes)
	}
}

func TestElementwiseInPlace(t *testing.T) {
	src := newSource(1)
	x, y := src.uniform(300, 130), src.uniform(300, 130)
	want := tensor.New(300, 130)
	Mul(contexts[0], x, y, want)
	Mul(contexts[2], x, y, x)
	for i := range 300 {
		for j, v := range want.Row(i) {
			if x.Row(i)[j] != v {
				t.Fatalf("row %d, column %d: %v in place, %v apart", i, j, x.Row(i)[j], v)
			}
		}
	}
}

func TestColumns(t *testing.T) {
	for i, s := range [][4]int{{0, 1, 2, 3}, {5, 0, 1, 0}, {4, 3, 2, 1}, {300, 50, 70, 20}} {
		r := s[0]
		src := newSource(uint64(i))
		xs := []tensor.Matrix{src.uniform(r, s[1]), src.uniform(r, s[2]), src.uniform(r, s[3])}
		k := s[1] + s[2] + s[3]
		y, part := src.empty(r, k), src.empty(r, s[2])
		whole := ref.Of(xs[0]).Beside(ref.Of(xs[1])).Beside(ref.Of(xs[2]))
		trial{
			name: "Concat/" + shapeName(r, k),
			in:   xs, out: []tensor.Matrix{y},
			run:  func(ctx *Ctx) { Concat(ctx, xs, y) },
			want: []ref.Matrix{whole}, bytes: int64(8 * r * k),
		}.check(t)
		trial{
			name: "Slice/" + shapeName(r, k),
			in:   []tensor.Matrix{y}, out: []tensor.Matrix{part},
			run:  func(ctx *Ctx) { Slice(ctx, y, s[1], part) },
			want: []ref.Matrix{ref.Of(xs[1])}, bytes: int64(8 * r * s[2]),
		}.check(t)
		trial{
			name: "Unslice/" + shapeName(r, k),
			in:   []tensor.Matrix{part}, out: []tensor.Matrix{y},
			run:   func(ctx *Ctx) { Unslice(ctx, part, s[1], y) },
			want:  []ref.Matrix{ref.New(r, s[1]).Beside(ref.Of(xs[1])).Beside(ref.New(r, s[3]))},
			bytes: int64(4 * (r*s[2] + r*k)),
		}.check(t)
	}
}

func TestReductions(t *testing.T) {
	for i, sh := range shapesToTry() {
		r, k := sh[0], sh[1]
		src := newSource(uint64(i))
		x, y, s, z := src.uniform(r, k), src.uniform(r, k), src.empty(1, k), src.empty(1, 1)
		one := ref.New(1, 1)
		trial{
			name: "ColumnSum/" + shapeName(r, k),
			in:   []tensor.Matrix{x}, out: []tensor.Matrix{s},
			run:    func(ctx *Ctx) { ColumnSum(ctx, x, s) },
			want:   []ref.Matrix{ref.Full(1, r, 1).Mul(ref.Of(x))},
			rounds: float64(r) + 2, work: int64(r * k), bytes: int64(4 * (r*k + k)),
		}.check(t)
		one.Set(0, 0, ref.Of(x).Dot(ref.Of(y)))
		trial{
			name: "Dot/" + shapeName(r, k),
			in:   []tensor.Matrix{x, y}, out: []tensor.Matrix{z},
			run:    func(ctx *Ctx) { Dot(ctx, x, y, z) },
			want:   []ref.Matrix{one.Scale(1)},
			rounds: 1, work: int64(2 * r * k), bytes: int64(4 * (2*r*k + 1)),
		}.check(t)
		one.Set(0, 0, ref.Of(x).Sum())
		trial{
			name: "Sum/" + shapeName(r, k),
			in:   []tensor.Matrix{x}, out: []tensor.Matrix{z},
			run:    func(ctx *Ctx) { Sum(ctx, x, z) },
			want:   []ref.Matrix{one.Scale(1)},
			rounds: 1, work: int64(r * k), bytes: int64(4 * (r*k + 1)),
		}.check(t)
	}
}
