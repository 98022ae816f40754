package analysis

import (
	"slices"

	"github.com/weft-gnn/weft/program"
)

// Class is a model's class in [PDG], Eqs. 6 to 8.
type Class int

// The classes, from the least general on.
const (
	NoGNN Class = iota // no messages: every vertex for itself
	CGNN               // φ(h_v, ⊕ c_vu·ψ(h_u)), c fixed by the graph
	AGNN               // φ(h_v, ⊕ a(h_v, h_u)·ψ(h_u)), a learned and scalar
	MPGNN              // φ(h_v, ⊕ ψ(h_v, h_u)), an arbitrary vector
)

// String returns the class's name.
func (c Class) String() string { return [...]string{"none", "C-GNN", "A-GNN", "MP-GNN"}[c] }

// MarshalText writes the class.
func (c Class) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// Formula returns the class's definition.
func (c Class) Formula() string {
	return [...]string{"φ(h_v)", "φ(h_v, ⊕ c_vu·ψ(h_u))", "φ(h_v, ⊕ a(h_v, h_u)·ψ(h_u))", "φ(h_v, ⊕ ψ(h_v, h_u))"}[c]
}

// Character is what a declaration says about its parallelism.
type Character struct {
	Class Class `json:"class"`
	// Precomputable is set where the coefficients of all messages depend on the
	// graph alone ([PDG] Table 5, "Pr?").
	Precomputable bool `json:"precomputable"`
	// Coefficients are those that the graph determines, such as "symnorm".
	Coefficients []string `json:"coefficients"`
	// Degree is the highest power of A in one layer: 1 is linear.
	Degree int `json:"degree"`
	// Kernels are those of Scatter, UpdateEdge, Aggregate and UpdateVertex that a
	// layer has.
	Kernels []Kernel `json:"kernels"`
}

// characterise derives a declared program's character.
func characterise(p *program.Program) Character {
	c := Character{Class: NoGNN, Degree: degree(p), Kernels: kernelsOf(p)}
	reads := endsRead(p)
	for _, n := range p.Nodes {
		switch op := n.Op.(type) {
		case program.Aggregate:
			if op.Over.IsEdges() {
				c.Class = max(c.Class, classify(p, reads, n.In[0]))
			}
		case program.ArgSelect:
			if op.Over.IsEdges() {
				c.Class = max(c.Class, classify(p, reads, n.In[0]))
			}
		case program.GraphCoef:
			if !slices.Contains(c.Coefficients, op.Coef.String()) {
				c.Coefficients = append(c.Coefficients, op.Coef.String())
			}
		}
	}
	c.Precomputable = c.Class == CGNN
	return c
}

// ends says at which ends of an edge a value on edges reads features. A value
// that is normalised over a vertex's edges reads both.
type ends struct{ src, dst bool }

func endsRead(p *program.Program) []ends {
	reads, features := make([]ends, len(p.Nodes)), make([]bool, len(p.Nodes))
	for i, n := range p.Nodes {
		_, features[i] = n.Op.(program.Input)
		for _, v := range n.In {
			features[i] = features[i] || features[v]
			reads[i].src = reads[i].src || reads[v].src
			reads[i].dst = reads[i].dst || reads[v].dst
		}
		switch op := n.Op.(type) {
		case program.Scatter:
			reads[i] = ends{op.Along == program.Src && features[i], op.Along == program.Dst && features[i]}
		case program.EdgeSoftmax:
			reads[i] = ends{true, true}
		}
		if !n.Type.Space.IsEdges() {
			reads[i] = ends{}
		}
	}
	return reads
}

// classify returns the class of a message: a value on edges that is reduced.
func classify(p *program.Program, reads []ends, v program.Value) Class {
	n := p.Nodes[v]
	if !reads[v].dst {
		return CGNN
	}
	switch op := n.Op.(type) {
	case program.Dropout:
		return classify(p, reads, n.In[0])
	case program.Binary:
		if op.Func == program.Plus || op.Func == program.Minus {
			return max(classify(p, reads, n.In[0]), classify(p, reads, n.In[1]))
		}
	case program.HeadScale:
		// One scalar per head, of both ends, times a message of its own class.
		return max(AGNN, classify(p, reads, n.In[0]))
	}
	return MPGNN
}

// degree returns the largest number of rounds of neighbours in one layer.
func degree(p *program.Program) int {
	top := make([]int, p.Layers+1) // of each layer and all before, from layer −1 on
	level := p.Level()
	for l := range top {
		for i, n := range p.Nodes {
			if n.Layer < l && n.Layer >= 0 {
				top[l] = max(top[l], level[i])
			}
		}
	}
	most := 0
	for l := range p.Layers {
		most = max(most, top[l+1]-top[l])
	}
	return most
}

// kernelsOf returns the kernels of [PDG] that the layers of p have, in order.
func kernelsOf(p *program.Program) []Kernel {
	out := []Kernel{}
	for k := ScatterKernel; k <= VertexKernel; k++ {
		if slices.ContainsFunc(p.Nodes, func(n program.Node) bool { return n.Layer >= 0 && kernelOf(n) == k }) {
			out = append(out, k)
		}
	}
	return out
}

// Kernel is a kind of kernel in [PDG], Table 4.
type Kernel int

// The kernels. Parameters and coefficients of the graph belong to none.
const (
	NoKernel Kernel = iota
	ScatterKernel
	EdgeKernel
	AggregateKernel
	VertexKernel
)

// String returns the kernel's name in the paper.
func (k Kernel) String() string {
	return [...]string{"none", "Scatter", "UpdateEdge", "Aggregate", "UpdateVertex"}[k]
}

// MarshalText writes the kernel.
func (k Kernel) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// kernelOf returns the kernel that a declared operation belongs to.
func kernelOf(n program.Node) Kernel {
	switch op := n.Op.(type) {
	case program.Leaf, program.GraphCoef:
		return NoKernel
	case program.Scatter:
		return ScatterKernel
	case program.Aggregate:
		if op.Over.IsEdges() {
			return AggregateKernel
		}
	case program.ArgSelect, program.Pick, program.Extreme:
		return AggregateKernel
	}
	switch {
	case n.Type.Space.IsEdges():
		return EdgeKernel
	case n.Type.Space == program.Vertices:
		return VertexKernel
	}
	return NoKernel
}

// formulationOf says how the messages of a compiled program run: as products
// over A's pattern where none of a forward pass's messages has rows of its own.
func formulationOf(p *program.Program) Formulation {
	f := NoMessages
	for _, n := range p.Nodes {
		if n.Backward {
			continue
		}
		switch op := program.BaseOf(n.Op).(type) {
		case program.Aggregate:
			if op.Over.IsEdges() {
				return Local
			}
		case program.Scatter:
			if op.To.IsEdges() {
				return Local
			}
		case program.SpMM, program.EdgeDot, program.Walker:
			f = Global
		}
	}
	return f
}
