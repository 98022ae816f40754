package analysis_test

import (
	"fmt"
	"math"
	"sync"
	"testing"

	"github.com/weft-gnn/weft/analysis"
	"github.com/weft-gnn/weft/cost"
	"github.com/weft-gnn/weft/graph"
	"github.com/weft-gnn/weft/internal/rng"
	"github.com/weft-gnn/weft/model"
	"github.com/weft-gnn/weft/program"
)

// ofOneWidth asks for a model's polynomial: several heads where it has them, so
// that H stays a symbol.
func ofOneWidth(m model.Model, mode analysis.Mode) analysis.Request {
	o := m.Defaults
	o.Hidden, o.Layers = 8, 3
	if o.Heads > 1 {
		o.Heads = 2
	}
	return analysis.Request{Model: m, Options: o, Mode: mode, Decay: model.Decay{Lambda: 5e-4}}
}

func polynomial(t testing.TB, r analysis.Request) analysis.Formula {
	t.Helper()
	f, err := analysis.Polynomial(r)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// general returns the polynomial of ofOneWidth, derived once for all tests.
func general(t testing.TB, m model.Model, mode analysis.Mode) analysis.Formula {
	t.Helper()
	key := m.Name + mode.String()
	if f, ok := derived.Load(key); ok {
		return f.(analysis.Formula)
	}
	f := polynomial(t, ofOneWidth(m, mode))
	derived.Store(key, f)
	return f
}

var derived sync.Map

// TestPolynomialEqualsCounted: at random n, m, k, L, H and K the polynomial's
// work and bytes are those that the kernels count, exactly, where no rival is
// cheaper.
func TestPolynomialEqualsCounted(t *testing.T) {
	for _, m := range model.All() {
		for _, mode := range modes {
			r, f := ofOneWidth(m, mode), general(t, m, mode)
			draw := rng.Key{Seed: 11, Purpose: rng.Test}.Stream(uint64(mode))
			for trial := range 30 {
				t.Run(fmt.Sprintf("%s/%v/%d", m.Name, mode, trial), func(t *testing.T) { checkCounted(t, r, f, draw) })
			}
		}
	}
}

func checkCounted(t *testing.T, r analysis.Request, f analysis.Formula, draw *rng.Stream) {
	o, from := &r.Options, f.Step.Work.From
	inner, heads := o.Depth, o.Heads
	var g *graph.Graph
	var env cost.Env
	for drawn := false; !drawn; drawn = !beaten(t, f, env) {
		n := 2 + int(draw.Uint32n(40))
		g = randomGraph(t, draw, n, int(draw.Uint32n(200)))
		if heads > 1 {
			o.Heads = 2 << draw.Uint32n(2)
		}
		if inner > 1 {
			o.Depth = inner + int(draw.Uint32n(2))
		}
		o.Hidden = o.Heads * (1 + int(draw.Uint32n(12)))
		o.Layers = from + int(draw.Uint32n(4))
		env = envOf(g, *o, 1+int(draw.Uint32n(uint32(n))))
	}
	n, targets := g.N, int(env["t"])
	p := compile(t, r, g, model.EqualWidths(*o), int64(targets))
	pre, step := counted(t, p, g, o.Hidden, o.Hidden, targets)
	for _, c := range []struct {
		what string
		law  analysis.Law
		got  int64
	}{
		{"work before", f.Pre.Work, pre.Work}, {"bytes before", f.Pre.Bytes, pre.Bytes},
		{"work", f.Step.Work, step.Work}, {"bytes", f.Step.Bytes, step.Bytes},
	} {
		if want := c.law.Expr.MustEval(env); c.law.From == 0 || c.got != want {
			t.Errorf("n %d, m %d, %+v: %s: counted %d, the polynomial %v (L ≥ %d) gives %d\n%v",
				n, env["m"], *o, c.what, c.got, c.law.Expr, c.law.From, want, p)
		}
	}
}

// beaten reports whether a rival of f is as cheap as f somewhere.
func beaten(t *testing.T, f analysis.Formula, env cost.Env) bool {
	t.Helper()
	for _, rival := range f.Rivals {
		excess, err := rival.Excess.EvalRat(env)
		if err != nil {
			t.Fatal(err)
		}
		if excess.Sign() <= 0 {
			return true
		}
	}
	return false
}

// TestRivalTakesOver: where a rival is cheaper, it runs: the law fails, and the
// one derived there is the law of what is counted.
func TestRivalTakesOver(t *testing.T) {
	m := byName(t, "gin")
	r, f := ofOneWidth(m, analysis.Training), general(t, m, analysis.Training)
	g := circulant(t, 30)
	r.Options.Hidden = 24 // 2·n·k² is more than 2·m·k = 4·n·k by far
	env := envOf(g, r.Options, 30)
	if !beaten(t, f, env) {
		t.Fatalf("no rival of %+v is cheaper at %v", f.Rivals, env)
	}
	p := compile(t, r, g, model.EqualWidths(r.Options), 30)
	_, step := counted(t, p, g, r.Options.Hidden, r.Options.Hidden, 30)
	if f.Step.Work.Expr.MustEval(env) == step.Work {
		t.Error("the law holds where a rival is cheaper")
	}
	r.Data = analysis.Data{Graph: g, Targets: 30}
	own := polynomial(t, r)
	if got := own.Step.Work.Expr.MustEval(env); got != step.Work {
		t.Errorf("counted %d, the law of the rival, %v, gives %d", step.Work, own.Step.Work.Expr, got)
	}
}

// envOf counts the graph itself, apart from package program's extents.
func envOf(g *graph.Graph, o model.Options, targets int) cost.Env {
	in, out, loops := make([]int64, g.N), make([]int64, g.N), int64(0)
	for v := range g.N {
		for _, u := range g.Src[g.Ptr[v]:g.Ptr[v+1]] {
			if int(u) == v {
				loops++
				continue
			}
			in[v]++
			out[u]++
		}
	}
	env := cost.Env{
		"n": int64(g.N), "m": int64(len(g.Src)) - loops, "ℓ": loops, "m̂": int64(len(g.Src)) - loops + int64(g.N),
		"k": int64(o.Hidden), "H": int64(o.Heads), "L": int64(o.Layers), "K": int64(o.Depth), "t": int64(targets),
	}
	for v := range g.N {
		env["d"] = max(env["d"], in[v], out[v])
	}
	env["d̂"] = env["d"] + 1
	return env
}

// TestPolynomialDepth: where both degrees are equal, the law is the depth of the
// program at every number of layers.
func TestPolynomialDepth(t *testing.T) {
	g := regular(t, 40, 16) // as many arcs as are supposed without a graph
	for _, m := range model.All() {
		for _, mode := range modes {
			r, f := ofOneWidth(m, mode), general(t, m, mode)
			for layers := f.Step.Depth.From; layers <= 7; layers += 2 {
				r.Options.Layers = layers
				env := envOf(g, r.Options, 40)
				if beaten(t, f, env) {
					t.Fatalf("%s, %v: a rival is cheaper at %v", m.Name, mode, env)
				}
				p := compile(t, r, g, model.EqualWidths(r.Options), 40)
				for _, d := range []int64{2, 3, 100} {
					for _, k := range []int64{4, 60} {
						env["d"], env["d̂"], env["d_out"], env["d̂_out"], env["k"] = d, d+1, d, d+1, k
						got, want := f.Step.Depth.Expr.MustEval(env), p.Depth(program.Step).MustEval(env)
						if got != want || f.Step.Depth.From == 0 {
							t.Errorf("%s, %v, %d layers, d %d, k %d: depth %d by %v, %d by the program", m.Name, mode, layers, d, k, got, f.Step.Depth.Expr, want)
						}
					}
				}
			}
		}
	}
}

// circulant is a cycle in both directions: every degree is 2.
func circulant(t testing.TB, n int) *graph.Graph {
	t.Helper()
	var src, dst []int32
	for v := range n {
		w := int32((v + 1) % n)
		src, dst = append(src, int32(v), w), append(dst, w, int32(v))
	}
	g, err := graph.FromCOO(n, src, dst, nil, graph.Policy{})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// TestPolynomialFrom: laws of models of equal layers hold from one or two layers on.
func TestPolynomialFrom(t *testing.T) {
	for _, m := range model.All() {
		for _, mode := range modes {
			f := general(t, m, mode)
			for what, law := range map[string]analysis.Law{"work": f.Step.Work, "bytes": f.Step.Bytes, "depth": f.Step.Depth} {
				if law.From < 1 || law.From > 3 {
					t.Errorf("%s, %v: %s %v holds from %d layers on, want 1 to 3", m.Name, mode, what, law.Expr, law.From)
				}
			}
		}
	}
}

// TestLeadingExponents: the leading terms tell how counted work grows. Doubling
// n and m, or k, or all three, multiplies it by 2^e, e the largest sum of the
// exponents in a leading term, in the limit; the quotient's logarithm closes in
// on e from one doubling to the next.
func TestLeadingExponents(t *testing.T) {
	directions := []struct {
		name           string
		symbols        []string
		rows, features bool
	}{
		{"n and m", []string{"n", "m", "m̂"}, true, false},
		{"k", []string{"k"}, false, true},
		{"all", []string{"n", "m", "m̂", "k"}, true, true},
	}
	for _, m := range model.All() {
		for _, mode := range modes {
			r, f := ofOneWidth(m, mode), general(t, m, mode)
			var programs [4]*program.Program // for k = 8, 16, 32, 64
			for i := range programs {
				r.Options.Hidden = 8 << i
				programs[i] = compile(t, r, regular(t, 24, 6), model.EqualWidths(r.Options), 24)
			}
			for _, d := range directions {
				want := exponent(cost.Add(f.Pre.Work.Expr, f.Step.Work.Expr), d.symbols)
				var off []float64
				before := int64(0)
				for i := range programs {
					n, width := 24, 0
					if d.rows {
						n <<= i
					}
					if d.features {
						width = i
					}
					pre, step := counted(t, programs[width], regular(t, n, 6), 8<<width, 8<<width, n)
					work := pre.Work + step.Work
					if i > 0 {
						off = append(off, math.Abs(float64(want)-math.Log2(float64(work)/float64(before))))
					}
					before = work
				}
				// Terms of one exponent less halve in weight with every doubling. The
				// gradient of attention has many: it computes coefficients again.
				if last := off[len(off)-1]; last > 0.35 || last > off[0] {
					t.Errorf("%s, %v, doubling %s: exponents are off %d by %.3f", m.Name, mode, d.name, want, off)
				}
			}
		}
	}
}

// exponent is the largest sum of the powers of symbols in a leading term of e.
func exponent(e cost.Expr, symbols []string) int {
	most := 0
	for _, row := range e.LeadingExponents(symbols...) {
		sum := 0
		for _, p := range row {
			sum += p
		}
		most = max(most, sum)
	}
	return most
}

// regular is a graph of n vertices with d in-arcs each.
func regular(t testing.TB, n, d int) *graph.Graph {
	t.Helper()
	var src, dst []int32
	for v := range n {
		for i := range d {
			src, dst = append(src, int32((v+i+1)%n)), append(dst, int32(v))
		}
	}
	g, err := graph.FromCOO(n, src, dst, nil, graph.Policy{})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// TestPolynomialAsDeclared: without passes the law is that of the declaration.
func TestPolynomialAsDeclared(t *testing.T) {
	g := circulant(t, 20)
	for _, m := range model.All() {
		for _, mode := range modes {
			r := ofOneWidth(m, mode)
			r.Skip = map[string]bool{"none": true}
			f := polynomial(t, r)
			if len(f.Choices) != 0 || len(f.Rivals) != 0 {
				t.Errorf("%s, %v: passes chose %v against %v", m.Name, mode, f.Choices, f.Rivals)
			}
			r.Options.Layers = 6
			p := compile(t, r, g, model.EqualWidths(r.Options), 20)
			pre, step := counted(t, p, g, r.Options.Hidden, r.Options.Hidden, 20)
			if got, want := f.Step.Work.Expr.MustEval(envOf(g, r.Options, 20)), step.Work; got != want || pre.Work != 0 {
				t.Errorf("%s, %v: counted %d, the law %v gives %d", m.Name, mode, want, f.Step.Work.Expr, got)
			}
		}
	}
}

// TestNoLaw: a model whose layers differ has no law in L, and says so.
func TestNoLaw(t *testing.T) {
	m := byName(t, "mlp")
	m.Layer = func(b *program.Builder, h program.Value, l model.Layer) program.Value {
		for range l.Index + 1 {
			h = b.Scale(h, 2)
		}
		return b.Affine(h, l.Out)
	}
	r := ofOneWidth(m, analysis.Inference)
	f := polynomial(t, r)
	n, k := cost.Sym("n"), cost.Sym("k")
	// Layer i scales i+1 times: 1 + 2 + 3 products per element, and two activations.
	want := cost.Add(cost.Scale(6, cost.Mul(n, k, k)), cost.Scale(3+2+6, cost.Mul(n, k)))
	if law := f.Step.Work; law.From != 0 || !law.Expr.Equal(want) {
		t.Errorf("the law is %v (L ≥ %d), want %v for this L alone", law.Expr, law.From, want)
	}
}
