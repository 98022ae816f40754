package analysis

import (
	"github.com/weft-gnn/weft/model"
	"github.com/weft-gnn/weft/program"
)

// Explanation is a program before and after each pass; its JSON is what
// `weft explain --json` prints.
type Explanation struct {
	Model string  `json:"model"`
	Data  *string `json:"data"`
	Mode  Mode    `json:"mode"`
	// Steps holds the declaration, then what each pass that changed it left.
	Steps []Step `json:"steps"`
	// Passes says what each optional pass saves.
	Passes []PassCost `json:"passes"`
}

// Step is a program as a pass left it.
type Step struct {
	Pass    string `json:"pass"` // "none" is the program as declared
	Doc     string `json:"doc"`
	Program string `json:"program"`
}

// Explain compiles the requested model and returns its program before and after
// each pass.
//
// Errors: as [Analyze].
func Explain(r Request) (*Explanation, error) {
	s, err := r.study()
	if err != nil {
		return nil, err
	}
	x := subject{widths: model.NamedWidths(s.Data.Features, s.Data.Classes, s.Options)}
	if x.declared, err = s.declare(x.widths); err != nil {
		return nil, err
	}
	e := &Explanation{Model: s.Model.Name, Mode: s.Mode, Steps: []Step{{"none", "as declared", x.declared.String()}}}
	x.facts = s.facts(x.declared, s.sizes)
	x.compiled, err = program.Compile(x.declared, x.facts, func(t program.Traced) {
		e.Steps = append(e.Steps, Step{t.Pass.Name, t.Pass.Doc, t.Program.String()})
	})
	if err != nil {
		return nil, err
	}
	var a at
	if s.Data.Graph != nil {
		x.compiled.CountChunks(program.ExtentOf(s.Data.Graph, x.compiled), x.facts.Env)
		a.env, e.Data = x.facts.Env, &s.Data.Name
	}
	e.Passes, err = s.savings(a, x)
	return e, err
}
