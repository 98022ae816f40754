package analysis_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/weft-gnn/weft/analysis"
	"github.com/weft-gnn/weft/internal/rng"
	"github.com/weft-gnn/weft/kernel"
	"github.com/weft-gnn/weft/model"
	"github.com/weft-gnn/weft/program"
	"github.com/weft-gnn/weft/runtime"
)

// edgeConv has messages that are dense functions of both ends.
var edgeConv = model.Model{
	Name: "edgeconv", Activation: kernel.Func{Kind: kernel.ReLU},
	Defaults: model.Options{Layers: 2, Hidden: 64, Heads: 1, OutHeads: 1, Depth: 1},
	Layer: func(b *program.Builder, h program.Value, l model.Layer) program.Value {
		to := b.Scatter(h, program.Dst, program.Edges)
		e := b.ReLU(b.Affine(b.Concat(to, b.Sub(b.Scatter(h, program.Src, program.Edges), to)), l.Out))
		return b.Sum(e, program.Dst)
	},
}

// TestChunks: stages of edges that do not fit a cache are analysed as they run,
// chunk by chunk: what is counted, the arena, and what chunks are there for. In
// training the price of the memory is forward's work on edges once more.
func TestChunks(t *testing.T) {
	g := randomGraph(t, rng.Key{Seed: 2, Purpose: rng.Test}.Stream(1), 2000, 60_000)
	r := analysis.Request{Model: edgeConv, Options: edgeConv.Defaults, Data: analysis.Data{Name: "random", Graph: g, Features: 64, Classes: 64}}
	rep := analyze(t, r)
	p := compile(t, r, g, model.NamedWidths(64, 64, r.Options), 0)
	_, step := counted(t, p, g, 64, 64, 0)
	if len(p.Regions) != 2 || step.Work != *rep.Step.Work.Value || step.Bytes != *rep.Step.Bytes.Value {
		t.Errorf("counted %+v, the report says %v and %v of\n%v", step, *rep.Step.Work.Value, *rep.Step.Bytes.Value, p)
	}
	s, err := runtime.New(g, runtime.Options{}, p)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if got, want := rep.Memory.ArenaBytes, s.ArenaBytes(); got != want {
		t.Errorf("the arena has %d bytes, want %d", got, want)
	}
	chunks, found := int64(0), false
	for _, x := range rep.Symbols {
		if strings.HasPrefix(x.Meaning, "chunks of up to ") {
			chunks, found = *x.Value, true
		}
	}
	if !found || chunks < int64(len(g.Src)/p.Regions[0].Edges) {
		t.Errorf("%d chunks among %v", chunks, rep.Symbols)
	}
	whole := r
	whole.Skip = map[string]bool{"chunk": true}
	once := analyze(t, whole)
	if *once.Step.Work.Value != *rep.Step.Work.Value || once.Memory.ArenaBytes < 4*rep.Memory.ArenaBytes {
		t.Errorf("at once: work %d and arena %d, in chunks %d and %d", *once.Step.Work.Value, once.Memory.ArenaBytes, *rep.Step.Work.Value, rep.Memory.ArenaBytes)
	}
}

// TestChunksInTraining: recomputation counts again; laws are those of a stage
// that runs at once.
func TestChunksInTraining(t *testing.T) {
	g := randomGraph(t, rng.Key{Seed: 2, Purpose: rng.Test}.Stream(1), 2000, 150_000)
	r := analysis.Request{Model: edgeConv, Options: edgeConv.Defaults, Mode: analysis.Training, Data: analysis.Data{Graph: g, Features: 64, Classes: 64}}
	rep := analyze(t, r)
	r.Skip = map[string]bool{"chunk": true}
	once := analyze(t, r)
	m, k := int64(len(g.Src)), int64(64)
	// the product with its bias and activation, and the difference of both ends, per layer
	if got, want := *rep.Step.Work.Value-*once.Step.Work.Value, 2*m*(2*2*k*k+2*k+k); got != want {
		t.Errorf("%d operations more in chunks, want %d", got, want)
	}
	if rep.Memory.ArenaBytes*10 > once.Memory.ArenaBytes {
		t.Errorf("an arena of %d bytes, %d at once", rep.Memory.ArenaBytes, once.Memory.ArenaBytes)
	}
	wantExpr(t, "work of any layers", rep.Formula.Step.Work.Expr, once.Formula.Step.Work.Expr)
}

// TestExplainChunks shows regions.
func TestExplainChunks(t *testing.T) {
	g := randomGraph(t, rng.Key{Seed: 2, Purpose: rng.Test}.Stream(1), 2000, 60_000)
	e, err := analysis.Explain(analysis.Request{Model: edgeConv, Options: edgeConv.Defaults, Data: analysis.Data{Graph: g}})
	if err != nil {
		t.Fatal(err)
	}
	last := e.Steps[len(e.Steps)-1]
	if last.Pass != "chunk" || strings.Count(last.Program, "  for chunks of ") != 2 {
		t.Errorf("%s leaves\n%s", last.Pass, last.Program)
	}
	at := slices.IndexFunc(e.Passes, func(p analysis.PassCost) bool { return p.Pass == "chunk" })
	if at < 1 || !e.Passes[at].Changed || *e.Passes[at].Bytes.Value <= *e.Passes[at-1].Bytes.Value {
		t.Errorf("pass %d of %+v chunks", at, e.Passes)
	}
}
