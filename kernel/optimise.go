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

// stepLoops are the steps of the optimisers in one variant of instructions. All
// have the same bits.
type stepLoops struct {
	sgd, momentum, nesterov stepFunc
	adam                    stepFunc
}

// stepFunc changes parameters p and moments m and v by the gradient g. Those that
// an optimiser lacks are not read.
type stepFunc func(p, g, m, v, coefficients []float32)

// stepOperands is what the optimisers need beside their matrices.
type stepOperands struct {
	run stepFunc
	// The rate of SGD or Rate/(1 − β₁ᵗ), and the penalty λ; then of SGD μ, of Adam
	// β₁, 1 − β₁, β₂, 1 − β₂, 1/√(1 − β₂ᵗ), ε, and what p shrinks by.
	coefficients [9]float32
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
	loops := &ctx.values().step
	step := stepOperands{run: loops.sgd, coefficients: [9]float32{o.Rate, o.WeightDecay, o.Momentum}}
	switch {
	case o.Momentum == 0:
		v = g
	case o.Nesterov:
		step.run = loops.nesterov
	default:
		step.run = loops.momentum
	}
	ctx.call = call{body: stepRows, x: g, y: v, z: v, dst: p, step: step}
	n := ctx.rows(p.Rows, p.Cols) * int64(p.Cols)
	ctx.Count.Add(o.Work()*n, bytes*n)
}

// stepRows takes rows one by one, or all of them at once where they follow each
// other.
func stepRows(c *call, _, _, lo, hi int) {
	n := 1
	if c.dst.Contiguous() && c.x.Contiguous() && c.y.Contiguous() && c.z.Contiguous() {
		n = hi - lo
	}
	for i := lo; i < hi; i += n {
		c.step.run(block(c.dst, i, n), block(c.x, i, n), block(c.y, i, n), block(c.z, i, n), c.step.coefficients[:])
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
	penalty, shrink := o.WeightDecay, float32(1)
	if o.Decoupled {
		penalty, shrink = 0, 1-o.Rate*o.WeightDecay
	}
	step := stepOperands{run: ctx.values().step.adam, coefficients: [9]float32{
		float32(float64(o.Rate) / (1 - math.Pow(float64(o.Beta1), float64(t)))), penalty,
		o.Beta1, 1 - o.Beta1, o.Beta2, 1 - o.Beta2,
		float32(1 / math.Sqrt(1-math.Pow(float64(o.Beta2), float64(t)))), o.Epsilon, shrink,
	}}
	ctx.call = call{body: stepRows, x: g, y: m, z: v, dst: p, step: step}
	n := ctx.rows(p.Rows, p.Cols) * int64(p.Cols)
	ctx.Count.Add(o.Work()*n, 28*n)
}
