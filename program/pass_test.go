package program_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/weft-gnn/weft/model"
	. "github.com/weft-gnn/weft/program"
)

// passTolerance bounds the difference that a pass may make in float64, relative
// to the largest value: other orders of some thousand operations.
const passTolerance = 1e-9

// results are what a program is for: its outputs, and in a training step the
// gradient of each parameter.
func results(t failer, p *Program, x RefExec) map[string]Dense {
	t.Helper()
	vals, err := Interpret(p, &x)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]Dense{}
	for _, o := range p.Outputs {
		out[o.Name] = vals[o.Value]
	}
	for _, n := range p.Nodes {
		if isEffect(n.Op) {
			out["gradient of "+p.Nodes[n.In[0]].Op.String()] = vals[n.In[1]]
		}
	}
	return out
}

// sameResults fails where a pass changed what a program computes.
func sameResults(t failer, what string, before, after *Program, x RefExec) {
	t.Helper()
	want, got := results(t, before, x), results(t, after, x)
	if !slices.Equal(slices.Sorted(maps.Keys(want)), slices.Sorted(maps.Keys(got))) {
		t.Fatal(what, "changed the results to", slices.Sorted(maps.Keys(got)))
	}
	for name, w := range want {
		if d := apart(got[name], w); d > passTolerance {
			t.Fatal(fmt.Sprintf("%s: %s is %.3g apart\n%v\nbecame\n%v", what, name, d, before, after))
		}
	}
	wellFormed(t, after)
}

// wellFormed checks what every program promises: operands come first and have
// the types their op asks for; what runs once reads nothing of the step; updates
// come after everything that reads what they overwrite.
func wellFormed(t failer, p *Program) {
	t.Helper()
	written := map[Value]bool{}
	for i, n := range p.Nodes {
		var in []Type
		for _, v := range n.In {
			if v < 0 || int(v) >= i {
				t.Fatal("operation", i, n.Op, "reads a value that comes later\n", p)
			}
			if n.Stage == Pre && p.Nodes[v].Stage != Pre && !steady(p.Nodes[v].Op) {
				t.Fatal("operation", i, n.Op, "runs once and reads a value of the step\n", p)
			}
			if written[v] && !isEffect(n.Op) {
				t.Fatal("operation", i, n.Op, "reads an updated parameter\n", p)
			}
			in = append(in, p.Type(v))
		}
		if got, err := n.Op.Shape(in); err != nil || got.String() != n.Type.String() {
			t.Fatal("operation", i, n.Op, "is", n.Type, "but has shape", got, err)
		}
		if e, ok := n.Op.(Effect); ok {
			for _, j := range e.Writes() {
				written[n.In[j]] = true
				if _, ok := p.Nodes[n.In[j]].Op.(Leaf); !ok {
					t.Fatal("operation", i, n.Op, "overwrites a value that is computed")
				}
			}
		}
	}
}

// steady reports whether a leaf is the same in every step.
func steady(op Op) bool {
	in, ok := op.(Input)
	return ok && !in.Varies
}

// pass returns the pass called name.
func pass(t *testing.T, name string) Pass {
	t.Helper()
	for _, p := range Passes() {
		if p.Name == name {
			return p
		}
	}
	t.Fatalf("no pass is called %q", name)
	return Pass{}
}

// TestEachPassPreservesResults runs each pass by itself on random programs:
// those before backward on the declaration, the others on a training step too.
func TestEachPassPreservesResults(t *testing.T) {
	for _, name := range optional() {
		ps := pass(t, name)
		t.Run(name, rapid.MakeCheck(func(t *rapid.T) {
			w := randomWorld(t)
			p := randomProgram(t, 6)
			x := randomExec(w, p, 7)
			f := w.facts(x.Target)
			programs := []*Program{p}
			if !slices.Contains([]string{"hoist", "factor", "reorder"}, name) {
				programs = append(programs, step(t, p))
			} else if rapid.Bool().Draw(t, "train") {
				f.Optimizer = &Optimizer{Kind: SGDKind}
			}
			for _, p := range programs {
				q, err := ps.Run(p, f)
				if err != nil {
					t.Fatal(err)
				}
				sameResults(t, name, p, q, x)
			}
		}))
	}
}

// step returns the training step of p by gradient descent.
func step(t failer, p *Program) *Program {
	t.Helper()
	q, err := Backward(p, Optimizer{Kind: SGDKind})
	if err != nil {
		t.Fatal(err)
	}
	return q
}

// TestAnySubsetOfPassesPreservesResults compiles random programs with any passes
// skipped, any bound on what is folded, for training and inference.
func TestAnySubsetOfPassesPreservesResults(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := randomWorld(t)
		p := randomProgram(t, 8)
		x := randomExec(w, p, 3)
		f := w.facts(x.Target)
		f.FoldBytes = rapid.SampledFrom([]int64{-1, 0, 30, 100, 300}).Draw(t, "fold bytes")
		f.Steps = rapid.Int64Range(0, 50).Draw(t, "steps")
		f.Skip = map[string]bool{}
		for _, name := range optional() {
			f.Skip[name] = rapid.Bool().Draw(t, "skip "+name)
		}
		before := Infer(p)
		if rapid.Bool().Draw(t, "train") {
			f.Optimizer = &Optimizer{Kind: SGDKind}
			before = step(t, p)
		}
		q, err := Compile(p, f, nil)
		if err != nil {
			t.Fatal(err)
		}
		sameResults(t, "passes", before, q, x)
	})
}

// TestFoldRespectsItsBound: what is kept beside coefficients fits, and is worth
// keeping; what depends on parameters, randomness, targets or the step is not
// computed once.
func TestFoldRespectsItsBound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := randomWorld(t)
		p := step(t, randomProgram(t, 5))
		f := w.facts(RefTarget{})
		f.FoldBytes = rapid.SampledFrom([]int64{-1, 0, 20, 50, 100, 200}).Draw(t, "bound")
		q := Fold(p, f)
		kept := int64(0)
		varies := make([]bool, len(q.Nodes))
		for i, n := range q.Nodes {
			v := Value(i)
			varies[i] = changes(n.Op)
			for _, u := range n.In {
				varies[i] = varies[i] || varies[u]
			}
			_, leaf := n.Op.(Leaf)
			_, coef := n.Op.(GraphCoef)
			if leaf || coef || n.Stage != Pre {
				continue
			}
			if varies[i] {
				t.Fatal("computed once:", n.Op, "\n", q)
			}
			if q.Kept(v) {
				kept += 4 * int64(w.Rows(n.Type)) * int64(n.Type.Cols.N)
				if stated := n.Op.Cost(opTypes(q, n), n.Type); stated.Work.IsZero() {
					t.Fatal("kept, though it only moves data:", n.Op, "\n", q)
				}
			}
		}
		if f.FoldBytes >= 0 && kept > f.FoldBytes {
			t.Fatal("kept", kept, "bytes, the bound is", f.FoldBytes, "\n", q)
		}
	})
}

// changes reports whether an op by itself may give another result in each step.
func changes(op Op) bool {
	switch op := op.(type) {
	case Param, State, Dropout, CrossEntropy, CrossEntropyGrad, SGD:
		return true
	case Input:
		return op.Varies
	}
	return false
}

func opTypes(p *Program, n Node) []Type {
	var in []Type
	for _, v := range n.In {
		in = append(in, p.Type(v))
	}
	return in
}

// narrow are a model's defaults at small widths.
func narrow(m model.Model, layers int) model.Options {
	o := m.Defaults
	o.Layers, o.Hidden = layers, 4
	if o.Heads > 1 {
		o.Heads, o.OutHeads, o.MessageDropout = 2, 3, true
	}
	return o
}

// objective declares a model's training objective.
func objective(t *testing.T, m model.Model, layers int) *Program {
	t.Helper()
	o := narrow(m, layers)
	p, err := m.Objective(model.NamedWidths(featureCols.N, 3, o), o, model.CrossEntropy, model.Decay{Lambda: 0.01})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestPassesPreserveModels: every model, with all passes, none, and each alone.
func TestPassesPreserveModels(t *testing.T) {
	for _, m := range model.All() {
		p := objective(t, m, 2)
		for _, w := range fewWorlds(t) {
			x := randomExec(w, p, 5)
			f := w.facts(x.Target)
			p.Widths(f.Env)
			for _, train := range []bool{false, true} {
				before := Infer(p)
				if train {
					f.Optimizer = &Optimizer{Kind: SGDKind}
					before = step(t, p)
				}
				for _, skip := range skips() {
					f.Skip = skip
					q, err := Compile(p, f, nil)
					if err != nil {
						t.Fatal(err)
					}
					sameResults(t, fmt.Sprintf("%s, %s, train %v, skip %v", m.Name, w.name, train, skip), before, q, x)
				}
			}
		}
	}
}

// skips are sets of passes to leave out: none, all, all but one each.
func skips() []map[string]bool {
	out := []map[string]bool{{}, {"none": true}}
	for _, one := range optional() {
		s := map[string]bool{}
		for _, name := range optional() {
			s[name] = name != one
		}
		out = append(out, s)
	}
	return out
}

// TestInferDropsRandomness: no random op is left, whatever else is skipped.
func TestInferDropsRandomness(t *testing.T) {
	for _, m := range model.All() {
		q, err := Compile(objective(t, m, 3), Facts{Skip: map[string]bool{"none": true}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if s := q.String(); strings.Contains(s, "Dropout") {
			t.Errorf("%s: inference is random:\n%s", m.Name, s)
		}
	}
}
