package program

import (
	"fmt"
)

// Builder declares a program. Its methods append operations and return their
// values; the first mistake is kept, later calls do nothing, and Build reports
// it, so that a declaration reads without error checks.
type Builder struct {
	p        Program
	err      error
	scope    string
	layer    int
	stage    Stage
	backward bool
	region   int
	leaves   map[string]Type // by slot
}

// NewBuilder starts a program.
func NewBuilder(name string) *Builder {
	return &Builder{p: Program{Name: name}, layer: -1, leaves: map[string]Type{}}
}

// extend starts a builder that appends to a copy of p.
func extend(p *Program) *Builder {
	b := NewBuilder(p.Name)
	b.p.Nodes = append([]Node(nil), p.Nodes...)
	b.p.Outputs = append([]Output(nil), p.Outputs...)
	b.p.Layers, b.p.Sites, b.p.Regions, b.p.whole = p.Layers, p.Sites, p.Regions, p.whole
	for _, n := range p.Nodes {
		if l, ok := n.Op.(Leaf); ok {
			b.leaves[l.Slot()] = n.Type
		}
	}
	return b
}

// Layer starts layer i: the operations and parameters declared from here on
// belong to it, and parameters are named "layer<i>.…".
func (b *Builder) Layer(i int) {
	b.layer, b.scope = i, fmt.Sprintf("layer%d.", i)
	b.p.Layers = max(b.p.Layers, i+1)
}

// EndLayers leaves the layers: what follows belongs to none.
func (b *Builder) EndLayers() { b.layer, b.scope = -1, "" }

// Add appends an operation. Every other declaring method calls it, and so does
// the author of a new op.
func (b *Builder) Add(op Op, in ...Value) Value {
	if b.err != nil {
		return None
	}
	types := make([]Type, len(in))
	for i, v := range in {
		if v < 0 || int(v) >= len(b.p.Nodes) {
			return b.fail("%v: operand %d is not a value of this program", op, i)
		}
		types[i] = b.p.Nodes[v].Type
	}
	t, err := op.Shape(types)
	if err != nil {
		return b.fail("%v: %w", op, err)
	}
	if l, ok := op.(Leaf); ok {
		if was, ok := b.leaves[l.Slot()]; ok && !was.same(t) {
			return b.fail("%v is %v here and %v before", op, t, was)
		}
		b.leaves[l.Slot()] = t
	}
	b.p.Nodes = append(b.p.Nodes, Node{Op: op, In: in, Type: t, Layer: b.layer, Stage: b.stage, Backward: b.backward, Region: b.region})
	return Value(len(b.p.Nodes) - 1)
}

func (b *Builder) fail(format string, a ...any) Value {
	if b.err == nil {
		b.err = fmt.Errorf("program: %s, operation %d: "+format, append([]any{b.p.Name, len(b.p.Nodes)}, a...)...)
	}
	return None
}

// Type returns the type of a value; the zero Type once a mistake was made.
func (b *Builder) Type(v Value) Type {
	if b.err != nil || v < 0 || int(v) >= len(b.p.Nodes) {
		return Type{}
	}
	return b.p.Nodes[v].Type
}

// Output names a result.
func (b *Builder) Output(name string, v Value) {
	switch {
	case b.err != nil:
	case v < 0 || int(v) >= len(b.p.Nodes):
		b.fail("output %q is not a value of this program", name)
	case b.p.Output(name) != None:
		b.fail("two outputs are called %q", name)
	default:
		b.p.Outputs = append(b.p.Outputs, Output{name, v})
	}
}

// site returns the next random site. Sites are numbered in order of
// declaration, so that a mask does not depend on what passes do later.
func (b *Builder) site() int {
	b.p.Sites++
	return b.p.Sites - 1
}

// unique returns the scoped name of a new parameter, or fails where it is taken.
func (b *Builder) unique(name string) string {
	full := b.scope + name
	if _, ok := b.leaves[(Param{Name: full}).Slot()]; ok {
		b.fail("two parameters are called %q", full)
	}
	return full
}

// Build returns the program, or the first mistake of its declaration.
func (b *Builder) Build() (*Program, error) {
	if b.err != nil {
		return nil, b.err
	}
	p := b.p
	return &p, nil
}
