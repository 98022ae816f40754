package model

import (
	"fmt"
	"reflect"

	"github.com/weft-gnn/weft/program"
)

// Widths are a model's column counts: of the features, of hidden layers, of
// the prediction, and its heads. Each carries the symbol that costs use.
type Widths struct{ In, Hidden, Out, Heads, OutHeads program.Dim }

// NamedWidths calls them k_in, k, C, H and H_out.
func NamedWidths(in, out int, o Options) Widths {
	return Widths{
		In:       program.Sym("k_in", in),
		Hidden:   program.Sym("k", o.Hidden),
		Out:      program.Sym("C", out),
		Heads:    program.Sym("H", o.Heads),
		OutHeads: program.Sym("H_out", o.OutHeads),
	}
}

// EqualWidths calls all of them k, and the heads H: the form in which papers
// state bounds.
func EqualWidths(o Options) Widths {
	k, h := program.Sym("k", o.Hidden), program.Sym("H", o.Heads)
	return Widths{In: k, Hidden: k, Out: k, Heads: h, OutHeads: h}
}

// Declare declares the model: from the input "x", features of the vertices, to
// the output "logits", a row of w.Out columns per vertex.
func (m Model) Declare(w Widths, o Options) (*program.Program, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	b := program.NewBuilder(m.Name)
	b.Output("logits", m.declare(b, w, o))
	return b.Build()
}

func (m Model) declare(b *program.Builder, w Widths, o Options) program.Value {
	h := m.hidden(b, w, o)
	b.Layer(o.Layers - 1)
	h = m.Layer(b, b.Dropout(h, o.Dropout), Layer{Index: o.Layers - 1, Last: true, Out: w.Out, Options: o, Heads: w.OutHeads})
	b.EndLayers()
	return h
}

// hidden declares all layers but the last, each with its activation.
func (m Model) hidden(b *program.Builder, w Widths, o Options) program.Value {
	h := b.Input("x", program.Vertices, w.In)
	for i := range o.Layers - 1 {
		b.Layer(i)
		h = m.Layer(b, b.Dropout(h, o.Dropout), Layer{Index: i, Out: w.Hidden, Options: o, Heads: w.Heads})
		h = b.Apply(m.Activation.Kind, m.Activation.Param, h)
	}
	b.EndLayers()
	return h
}

// Loss says what a prediction is compared with.
type Loss int

// The losses; package program defines them.
const (
	CrossEntropy Loss = iota
	SquaredError
	BinaryCrossEntropy
)

func (l Loss) String() string {
	return [...]string{"cross-entropy", "squared-error", "binary-cross-entropy"}[l]
}

// Decay is L2 regularisation as the papers apply it.
type Decay struct {
	// Lambda is the factor: the objective gains λ/2·‖W‖² per matrix.
	Lambda float64 `yaml:"lambda" json:"lambda"`
	// FirstLayer limits it to the first layer, as Kipf and Welling do; biases
	// and GIN's ε are always spared.
	FirstLayer bool `yaml:"first_layer" json:"first_layer"`
}

// Objective declares the model and what it minimises: the output "loss", the
// mean loss of the target rows and the regularisation. Its prediction is no output, so
// that a step has no memory for it beside that of its gradient.
func (m Model) Objective(w Widths, o Options, loss Loss, d Decay) (*program.Program, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	b := program.NewBuilder(m.Name)
	logits := m.declare(b, w, o)
	var sum program.Value
	switch loss {
	case CrossEntropy:
		sum = b.CrossEntropy(logits)
	case SquaredError:
		sum = b.ValueLoss(program.SquaredError, logits)
	case BinaryCrossEntropy:
		sum = b.ValueLoss(program.BinaryCrossEntropy, logits)
	default:
		return nil, fmt.Errorf("model: no such loss: %d", loss)
	}
	for _, p := range b.Decayed(d.FirstLayer) {
		if d.Lambda != 0 {
			sum = b.AddValues(sum, b.Penalty(p, d.Lambda))
		}
	}
	b.Output("loss", sum)
	return b.Build()
}

// Same reports whether two choices of options declare the same program: whether
// what they differ in is never read.
//
// Errors: options that cannot be declared.
func (m Model) Same(a, b Options) (bool, error) {
	const in, out = 1, 1 // any
	p, err := m.Declare(NamedWidths(in, out, a), a)
	if err != nil {
		return false, err
	}
	q, err := m.Declare(NamedWidths(in, out, b), b)
	if err != nil {
		return false, err
	}
	return reflect.DeepEqual(p.Nodes, q.Nodes), nil
}
