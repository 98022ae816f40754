package analysis_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/weft-gnn/weft/analysis"
	"github.com/weft-gnn/weft/cost"
	"github.com/weft-gnn/weft/graph"
	"github.com/weft-gnn/weft/model"
	"github.com/weft-gnn/weft/program"
	"github.com/weft-gnn/weft/runtime"
	"github.com/weft-gnn/weft/tensor"
)

// each runs check for every model and mode on karate.
func each(t *testing.T, check func(t *testing.T, r analysis.Request)) {
	for _, m := range model.All() {
		for _, mode := range modes {
			t.Run(fmt.Sprintf("%s/%v", m.Name, mode), func(t *testing.T) { check(t, request(t, m, mode)) })
		}
	}
}

// TestTotalsAreSums: work and bytes of a stage are the sums over its operations
// and over its groups, as expressions and as values.
func TestTotalsAreSums(t *testing.T) {
	each(t, func(t *testing.T, r analysis.Request) {
		rep := reportOf(t, r.Model, r.Mode)
		for _, once := range []bool{true, false} {
			total := rep.Step
			if once {
				total = rep.Pre
			}
			var work, bytes, groupWork, groupBytes []cost.Expr
			ops := 0
			for _, o := range rep.Ops {
				if o.Once == once {
					work, bytes, ops = append(work, o.Work.Expr), append(bytes, o.Bytes.Expr), ops+1
				}
			}
			for _, g := range rep.Groups {
				if g.Once == once {
					groupWork, groupBytes, ops = append(groupWork, g.Work.Expr), append(groupBytes, g.Bytes.Expr), ops-g.Ops
				}
			}
			wantExpr(t, "work of operations", total.Work.Expr, cost.Add(work...))
			wantExpr(t, "bytes of operations", total.Bytes.Expr, cost.Add(bytes...))
			wantExpr(t, "work of groups", total.Work.Expr, cost.Add(groupWork...))
			wantExpr(t, "bytes of groups", total.Bytes.Expr, cost.Add(groupBytes...))
			if ops != 0 {
				t.Errorf("once %v: %d more operations than in groups", once, ops)
			}
		}
		wantExpr(t, "total work", rep.Total.Work.Expr, cost.Add(rep.Pre.Work.Expr, rep.Step.Work.Expr))
		wantExpr(t, "total depth", rep.Total.Depth.Expr, cost.Add(rep.Pre.Depth.Expr, rep.Step.Depth.Expr))
		if got, want := *rep.Total.Work.Value, *rep.Pre.Work.Value+*rep.Step.Work.Value+*rep.Post.Work.Value; got != want {
			t.Errorf("total work %d, the stages' %d", got, want)
		}
		if got, want := *rep.Step.Parallelism, float64(*rep.Step.Work.Value)/float64(*rep.Step.Depth.Value); got != want {
			t.Errorf("parallelism %v, want %v", got, want)
		}
	})
}

func wantExpr(t *testing.T, what string, got, want cost.Expr) {
	t.Helper()
	if !got.Equal(want) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

// TestStagesAreTheProgram: totals are those that package program states of the
// program that training and inference compile, and those that its kernels count.
func TestStagesAreTheProgram(t *testing.T) {
	each(t, func(t *testing.T, r analysis.Request) {
		r.Data.Features, r.Data.X = r.Data.X.Cols, tensor.Matrix{} // dense, as the kernels run below
		rep := analyze(t, r)
		w := model.NamedWidths(r.Data.Features, r.Data.Classes, r.Options)
		p := compile(t, r, r.Data.Graph, w, r.Data.Targets)
		wantExpr(t, "work", rep.Step.Work.Expr, p.Work(program.Step))
		wantExpr(t, "bytes", rep.Step.Bytes.Expr, p.Bytes(program.Step))
		wantExpr(t, "depth", rep.Step.Depth.Expr, p.Depth(program.Step))
		wantExpr(t, "work before", rep.Pre.Work.Expr, p.Work(program.Pre))
		wantExpr(t, "depth before", rep.Pre.Depth.Expr, p.Depth(program.Pre))
		pre, step := counted(t, p, r.Data.Graph, r.Data.Features, r.Data.Classes, int(r.Data.Targets))
		if pre.Work != *rep.Pre.Work.Value || pre.Bytes != *rep.Pre.Bytes.Value {
			t.Errorf("counted %+v before the step, the report says %d and %d", pre, *rep.Pre.Work.Value, *rep.Pre.Bytes.Value)
		}
		if step.Work != *rep.Step.Work.Value || step.Bytes != *rep.Step.Bytes.Value {
			t.Errorf("counted %+v in the step, the report says %d and %d", step, *rep.Step.Work.Value, *rep.Step.Bytes.Value)
		}
	})
}

// TestWeighted: edge weights add a product per edge, and are counted.
func TestWeighted(t *testing.T) {
	g, err := graph.FromCOO(3, []int32{0, 1, 2, 1}, []int32{1, 0, 1, 2}, []float32{2, 1, 0.5, 3}, graph.Policy{})
	if err != nil {
		t.Fatal(err)
	}
	for _, mode := range modes {
		m := byName(t, "gcn")
		r := analysis.Request{Model: m, Options: m.Defaults, Mode: mode, Data: analysis.Data{Name: "weighted", Graph: g, Features: 4, Classes: 2, Targets: 2}}
		rep := analyze(t, r)
		p := compile(t, r, g, model.NamedWidths(4, 2, r.Options), 2)
		pre, step := counted(t, p, g, 4, 2, 2)
		if pre.Work != *rep.Pre.Work.Value || step.Work != *rep.Step.Work.Value || step.Bytes != *rep.Step.Bytes.Value {
			t.Errorf("%v: counted %+v and %+v, the report says %d, %d and %d bytes",
				mode, pre, step, *rep.Pre.Work.Value, *rep.Step.Work.Value, *rep.Step.Bytes.Value)
		}
	}
}

// TestMemoryIsTheArena: in inference a session's arena is as large as stated.
func TestMemoryIsTheArena(t *testing.T) {
	for _, m := range model.All() {
		r := request(t, m, analysis.Inference)
		r.Data.Features, r.Data.X = r.Data.X.Cols, tensor.Matrix{}
		rep := analyze(t, r)
		p := compile(t, r, r.Data.Graph, model.NamedWidths(r.Data.Features, r.Data.Classes, r.Options), 0)
		s, err := runtime.New(r.Data.Graph, runtime.Options{}, p)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := rep.Memory.ArenaBytes, s.ArenaBytes(); got != want {
			t.Errorf("%s: the arena has %d bytes, want %d", m.Name, got, want)
		}
		s.Close()
		if got, want := rep.Memory.InputBytes, int64(4*34*34); got != want {
			t.Errorf("%s: the input has %d bytes, want %d", m.Name, got, want)
		}
		if got := *rep.Total.MemoryBytes; got != rep.Memory.RankBytes || rep.Memory.GraphBytes < 8*35+4*156 {
			t.Errorf("%s: %d bytes in total, %+v", m.Name, got, rep.Memory)
		}
	}
}

// TestGraphBytes: rows and arcs; with added loops a block beside them. A symmetric
// graph is its own index by source in training, and nobody reads which edge is which.
func TestGraphBytes(t *testing.T) {
	bytes := func(name string, mode analysis.Mode) int64 {
		r := request(t, byName(t, name), mode)
		r.Data.Features, r.Data.X = r.Data.X.Cols, tensor.Matrix{}
		r.Data.Graph.Listing = nil
		return analyze(t, r).Memory.GraphBytes
	}
	const n, m, loops = 34, 156, 190
	arcs := int64(8*(n+1) + 4*m)
	added := int64(8*(n+1) + 4*loops)
	for _, c := range []struct {
		name string
		mode analysis.Mode
		want int64
	}{
		{"gin", analysis.Inference, arcs},
		{"gcn", analysis.Inference, arcs + added},
		{"gin", analysis.Training, arcs},
		{"gcn", analysis.Training, arcs + added},
	} {
		if got := bytes(c.name, c.mode); got != c.want {
			t.Errorf("%s, %v: the graph takes %d bytes, want %d", c.name, c.mode, got, c.want)
		}
	}
}

// TestSparseInput: an input that is mostly zero is counted, and kept as its
// entries where that costs less.
func TestSparseInput(t *testing.T) {
	r := request(t, byName(t, "gcn"), analysis.Training)
	rep := reportOf(t, r.Model, r.Mode)
	if v, ok := rep.Symbols.Value("nnz"); !ok || v != 34 {
		t.Errorf("the identity has %d entries (%v), want 34", v, ok)
	}
	i := slices.IndexFunc(rep.Tensors, func(x analysis.Tensor) bool { return x.Name == program.SparseEntries })
	if i < 0 {
		t.Fatalf("the input is not sparse: %+v", rep.Tensors)
	}
	if got, want := *rep.Tensors[i].Density, 1.0/34; got != want {
		t.Errorf("its density is %v, want %v", got, want)
	}
	r.Skip = map[string]bool{"sparse": true}
	dense := analyze(t, r)
	if *dense.Step.Work.Value <= *rep.Step.Work.Value {
		t.Errorf("dense features cost %d operations, sparse ones %d", *dense.Step.Work.Value, *rep.Step.Work.Value)
	}
}

// TestDensity: values on edges are as dense as A, all others are dense.
func TestDensity(t *testing.T) {
	r := request(t, byName(t, "gat"), analysis.Inference)
	r.Formulation = analysis.Local
	rep, onEdges := analyze(t, r), 0
	for _, o := range rep.Ops {
		want := 1.0
		switch o.Space {
		case program.LoopEdges.String():
			want, onEdges = float64(156+34)/(34*34), onEdges+1
		case program.Entries.String():
			want = 1.0 / 34
		}
		if math.Abs(*o.Density-want) > 1e-15 {
			t.Errorf("%s has density %v, want %v", o.Op, *o.Density, want)
		}
		if got := o.Shape.Value[0] * o.Shape.Value[1]; got != *o.NNZ.Value {
			t.Errorf("%s has shape %v and %d values", o.Op, *o.Shape.Value, *o.NNZ.Value)
		}
	}
	if onEdges == 0 {
		t.Error("gat has no values on edges")
	}
}

// TestWithoutData: expressions stand, values do not.
func TestWithoutData(t *testing.T) {
	each(t, func(t *testing.T, r analysis.Request) {
		r.Data = analysis.Data{}
		rep := analyze(t, r)
		if rep.Data != nil || rep.Graph != nil || rep.Memory != nil || rep.Total.MemoryBytes != nil || rep.Step.Parallelism != nil {
			t.Error("there are values without data")
		}
		for _, o := range rep.Ops {
			for _, q := range []analysis.Quantity{o.Work, o.Depth, o.Bytes, o.NNZ} {
				if q.Value != nil {
					t.Errorf("%s has the value %d of %v without data", o.Op, *q.Value, q.Expr)
				}
			}
		}
		if rep.Step.Work.Expr.IsZero() || rep.Step.Work.Value != nil {
			t.Errorf("the step's work is %v, %v", rep.Step.Work.Expr, rep.Step.Work.Value)
		}
		for name, want := range map[string]int64{"k": int64(r.Options.Hidden), "k_in": int64(r.Options.Hidden), "L": 2} {
			if v, ok := rep.Symbols.Value(name); !ok || v != want {
				t.Errorf("%s is %d (%v), want %d", name, v, ok, want)
			}
		}
		if v, ok := rep.Symbols.Value("n"); ok {
			t.Errorf("n is %d without data", v)
		}
		if len(rep.Conditions) == 0 {
			t.Error("no condition is stated")
		}
	})
}

// TestLocalFormulation: without fusing, messages are rows of edges: the work is
// the same, the bytes are more.
func TestLocalFormulation(t *testing.T) {
	for _, name := range []string{"gcn", "sage", "gin", "gat"} {
		r := request(t, byName(t, name), analysis.Inference)
		global := reportOf(t, r.Model, r.Mode)
		r.Formulation = analysis.Local
		local := analyze(t, r)
		if global.Formulation != analysis.Global || local.Formulation != analysis.Local {
			t.Errorf("%s: formulations %v and %v", name, global.Formulation, local.Formulation)
		}
		wantExpr(t, name+": work", local.Step.Work.Expr, global.Step.Work.Expr)
		if *local.Step.Bytes.Value <= *global.Step.Bytes.Value {
			t.Errorf("%s: local moves %d bytes, global %d", name, *local.Step.Bytes.Value, *global.Step.Bytes.Value)
		}
		for _, p := range local.Passes {
			if p.Pass == "fuse" || p.Pass == "attend" {
				t.Errorf("%s: local is fused by %s", name, p.Pass)
			}
		}
	}
	if f := reportOf(t, byName(t, "mlp"), analysis.Inference).Formulation; f != analysis.NoMessages {
		t.Errorf("mlp is %v", f)
	}
}

// TestPassesEndAtTheProgram: the first line is the declaration, the last one the
// program that runs; every line in between is a whole program.
func TestPassesEndAtTheProgram(t *testing.T) {
	each(t, func(t *testing.T, r analysis.Request) {
		rep := reportOf(t, r.Model, r.Mode)
		last := rep.Passes[len(rep.Passes)-1]
		wantExpr(t, "work after the last pass", last.Work.Expr, rep.Step.Work.Expr)
		wantExpr(t, "bytes after the last pass", last.Bytes.Expr, rep.Step.Bytes.Expr)
		r.Skip = map[string]bool{"none": true}
		declared := analyze(t, r)
		wantExpr(t, "work before the first pass", rep.Passes[0].Work.Expr, declared.Step.Work.Expr)
		if len(declared.Passes) != 1 {
			t.Errorf("%d lines where no pass runs", len(declared.Passes))
		}
		if *last.Bytes.Value >= *rep.Passes[0].Bytes.Value {
			t.Errorf("passes save nothing: %d bytes, then %d", *rep.Passes[0].Bytes.Value, *last.Bytes.Value)
		}
	})
}
