package program_test

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/weft-gnn/weft/graph"
	"github.com/weft-gnn/weft/model"
	. "github.com/weft-gnn/weft/program"
	"github.com/weft-gnn/weft/tensor"
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

// TestMasksAreTheDeclaredOnes: under every set of passes the training step draws
// the declared masks, site by site and bit for bit, on rows of the declared
// space, forward and backward.
func TestMasksAreTheDeclaredOnes(t *testing.T) {
	for _, m := range model.All() {
		p := objective(t, m, 2)
		for _, w := range fewWorlds(t) {
			x := randomExec(w, p, 5)
			f := w.facts(x.Target)
			p.Widths(f.Env)
			f.Optimizer = &Optimizer{}
			want := masks(t, p, &x)
			for _, skip := range skips() {
				f.Skip = skip
				q, err := Compile(p, f, nil)
				if err != nil {
					t.Fatal(err)
				}
				got := masks(t, q, &x)
				if len(got) != len(want) {
					t.Errorf("%s, skip %v: masks of %d sites, want %d", m.Name, skip, len(got), len(want))
				}
				for site, mask := range want {
					if !slices.Equal(mask, got[site]) {
						t.Errorf("%s, %s, skip %v: site %d has another mask", m.Name, w.name, skip, site)
					}
				}
			}
		}
	}
}

// masks returns the bits of each site's mask as kernels draw it; of masks over
// entries of features, those at the entries' places. Ops of one site must agree.
func masks(t *testing.T, p *Program, x *RefExec) map[int][]uint32 {
	t.Helper()
	out := map[int][]uint32{}
	for _, n := range p.Nodes {
		o, of := maskOf(n)
		if o.P == 0 {
			continue
		}
		ones := NewDense(Extent{N: x.N, NHat: x.NHat, X: x.X}.Rows(of), of.Cols.N)
		fill(ones.Data, 1)
		y := matrix(ones)
		o.Run(newExec(x), []tensor.Matrix{matrix(ones)}, y)
		if apart(dense(y), o.Reference(x, []Dense{ones})) > kernelTolerance {
			t.Errorf("site %d: the kernel's mask is not the reference's", o.Site)
		}
		if of.Space == Vertices && of.Cols.N == featureCols.N {
			y = atEntries(y, x.X)
		}
		bits := bitsOf(y)
		if was, ok := out[o.Site]; ok && !slices.Equal(was, bits) {
			t.Errorf("site %d draws two masks", o.Site)
		}
		out[o.Site] = bits
	}
	return out
}

// maskOf returns the mask that a node draws, one of P = 0 where it draws none,
// and the type of what is masked. That attention draws its mask as Dropout does
// is for the tests of attention to see.
func maskOf(n Node) (Dropout, Type) {
	var a Attention
	switch o := BaseOf(n.Op).(type) {
	case Dropout:
		return o, n.Type
	case Attention:
		a = o
	case AttentionGradDst:
		a = Attention(o)
	case AttentionGradSrc:
		a = Attention(o)
	}
	return a.Mask, Type{Space: a.Over, Cols: a.Heads}
}

// atEntries returns the values of features at the places of sparse ones.
func atEntries(y tensor.Matrix, places *graph.Block) tensor.Matrix {
	out := tensor.New(places.Edges(), 1)
	for e, v := range ends(places, Dst) {
		out.Data[e] = y.Row(int(v))[places.Col[e]]
	}
	return out
}

func bitsOf(m tensor.Matrix) []uint32 {
	var out []uint32
	for _, v := range m.Data {
		out = append(out, math.Float32bits(v))
	}
	return out
}
