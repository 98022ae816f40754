package analysis_test

import (
	"context"
	"sync"
	"testing"

	"github.com/weft-gnn/weft/analysis"
	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/dataset/source"
	"github.com/weft-gnn/weft/graph"
	"github.com/weft-gnn/weft/internal/rng"
	"github.com/weft-gnn/weft/kernel"
	"github.com/weft-gnn/weft/model"
	"github.com/weft-gnn/weft/program"
	"github.com/weft-gnn/weft/runtime"
	"github.com/weft-gnn/weft/tensor"
)

var modes = []analysis.Mode{analysis.Inference, analysis.Training}

// karate is the embedded set: 34 vertices, 78 undirected edges, two classes.
func karate(t testing.TB) (analysis.Data, model.Loss) {
	t.Helper()
	d, err := source.Open(context.Background(), "karate", dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return analysis.DataOf(d)
}

// request asks for a model on karate with its defaults.
func request(t testing.TB, m model.Model, mode analysis.Mode) analysis.Request {
	t.Helper()
	r := analysis.Request{Model: m, Options: m.Defaults, Mode: mode, Decay: model.Decay{Lambda: 5e-4, FirstLayer: true}}
	r.Data, r.Loss = karate(t)
	return r
}

func analyze(t testing.TB, r analysis.Request) *analysis.Report {
	t.Helper()
	rep, err := analysis.Analyze(r)
	if err != nil {
		t.Fatal(err)
	}
	return rep
}

// reportOf returns the report of request, made once for all tests, which read it only.
func reportOf(t testing.TB, m model.Model, mode analysis.Mode) *analysis.Report {
	t.Helper()
	key := m.Name + mode.String()
	if rep, ok := reports.Load(key); ok {
		return rep.(*analysis.Report)
	}
	rep := analyze(t, request(t, m, mode))
	reports.Store(key, rep)
	return rep
}

var reports sync.Map

func byName(t testing.TB, name string) model.Model {
	t.Helper()
	m, err := model.ByName(name)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// randomGraph has n vertices and m arcs drawn one by one; some are loops, some
// are parallel and merge.
func randomGraph(t testing.TB, s *rng.Stream, n, m int) *graph.Graph {
	t.Helper()
	src, dst := make([]int32, m), make([]int32, m)
	for e := range src {
		src[e], dst[e] = int32(s.Uint32n(uint32(n))), int32(s.Uint32n(uint32(n)))
	}
	g, err := graph.FromCOO(n, src, dst, nil, graph.Policy{})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// compile compiles r's model for a graph as training and inference do.
func compile(t testing.TB, r analysis.Request, g *graph.Graph, w model.Widths, targets int64) *program.Program {
	t.Helper()
	f := program.Facts{Steps: 1}
	declared, err := r.Model.Declare(w, r.Options)
	if r.Mode == analysis.Training {
		declared, err = r.Model.Objective(w, r.Options, r.Loss, r.Decay)
		f = program.Facts{Steps: 200, FoldBytes: 1 << 30, Optimizer: &r.Optimizer}
	}
	if err != nil {
		t.Fatal(err)
	}
	f.Env = program.ExtentOf(g, declared).Env()
	declared.Widths(f.Env)
	f.Env["t"], f.Env["τ"] = targets, targets
	f.Skip, f.Weighted = r.Skip, g.Weight != nil
	p, err := program.Compile(declared, f, nil)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// counted runs one step of p on random features, the first t vertices being
// targets, and returns what the kernels counted before the step and in it.
func counted(t testing.TB, p *program.Program, g *graph.Graph, width, classes, targets int) (pre, step runtime.Counted) {
	t.Helper()
	s, err := runtime.New(g, runtime.Options{Seed: 1}, p)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	x, draw := tensor.New(g.N, width), rng.Key{Seed: 3, Purpose: rng.Test}.Stream(1)
	for i := range x.Data {
		x.Data[i] = float32(draw.Normal())
	}
	if err := s.Bind("x", x); err != nil {
		t.Fatal(err)
	}
	if p.Reads("lr") {
		if err := s.Bind("lr", tensor.Of(1, 1, []float32{0.01})); err != nil {
			t.Fatal(err)
		}
	}
	target := program.Target{Items: kernel.Items{Total: int64(targets)}, Class: make([]int32, g.N)}
	for v := range g.N {
		target.Class[v] = int32(v % classes)
		if v < targets {
			target.Rows = append(target.Rows, int32(v))
		}
	}
	if pre, err = s.Prelude(0); err != nil {
		t.Fatal(err)
	}
	if step, err = s.Run(0, 0, target); err != nil {
		t.Fatal(err)
	}
	return pre, step
}
