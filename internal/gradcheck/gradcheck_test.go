package gradcheck

import (
	"strings"
	"testing"

	"github.com/weft-gnn/weft/graph"
	"github.com/weft-gnn/weft/program"
)

// wrong is the square, whose gradient it states as x·dy in place of 2x·dy.
type wrong struct{ program.Binary }

func (wrong) String() string { return "wrong" }

func (wrong) Shape(in []program.Type) (program.Type, error) { return in[0], nil }

func (wrong) Grad(b *program.Builder, in []program.Value, _, dy program.Value) []program.Value {
	return []program.Value{b.Mul(in[0], dy)}
}

func (wrong) Reference(_ *program.RefExec, in []program.Dense) program.Dense {
	return program.Binary{Func: program.Product}.Reference(nil, []program.Dense{in[0], in[0]})
}

// problem is Σ r·f(x) over three vertices of two columns.
func problem(t *testing.T, f func(b *program.Builder, x program.Value) program.Value) Problem {
	t.Helper()
	g, err := graph.FromCOO(3, nil, nil, nil, graph.Policy{})
	if err != nil {
		t.Fatal(err)
	}
	b := program.NewBuilder("test")
	x := b.Input("x", program.Vertices, program.Cols(2))
	r := b.Input("r", program.Vertices, program.Cols(2))
	loss := b.Add(program.InnerProduct{}, f(b, x), r)
	p, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	leaves := map[string]program.Dense{
		"input.x": {Rows: 3, Cols: 2, Data: []float64{1, -2, 0.5, 3, -1, 2}},
		"input.r": {Rows: 3, Cols: 2, Data: []float64{-1, 1, 2, 0.25, 1, -0.5}},
	}
	return Problem{Program: p, Loss: loss, Wrt: []program.Value{x, r}, Exec: program.RefExec{N: g.Block(), Leaves: leaves}}
}

func square(b *program.Builder, x program.Value) program.Value { return b.Mul(x, x) }

func TestRightGradientPasses(t *testing.T) {
	p := problem(t, square)
	if err := p.Directions(1, 3); err != nil {
		t.Error(err)
	}
	if err := p.Elements(); err != nil {
		t.Error(err)
	}
}

func TestWrongGradientIsFound(t *testing.T) {
	p := problem(t, func(b *program.Builder, x program.Value) program.Value { return b.Add(wrong{}, x) })
	for name, err := range map[string]error{"directions": p.Directions(1, 1), "elements": p.Elements()} {
		if err == nil || !strings.Contains(err.Error(), "central differences") {
			t.Errorf("%s: got %v, want the difference", name, err)
		}
	}
}

func TestGradients(t *testing.T) {
	loss, grads, err := problem(t, square).Gradients()
	if err != nil {
		t.Fatal(err)
	}
	// Σ r·x² and 2·r·x, by hand
	if want := -1 + 4 + 0.5 + 2.25 + 1 - 2; loss != want {
		t.Errorf("loss %v, want %v", loss, want)
	}
	for i, want := range []float64{-2, -4, 2, 1.5, -2, -2} {
		if got := grads[0].Data[i]; got != want {
			t.Errorf("gradient %d is %v, want %v", i, got, want)
		}
	}
}

// A leaf that the loss does not depend on has gradient zero.
func TestUnusedLeaf(t *testing.T) {
	p := problem(t, func(b *program.Builder, x program.Value) program.Value {
		return b.Add(program.StopGradient{}, x)
	})
	_, grads, err := p.Gradients()
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range grads[0].Data {
		if g != 0 {
			t.Errorf("gradient %v through StopGradient, want 0", grads[0].Data)
		}
	}
	if err := p.Elements(); err == nil {
		t.Error("StopGradient's gradient is not that of the identity: want a difference")
	}
}

func TestErrorsAreReturned(t *testing.T) {
	p := problem(t, square)
	p.Loss = p.Wrt[0]
	if err := p.Directions(1, 1); err == nil {
		t.Error("a loss of many numbers: want an error")
	}
}
