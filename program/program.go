package program

import (
	"slices"

	"github.com/weft-gnn/weft/cost"
)

// Value names the result of a node: its place in Program.Nodes.
type Value int32

// None is no value: the gradient of an operand that has none.
const None Value = -1

// Stage says when a node runs.
type Stage int

// The stages. The cost of a run is W_pre + steps × W_step.
const (
	Step Stage = iota // every step
	Pre               // once per run: depends on neither parameters nor randomness
)

func (s Stage) String() string { return [...]string{"step", "pre"}[s] }

// Node is one operation of a program.
type Node struct {
	Op   Op
	In   []Value
	Type Type
	// Layer is the declared layer, from 0; −1 outside layers.
	Layer int
	Stage Stage
	// Backward marks the nodes that Grad added.
	Backward bool
	// Region is the number, from 1, of the region in which the node runs; 0 for
	// nodes that run once over all rows.
	Region int
}

// Output is a named result of a program.
type Output struct {
	Name  string
	Value Value
}

// Program is a straight-line list of operations in static single assignment
// form: a node's operands come before it. A Program is immutable; passes make
// new ones.
type Program struct {
	Name    string
	Nodes   []Node
	Outputs []Output
	// Layers is the number of declared layers.
	Layers int
	// Sites is the number of declared random sites.
	Sites int
	// Regions are the parts of the program that run chunk by chunk. The nodes of
	// one follow each other and are of one stage.
	Regions []Region
	// whole are the values of symbols of columns that ranks share out, of which each has
	// too few for a node to tell.
	whole cost.Env
}

// Output returns the value called name, or None.
func (p *Program) Output(name string) Value {
	for _, o := range p.Outputs {
		if o.Name == name {
			return o.Value
		}
	}
	return None
}

// Type returns the type of a value.
func (p *Program) Type(v Value) Type { return p.Nodes[v].Type }

// Params returns the program's parameters in order of declaration.
func (p *Program) Params() []Value {
	var out []Value
	for i, n := range p.Nodes {
		if _, ok := n.Op.(Param); ok {
			out = append(out, Value(i))
		}
	}
	return out
}

// uses returns, for each value, the nodes that read it, and None where it is a
// result.
func (p *Program) uses() [][]Value {
	u := make([][]Value, len(p.Nodes))
	for i, n := range p.Nodes {
		for _, in := range n.In {
			if in != None && !slices.Contains(u[in], Value(i)) {
				u[in] = append(u[in], Value(i))
			}
		}
	}
	for _, o := range p.Outputs {
		u[o.Value] = append(u[o.Value], None)
	}
	return u
}

// rewriter copies a program node by node while a pass replaces some.
type rewriter struct {
	b   *Builder
	old *Program
	new []Value // for each old value, the one that stands for it
}

func rewrite(p *Program) *rewriter {
	b := NewBuilder(p.Name)
	b.p.Layers, b.p.Sites, b.p.Regions, b.p.whole = p.Layers, p.Sites, p.Regions, p.whole
	w := &rewriter{b: b, old: p, new: make([]Value, len(p.Nodes))}
	for i := range w.new {
		w.new[i] = None
	}
	return w
}

// at makes the builder add nodes in the place of old node i.
func (w *rewriter) at(i Value) {
	n := w.old.Nodes[i]
	w.b.layer, w.b.stage, w.b.backward, w.b.region = n.Layer, n.Stage, n.Backward, n.Region
}

// in returns the new values of old node i's operands.
func (w *rewriter) in(i Value) []Value {
	in := make([]Value, len(w.old.Nodes[i].In))
	for j, v := range w.old.Nodes[i].In {
		in[j] = w.new[v]
	}
	return in
}

// copy adds old node i unchanged.
func (w *rewriter) copy(i Value) {
	w.at(i)
	w.new[i] = w.b.Add(w.old.Nodes[i].Op, w.in(i)...)
}

// finish maps the outputs and returns the new program.
func (w *rewriter) finish() *Program {
	for _, o := range w.old.Outputs {
		w.b.Output(o.Name, w.new[o.Value])
	}
	p, err := w.b.Build()
	if err != nil {
		panic("program: a pass broke the program: " + err.Error()) // a defect of the pass, never of its input
	}
	return p
}

// Reads reports whether the program has an input called name.
func (p *Program) Reads(name string) bool {
	for _, n := range p.Nodes {
		if in, ok := n.Op.(Input); ok && in.Name == name {
			return true
		}
	}
	return false
}

// ParamTypes returns the type of each parameter by name.
func (p *Program) ParamTypes() map[string]Type {
	out := map[string]Type{}
	for _, n := range p.Nodes {
		if param, ok := n.Op.(Param); ok {
			out[param.Name] = n.Type
		}
	}
	return out
}
