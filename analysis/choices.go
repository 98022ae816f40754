package analysis

import (
	"fmt"
	"slices"
	"strings"

	"github.com/weft-gnn/weft/program"
)

// choices says what the passes decided by sizes: under other sizes the program,
// and with it every expression, may be another. A layer that stays as it was
// declared is mentioned only where the narrow side would have been the other.
func (s subject) choices() []string {
	declared, compiled := orders(s.declared), orders(s.compiled)
	var names []string
	says := map[string][]int{} // layers by what is said of them
	for _, name := range weightsOf(s.declared) {
		text := s.choice(declared[name], compiled[name])
		if text == "" {
			continue
		}
		if says[text] == nil {
			names = append(names, text)
		}
		if l := compiled[name].layer; !slices.Contains(says[text], l) {
			says[text] = append(says[text], l)
		}
	}
	out := []string{}
	for _, text := range names {
		out = append(out, layersText(says[text])+" "+text)
	}
	return append(out, s.hoisted()...)
}

// choice says what became of one product with a weight, or nothing.
func (s subject) choice(declared, compiled order) string {
	in, out := compiled.in, compiled.out
	widths := func(relation string) string {
		return fmt.Sprintf("%v = %d %s %v = %d", in.Expr, in.N, relation, out.Expr, out.N)
	}
	if in.N == out.N {
		widths = func(string) string { return "equal widths" }
	}
	switch {
	case declared.place == compiled.place && compiled.place == afterSum && in.N > out.N:
		return "keeps (AH)W though " + widths(">") + ": " + s.because(compiled)
	case declared.place == compiled.place || declared.place == alone || compiled.place == alone:
		return ""
	case compiled.place == beforeSum && in.N > out.N:
		return "runs A(HW): " + widths(">") + ", fewer columns cross the edges"
	case compiled.place == beforeSum:
		return "runs A(HW) with " + widths("≤") + ": it costs less with its gradient"
	case in.N < out.N:
		return "runs (AH)W: " + widths("<") + ", fewer columns cross the edges"
	}
	return "runs (AH)W with " + widths("≥") + ": " + s.because(compiled)
}

// because says why a layer sums before it multiplies.
func (s subject) because(o order) string {
	if o.once {
		return "AH is computed once per run"
	}
	return "it costs less with what follows"
}

// hoisted says that hoist looked at m/n, where it moved something.
func (s subject) hoisted() []string {
	if s.facts.Skip["none"] || s.facts.Skip["hoist"] || edgeOps(program.Hoist(s.declared, s.facts)) >= edgeOps(s.declared) {
		return nil
	}
	return []string{"row-wise maps run on vertices, not on edges: n < m"}
}

// edgeOps counts the operations whose results are rows of edges.
func edgeOps(p *program.Program) int {
	count := 0
	for _, n := range p.Nodes {
		if n.Type.Space.IsEdges() && !n.Backward {
			count++
		}
	}
	return count
}

// order is where a layer multiplies by a weight.
type order struct {
	layer   int
	place   place
	once    bool // what it multiplies is computed once
	in, out program.Dim
}

// place says whether a product comes before or after its layer's sum over edges.
type place int

const (
	alone place = iota // neither: no sum over edges leads to it or from it
	beforeSum
	afterSum
)

// orders returns the forward products by the names of their weights.
func orders(p *program.Program) map[string]order {
	out := map[string]order{}
	for i, n := range p.Nodes {
		w, ok := weightOf(p, n)
		if !ok || n.Backward {
			continue
		}
		o := order{layer: n.Layer, in: w.Of.Rows, out: w.Of.Cols}
		switch {
		case reachesSum(p, n.In[0], n.Layer):
			o.place, o.once = afterSum, p.Nodes[n.In[0]].Stage == program.Pre
		case sumReaches(p, program.Value(i)):
			o.place = beforeSum
		}
		out[w.Name] = o
	}
	return out
}

// weightsOf lists the weights that p multiplies by, in order.
func weightsOf(p *program.Program) []string {
	var names []string
	for _, n := range p.Nodes {
		if w, ok := weightOf(p, n); ok && !n.Backward {
			names = append(names, w.Name)
		}
	}
	return names
}

// weightOf returns the parameter that a product multiplies rows by.
func weightOf(p *program.Program, n program.Node) (program.Param, bool) {
	switch op := program.BaseOf(n.Op).(type) {
	case program.MatMul:
		if op.Transposed {
			return program.Param{}, false
		}
	case program.Affine, program.SparseMatMul:
	default:
		return program.Param{}, false
	}
	w, ok := p.Nodes[n.In[1]].Op.(program.Param)
	return w, ok
}

// reachesSum reports whether v comes, within its layer, from a sum over edges
// and from no other product.
func reachesSum(p *program.Program, v program.Value, layer int) bool {
	n := p.Nodes[v]
	if _, product := weightOf(p, n); product || n.Layer != layer {
		return false
	}
	return sumsEdges(n.Op) || slices.ContainsFunc(n.In, func(u program.Value) bool { return reachesSum(p, u, layer) })
}

// sumReaches reports whether a sum over edges of v's layer reads v.
func sumReaches(p *program.Program, v program.Value) bool {
	reads := map[program.Value]bool{v: true}
	for i := int(v) + 1; i < len(p.Nodes); i++ {
		n := p.Nodes[i]
		if n.Layer != p.Nodes[v].Layer || n.Backward || !slices.ContainsFunc(n.In, func(u program.Value) bool { return reads[u] }) {
			continue
		}
		if sumsEdges(n.Op) {
			return true
		}
		reads[program.Value(i)] = true
	}
	return false
}

func sumsEdges(op program.Op) bool {
	switch o := program.BaseOf(op).(type) {
	case program.Aggregate:
		return o.Over.IsEdges()
	case program.SpMM, program.Walker:
		return true
	}
	return false
}

// layersText names layers in a sentence: "layer 0", "layers 1–3, 5".
func layersText(layers []int) string {
	slices.Sort(layers)
	var runs []string
	for i := 0; i < len(layers); {
		j := i
		for j+1 < len(layers) && layers[j+1] == layers[j]+1 {
			j++
		}
		run := fmt.Sprint(layers[i])
		if j > i {
			run = fmt.Sprintf("%d–%d", layers[i], layers[j])
		}
		runs, i = append(runs, run), j+1
	}
	if len(layers) == 1 {
		return "layer " + runs[0]
	}
	return "layers " + strings.Join(runs, ", ")
}
