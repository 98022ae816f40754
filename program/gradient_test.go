package program_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/weft-gnn/weft/internal/gradcheck"
	. "github.com/weft-gnn/weft/program"
)

// differentiable returns the cases whose gradient is one of numbers.
func differentiable() []opCase {
	var out []opCase
	for _, c := range opCases() {
		if len(c.in) > 0 && (c.curved == 0 || c.curved == 2) {
			out = append(out, c)
		}
	}
	return out
}

// TestGradientOfEveryOp compares the gradient of ⟨r, op(x)⟩ with central
// differences: by every element on small graphs, along directions on larger ones.
func TestGradientOfEveryOp(t *testing.T) {
	all, small := mediumWorlds(t), smallWorlds(t)
	for i, c := range differentiable() {
		t.Run(c.String(), func(t *testing.T) {
			d := c.declare()
			loss := d.contract("r", d.y)
			p := d.build(t)
			for j, w := range all {
				if err := problem(d, w, p, loss, uint64(i+j)).Directions(1, 1); err != nil {
					t.Errorf("%s: %v", w.name, err)
				}
			}
			for j, w := range small {
				if err := problem(d, w, p, loss, uint64(i+j)).Elements(); err != nil {
					t.Errorf("%s: %v", w.name, err)
				}
			}
		})
	}
}

func problem(d *declared, w world, p *Program, loss Value, seed uint64) gradcheck.Problem {
	return gradcheck.Problem{Program: p, Loss: loss, Wrt: d.free, Exec: d.exec(w, source(seed), p)}
}

// TestSecondDerivatives differentiates the gradient: Σ_i ⟨q_i, ∂⟨r, op(x)⟩/∂x_i⟩
// by x and r.
func TestSecondDerivatives(t *testing.T) {
	for i, c := range differentiable() {
		if c.curved != 0 {
			continue
		}
		t.Run(c.String(), func(t *testing.T) {
			d := c.declare()
			loss := d.contract("r", d.y)
			d, loss = d.again(t, loss)
			p := d.build(t)
			for j, w := range smallWorlds(t) {
				if err := problem(d, w, p, loss, uint64(i+j)).Directions(2, 2); err != nil {
					t.Errorf("%s: %v", w.name, err)
				}
			}
		})
	}
}

// again returns the declaration of the contracted gradients of loss.
func (d *declared) again(t *testing.T, loss Value) (*declared, Value) {
	t.Helper()
	q, grads, err := Grad(d.build(t), loss, d.free)
	if err != nil {
		t.Fatal(err)
	}
	next := *d
	next.b = Extend(q)
	var sum Value = None
	for i, g := range grads {
		if g == None {
			continue
		}
		s := next.contract(fmt.Sprintf("q%d", i), g)
		if sum != None {
			s = next.b.AddValues(sum, s)
		}
		sum = s
	}
	return &next, sum
}

// TestLastDerivatives: an op without a further derivative says so.
func TestLastDerivatives(t *testing.T) {
	for _, c := range opCases() {
		if c.curved == 0 || c.curved == stopped {
			continue
		}
		d := c.declare()
		var loss Value
		if isEffect(c.op) {
			loss = d.b.Add(InnerProduct{}, d.y, d.y)
		} else {
			loss = d.contract("r", d.y)
		}
		if c.curved == 2 {
			d, loss = d.again(t, loss)
		}
		_, _, err := Grad(d.build(t), loss, d.free)
		want := "has no second derivative"
		switch {
		case isEffect(c.op):
			want = "an update has no gradient"
		case c.curved == unlearned:
			want = "features are not learned"
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: got error %v, want %q", c, err, want)
		}
	}
}

func isEffect(op Op) bool { _, ok := op.(Effect); return ok }

// TestNoGradient: what is not learned, and what is stopped, has none.
func TestNoGradient(t *testing.T) {
	for _, c := range opCases() {
		b := NewBuilder("test")
		switch {
		case len(c.in) == 0:
			if g := c.op.Grad(b, nil, None, None); len(g) != 0 {
				t.Errorf("%v: gradients %v of no operands", c, g)
			}
		case c.curved == stopped:
			if g := c.op.Grad(b, make([]Value, len(c.in)), None, None); len(g) != 1 || g[0] != None {
				t.Errorf("%v: gradients %v, want none", c, g)
			}
		}
	}
}
