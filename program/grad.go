package program

import (
	"errors"
	"fmt"
	"slices"
)

// Grad appends the gradient of loss, a 1×1 value, with respect to the values
// in wrt: the gradient of a program is a program. It returns the gradients in
// the order of wrt; None where the loss does not depend on the value.
func Grad(p *Program, loss Value, wrt []Value) (*Program, []Value, error) {
	if t := p.Type(loss); !t.same(scalar()) {
		return nil, nil, fmt.Errorf("program: the loss of %s is %v, want one number", p.Name, t)
	}
	b := extend(p)
	b.backward = true
	out := b.gradOf(p, 0, loss, b.Add(Unit{}), wrt)
	q, err := b.Build()
	return q, out, err
}

// gradOf appends the gradients of values of p, which b extends, that the nodes
// from first to y pass on to them when y has the gradient dy.
func (b *Builder) gradOf(p *Program, first, y, dy Value, wrt []Value) []Value {
	needs := reaches(p, wrt)
	grad := make([]Value, len(p.Nodes))
	for i := range grad {
		grad[i] = None
	}
	grad[y] = dy
	for i := y; i >= first; i-- {
		n := p.Nodes[i]
		if grad[i] == None || !needs[i] || len(n.In) == 0 {
			continue
		}
		b.layer = n.Layer
		b.accumulate(n, grad, needs, n.Op.Grad(b, n.In, i, grad[i]))
	}
	out := make([]Value, len(wrt))
	for i, v := range wrt {
		out[i] = grad[v]
	}
	return out
}

// gradComposed is the gradient of a composite: it appends what the composite
// lowers to and differentiates that. Of operands that are one value the first
// receives all of its gradient.
func (b *Builder) gradComposed(in []Value, dy Value, lower func(*Builder, []Value) Value) []Value {
	first := Value(len(b.p.Nodes))
	y := lower(b, in)
	if y == None {
		return make([]Value, len(in)) // of a program that is wrong
	}
	p := b.p
	out := b.gradOf(&p, first, y, dy, in)
	for i, v := range in {
		if slices.Contains(in[:i], v) {
			out[i] = None
		}
	}
	return out
}

// accumulate adds a node's gradients to those its operands have so far. A
// value used twice receives the sum, later uses first.
func (b *Builder) accumulate(n Node, grad []Value, needs []bool, g []Value) {
	for j, v := range n.In {
		switch {
		case g[j] == None || !needs[v]:
		case grad[v] == None:
			grad[v] = g[j]
		default:
			grad[v] = b.AddValues(grad[v], g[j])
		}
	}
}

// reaches marks the values that depend on one of from.
func reaches(p *Program, from []Value) []bool {
	m := make([]bool, len(p.Nodes))
	for _, v := range from {
		m[v] = true
	}
	for i, n := range p.Nodes {
		for _, in := range n.In {
			m[i] = m[i] || m[in]
		}
	}
	return m
}

// Optimizer chooses the update of every parameter.
type Optimizer struct {
	Kind     OptimizerKind
	Momentum float64 // for SGDKind; 0 is none
	// Decay is AdamW's decoupled weight decay, spared to biases.
	Decay float64
	// Beta1, Beta2 and Epsilon of Adam; 0 stands for 0.9, 0.999 and 1e-8.
	Beta1, Beta2, Epsilon float64
}

// OptimizerKind names an update rule.
type OptimizerKind int

// The update rules.
const (
	AdamKind OptimizerKind = iota
	AdamWKind
	SGDKind
)

func (k OptimizerKind) String() string { return [...]string{"adam", "adamw", "sgd"}[k] }

// Backward appends to p, which has an output "loss", the gradients of all its
// parameters and the optimiser's updates: one training step. The learning
// rate is the input "lr".
func Backward(p *Program, opt Optimizer) (*Program, error) {
	loss := p.Output("loss")
	if loss == None {
		return nil, fmt.Errorf("program: %s has no output called loss", p.Name)
	}
	params := p.Params()
	q, grads, err := Grad(p, loss, params)
	if err != nil {
		return nil, err
	}
	b := extend(q)
	b.backward = true
	lr := b.Add(Input{Name: "lr", Of: scalar(), Varies: true})
	for i, w := range params {
		if grads[i] == None {
			return nil, fmt.Errorf("program: the loss of %s does not depend on %v", p.Name, p.Nodes[w].Op)
		}
		b.layer = p.Nodes[w].Layer
		b.update(opt, w, grads[i], lr)
	}
	return b.Build()
}

// update appends one parameter's update and its state.
func (b *Builder) update(opt Optimizer, w, g, lr Value) {
	param := b.p.Nodes[w].Op.(Param)
	state := func(name string) Value {
		return b.Add(State{Name: param.Name + "." + name, Of: param.Of})
	}
	switch opt.Kind {
	case SGDKind:
		in := []Value{w, g, lr}
		if opt.Momentum != 0 {
			in = append(in, state("velocity"))
		}
		b.Add(SGD{Momentum: float32(opt.Momentum)}, in...)
	case AdamKind, AdamWKind:
		o := Adam{Beta1: or(opt.Beta1, 0.9), Beta2: or(opt.Beta2, 0.999), Epsilon: or(opt.Epsilon, 1e-8)}
		if opt.Kind == AdamWKind && !param.Bias {
			o.Decay = float32(opt.Decay)
		}
		b.Add(o, w, g, lr, state("m"), state("v"))
	default:
		b.err = errors.Join(b.err, fmt.Errorf("program: no such optimiser: %d", opt.Kind))
	}
}

func or(v, otherwise float64) float32 {
	if v == 0 {
		v = otherwise
	}
	return float32(v)
}
