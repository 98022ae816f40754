package program_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/weft-gnn/weft/internal/gradcheck"
	"github.com/weft-gnn/weft/model"
	. "github.com/weft-gnn/weft/program"
)

// TestGradientOfModels compares the gradients of every model's parameters with
// central differences, with dropout, as declared and with all passes that come
// before the gradient.
func TestGradientOfModels(t *testing.T) {
	for _, m := range model.All() {
		for _, loss := range []model.Loss{model.CrossEntropy, model.SquaredError, model.BinaryCrossEntropy} {
			o := narrow(m, 2)
			o.Normalize = true
			p, err := m.Objective(model.NamedWidths(featureCols.N, 3, o), o, loss, model.Decay{Lambda: 0.01})
			if err != nil {
				t.Fatal(err)
			}
			for _, w := range fewWorlds(t) {
				f := w.facts(RefTarget{})
				p.Widths(f.Env)
				for _, name := range []string{"dead", "hoist", "factor", "reorder", "common"} {
					q, err := pass(t, name).Run(p, f)
					if err != nil {
						t.Fatal(err)
					}
					x := randomExec(w, q, 1)
					problem := gradcheck.Problem{Program: q, Loss: q.Output("loss"), Wrt: q.Params(), Exec: x}
					if err := problem.Directions(3, 1); err != nil {
						t.Errorf("%s, %v, %s, %s: %v", m.Name, loss, w.name, name, err)
					}
				}
			}
		}
	}
}

// TestCompiledGradients: the gradients that a compiled training step hands to
// the optimiser are those of the declared loss, for every model and with each
// pass alone.
func TestCompiledGradients(t *testing.T) {
	for _, m := range model.All() {
		p := objective(t, m, 3)
		for _, w := range fewWorlds(t)[2:] {
			x := randomExec(w, p, 9)
			_, grads, err := gradcheck.Problem{Program: p, Loss: p.Output("loss"), Wrt: p.Params(), Exec: x}.Gradients()
			if err != nil {
				t.Fatal(err)
			}
			f := w.facts(x.Target)
			p.Widths(f.Env)
			f.Optimizer = &Optimizer{Kind: SGDKind, Momentum: 0.9}
			for _, f.Skip = range skips() {
				q, err := Compile(p, f, nil)
				if err != nil {
					t.Fatal(err)
				}
				x.Leaves = withState(x.Leaves, q)
				got := results(t, q, x)
				for i, v := range p.Params() {
					name := "gradient of " + p.Nodes[v].Op.String()
					if d := apart(got[name], grads[i]); d > passTolerance {
						t.Errorf("%s, %s, skip %v: %s is %.3g apart", m.Name, w.name, f.Skip, name, d)
					}
				}
			}
		}
	}
}

// withState adds zeroes for an optimiser's state.
func withState(leaves map[string]Dense, p *Program) map[string]Dense {
	out := maps.Clone(leaves)
	for _, n := range p.Nodes {
		if s, ok := n.Op.(State); ok {
			out[s.Slot()] = NewDense(n.Type.Rows.N, n.Type.Cols.N)
		}
	}
	return out
}

// TestModelsAsText is every model, for training and inference, as `weft explain`
// prints what runs.
func TestModelsAsText(t *testing.T) {
	w := fewWorlds(t)[4]
	for _, m := range model.All() {
		o := m.Defaults
		p, err := m.Objective(model.NamedWidths(featureCols.N, 3, o), o, model.CrossEntropy, model.Decay{Lambda: 5e-4})
		if err != nil {
			t.Fatal(err)
		}
		q, err := m.Declare(model.NamedWidths(featureCols.N, 3, o), o)
		if err != nil {
			t.Fatal(err)
		}
		f := w.facts(RefTarget{})
		delete(f.Env, "nnz")
		p.Widths(f.Env)
		f.Env["t"], f.Weighted = 9, false
		infer, err := Compile(q, f, nil)
		if err != nil {
			t.Fatal(err)
		}
		_, train := compileBoth(t, p, f)
		golden(t, m.Name+"-infer.txt", infer.String())
		golden(t, m.Name+"-train.txt", train.String())
	}
}

// TestTextNamesEveryValue: what is printed names each value once, and tells the
// spaces apart.
func TestTextNamesEveryValue(t *testing.T) {
	b := NewBuilder("text")
	x := b.Input("x", Vertices, dimA)
	w := b.Param("w", dimA, dimB, Glorot)
	b.Layer(0)
	y := b.Add(SpMM{Dst, LoopEdges, false}, b.Add(SpMM{Src, Edges, true}, x, b.EdgeCoef(EdgeWeight, Edges)))
	b.EndLayers()
	b.Output("y", b.MatMul(y, w))
	p, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	want := `program text
  x = Input(x) : vertices[a]
  w = Param(w, glorot) : one[a×b]
  v0 = Coef(weight) : edges[1]  layer 0
  v1 = SpMM(src, edges, weighted) (x, v0) : vertices[a]  layer 0
  v2 = SpMM(dst, edges+loops) (v1) : vertices[a]  layer 0
  v3 = MatMul(xW) (v2, w) : vertices[b]
  return y = v3
`
	if got := p.String(); got != want {
		t.Errorf("printed\n%s\nwant\n%s", got, want)
	}
}

// TestTraceShowsWhatChanged: Compile's trace receives each pass that changed the
// program, in the order of Passes, and the last program is the result.
func TestTraceShowsWhatChanged(t *testing.T) {
	m, err := model.ByName("gcn")
	if err != nil {
		t.Fatal(err)
	}
	p := objective(t, m, 2)
	f := fewWorlds(t)[4].facts(RefTarget{})
	p.Widths(f.Env)
	var order []string
	for _, ps := range Passes() {
		order = append(order, ps.Name)
	}
	var got []string
	last := p
	q, err := Compile(p, f, func(tr Traced) {
		got = append(got, tr.Pass.Name)
		if tr.Program.String() == last.String() {
			t.Errorf("%s changed nothing", tr.Pass.Name)
		}
		last = tr.Program
	})
	if err != nil {
		t.Fatal(err)
	}
	if q.String() != last.String() || len(got) < 4 {
		t.Errorf("traced %v, the last of which left\n%v\nnot\n%v", got, last, q)
	}
	if !slices.IsSortedFunc(got, func(a, b string) int { return slices.Index(order, a) - slices.Index(order, b) }) {
		t.Errorf("traced %v, not in the order %v", got, order)
	}
	for _, ps := range Passes() {
		if ps.Name == "" || ps.Doc == "" {
			t.Errorf("a pass is called %q and does %q", ps.Name, ps.Doc)
		}
	}
	f.Skip = map[string]bool{"no such pass": true}
	if r, err := Compile(p, f, nil); err != nil || fmt.Sprint(r) != fmt.Sprint(q) {
		t.Errorf("skipping a pass that does not exist changed the program: %v", err)
	}
}
