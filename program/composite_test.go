package program_test

import (
	"testing"

	"github.com/weft-gnn/weft/internal/gradcheck"
	"github.com/weft-gnn/weft/kernel"
	. "github.com/weft-gnn/weft/program"
)

// float64Tolerance bounds the difference of two orders of the same few hundred
// float64 operations.
const float64Tolerance = 1e-12

// composition is one function of operands, as one op and as several.
type composition struct {
	name     string
	in       []operand
	whole    func(b *Builder, in []Value) Value
	composed func(b *Builder, in []Value) Value
}

// add returns the declaration of op on all operands.
func add(op Op) func(*Builder, []Value) Value {
	return func(b *Builder, in []Value) Value { return b.Add(op, in...) }
}

func compositions() []composition {
	k, h := dimK, dimH(3)
	var cs []composition
	for _, s := range edgeSpaces {
		over, ends := s.space, []Map{Dst, Src}
		cs = append(cs,
			composition{"edge softmax", []operand{s.of(h)}, add(EdgeSoftmax{over}), func(b *Builder, in []Value) Value {
				return EdgeSoftmax{over}.Lower(b, in)
			}},
			composition{"edge add", []operand{vertices(k), vertices(k)}, add(EdgeAdd{over}), func(b *Builder, in []Value) Value {
				return b.AddValues(b.Scatter(in[0], Src, over), b.Scatter(in[1], Dst, over))
			}},
			composition{"edge dot", []operand{vertices(k), vertices(k)}, add(EdgeDot{over, h}), func(b *Builder, in []Value) Value {
				return b.HeadDot(b.Scatter(in[0], Src, over), b.Scatter(in[1], Dst, over), h)
			}},
			composition{"softmax gradient", []operand{s.of(h), s.of(h)}, add(EdgeSoftmaxGrad{over}), func(b *Builder, in []Value) Value {
				sum := b.Sum(b.Mul(in[0], in[1]), Dst)
				return b.Mul(in[0], b.Sub(in[1], b.Scatter(sum, Dst, over)))
			}})
		for i, end := range ends {
			other := ends[1-i]
			cs = append(cs,
				composition{"spmm " + end.String(), []operand{vertices(k)}, add(SpMM{end, over, false}), func(b *Builder, in []Value) Value {
					return b.Sum(b.Scatter(in[0], other, over), end)
				}},
				composition{"weighted spmm " + end.String(), []operand{vertices(k), s.of(h)}, add(SpMM{end, over, true}), func(b *Builder, in []Value) Value {
					return b.Sum(b.HeadScale(b.Scatter(in[0], other, over), in[1]), end)
				}})
		}
	}
	return append(cs, rowCompositions()...)
}

// rowCompositions are those that read no edges.
func rowCompositions() []composition {
	a, b, k, h := dimA, dimB, dimK, dimH(3)
	x := vertices(a)
	return []composition{
		{"affine", []operand{x, one(a, b), one(Cols(1), b)}, add(Affine{Bias: true, Func: kernel.Func{Kind: kernel.Tanh}}), func(b *Builder, in []Value) Value {
			return b.Apply(kernel.Tanh, 0, b.AddBias(b.MatMul(in[0], in[1]), in[2]))
		}},
		{"scaled product", []operand{x, one(a, b)}, add(Affine{Func: kernel.Func{Kind: kernel.Scale, Param: 3}}), func(b *Builder, in []Value) Value {
			return b.Scale(b.MatMul(in[0], in[1]), 3)
		}},
		{"head project", []operand{vertices(k), one(Cols(1), k)}, add(HeadProject{h}), func(b *Builder, in []Value) Value {
			return b.HeadDot(in[0], b.Add(Expand{To: Vertices}, in[1]), h)
		}},
		{"head outer", []operand{vertices(h), one(Cols(1), k)}, add(HeadOuter{}), func(b *Builder, in []Value) Value {
			return b.HeadScale(b.Add(Expand{To: Vertices}, in[1]), in[0])
		}},
		{"head combine", []operand{vertices(k), vertices(h)}, add(HeadCombine{}), func(b *Builder, in []Value) Value {
			return b.ColumnSum(b.HeadScale(in[0], in[1]))
		}},
		{"inner product", []operand{x, x}, add(InnerProduct{}), func(b *Builder, in []Value) Value {
			return b.Add(HeadSum{a}, b.ColumnSum(b.Mul(in[0], in[1])))
		}},
		{"l2 normalise", []operand{x.from(awayFromZero)}, add(L2Normalize{}), func(b *Builder, in []Value) Value {
			length := b.Apply(kernel.Sqrt, 0, b.HeadDot(in[0], in[0], Cols(1)))
			return b.HeadScale(in[0], b.Apply(kernel.Reciprocal, 0, length))
		}},
		{"slice of concat", []operand{x, vertices(b)}, func(b *Builder, in []Value) Value { return in[1] }, func(b *Builder, in []Value) Value {
			return b.Add(Slice{From: a, Width: dimB}, b.Concat(in[0], in[1]))
		}},
		{"sum of pads", []operand{x, vertices(b)}, add(Concat{}), func(builder *Builder, in []Value) Value {
			sum := a.Plus(b)
			return builder.AddValues(builder.Add(Pad{Cols(0), sum}, in[0]), builder.Add(Pad{a, sum}, in[1]))
		}},
		{"mean of heads", []operand{vertices(k)}, func(b *Builder, in []Value) Value { return b.HeadMean(in[0], h) }, func(b *Builder, in []Value) Value {
			head := func(i int) Value { return b.Add(Slice{From: Cols(4 * i), Width: Cols(4)}, in[0]) }
			return b.Scale(b.AddValues(b.AddValues(head(0), head(1)), head(2)), 1./3)
		}},
	}
}

// TestCompositeEqualsComposed: values, gradients of every operand, and both
// against central differences, on every labelled graph.
func TestCompositeEqualsComposed(t *testing.T) {
	for i, c := range compositions() {
		t.Run(c.name, func(t *testing.T) {
			for j, w := range mediumWorlds(t) {
				whole, values := c.differentiate(t, w, c.whole, uint64(i+j))
				composed, want := c.differentiate(t, w, c.composed, uint64(i+j))
				for k := range want {
					if apart(values[k], want[k]) > float64Tolerance {
						t.Errorf("%s: value or gradient %d is %.3g apart", w.name, k, apart(values[k], want[k]))
					}
				}
				for _, p := range []gradcheck.Problem{whole, composed} {
					if err := p.Directions(1, 1); err != nil {
						t.Errorf("%s: %v", w.name, err)
					}
				}
			}
		})
	}
}

// differentiate returns ⟨r, f(x)⟩ as a problem, and its value and gradients.
func (c composition) differentiate(t *testing.T, w world, f func(*Builder, []Value) Value, seed uint64) (gradcheck.Problem, []Dense) {
	t.Helper()
	d := &declared{b: NewBuilder(c.name), opts: opCase{in: c.in}}
	for i, o := range c.in {
		d.in = append(d.in, d.input(string(rune('a'+i)), o.Type, o.domain))
	}
	loss := d.contract("r", f(d.b, d.in))
	p := problem(d, w, d.build(t), loss, seed)
	value, grads, err := p.Gradients()
	if err != nil {
		t.Fatal(err)
	}
	return p, append([]Dense{{Rows: 1, Cols: 1, Data: []float64{value}}}, grads...)
}
