package kernel

import "github.com/weft-gnn/weft/tensor"

// valueLoops are the loops over values in one variant of instructions. A value
// has the same bits wherever it lies. Those in assembly have each
// other's bits; the portable one differs from them by rounding in functions that
// take an exponential or a logarithm, and in no others.
type valueLoops struct {
	add, sub, mul, div rowFunc                      // x ∘ y
	addScaled          rowFunc                      // x + s·y
	scale              rowFunc                      // s·x
	fill               rowFunc                      // s
	forward            []rowFunc                    // f(x), α = s, by FuncKind
	gradient           []rowFunc                    // y·f′, from x or f(x) in x, α = s
	sum, dot           func(x, y []float32) float64 // Σ x and Σ x·y
	rows               rowLoops
	dropout            dropoutLoops
	step               stepLoops
	loss               lossLoops
}

// over runs a function of values over slices as long as dst; those that it does
// not read may be nil.
func (f rowFunc) over(dst, x, y []float32, s float32) { f(asRow(dst), asRow(x), asRow(y), 0, 1, s) }

func asRow(x []float32) tensor.Matrix { return tensor.Of(1, len(x), x) }

// values returns the loops that a context uses.
func (c *Ctx) values() *valueLoops { return &valueVariants[c.variant()] }

// apply computes y = f(y).
func (v *valueLoops) apply(f Func, y tensor.Matrix) {
	v.forward[f.Kind](y, y, y, 0, y.Rows, f.Param)
}
