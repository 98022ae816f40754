package program

import (
	"errors"
	"fmt"

	"github.com/weft-gnn/weft/cost"
	"github.com/weft-gnn/weft/kernel"
	"github.com/weft-gnn/weft/tensor"
)

// Affine is a matrix product with its epilogue, Y = f(X·W + 1·b), whose result
// is written once.
type Affine struct {
	Bias bool
	Func kernel.Func // the identity where there is no activation
}

func (o Affine) String() string {
	s := "xW"
	if o.Bias {
		s += " + b"
	}
	if o.active() {
		s = fmt.Sprintf("%v(%s)", Unary{o.Func}, s)
	}
	return "Affine(" + s + ")"
}

// active reports whether the epilogue has a function.
func (o Affine) active() bool { return o.Func.Kind != kernel.Identity }

// Shape: rows×a, which may be stored in bfloat16, a×c and, where biased, 1×c to
// rows×c.
func (o Affine) Shape(in []Type) (Type, error) {
	n := 2
	if o.Bias {
		n = 3
	}
	if err := arity(in, n, 0); err != nil {
		return Type{}, err
	}
	t, err := MatMul{}.Shape(in[:2])
	if err == nil && o.Bias {
		err = wantRow(in[2], t.Cols)
	}
	if err == nil && o.Func.GradFrom() == kernel.Input {
		err = fmt.Errorf("the derivative of %v needs the product, which is not kept", o.Func.Kind)
	}
	return t, errors.Join(err, wantSlope(o.Func))
}

// Cost: that of what it replaces, less the traffic between.
func (o Affine) Cost(in []Type, out Type) cost.Cost {
	c := MatMul{}.Cost(in[:2], out)
	if o.Bias {
		c.Work, c.Depth = cost.Add(c.Work, out.size()), cost.Add(c.Depth, cost.Int(1))
		c.Bytes = cost.Add(c.Bytes, bytes(in[2]))
	}
	if o.active() {
		c.Work, c.Depth = cost.Add(c.Work, out.size()), cost.Add(c.Depth, cost.Int(1))
	}
	return c
}

// Grad differentiates the composition. The epilogue's functions state their
// derivative in the output.
func (o Affine) Grad(b *Builder, in []Value, y, dy Value) []Value {
	if o.active() {
		dy = Unary{o.Func}.Grad(b, []Value{None}, y, dy)[0]
	}
	g := MatMul{}.Grad(b, in[:2], y, dy)
	if o.Bias {
		g = append(g, b.ColumnSum(dy))
	}
	return g
}

// Split is that of the product, then of the epilogue.
func (o Affine) Split(s Split) (Placement, error) {
	at, err := MatMul{}.Split(s.of(0, 1))
	if err != nil {
		return at, err
	}
	if at.Kind == Partial && (o.Bias || o.active()) {
		return s.refuse(0, "the product is a partial sum and the epilogue reads resolved values")
	}
	if o.Bias {
		sum := s.of(0, 2)
		sum.In[0], sum.Types[0] = at, s.Out
		return sum.vector()
	}
	return at, nil
}

// Reference is the composition.
func (o Affine) Reference(x *RefExec, in []Dense) Dense {
	y := MatMul{}.Reference(x, in[:2])
	if o.Bias {
		y = AddBias{}.Reference(x, []Dense{y, in[2]})
	}
	if o.active() {
		y = Unary{o.Func}.Reference(x, []Dense{y})
	}
	return y
}

// Run multiplies.
func (o Affine) Run(x *Exec, in []tensor.Matrix, out tensor.Matrix) {
	var bias tensor.Matrix
	if o.Bias {
		bias = in[2]
	}
	kernel.Dense(x.Ctx, in[0], in[1], bias, o.Func, out)
}
