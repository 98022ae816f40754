package analysis

import (
	"cmp"

	"github.com/weft-gnn/weft/cost"
	"github.com/weft-gnn/weft/program"
)

// Tensor is a value that is stored, not computed: the graph's matrices, the
// input and the parameters.
type Tensor struct {
	Name  string   `json:"name"`
	Shape Shape    `json:"shape"`
	NNZ   Quantity `json:"nnz"`
	// Density is nnz/(rows × columns); null where it is not known.
	Density *float64 `json:"density"`
}

// tensors lists A, A + I where the program reads it, inputs and parameters.
func (a at) tensors(p *program.Program) ([]Tensor, error) {
	var out []Tensor
	for _, s := range []struct {
		name  string
		space program.Space
	}{{"A", program.Edges}, {"A + I", program.LoopEdges}} {
		if !readsEdges(p, s.space) {
			continue
		}
		nnz, err1 := a.quantity(program.Type{Space: s.space}.RowCount())
		n, err2 := a.quantity(cost.Sym(cost.Vertices))
		if err := cmp.Or(err1, err2); err != nil {
			return nil, err
		}
		t := Tensor{Name: s.name, Shape: Shape{Expr: "n × n"}, NNZ: nnz}
		if n.Value != nil {
			t.Shape.Value = &[2]int64{*n.Value, *n.Value}
			density := share(*nnz.Value, *n.Value, *n.Value)
			t.Density = &density
		}
		out = append(out, t)
	}
	for _, n := range p.Nodes {
		t := Tensor{}
		switch op := n.Op.(type) {
		case program.Input:
			t.Name = op.Name
		case program.Param:
			t.Name = op.Name
		default:
			continue
		}
		var err error
		if t.Shape, t.NNZ, t.Density, err = a.shape(n.Type); err != nil {
			return nil, err
		}
		out = append(out, t)
	}
	return out, nil
}

// readsEdges reports whether p has values on the edges of s or walks them.
func readsEdges(p *program.Program, s program.Space) bool {
	for _, n := range p.Nodes {
		over := n.Type.Space
		switch o := program.BaseOf(n.Op).(type) {
		case program.SpMM:
			over = o.Over
		case program.Walker:
			over, _, _ = o.Walk()
		}
		if over == s {
			return true
		}
	}
	return false
}
