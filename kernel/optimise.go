package kernel

import (
	"math"

	"github.com/weft-gnn/weft/tensor"
)

// SGD is stochastic gradient descent.
type SGD struct {
	Rate        float32
	Momentum    float32 // μ; 0 needs no state
	Nesterov    bool    // step along g + μv in place of v; needs Momentum
	WeightDecay float32 // λ of the penalty λ/2·‖p‖²
}

// Adam is the optimiser of Kingma and Ba (1412.6980), and with Decoupled the
// AdamW of Loshchilov and Hutter (1711.05101).
type Adam struct {
	Rate, Beta1, Beta2, Epsilon float32
	WeightDecay                 float32 // λ of the penalty λ/2·‖p‖², or of the decoupled decay
	Decoupled                   bool    // p shrinks by Rate·λ·p; the moments do not see λ
}

// stepOperands is what the optimisers need beside their matrices.
type stepOperands struct {
	sgd  SGD
	adam Adam
	rate float32 // Rate/(1 − β₁ᵗ)
	root float32 // 1/√(1 − β₂ᵗ)
}

// Work returns the operations per element of [StepSGD]: scale and subtract 2,
// weight decay 2, momentum 2, Nesterov's look-ahead 2.
func (o SGD) Work() int64 {
	work := int64(2)
	if o.WeightDecay != 0 {
		work += 2
	}
	if o.Momentum != 0 {
		work += 2
		if o.Nesterov {
			work += 2
		}
	}
	return work
}

// Work returns the operations per element of [StepAdam]: first moment 3, second
// moment 4, square root, scale, add ε, divide, scale and subtract 6, weight
// decay 2.
func (o Adam) Work() int64 {
	if o.WeightDecay != 0 {
		return 15
	}
	return 13
}

// StepSGD updates parameters in place:
//
//	g ← g + λp;  v ← μv + g;  p ← p − rate·v, or p − rate·(g + μv) by Nesterov
//
// Shapes: p and g are r×k; v is r×k, or the zero Matrix where μ is 0.
// Contract: updates p and v; v starts at 0.
// Cost: work rk·o.Work(), bytes 12rk, + 8rk with momentum.
func StepSGD(ctx *Ctx, o SGD, p, g, v tensor.Matrix) {
	wantShape("kernel.StepSGD: g", g, p.Rows, p.Cols)
	bytes := int64(12)
	if o.Momentum != 0 {
		wantShape("kernel.StepSGD: v", v, p.Rows, p.Cols)
		bytes = 20
	}
	ctx.call = call{body: sgdRows, x: g, y: v, dst: p, step: stepOperands{sgd: o}}
	n := ctx.rows(p.Rows, p.Cols) * int64(p.Cols)
	ctx.Count.Add(o.Work()*n, bytes*n)
}

func sgdRows(c *call, _, _, lo, hi int) {
	o := c.step.sgd
	for i := lo; i < hi; i++ {
		p, g := c.dst.Row(i), c.x.Row(i)
		if o.Momentum == 0 {
			for j, d := range g {
				p[j] -= o.Rate * (d + o.WeightDecay*p[j])
			}
			continue
		}
		v := c.y.Row(i)
		for j, d := range g {
			d += o.WeightDecay * p[j]
			v[j] = o.Momentum*v[j] + d
			if o.Nesterov {
				d += o.Momentum * v[j]
			} else {
				d = v[j]
			}
			p[j] -= o.Rate * d
		}
	}
}

// StepAdam updates parameters in place, in step t = 1, 2, …:
//
//	g ← g + λp;  m ← β₁m + (1 − β₁)g;  v ← β₂v + (1 − β₂)g²
//	p ← p − rate·(m/(1 − β₁ᵗ))/(√(v/(1 − β₂ᵗ)) + ε)
//
// Decoupled, g stays and p ← p − rate·λ·p comes first.
//
// Shapes: p, g, m and v are r×k.
// Contract: updates p, m and v; m and v start at 0.
// Cost: work rk·o.Work(), bytes 28rk.
func StepAdam(ctx *Ctx, o Adam, t int, p, g, m, v tensor.Matrix) {
	wantShape("kernel.StepAdam: g", g, p.Rows, p.Cols)
	wantShape("kernel.StepAdam: m", m, p.Rows, p.Cols)
	wantShape("kernel.StepAdam: v", v, p.Rows, p.Cols)
	c := &ctx.call
	*c = call{body: adamRows, x: g, y: m, z: v, dst: p, step: stepOperands{adam: o}}
	c.step.rate = float32(float64(o.Rate) / (1 - math.Pow(float64(o.Beta1), float64(t))))
	c.step.root = float32(1 / math.Sqrt(1-math.Pow(float64(o.Beta2), float64(t))))
	n := ctx.rows(p.Rows, p.Cols) * int64(p.Cols)
	ctx.Count.Add(o.Work()*n, 28*n)
}

func adamRows(c *call, _, _, lo, hi int) {
	o := c.step.adam
	rest1, rest2 := 1-o.Beta1, 1-o.Beta2
	penalty, shrink := o.WeightDecay, float32(1)
	if o.Decoupled {
		penalty, shrink = 0, 1-o.Rate*o.WeightDecay
	}
	for i := lo; i < hi; i++ {
		p, m, v := c.dst.Row(i), c.y.Row(i), c.z.Row(i)
		for j, d := range c.x.Row(i) {
			d += penalty * p[j]
			m[j] = o.Beta1*m[j] + rest1*d
			v[j] = o.Beta2*v[j] + rest2*d*d
			p[j] = shrink*p[j] - c.step.rate*m[j]/(sqrt(v[j])*c.step.root+o.Epsilon)
		}
	}
}
