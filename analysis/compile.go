package analysis

import (
	"maps"

	"github.com/weft-gnn/weft/cost"
	"github.com/weft-gnn/weft/graph"
	"github.com/weft-gnn/weft/model"
	"github.com/weft-gnn/weft/program"
)

// Symbols besides those of package cost.
const (
	targets  = "t"   // rows that a loss compares
	present  = "τ"   // their values that are not missing
	nonzeros = "nnz" // entries of X that are not zero
)

// study is a request with its defaults filled in and the sizes it is made at.
type study struct {
	Request
	given Request
	// sizes are the values of every symbol but the widths: the graph's, or those
	// that the passes suppose without one.
	sizes cost.Env
}

func (r Request) study() (study, error) {
	if err := r.Validate(); err != nil {
		return study{}, err
	}
	s := study{Request: r.withDefaults(), given: r}
	if r.Data.Graph == nil {
		s.sizes = s.supposed(supposedDegree)
	} else {
		s.sizes = sizesOf(r.Data.Graph)
		s.targets(s.sizes)
		if r.Data.X.Cols > 0 {
			s.sizes[nonzeros] = program.Nonzeros(r.Data.X)
		}
	}
	return s, nil
}

// subject is a model declared and compiled at some sizes.
type subject struct {
	widths             model.Widths
	declared, compiled *program.Program
	// facts are what the passes chose by; Env has every symbol.
	facts program.Facts
}

// compile declares the model with widths w and runs the passes at sizes.
func (r Request) compile(w model.Widths, sizes cost.Env) (subject, error) {
	declared, err := r.declare(w)
	if err != nil {
		return subject{}, err
	}
	s := subject{widths: w, declared: declared, facts: r.facts(declared, sizes)}
	s.compiled, err = program.Compile(declared, s.facts, nil)
	if err == nil && r.Data.Graph != nil {
		s.compiled.CountChunks(program.ExtentOf(r.Data.Graph, s.compiled), s.facts.Env)
	}
	return s, err
}

func (r Request) declare(w model.Widths) (*program.Program, error) {
	if r.Mode == Training {
		return r.Model.Objective(w, r.Options, r.Loss, r.Decay)
	}
	return r.Model.Declare(w, r.Options)
}

func (r Request) facts(p *program.Program, sizes cost.Env) program.Facts {
	f := program.Facts{
		Env:       maps.Clone(sizes),
		Weighted:  r.Data.Graph != nil && r.Data.Graph.Weight != nil,
		Steps:     r.Steps,
		FoldBytes: r.FoldBytes,
		Storage:   r.Storage,
		Skip:      maps.Clone(r.Skip),
	}
	p.Widths(f.Env)
	if r.Plan != nil {
		f.Distribution = r.Plan.Distribution(r.rank)
		f.Distribution.Bound(f.Env)
		f.Symmetric = f.Distribution.Mirrors() && (r.Data.Graph == nil || r.Data.Graph.Block().SymmetricWeights())
	}
	if r.Mode == Training {
		f.Optimizer = &r.Optimizer
	}
	for _, pass := range optional() {
		if r.skips(pass) {
			f.Skip = with(f.Skip, pass)
		}
	}
	return f
}

// fusing passes make one operation of a message and its sum, or one stage of all
// operations on edges between.
var fusing = []string{"attend", "fuse", "chunk"}

// with returns set and names; it may write to set.
func with(set map[string]bool, names ...string) map[string]bool {
	if set == nil {
		set = map[string]bool{}
	}
	for _, n := range names {
		set[n] = true
	}
	return set
}

// Without a graph, passes choose as they would for so many vertices of so many
// in-arcs each.
const (
	supposedVertices = 1 << 20
	supposedDegree   = 16
)

func (r Request) supposed(degree int64) cost.Env {
	env := cost.Env{
		cost.Vertices: supposedVertices, cost.Arcs: degree * supposedVertices, cost.Loops: 0,
		cost.ArcsWithLoops: (degree + 1) * supposedVertices,
		cost.Degree:        degree, cost.OutDegree: degree,
		cost.DegreeWithLoops: degree + 1, cost.OutWithLoops: degree + 1,
	}
	r.targets(env)
	return env
}

// targets adds what the loss compares.
func (r Request) targets(env cost.Env) {
	env[targets], env[present] = r.Data.Targets, r.Data.Present
	if r.Data.Targets == 0 && r.Data.Items == nil {
		env[targets] = env[cost.Vertices]
	}
	if r.Data.Present == 0 {
		env[present] = env[targets] * int64(r.Data.Classes)
	}
}

// sizesOf returns the sizes of both edge spaces of g, by the symbols of package
// program's extents.
func sizesOf(g *graph.Graph) cost.Env {
	env, s := program.Extent{N: g.Block()}.Env(), g.Stats()
	env[cost.ArcsWithLoops] = env[cost.Arcs] + env[cost.Vertices]
	env[cost.DegreeWithLoops] = int64(s.In.Max) + 1
	env[cost.OutWithLoops] = int64(s.Out.Max) + 1
	return env
}
