package program_test

import (
	"slices"
	"strings"
	"testing"

	. "github.com/weft-gnn/weft/program"
)

// TestBuilderKeepsTheFirstMistake: later calls add nothing and hide nothing.
func TestBuilderKeepsTheFirstMistake(t *testing.T) {
	b := NewBuilder("wrong")
	x := b.Input("x", Vertices, dimA)
	bad := b.AddValues(x, b.Input("y", Vertices, dimB))
	if bad != None {
		t.Errorf("a wrong sum is value %d", bad)
	}
	later := b.MatMul(bad, bad)
	b.Output("z", later)
	if got := b.Type(later); got.Cols.N != 0 {
		t.Errorf("a value after the mistake has type %v", got)
	}
	p, err := b.Build()
	want := `program: wrong, operation 2: Add: operands differ: vertices[a] and vertices[b]`
	if p != nil || err == nil || err.Error() != want {
		t.Errorf("got %v, %v, want %q", p, err, want)
	}
}

// TestBuilderMistakes are those that no op can see.
func TestBuilderMistakes(t *testing.T) {
	for _, c := range []struct {
		want    string
		declare func(b *Builder, x Value)
	}{
		{"operand 1 is not a value", func(b *Builder, x Value) { b.AddValues(x, None) }},
		{"operand 0 is not a value", func(b *Builder, x Value) { b.AddValues(x+1, x) }},
		{`output "y" is not a value`, func(b *Builder, x Value) { b.Output("y", None) }},
		{`two outputs are called "y"`, func(b *Builder, x Value) { b.Output("y", x); b.Output("y", x) }},
		{`two parameters are called "layer1.w"`, func(b *Builder, x Value) {
			b.Layer(1)
			b.Param("w", dimA, dimB, Zeros)
			b.Param("w", dimA, dimB, Zeros)
		}},
		{`two parameters are called "weight"`, func(b *Builder, x Value) { b.Affine(x, dimB); b.Affine(x, dimB) }},
		{"Input(x) is vertices[b] here and vertices[a] before", func(b *Builder, x Value) { b.Input("x", Vertices, dimB) }},
		{"Mean: got edges+loops[a], want values of the edges that degrees count", func(b *Builder, x Value) {
			b.Mean(b.Scatter(x, Src, LoopEdges))
		}},
		{"the probability is 1.5", func(b *Builder, x Value) { b.Dropout(x, 1.5) }},
	} {
		b := NewBuilder("wrong")
		c.declare(b, b.Input("x", Vertices, dimA))
		if _, err := b.Build(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want %q", err, c.want)
		}
	}
}

// TestNamesSurviveExtension: a program that is extended keeps its names taken.
func TestNamesSurviveExtension(t *testing.T) {
	b := NewBuilder("test")
	b.Param("w", dimA, dimB, Zeros)
	p, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	again := Extend(p)
	again.Param("w", dimA, dimB, Zeros)
	if _, err := again.Build(); err == nil {
		t.Error("an extended program took a parameter's name twice")
	}
}

// TestLayers: names and layers of what is declared in them.
func TestLayers(t *testing.T) {
	b := NewBuilder("test")
	x := b.Input("x", Vertices, dimA)
	b.Layer(0)
	x = b.Affine(x, dimB)
	b.Layer(1)
	x = b.Affine(x, dimA)
	b.EndLayers()
	b.Output("y", b.ReLU(x))
	p, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, v := range p.Params() {
		param := p.Nodes[v].Op.(Param)
		names = append(names, param.Name)
		if got, want := p.ParamTypes()[param.Name], p.Type(v); got.String() != want.String() {
			t.Errorf("%s is %v, want %v", param.Name, got, want)
		}
	}
	if want := []string{"layer0.weight", "layer0.bias", "layer1.weight", "layer1.bias"}; !slices.Equal(names, want) {
		t.Errorf("parameters %v, want %v", names, want)
	}
	var layers []int
	for _, n := range p.Nodes {
		layers = append(layers, n.Layer)
	}
	if want := []int{-1, 0, 0, 0, 0, 1, 1, 1, 1, -1}; !slices.Equal(layers, want) || p.Layers != 2 {
		t.Errorf("layers %v of %d, want %v of 2", layers, p.Layers, want)
	}
	if !p.Reads("x") || p.Reads("y") {
		t.Error("the program reads x and nothing else")
	}
}

// TestGradErrors: a loss of many numbers, one without parameters, none.
func TestGradErrors(t *testing.T) {
	b := NewBuilder("test")
	x := b.Input("x", Vertices, dimA)
	w := b.Param("w", dimA, dimB, Zeros)
	unused := b.Param("unused", dimA, dimB, Zeros)
	b.Output("loss", b.CrossEntropy(b.MatMul(x, w)))
	p, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := Grad(p, x, []Value{x}); err == nil || !strings.Contains(err.Error(), "want one number") {
		t.Errorf("the gradient of rows: %v", err)
	}
	q, grads, err := Grad(p, p.Output("loss"), []Value{w, unused, x})
	if err != nil || grads[1] != None || grads[0] == None || grads[2] == None || len(q.Nodes) <= len(p.Nodes) {
		t.Errorf("gradients %v, %v", grads, err)
	}
	if _, err := Backward(p, Optimizer{}); err == nil || !strings.Contains(err.Error(), "does not depend on Param(unused") {
		t.Errorf("a step with an unused parameter: %v", err)
	}
	if _, err := Backward(p, Optimizer{Kind: 9}); err == nil {
		t.Error("a step with no such optimiser: no error")
	}
	b = NewBuilder("lossless")
	b.Input("x", Vertices, dimA)
	if p, err = b.Build(); err != nil {
		t.Fatal(err)
	}
	if _, err := Backward(p, Optimizer{}); err == nil || !strings.Contains(err.Error(), "no output called loss") {
		t.Errorf("a step without a loss: %v", err)
	}
}
