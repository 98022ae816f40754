package program

import (
	"fmt"
	"slices"
	"strings"

	"github.com/weft-gnn/weft/cost"
	"github.com/weft-gnn/weft/kernel"
	"github.com/weft-gnn/weft/tensor"
)

// Tailed is a product and the row-wise operations that follow it, done on each
// piece of the result while it is in cache: one pass over memory instead of one
// per operation. Its operands are those of the product, then one per step that
// has an operand beside the running value.
type Tailed struct {
	Base  Op  // MatMul, Affine, SpMM, SparseMatMul, Attention, AttentionGradSrc or Slice
	Arity int // operands of Base
	Steps [kernel.MaxTail]Op
	Len   int
	// BFloat16 stores the result in bfloat16, rounded after the last step.
	BFloat16 bool
}

// BaseOf returns the product of a Tailed, the whole of which an op is a part, and any
// other op as it is: what a node does to edges and columns, whatever follows on its
// rows.
func BaseOf(op Op) Op {
	switch o := op.(type) {
	case Tailed:
		return o.Base
	case BySource:
		return o.Of
	}
	return op
}

func (o Tailed) String() string {
	s := []string{o.Base.String()}
	for _, step := range o.Steps[:o.Len] {
		s = append(s, step.String())
	}
	if o.BFloat16 {
		s = append(s, Narrow{}.String())
	}
	return strings.Join(s, " → ")
}

// walk visits the steps: each with the types of its operands, the running
// value's in its place, and that of its result.
func (o Tailed) walk(in []Type, visit func(step Op, in []Type, out Type)) (Type, error) {
	t, err := o.Base.Shape(in[:min(o.Arity, len(in))])
	rest := in[min(o.Arity, len(in)):]
	for _, step := range o.Steps[:o.Len] {
		if err != nil {
			return t, err
		}
		n, at := stepOperands(step)
		if len(rest) < n {
			return t, fmt.Errorf("%v lacks an operand", step)
		}
		operands := insert(rest[:n], at, t)
		rest = rest[n:]
		var out Type
		out, err = step.Shape(o.widened(step, operands))
		if visit != nil && err == nil {
			visit(step, operands, out)
		}
		t = out
	}
	if err == nil && len(rest) > 0 {
		err = fmt.Errorf("got %d operands too many", len(rest))
	}
	return t, err
}

// widened returns the operands of a step as it sees them: the kernels of products
// widen rows that are stored in bfloat16.
func (o Tailed) widened(step Op, in []Type) []Type {
	wide := slices.Clone(in)
	for i, t := range in {
		if o.narrows() && t.Space == Vertices {
			wide[i] = t.stored(false)
		}
	}
	return wide
}

// narrows reports whether the kernel of Base stores its result in bfloat16, and
// reads such operands of steps.
func (o Tailed) narrows() bool {
	switch o.Base.(type) {
	case MatMul, Affine, SpMM, SparseMatMul:
		return true
	case HeadScale, Dropout:
		return o.Len == 0
	}
	return false
}

// stepOperands returns how many operands a step has beside the running value,
// and at which place that one is.
func stepOperands(step Op) (n, at int) {
	switch step.(type) {
	case Unary, Dropout:
		return 0, 0
	case UnaryGrad:
		return 1, 1
	case AddScaled, AddOuter:
		return 2, 0
	}
	return 1, 0
}

// insert returns a copy of s with v at place at.
func insert[T any](s []T, at int, v T) []T {
	out := make([]T, 0, len(s)+1)
	out = append(append(append(out, s[:at]...), v), s[at:]...)
	return out
}

// drops reports whether a step draws a mask, which one may.
func (o Tailed) drops() bool {
	return slices.ContainsFunc(o.Steps[:o.Len], func(step Op) bool { _, ok := step.(Dropout); return ok })
}

// Shape is that of the last step.
func (o Tailed) Shape(in []Type) (Type, error) {
	t, err := o.walk(in, nil)
	if err == nil && o.BFloat16 && !o.narrows() {
		err = fmt.Errorf("%v does not store its result in bfloat16", o.Base)
	}
	return t.stored(o.BFloat16), err
}

// Cost: the product's and every step's, less the traffic between them and what a
// result in bfloat16 saves.
func (o Tailed) Cost(in []Type, out Type) cost.Cost {
	base, err := o.Base.Shape(in[:o.Arity])
	if err != nil {
		panic(err) // Shape was checked when the node was made
	}
	c := o.Base.Cost(in[:o.Arity], base)
	_, _ = o.walk(in, func(step Op, in []Type, out Type) {
		s := step.Cost(in, out)
		c.Work, c.Depth = cost.Add(c.Work, s.Work), cost.Add(c.Depth, s.Depth)
		c.Bytes = cost.Add(c.Bytes, s.Bytes, cost.Scale(-2, bytes(out)))
	})
	if o.BFloat16 {
		c.Bytes = cost.Add(c.Bytes, cost.Scale(-2, out.size()))
	}
	return c
}

// Grad runs the composition again and differentiates it step by step.
func (o Tailed) Grad(b *Builder, in []Value, _, dy Value) []Value {
	type node struct {
		op Op
		in []Value
		y  Value
	}
	base := append([]Value(nil), in[:o.Arity]...)
	chain := []node{{o.Base, base, b.Add(o.Base, base...)}}
	rest := in[o.Arity:]
	for _, step := range o.Steps[:o.Len] {
		n, at := stepOperands(step)
		operands := insert(b.widened(rest[:n]), at, chain[len(chain)-1].y)
		rest = rest[n:]
		chain = append(chain, node{step, operands, b.Add(step, operands...)})
	}
	var grads []Value // of the steps' operands, the last first
	for i := len(chain) - 1; i > 0; i-- {
		_, at := stepOperands(chain[i].op)
		g := chain[i].op.Grad(b, chain[i].in, chain[i].y, dy)
		dy = g[at]
		rest := slices.Delete(slices.Clone(g), at, at+1)
		slices.Reverse(rest)
		grads = append(grads, rest...)
	}
	slices.Reverse(grads)
	return append(o.Base.Grad(b, base, chain[0].y, dy), grads...)
}

// widened returns values in float32.
func (b *Builder) widened(vs []Value) []Value {
	out := slices.Clone(vs)
	for i, v := range vs {
		if b.Type(v).BFloat16 {
			out[i] = b.Add(Widen{}, v)
		}
	}
	return out
}

// Split applies the rules one after the other.
func (o Tailed) Split(s Split) (Placement, error) {
	base := s
	base.In, base.Types = s.In[:o.Arity], s.Types[:o.Arity]
	var err error
	if base.Out, err = o.Base.Shape(base.Types); err != nil {
		return Placement{}, err
	}
	at, err := o.Base.Split(base)
	next := o.Arity
	_, shape := o.walk(s.Types, func(step Op, in []Type, out Type) {
		if err == nil {
			was := at
			at, err = s.step(step, at, next, in, out)
			if _, sliced := o.Base.(Slice); sliced && err == nil && was.Kind == Whole && at.Kind == Columns {
				_, err = s.refuse(0, "its columns are not those that a rank has of what follows")
			}
		}
		n, _ := stepOperands(step)
		next += n
	})
	if shape != nil {
		err = shape
	}
	if err == nil && o.BFloat16 && at.Kind == Partial {
		return s.refuse(0, fmt.Sprintf("the result is %v, and only whole sums are rounded", at))
	}
	return at, err
}

// step places the result of a tail's step that reads the running value, placed
// at, and the operand numbered next.
func (s Split) step(step Op, at Placement, next int, in []Type, out Type) (Placement, error) {
	n, place := stepOperands(step)
	if _, drop := step.(Dropout); drop && at.Kind == Columns {
		return s.refuse(0, "a tail drops all columns of a row")
	}
	one := Split{Ranks: s.Ranks, Edges: s.Edges, In: insert(s.In[next:next+n], place, at), Types: in, Out: out}
	one.number = insert([]int{next, next + 1}[:n], place, 0)
	placed, err := step.Split(one)
	if err == nil {
		return placed, nil
	}
	one.In = insert(s.In[next:next+n], place, Placement{Kind: Whole})
	if _, other := step.Split(one); other != nil {
		return placed, other
	}
	return s.refuse(0, fmt.Sprintf("the product is %v, which %v does not read", at, step))
}

// Reference is the composition.
func (o Tailed) Reference(x *RefExec, in []Dense) Dense {
	y := o.Base.Reference(x, in[:o.Arity])
	rest := in[o.Arity:]
	for _, step := range o.Steps[:o.Len] {
		n, at := stepOperands(step)
		y = step.Reference(x, insert(rest[:n], at, y))
		rest = rest[n:]
	}
	return y
}

// Over: a dense product is written over the first operand that its steps read value by
// value. The product's own operands are rows that other values are made of.
func (o Tailed) Over() int {
	switch o.Base.(type) {
	case MatMul, Affine:
	default:
		return -1
	}
	operand := o.Arity
	for _, step := range o.Steps[:o.Len] {
		switch step.(type) {
		case Binary, AddScaled, UnaryGrad:
			return operand
		}
		n, _ := stepOperands(step)
		operand += n
	}
	return -1
}

// Run hands the steps to the product's kernel.
func (o Tailed) Run(x *Exec, in []tensor.Matrix, out tensor.Matrix) {
	rest := in[o.Arity:]
	for _, step := range o.Steps[:o.Len] {
		s := tailStep(x, step)
		n, _ := stepOperands(step)
		switch {
		case s.Kind == kernel.AddOwnProduct:
			s.S = rest[0]
		case n > 1:
			s.X, s.S = rest[0], rest[1]
		case n > 0:
			s.X = rest[0]
		}
		rest = rest[n:]
		x.Then(s)
	}
	o.Base.Run(x, in[:o.Arity], out)
}

// tailStep names a step as kernels do.
func tailStep(x *Exec, step Op) kernel.TailStep {
	switch o := step.(type) {
	case Unary:
		return kernel.TailStep{Kind: kernel.ApplyFunc, Func: o.Func}
	case UnaryGrad:
		return kernel.TailStep{Kind: kernel.ApplySlope, Func: o.Func}
	case AddBias:
		return kernel.TailStep{Kind: kernel.AddRow}
	case AddScaled:
		return kernel.TailStep{Kind: kernel.AddMultiple, Plus: o.Plus}
	case AddOuter:
		return kernel.TailStep{Kind: kernel.AddProduct}
	case AddOwnOuter:
		return kernel.TailStep{Kind: kernel.AddOwnProduct}
	case Dropout:
		return kernel.TailStep{Kind: kernel.DropValues, Mask: o.mask(x), IDs: x.ids(o.Over)}
	case Binary:
		return kernel.TailStep{Kind: kernel.AddValues}
	}
	return kernel.TailStep{Kind: kernel.ScaleRows}
}
