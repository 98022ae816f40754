package analysis_test

import (
	"testing"

	"github.com/weft-gnn/weft/analysis"
	"github.com/weft-gnn/weft/cost"
	"github.com/weft-gnn/weft/model"
	"github.com/weft-gnn/weft/program"
)

const (
	same    = analysis.Relation(cost.Same)
	smaller = analysis.Relation(cost.Smaller)
	larger  = analysis.Relation(cost.Larger)
)

var (
	n, m, d, k = cost.Sym("n"), cost.Sym("m"), cost.Sym("d"), cost.Sym("k")
	l, mlps    = cost.Sym("L"), cost.Sym("K")
)

// printed is a row of [PDG]'s tables, for L layers, as the paper prints it.
type printed struct {
	name        string
	work, depth cost.Expr
	// verdict compares what weft's program does with it.
	verdict analysis.Relation
}

func rows() []printed {
	edges, dense := cost.Mul(l, m, k), cost.Mul(l, n, k, k)
	logs := cost.Add(cost.Mul(l, cost.Log2(k)), cost.Mul(l, cost.Log2(d)))
	return []printed{
		{"gcn", cost.Add(edges, dense), logs, same},
		{"sage", cost.Add(edges, dense), logs, same},
		{"gin", cost.Add(edges, cost.Mul(mlps, dense)), cost.Add(cost.Mul(l, mlps, cost.Log2(k)), cost.Mul(l, cost.Log2(d))), same},
		{"gat", cost.Add(cost.Mul(l, m, d, k, k), dense), logs, smaller},
	}
}

// TestPDGWork, [PDG] Tables 6 and 7, work: what weft's programs do in one forward
// pass is the bound up to constants, and for gat less: the paper computes the
// softmax's denominator on every edge.
func TestPDGWork(t *testing.T) {
	for _, row := range rows() {
		rep := reportOf(t, byName(t, row.name), analysis.Inference)
		wantExpr(t, row.name+": the paper's work", rep.Bound.Paper.Work, row.work)
		if rep.Verdict.Paper.Work != row.verdict {
			t.Errorf("%s: the work is %v, want %v: %v against %v", row.name, rep.Verdict.Paper.Work, row.verdict, rep.Bound.Derived.Work, row.work)
		}
		if rep.Verdict.Weft.Work != same {
			t.Errorf("%s: the work is %v than what weft promises", row.name, rep.Verdict.Weft.Work)
		}
		if got := cost.BoundWithin(rep.Bound.Derived.Work, row.work); analysis.Relation(got) != row.verdict {
			t.Errorf("%s: the derived bound %v is %v than the paper's", row.name, rep.Bound.Derived.Work, got)
		}
	}
}

// TestPDGDepth, [PDG] Tables 6 and 7, depth: the same for all.
func TestPDGDepth(t *testing.T) {
	for _, row := range rows() {
		rep := reportOf(t, byName(t, row.name), analysis.Inference)
		wantExpr(t, row.name+": the paper's depth", rep.Bound.Paper.Depth, row.depth)
		if rep.Verdict.Paper.Depth != same || rep.Verdict.Weft.Depth != same {
			t.Errorf("%s: the depth is %v and %v: %v against %v", row.name, rep.Verdict.Paper.Depth, rep.Verdict.Weft.Depth, rep.Bound.Derived.Depth, row.depth)
		}
		if rep.Verdict.Paper.DepthButRows != nil {
			t.Errorf("%s: inference is compared with training's bound", row.name)
		}
	}
}

// TestPDGTraining: a training step does the same work up to constants, and is
// deeper by one log n, not by one per layer: the gradients of weights.
func TestPDGTraining(t *testing.T) {
	for _, row := range rows() {
		rep := reportOf(t, byName(t, row.name), analysis.Training)
		v := rep.Verdict.Paper
		if v.Work != row.verdict || v.Depth != larger || *v.DepthButRows != same {
			t.Errorf("%s: work %v, depth %v, without log n %v: %v and %v", row.name, v.Work, v.Depth, *v.DepthButRows, rep.Bound.Derived.Work, rep.Bound.Derived.Depth)
		}
		wantExpr(t, row.name+": derived depth", cost.Sub(rep.Bound.Derived.Depth, cost.Log2(n)).Subst(unhatted), row.depth)
	}
}

// unhatted writes a bound over N̂ as one over N.
var unhatted = map[string]cost.Expr{cost.DegreeWithLoops: d, cost.ArcsWithLoops: m}

// TestPDGMessage, [PDG] Table 5: ψ alone, per edge. sage and gin read a row and
// compute nothing; gat's score is one addition per head.
func TestPDGMessage(t *testing.T) {
	one := cost.Int(1)
	for _, row := range []struct {
		name        string
		work, depth cost.Expr // the paper's
		own         cost.Expr // weft's, exactly
		rounds      int64     // weft's depth, exactly
	}{
		{"gcn", k, one, k, 1},
		{"sage", one, one, cost.Int(0), 0},
		{"gin", one, one, cost.Int(0), 0},
		{"gat", cost.Mul(d, k, k), cost.Add(cost.Log2(k), cost.Log2(d)), cost.Add(k, cost.Scale(5, cost.Sym("H"))), 6},
	} {
		p := reportOf(t, byName(t, row.name), analysis.Inference).Parts
		wantExpr(t, row.name+": the paper's work", p.Paper.Work, row.work)
		wantExpr(t, row.name+": the paper's depth", p.Paper.Depth, row.depth)
		wantExpr(t, row.name+": work", p.Message.Work, row.own)
		wantExpr(t, row.name+": depth", p.Message.Depth, cost.Int(row.rounds))
		oneHead := p.Message.Work.Subst(map[string]cost.Expr{"H": one})
		if r := cost.BoundWithin(oneHead, row.work); r != cost.Same && r != cost.Smaller {
			t.Errorf("%s: ψ takes %v, %v than the paper's %v", row.name, p.Message.Work, r, row.work)
		}
	}
}

// TestPDGKernels, [PDG] Table 4: four kernels a layer, each ending in a
// superstep, forward and again backward; one rank has none.
func TestPDGKernels(t *testing.T) {
	for _, name := range []string{"gcn", "sage", "gin", "gat"} {
		for _, mode := range modes {
			rep := reportOf(t, byName(t, name), mode)
			want := int64(4 * 2)
			if mode == analysis.Training {
				want *= 2
			}
			if got := *rep.Bound.Paper.Supersteps.Value; got != want {
				t.Errorf("%s, %v: the paper has %d supersteps, want %d", name, mode, got, want)
			}
			if *rep.Total.Supersteps.Value != 0 || *rep.Total.Messages.Value != 0 || *rep.Total.Words.Value != 0 {
				t.Errorf("%s, %v: one rank communicates", name, mode)
			}
		}
	}
	for name, want := range map[string]int{"gcn": 4, "gat": 4, "sage": 3, "gin": 3, "mlp": 1} {
		if got := reportOf(t, byName(t, name), analysis.Inference).Kernels; len(got) != want {
			t.Errorf("%s has the kernels %v, want %d", name, got, want)
		}
	}
}

// TestNoPaperBound: the paper has no row for a model without edges.
func TestNoPaperBound(t *testing.T) {
	for _, mode := range modes {
		rep := reportOf(t, byName(t, "mlp"), mode)
		if rep.Bound.Paper != nil || rep.Verdict.Paper != nil || rep.Parts.Paper != nil {
			t.Errorf("%v: the paper says something of mlp: %+v", mode, rep.Bound.Paper)
		}
		if rep.Verdict.Weft.Work != same {
			t.Errorf("%v: the work is %v than what weft promises", mode, rep.Verdict.Weft.Work)
		}
	}
}

// TestExceeds: a model that does more than its bound is found out.
func TestExceeds(t *testing.T) {
	m := byName(t, "gcn")
	m.Layer = func(b *program.Builder, h program.Value, l model.Layer) program.Value {
		e := b.Scatter(h, program.Src, program.LoopEdges)
		e = b.Mul(e, b.Scatter(h, program.Dst, program.LoopEdges)) // of both ends: not to be hoisted
		return b.Sum(b.ReLU(b.Linear(e, l.Out)), program.Dst)
	}
	v := analyze(t, request(t, m, analysis.Inference)).Verdict
	if v.Paper.Work != larger || v.Weft.Work != larger || v.Paper.Depth != same {
		t.Errorf("mk² against mk + nk²: %+v", v.Paper)
	}
}

// TestClasses, [PDG] Eqs. 6 to 8: derived from the declaration.
func TestClasses(t *testing.T) {
	layer := func(f func(b *program.Builder, h program.Value, out program.Dim) program.Value) model.Model {
		m := byName(t, "mlp")
		m.Layer = func(b *program.Builder, h program.Value, l model.Layer) program.Value { return f(b, h, l.Out) }
		return m
	}
	src := func(b *program.Builder, h program.Value) program.Value {
		return b.Scatter(h, program.Src, program.LoopEdges)
	}
	dst := func(b *program.Builder, h program.Value) program.Value {
		return b.Scatter(h, program.Dst, program.LoopEdges)
	}
	for _, c := range []struct {
		name   string
		m      model.Model
		want   analysis.Class
		degree int
	}{
		{"mlp", byName(t, "mlp"), analysis.NoGNN, 0},
		{"gcn", byName(t, "gcn"), analysis.CGNN, 1},
		{"sage", byName(t, "sage"), analysis.CGNN, 1},
		{"gin", byName(t, "gin"), analysis.CGNN, 1},
		{"gat", byName(t, "gat"), analysis.AGNN, 1},
		{"vanilla attention: (h_v·h_u) h_u", layer(func(b *program.Builder, h program.Value, out program.Dim) program.Value {
			a := b.HeadDot(src(b, h), dst(b, h), program.Cols(1))
			return b.Linear(b.Sum(b.HeadScale(src(b, h), a), program.Dst), out)
		}), analysis.AGNN, 1},
		{"a score of the source, normalised", layer(func(b *program.Builder, h program.Value, out program.Dim) program.Value {
			a := b.EdgeSoftmax(src(b, b.Linear(h, program.Cols(1))))
			return b.LinearNamed("value", b.Sum(b.HeadScale(src(b, h), a), program.Dst), out)
		}), analysis.AGNN, 1},
		{"EdgeConv 4: W(h_u − h_v), max", layer(func(b *program.Builder, h program.Value, out program.Dim) program.Value {
			return b.Select(b.Linear(b.Sub(src(b, h), dst(b, h)), out), program.Max, program.Dst)
		}), analysis.MPGNN, 1},
		{"a difference of rows", layer(func(b *program.Builder, h program.Value, out program.Dim) program.Value {
			return b.Linear(b.Sum(b.Sub(src(b, h), dst(b, h)), program.Dst), out)
		}), analysis.MPGNN, 1},
		{"two hops: A²HW", layer(func(b *program.Builder, h program.Value, out program.Dim) program.Value {
			return b.Linear(b.Sum(src(b, b.Sum(src(b, h), program.Dst)), program.Dst), out)
		}), analysis.CGNN, 2},
	} {
		rep := analyze(t, request(t, c.m, analysis.Inference))
		if rep.Class != c.want || rep.Degree != c.degree || rep.Precomputable != (c.want == analysis.CGNN) {
			t.Errorf("%s: class %v of degree %d (precomputable %v), want %v and %d", c.name, rep.Class, rep.Degree, rep.Precomputable, c.want, c.degree)
		}
	}
}
