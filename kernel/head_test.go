package kernel

import (
	"fmt"
	"testing"

	"github.com/weft-gnn/weft/internal/ref"
	"github.com/weft-gnn/weft/tensor"
)

func TestHeads(t *testing.T) {
	for i, w := range widths {
		for _, r := range []int{0, 1, 5, 3000, 2*grainValues + 3} {
			k, h := w.k, w.heads
			f := k / h
			src := newSource(uint64(i))
			x, y, a := src.uniform(r, k), src.uniform(r, k), src.uniform(1, k)
			s, narrow := src.uniform(r, h), src.uniform(r, f)
			wide, thin, slim, vec := src.empty(r, k), src.empty(r, h), src.empty(r, f), src.empty(1, k)
			heads, rows := ref.Heads(h, k), ref.Full(r, 1, 1)
			spread, vector := ref.Of(s).Mul(heads), rows.Mul(ref.Of(a))
			fold := ref.New(k, f) // adds the heads
			for j := range k {
				fold.Set(j, j%f, 1)
			}
			more, wider, widen := src.uniform(r, k+h), src.empty(r, k+h), ref.New(k, k+h)
			for j := range k {
				widen.Set(j, j, 1)
			}
			name := func(kernel string) string { return fmt.Sprintf("%s/%d×%d/heads=%d", kernel, r, k, h) }
			rk, rh := int64(r*k), int64(r*h)
			for _, tr := range []trial{
				{
					name: name("HeadScale"), in: []tensor.Matrix{x, s}, out: []tensor.Matrix{wide},
					run:  func(ctx *Ctx) { HeadScale(ctx, x, s, wide) },
					want: []ref.Matrix{ref.Of(x).Had(spread)},
					work: rk, bytes: 4 * (2*rk + rh),
				},
				{
					name: name("HeadDot"), in: []tensor.Matrix{x, y}, out: []tensor.Matrix{thin},
					run:  func(ctx *Ctx) { HeadDot(ctx, x, y, thin) },
					want: []ref.Matrix{ref.Of(x).Had(ref.Of(y)).Mul(heads.T())},
					work: 2 * rk, bytes: 4 * (2*rk + rh),
				},
				{
					name: name("HeadDotVec"), in: []tensor.Matrix{x, a}, out: []tensor.Matrix{thin},
					run:  func(ctx *Ctx) { HeadDotVec(ctx, x, a, thin) },
					want: []ref.Matrix{ref.Of(x).Had(vector).Mul(heads.T())},
					work: 2 * rk, bytes: 4 * (rk + int64(k) + rh),
				},
				{
					name: name("HeadOuter"), in: []tensor.Matrix{s, a}, out: []tensor.Matrix{wide},
					run:  func(ctx *Ctx) { HeadOuter(ctx, s, a, wide) },
					want: []ref.Matrix{spread.Had(vector)},
					work: rk, bytes: 4 * (rh + int64(k) + rk),
				},
				{
					name: name("AddOuter"), in: []tensor.Matrix{x, s, a}, out: []tensor.Matrix{wide},
					run:    func(ctx *Ctx) { AddOuter(ctx, x, s, a, wide) },
					want:   []ref.Matrix{ref.Of(x).Add(spread.Had(vector))},
					rounds: 2, work: 2 * rk, bytes: 4 * (2*rk + rh + int64(k)),
				},
				{
					name: name("AddOuter to the first columns"), in: []tensor.Matrix{more, s, a}, out: []tensor.Matrix{wider},
					run:    func(ctx *Ctx) { AddOuter(ctx, more, s, a, wider) },
					want:   []ref.Matrix{ref.Of(more).Add(spread.Had(vector).Mul(widen))},
					rounds: 2, work: 2 * rk, bytes: 4 * (2*(rk+rh) + rh + int64(k)),
				},
				{
					name: name("AddOwnOuter"), in: []tensor.Matrix{more, a}, out: []tensor.Matrix{wider},
					run:    func(ctx *Ctx) { AddOwnOuter(ctx, more, a, wider) },
					want:   []ref.Matrix{ref.Of(more).Add(ref.Of(more.Columns(k, k+h)).Mul(heads).Had(vector).Mul(widen))},
					rounds: 2, work: 2 * rk, bytes: 4 * (2*(rk+rh) + int64(k)),
				},
				{
					name: name("HeadSumVec"), in: []tensor.Matrix{x, s}, out: []tensor.Matrix{vec},
					run:    func(ctx *Ctx) { HeadSumVec(ctx, x, s, vec) },
					want:   []ref.Matrix{rows.T().Mul(ref.Of(x).Had(spread))},
					rounds: float64(r), work: 2 * rk, bytes: 4 * (rk + rh + int64(k)),
				},
				{
					name: name("HeadSum"), in: []tensor.Matrix{x}, out: []tensor.Matrix{slim},
					run:  func(ctx *Ctx) { HeadSum(ctx, x, slim) },
					want: []ref.Matrix{ref.Of(x).Mul(fold)},
					work: rk, bytes: 4 * (rk + int64(r*f)),
				},
				{
					name: name("HeadRepeat"), in: []tensor.Matrix{narrow}, out: []tensor.Matrix{wide},
					run:   func(ctx *Ctx) { HeadRepeat(ctx, narrow, wide) },
					want:  []ref.Matrix{ref.Of(narrow).Mul(fold.T())},
					bytes: 4 * (rk + int64(r*f)),
				},
			} {
				tr.rounds += float64(k) + 2
				tr.check(t)
			}
		}
	}
}

// Each kernel that a comment names as another's gradient is its adjoint.
func TestHeadKernelsAreAdjoint(t *testing.T) {
	src := newSource(7)
	x, y, s, a := src.uniform(50, 12), src.uniform(50, 12), src.uniform(50, 3), src.uniform(1, 12)
	wide, thin, vec := tensor.New(50, 12), tensor.New(50, 3), tensor.New(1, 12)
	ctx := contexts[0]
	limit := 50 * 12 * unit * 4
	HeadScale(ctx, x, s, wide)
	want := dot64(wide, y)
	HeadDot(ctx, x, y, thin)
	if got := dot64(thin, s); !near(got, want, limit) {
		t.Errorf("⟨s, HeadDot(x, y)⟩ = %v, ⟨HeadScale(x, s), y⟩ = %v", got, want)
	}
	HeadDotVec(ctx, x, a, thin)
	want = dot64(thin, s)
	HeadOuter(ctx, s, a, wide)
	HeadSumVec(ctx, x, s, vec)
	if got := dot64(wide, x); !near(got, want, limit) {
		t.Errorf("⟨x, HeadOuter⟩ = %v, want %v", got, want)
	}
	if got := dot64(vec, a); !near(got, want, limit) {
		t.Errorf("⟨a, HeadSumVec⟩ = %v, want %v", got, want)
	}
}
