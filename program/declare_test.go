package program_test

import (
	"fmt"
	"testing"

	"github.com/weft-gnn/weft/internal/rng"
	. "github.com/weft-gnn/weft/program"
)

// declared is a case as a program: an input per operand, and the op.
type declared struct {
	b    *Builder
	opts opCase
	in   []Value // the operands
	free []Value // the inputs that a derivative can be taken by
	of   []domain
	y    Value
}

// declare declares the case's operands and op.
func (c opCase) declare() *declared {
	d := &declared{b: NewBuilder(c.String()), opts: c}
	for i, o := range c.in {
		name := fmt.Sprintf("x%d", i)
		switch {
		case o.arg != nil:
			rows := d.b.Add(Input{Name: name, Of: Type{Space: o.arg.Over, Cols: o.Cols}})
			d.in = append(d.in, d.b.Add(*o.arg, rows))
		case o.fixed:
			d.in = append(d.in, d.b.Add(Input{Name: name, Of: o.Type}))
		case o.BFloat16:
			d.in = append(d.in, d.b.Add(Narrow{}, d.input(name, wide(o.Type), o.domain)))
		default:
			d.in = append(d.in, d.input(name, o.Type, o.domain))
		}
	}
	d.y = d.b.Add(c.op, d.in...)
	return d
}

func (d *declared) input(name string, t Type, of domain) Value {
	v := d.b.Add(Input{Name: name, Of: t})
	d.free, d.of = append(d.free, v), append(d.of, of)
	return v
}

// wide is t in float32.
func wide(t Type) Type {
	t.BFloat16 = false
	return t
}

// contract returns ⟨y, r⟩ with an input r of y's type.
func (d *declared) contract(name string, y Value) Value {
	if d.b.Type(y).BFloat16 {
		y = d.b.Add(Widen{}, y)
	}
	return d.b.Add(InnerProduct{}, y, d.input(name, d.b.Type(y), anything))
}

func (d *declared) build(t *testing.T) *Program {
	t.Helper()
	p, err := d.b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// exec draws a value for every input of p in a world; inputs whose domain d
// knows are drawn from it.
func (d *declared) exec(w world, s *rng.Stream, p *Program) RefExec {
	x := w.exec(RefTarget{})
	if len(d.opts.in) > 0 {
		t := d.opts.in[0].Type
		x.Target = target(s, w.Rows(t), t.Cols.N)
	}
	for i, n := range p.Nodes {
		in, ok := n.Op.(Input)
		if !ok {
			continue
		}
		of := anything
		for j, v := range d.free {
			if v == Value(i) {
				of = d.of[j]
			}
		}
		x.Leaves[in.Slot()] = w.draw(s, in.Of, of)
	}
	return x
}
