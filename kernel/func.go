package kernel

import "github.com/weft-gnn/weft/tensor"

// FuncKind names a function of one value.
type FuncKind uint8

// The functions, with α = Param where they have a parameter.
const (
	Identity   FuncKind = iota // x
	ReLU                       // max(x, 0)
	LeakyReLU                  // x where x > 0, αx elsewhere
	ELU                        // x where x > 0, α(eˣ − 1) elsewhere
	Sigmoid                    // 1/(1 + e⁻ˣ)
	LogSigmoid                 // ln(1/(1 + e⁻ˣ))
	Tanh
	Exp
	Log        // −Inf at 0, NaN below
	Sqrt       // NaN below 0
	Reciprocal // 1/x
	Square     // x²
	Abs        // |x|
	Scale      // αx
	Offset     // x + α
	funcKinds
)

// Func is a function applied to every value of a matrix. The zero Func is the identity.
type Func struct {
	Kind  FuncKind
	Param float32 // α; ignored by kinds without a parameter
}

// funcSpec is what there is to know about one kind, beside its loops.
type funcSpec struct {
	name     string
	work     int64 // operations per value
	gradWork int64
	from     Operand
}

// Operand says what a gradient is computed from, beside the gradient of the result.
type Operand uint8

// The operands.
const (
	Neither Operand = iota // the derivative is constant
	Input                  // x, the argument
	Output                 // y = f(x), so that x need not be kept
)

var funcs = [funcKinds]funcSpec{
	Identity:   {"identity", 0, 0, Neither},
	ReLU:       {"relu", 1, 1, Output},
	LeakyReLU:  {"leaky-relu", 1, 2, Output},
	ELU:        {"elu", 1, 3, Output},
	Sigmoid:    {"sigmoid", 1, 3, Output},
	LogSigmoid: {"log-sigmoid", 1, 3, Output},
	Tanh:       {"tanh", 1, 3, Output},
	Exp:        {"exp", 1, 1, Output},
	Log:        {"log", 1, 1, Input},
	Sqrt:       {"sqrt", 1, 2, Output},
	Reciprocal: {"reciprocal", 1, 2, Output},
	Square:     {"square", 1, 2, Input},
	Abs:        {"abs", 1, 1, Input},
	Scale:      {"scale", 1, 1, Neither},
	Offset:     {"offset", 1, 0, Neither},
}

func (k FuncKind) String() string { return funcs[k].name }

// Work returns the operations per value of [Apply]: 0 for the identity, else 1.
func (f Func) Work() int64 { return funcs[f.Kind].work }

// GradWork returns the operations per value of [ApplyGrad].
func (f Func) GradWork() int64 { return funcs[f.Kind].gradWork }

// GradFrom returns what [ApplyGrad] reads beside the gradient of the result.
func (f Func) GradFrom() Operand { return funcs[f.Kind].from }

// Apply computes Y = f(X), value by value.
//
// Shapes: both r×k.
// Contract: overwrites y, which may be x. NaN stays NaN, and zeros, infinities
// and subnormal numbers give what IEEE 754 and the limits of the function say.
// Accuracy: over all float32 arguments, in units in the last place, the largest
// errors are 1.01 for exp, 1.00 for log and elu, 1.33 for tanh, 1.48 for sigmoid
// (2.41 in the portable variant) and 1.99 for log-sigmoid (2.82); functions of
// one operation are rounded correctly.
// Cost: work rk·f.Work(), bytes 8rk.
func Apply(ctx *Ctx, f Func, x, y tensor.Matrix) {
	wantShape("kernel.Apply: x", x, y.Rows, y.Cols)
	n := ctx.byRow(ctx.values().forward[f.Kind], x, x, y, y.Cols, f.Param)
	k := int64(y.Cols)
	ctx.Count.Add(f.Work()*n*k, 8*n*k)
}

// ApplyGrad computes D = G ⊙ f′, the gradient of [Apply]'s argument.
//
// Shapes: all r×k. a is x or y as f.GradFrom says; where that is [Neither], it
// is not read and may be the zero Matrix.
// Contract: overwrites d, which may be a or g. At a kink (0 for ReLU, LeakyReLU
// and Abs) the derivative is 0, α and 0.
// Cost: work rk·f.GradWork(), bytes 12rk, or 8rk where a is not read.
func ApplyGrad(ctx *Ctx, f Func, a, g, d tensor.Matrix) {
	wantShape("kernel.ApplyGrad: g", g, d.Rows, d.Cols)
	operands := int64(3)
	if f.GradFrom() == Neither {
		a, operands = g, 2
	}
	wantShape("kernel.ApplyGrad: a", a, d.Rows, d.Cols)
	n := ctx.byRow(ctx.values().gradient[f.Kind], a, g, d, d.Cols, f.Param)
	k := int64(d.Cols)
	ctx.Count.Add(f.GradWork()*n*k, 4*operands*n*k)
}
