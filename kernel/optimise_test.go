package kernel

import (
	"fmt"
	"math"
	"testing"

	"github.com/weft-gnn/weft/internal/ref"
	"github.com/weft-gnn/weft/tensor"
)

// optimiserTrial steps some parameters a few times, on copies that all thread
// counts start from, and compares with a float64 run of the textbook's formulas.
type optimiserTrial struct {
	name        string
	states      int
	step        func(ctx *Ctx, t int, p, g tensor.Matrix, state []tensor.Matrix)
	exact       func(t int, p, g float64, state []float64) float64
	work, bytes int64
}

func (o optimiserTrial) check(t *testing.T) {
	t.Run(o.name, func(t *testing.T) {
		for _, s := range [][2]int{{0, 3}, {1, 1}, {7, 9}, {700, 130}} {
			o.checkShape(t, s[0], s[1])
		}
		for k := range 2*32 + 4 {
			o.checkShape(t, 1+k%2, k)
		}
	})
}

func (o optimiserTrial) checkShape(t *testing.T, r, k int) {
	var first [][]uint32
	for _, isa := range variants() {
		for i, ctx := range contexts {
			ctx.using(isa, func(ctx *Ctx) {
				got := o.run(t, ctx, r, k)
				if first == nil {
					first = got
				} else if !equalBits(got, first) {
					t.Fatalf("%d×%d: bits of %v at %d threads differ", r, k, isa, threadCounts[i])
				}
			})
		}
	}
}

// run takes some steps, checks them, and returns what they led to.
func (o optimiserTrial) run(t *testing.T, ctx *Ctx, r, k int) [][]uint32 {
	const steps = 4
	src := newSource(11)
	p := src.uniform(r, k)
	want := ref.Of(p)
	var state []tensor.Matrix
	exact := make([]ref.Matrix, o.states)
	for j := range o.states {
		m := src.uniform(r, k)
		for row := range r {
			clear(m.Row(row))
		}
		state, exact[j] = append(state, m), ref.New(r, k)
	}
	ctx.Count.Reset()
	for step := 1; step <= steps; step++ {
		g := src.uniform(r, k)
		o.step(ctx, step, p, g, state)
		for e, grad := range ref.Of(g).V {
			cells := make([]float64, o.states)
			for j := range cells {
				cells[j] = exact[j].V[e]
			}
			want.V[e] = o.exact(step, want.V[e], grad, cells)
			for j, c := range cells {
				exact[j].V[e] = c
			}
		}
	}
	if work, bytes := ctx.Count.Read(); work != steps*o.work*int64(r*k) || bytes != steps*o.bytes*int64(r*k) {
		t.Fatalf("%d×%d: counted work %d and bytes %d per step, want %d and %d per element", r, k, work/steps, bytes/steps, o.work, o.bytes)
	}
	for e, v := range ref.Of(p).V {
		// About 20 roundings a step, of parameters around 1.
		if !near(v, want.V[e], 20*steps*unit*2) {
			t.Fatalf("%d×%d: element %d is %v, want %v", r, k, e, v, want.V[e])
		}
	}
	return snapshot(append([]tensor.Matrix{p}, state...))
}

func TestStepSGD(t *testing.T) {
	for _, o := range []struct {
		SGD
		work, bytes int64
	}{
		{SGD{Rate: 0.1}, 2, 12},
		{SGD{Rate: 0.1, WeightDecay: 0.01}, 4, 12},
		{SGD{Rate: 0.1, Momentum: 0.9}, 4, 20},
		{SGD{Rate: 0.1, Momentum: 0.9, Nesterov: true}, 6, 20},
		{SGD{Rate: 0.1, Momentum: 0.9, Nesterov: true, WeightDecay: 0.01}, 8, 20},
	} {
		tr := optimiserTrial{
			name: fmt.Sprintf("%+v", o.SGD), work: o.work, bytes: o.bytes,
			exact: func(_ int, p, g float64, state []float64) float64 {
				g += float64(o.WeightDecay) * p
				if o.Momentum == 0 {
					return p - float64(o.Rate)*g
				}
				v := float64(o.Momentum)*state[0] + g
				state[0] = v
				if o.Nesterov {
					return p - float64(o.Rate)*(g+float64(o.Momentum)*v)
				}
				return p - float64(o.Rate)*v
			},
			step: func(ctx *Ctx, _ int, p, g tensor.Matrix, state []tensor.Matrix) {
				var v tensor.Matrix
				if o.Momentum != 0 {
					v = state[0]
				}
				StepSGD(ctx, o.SGD, p, g, v)
			},
		}
		if o.Momentum != 0 {
			tr.states = 1
		}
		tr.check(t)
	}
}

func TestStepAdam(t *testing.T) {
	base := Adam{Rate: 0.01, Beta1: 0.9, Beta2: 0.999, Epsilon: 1e-8}
	penalty, decoupled := base, base
	penalty.WeightDecay = 0.1
	decoupled.WeightDecay, decoupled.Decoupled = 0.1, true
	for _, o := range []struct {
		Adam
		work int64
	}{{base, 13}, {penalty, 15}, {decoupled, 15}} {
		optimiserTrial{
			name: fmt.Sprintf("%+v", o.Adam), states: 2, work: o.work, bytes: 28,
			step: func(ctx *Ctx, t int, p, g tensor.Matrix, state []tensor.Matrix) {
				StepAdam(ctx, o.Adam, t, p, g, state[0], state[1])
			},
			// Algorithm 1 of the paper, and Algorithm 2 of AdamW's.
			exact: func(t int, p, g float64, state []float64) float64 {
				b1, b2 := float64(o.Beta1), float64(o.Beta2)
				decay := float64(o.WeightDecay) * p
				if !o.Decoupled {
					g += decay
				}
				state[0] = b1*state[0] + (1-b1)*g
				state[1] = b2*state[1] + (1-b2)*g*g
				mean := state[0] / (1 - math.Pow(b1, float64(t)))
				square := state[1] / (1 - math.Pow(b2, float64(t)))
				next := p - float64(o.Rate)*mean/(math.Sqrt(square)+float64(o.Epsilon))
				if o.Decoupled {
					next -= float64(o.Rate) * decay
				}
				return next
			},
		}.check(t)
	}
}

// The first step of Adam moves by the rate, whatever the gradient's size.
func TestFirstStepOfAdam(t *testing.T) {
	o := Adam{Rate: 0.01, Beta1: 0.9, Beta2: 0.999}
	p, g, m, v := tensor.New(1, 3), mat(1, 3, 1e-6, -1, 1e6), tensor.New(1, 3), tensor.New(1, 3)
	StepAdam(contexts[0], o, 1, p, g, m, v)
	for i, want := range []float64{-0.01, 0.01, -0.01} {
		if math.Abs(float64(p.Data[i])-want) > 1e-6 {
			t.Errorf("parameter %d moved to %v, want %v", i, p.Data[i], want)
		}
	}
}
