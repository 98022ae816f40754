package program_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/weft-gnn/weft/cost"
	"github.com/weft-gnn/weft/internal/gradcheck"
	"github.com/weft-gnn/weft/model"
	. "github.com/weft-gnn/weft/program"
)

// TestNarrowingPreservesModels: the references round nothing, so that loss and
// gradients of a program with values in bfloat16 are the declared ones.
func TestNarrowingPreservesModels(t *testing.T) {
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
			f.Storage, f.Optimizer = BFloat16Storage, &Optimizer{Kind: SGDKind}
			for _, f.Skip = range skips() {
				q, err := Compile(p, f, nil)
				if err != nil {
					t.Fatal(err)
				}
				y := x
				y.Leaves = withState(x.Leaves, q)
				got := results(t, q, y)
				for i, v := range p.Params() {
					name := "gradient of " + p.Nodes[v].Op.String()
					if d := apart(got[name], grads[i]); d > passTolerance {
						t.Errorf("%s, %s, skip %v: %s is %.3g apart\n%v", m.Name, w.name, f.Skip, name, d, q)
					}
				}
			}
		}
	}
}

// large are the sizes of a graph of a thousand vertices and so many arcs.
func large(arcs int64) cost.Env {
	return cost.Env{"n": 1000, "m": arcs, "m̂": arcs + 1000, "ℓ": 0, "d": 90, "d_out": 90, "d̂": 91, "d̂_out": 91, "t": 500, "τ": 0, "B": 1, "s": 1000}
}

// TestWhatIsStoredInBFloat16: rows of vertices that edges gather or products read,
// and nothing else; gradients for gathers alone.
func TestWhatIsStoredInBFloat16(t *testing.T) {
	for _, m := range model.All() {
		p := objective(t, m, 3)
		f := Facts{Env: large(13_000), Steps: 100, FoldBytes: -1, Optimizer: &Optimizer{}}
		p.Widths(f.Env)
		wide, err := Compile(p, f, nil)
		if err != nil {
			t.Fatal(err)
		}
		f.Storage = BFloat16Storage
		q, err := Compile(p, f, nil)
		if err != nil {
			t.Fatal(err)
		}
		less(t, m.Name, q, wide, f.Env)
		for i, n := range q.Nodes {
			if n.Type.BFloat16 {
				stored(t, m.Name, q, Value(i))
			}
		}
		for _, o := range q.Outputs {
			if q.Type(o.Value).BFloat16 {
				t.Errorf("%s: the result %s is rounded", m.Name, o.Name)
			}
		}
	}
}

// less checks that a step moves fewer bytes for the same work.
func less(t *testing.T, name string, narrow, wide *Program, env cost.Env) {
	t.Helper()
	if got, want := narrow.Work(Step).MustEval(env), wide.Work(Step).MustEval(env); got != want {
		t.Errorf("%s: work %d in bfloat16, %d in float32", name, got, want)
	}
	if got, than := narrow.Bytes(Step).MustEval(env), wide.Bytes(Step).MustEval(env); got >= than {
		t.Errorf("%s: %d bytes in bfloat16, %d in float32", name, got, than)
	}
}

// stored checks a value in bfloat16 and who reads it.
func stored(t *testing.T, name string, p *Program, v Value) {
	t.Helper()
	n := p.Nodes[v]
	if n.Type.Space != Vertices || n.Type.Index || n.Type.Cols.N == 1 {
		t.Errorf("%s: %v is stored in bfloat16", name, n.Type)
	}
	of := n
	if _, copied := n.Op.(Narrow); copied {
		of = p.Nodes[n.In[0]]
	}
	for _, r := range p.Nodes {
		if !slices.Contains(r.In, v) || !of.Backward {
			continue
		}
		if _, gathers := BaseOf(r.Op).(SpMM); !gathers {
			t.Errorf("%s: %v reads a gradient in bfloat16", name, r.Op)
		}
	}
}

// declareReaders declares h = x·W, read by a sum over edges and by so many
// normalisations, which read float32 alone.
func declareReaders(t *testing.T, normalised int) *Program {
	t.Helper()
	b := NewBuilder("readers")
	h := b.MatMul(b.Input("x", Vertices, Cols(16)), b.Param("w", Cols(16), Cols(32), Glorot))
	b.Output("sum", b.Add(SpMM{Dst, Edges, false}, h))
	for i := range normalised {
		y := h
		for range i {
			y = b.Scale(y, 2)
		}
		b.Output(strings.Repeat("n", i+1), b.Add(L2Normalize{}, y))
	}
	p, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestReadersOfFloat32: where few read a stored value in float32 it is widened for
// them, and where more do they read it before it is rounded; where edges are few
// nothing is stored.
func TestReadersOfFloat32(t *testing.T) {
	for _, c := range []struct {
		others int
		arcs   int64
		want   []string
		absent []string
	}{
		{0, 13_000, []string{"MatMul(xW) → Narrow"}, []string{"Widen"}},
		{1, 13_000, []string{"MatMul(xW) → Narrow", "Widen"}, nil},
		{2, 13_000, []string{"= Narrow"}, []string{"Widen", "→ Narrow"}},
		{1, 900, nil, []string{"Narrow"}},
	} {
		p := Narrowing(declareReaders(t, c.others), Facts{Env: large(c.arcs), Storage: BFloat16Storage})
		for _, s := range c.want {
			if !strings.Contains(p.String(), s) {
				t.Errorf("%d other readers, %d arcs: no %q in\n%v", c.others, c.arcs, s, p)
			}
		}
		for _, s := range c.absent {
			if strings.Contains(p.String(), s) {
				t.Errorf("%d other readers, %d arcs: %q in\n%v", c.others, c.arcs, s, p)
			}
		}
	}
}

// TestGatheredInputs: features that edges gather in every step are rounded once,
// and those that are multiplied alone are read where they lie.
func TestGatheredInputs(t *testing.T) {
	for _, gathered := range []bool{true, false} {
		b := NewBuilder("input")
		x := b.Input("x", Vertices, Cols(16))
		if gathered {
			b.Output("sum", b.Add(SpMM{Dst, Edges, false}, x))
		}
		b.Output("y", b.MatMul(x, b.Param("w", Cols(16), Cols(32), Glorot)))
		p, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		p = Narrowing(p, Facts{Env: large(13_000), Storage: BFloat16Storage})
		i := slices.IndexFunc(p.Nodes, func(n Node) bool { return n.Op == Op(Narrow{}) })
		if (i >= 0) != gathered || gathered && p.Nodes[i].Stage != Pre {
			t.Errorf("gathered %v:\n%v", gathered, p)
		}
	}
}

// TestStorageIsNamed: what a configuration says is read back.
func TestStorageIsNamed(t *testing.T) {
	for _, s := range []Storage{Float32Storage, BFloat16Storage} {
		text, err := s.MarshalText()
		var back Storage
		if err != nil || back.UnmarshalText(text) != nil || back != s {
			t.Errorf("%v is written as %q and read as %v", s, text, back)
		}
	}
	var s Storage
	if err := s.UnmarshalText([]byte("float16")); err == nil || !strings.Contains(err.Error(), "float32, bfloat16") {
		t.Errorf("got error %v", err)
	}
}
