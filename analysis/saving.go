package analysis

import (
	"maps"
	"slices"

	"github.com/weft-gnn/weft/cost"
	"github.com/weft-gnn/weft/program"
)

// PassCost is what the program costs with a pass and all before it, those after
// it left out: so that each line is a whole program, and two lines differ by one
// pass.
type PassCost struct {
	// Pass is the pass's name; "none" is the program as declared.
	Pass string `json:"pass"`
	Doc  string `json:"doc"`
	// Changed says that the pass changed the program.
	Changed bool `json:"changed"`
	// PreWork and PreBytes are those of what runs once.
	PreWork  Quantity `json:"pre_work"`
	PreBytes Quantity `json:"pre_bytes"`
	Work     Quantity `json:"work"`
	Bytes    Quantity `json:"bytes"`
}

// savings compiles the model with one optional pass after the other; all of them
// make s.
func (r study) savings(a at, s subject) ([]PassCost, error) {
	var out []PassCost
	later := with(nil, optional()...)
	text := ""
	for _, pass := range append([]program.Pass{{Name: "none", Doc: "as declared"}}, program.Passes()...) {
		if pass.Needed || pass.Name != "none" && r.skips(pass.Name) {
			continue
		}
		delete(later, pass.Name)
		p := s.compiled
		if r.anyRuns(later) {
			sub := r.Request
			sub.Formulation, sub.Skip = Global, maps.Clone(later) // what r skips is skipped here too
			prefix, err := sub.compile(s.widths, r.sizes)
			if err != nil {
				return nil, err
			}
			p = prefix.compiled
		}
		line := PassCost{Pass: pass.Name, Doc: pass.Doc, Changed: pass.Name != "none" && p.String() != text}
		if err := a.passCost(p, &line); err != nil {
			return nil, err
		}
		text = p.String()
		out = append(out, line)
	}
	return out, nil
}

// anyRuns reports whether r runs one of some passes.
func (r Request) anyRuns(passes map[string]bool) bool {
	for pass := range passes {
		if !r.skips(pass) {
			return true
		}
	}
	return false
}

// skips reports whether r leaves out an optional pass. Chunks are of the sizes
// of a graph.
func (r Request) skips(pass string) bool {
	return r.Skip["none"] || r.Skip[pass] || r.Formulation == Local && slices.Contains(fusing, pass) ||
		r.Data.Graph == nil && pass == "chunk"
}

func (a at) passCost(p *program.Program, to *PassCost) (err error) {
	for _, part := range []struct {
		to *Quantity
		e  cost.Expr
	}{
		{&to.PreWork, p.Work(program.Pre)}, {&to.PreBytes, p.Bytes(program.Pre)},
		{&to.Work, p.Work(program.Step)}, {&to.Bytes, p.Bytes(program.Step)},
	} {
		if *part.to, err = a.quantity(part.e); err != nil {
			return err
		}
	}
	return nil
}
