package runtime_test

import (
	"errors"
	"fmt"
	"math"
	"os"
	"testing"

	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/dataset/source"
	"github.com/weft-gnn/weft/graph"
	"github.com/weft-gnn/weft/internal/graphcase"
	"github.com/weft-gnn/weft/internal/place"
	"github.com/weft-gnn/weft/internal/rng"
	"github.com/weft-gnn/weft/kernel"
	"github.com/weft-gnn/weft/model"
	"github.com/weft-gnn/weft/program"
	"github.com/weft-gnn/weft/runtime"
	"github.com/weft-gnn/weft/tensor"
)

// a world is a graph with features and targets.
type world struct {
	name    string
	g       *graph.Graph
	x       tensor.Matrix
	classes int
	sparse  bool // features may be kept as their entries
	target  program.Target
	storage program.Storage
}

const classes = 3

// worlds are the labelled graph cases and ten random graphs.
func worlds(t *testing.T) []world {
	t.Helper()
	var out []world
	for _, c := range graphcase.All() {
		if c.N == 0 {
			continue
		}
		out = append(out, newWorld(t, c.Name, c.N, c.Src, c.Dst))
	}
	for i := range 10 {
		s := rng.Key{Seed: uint64(i), Purpose: rng.Test}.Stream(1)
		n, m := 2+int(s.Uint32n(40)), int(s.Uint32n(200))
		src, dst := make([]int32, m), make([]int32, m)
		for e := range src {
			src[e], dst[e] = int32(s.Uint32n(uint32(n))), int32(s.Uint32n(uint32(n)))
		}
		out = append(out, newWorld(t, fmt.Sprintf("random %d", i), n, src, dst))
	}
	return out
}

func newWorld(t *testing.T, name string, n int, src, dst []int32) world {
	t.Helper()
	g, err := graph.FromCOO(n, src, dst, nil, graph.Policy{})
	if err != nil {
		t.Fatal(err)
	}
	s := rng.Key{Seed: 7, Purpose: rng.Test}.Stream(2)
	w := world{name: name, g: g, x: tensor.New(n, 5), classes: classes}
	for i := range w.x.Data {
		w.x.Data[i] = float32(s.Normal())
	}
	for v := range n {
		w.target.Class = append(w.target.Class, int32(s.Uint32n(classes)))
		if v%2 == 0 {
			w.target.Rows = append(w.target.Rows, int32(v))
		}
	}
	w.target.Total = int64(len(w.target.Rows))
	return w
}

// dataWorld is a data set; the test is skipped where it is not at hand.
func dataWorld(t *testing.T, name string) world {
	t.Helper()
	data, cache := place.Folders(os.Getenv)
	d, err := source.Open(t.Context(), name, dataset.Options{DataPath: data, CacheDir: cache})
	var missing *source.NotFoundError
	if errors.As(err, &missing) {
		t.Skipf("needs data set %s: set WEFT_DATA or run weft data fetch %s", name, name)
	}
	if err != nil {
		t.Fatal(err)
	}
	rows := d.Splits[0].Train
	return world{name: name, g: d.Graph, x: d.X, classes: d.Labels.Classes(), sparse: true,
		target: program.Target{Items: kernel.Items{Rows: rows, Total: int64(len(rows))}, Class: d.Labels.Class}}
}

// TestPredictedEqualsCountedOnData: work, bytes and arena, training and
// inference, on real graphs.
func TestPredictedEqualsCountedOnData(t *testing.T) {
	for _, name := range []string{"karate", "cora"} {
		t.Run(name, func(t *testing.T) {
			w := dataWorld(t, name)
			for _, m := range model.All() {
				for _, train := range []bool{false, true} {
					t.Run(fmt.Sprintf("%s/train=%v", m.Name, train), func(t *testing.T) {
						checkExact(t, w, compile(t, m, w, train, ""))
					})
				}
			}
		})
	}
}

// TestSparseEqualsDense: features kept as their entries train as dense ones do,
// to the rounding of sums in another order.
func TestSparseEqualsDense(t *testing.T) {
	w := dataWorld(t, "karate")
	for _, m := range model.All() {
		w.sparse = false
		dense := train(t, w, m, 1)
		w.sparse = true
		for i, got := range train(t, w, m, 1)[:10] {
			if math.Abs(float64(got-dense[i])) > 1e-5 {
				t.Errorf("%s: loss %d is %v with entries, %v dense", m.Name, i, got, dense[i])
			}
		}
	}
}

// options are a model's defaults, narrowed.
func options(m model.Model) model.Options {
	o := m.Defaults
	o.Hidden, o.Layers = 8, 3
	if o.Heads > 1 {
		o.Heads, o.OutHeads = 4, 2
	}
	return o
}

// compile compiles a model's training step or inference for a world.
func compile(t *testing.T, m model.Model, w world, train bool, skip string) *program.Program {
	t.Helper()
	o := options(m)
	widths := model.NamedWidths(w.x.Cols, w.classes, o)
	p, err := m.Declare(widths, o)
	if train {
		p, err = m.Objective(widths, o, model.CrossEntropy, model.Decay{Lambda: 1e-2})
	}
	if err != nil {
		t.Fatal(err)
	}
	f := program.Facts{Steps: 100, FoldBytes: -1, Skip: map[string]bool{skip: true}, Storage: w.storage}
	if train {
		f.Optimizer = &program.Optimizer{}
	}
	return compileFor(t, w, p, f)
}

// compileFor compiles a program at the sizes of a world.
func compileFor(t *testing.T, w world, p *program.Program, f program.Facts) *program.Program {
	t.Helper()
	f.Env, f.Symmetric = program.ExtentOf(w.g, p).Env(), w.g.Block().SymmetricWeights()
	p.Widths(f.Env)
	f.Env["t"], f.Env["τ"] = int64(len(w.target.Rows)), int64(len(w.target.Rows))
	if w.sparse {
		f.Env["nnz"] = program.Nonzeros(w.x)
	}
	q, err := program.Compile(p, f, nil)
	if err != nil {
		t.Fatal(err)
	}
	return q
}

func session(t *testing.T, w world, o runtime.Options, ps ...*program.Program) *runtime.Session {
	t.Helper()
	if w.sparse {
		entries := program.SparseOf(w.x)
		o.Features = &entries
	}
	s, err := runtime.New(w.g, o, ps...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	for _, p := range ps {
		if p.Reads(program.SparseInput) {
			if err := s.Bind(program.SparseInput, w.x); err != nil {
				t.Fatal(err)
			}
		}
		for _, n := range p.Nodes {
			if in, ok := n.Op.(program.Input); ok && in.Name == "lr" {
				if err := s.Bind("lr", tensor.Of(1, 1, []float32{0.01})); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	return s
}

// TestPredictedEqualsCounted: promise 2 of the mission, for every model,
// training and inference, with all passes and with none.
func TestPredictedEqualsCounted(t *testing.T) {
	for _, w := range worlds(t) {
		for _, m := range model.All() {
			for _, train := range []bool{false, true} {
				for _, skip := range []string{"", "none"} {
					t.Run(fmt.Sprintf("%s/%s/train=%v/passes=%q", w.name, m.Name, train, skip), func(t *testing.T) {
						checkExact(t, w, compile(t, m, w, train, skip))
					})
				}
			}
		}
	}
}

func checkExact(t *testing.T, w world, p *program.Program) {
	s := session(t, w, runtime.Options{Threads: 2, Seed: 1, Poison: true}, p)
	for _, stage := range []program.Stage{program.Pre, program.Step} {
		want, err := s.Predict(0, stage, w.target)
		if err != nil {
			t.Fatal(err)
		}
		var got runtime.Counted
		if stage == program.Pre {
			got, err = s.Prelude(0)
		} else {
			got, err = s.Run(0, 0, w.target)
		}
		if err != nil {
			t.Fatal(err)
		}
		if got != want {
			t.Errorf("%v: counted %+v, predicted %+v\n%v", stage, got, want, p)
		}
	}
	if got, want := s.HighWater(), s.ArenaBytes(); got != want {
		t.Errorf("the highest byte written ends at %d, the layout at %d", got, want)
	}
}

// TestOperationsMatchReference compares every value of every program with the
// float64 interpreter, whose ops share no code with the kernels.
func TestOperationsMatchReference(t *testing.T) {
	for _, w := range worlds(t) {
		for _, m := range model.All() {
			for _, skip := range []string{"", "none"} {
				p := compile(t, m, w, true, skip)
				s := session(t, w, runtime.Options{Seed: 3}, p)
				x := reference(t, s, w, p)
				want, err := program.Interpret(p, x)
				if err != nil {
					t.Fatal(err)
				}
				if _, err := s.Run(0, 4, w.target); err != nil {
					t.Fatalf("%s/%s: %v", w.name, m.Name, err)
				}
				loss, err := s.Value(0, "loss")
				if err != nil {
					t.Fatal(err)
				}
				// float32 forward over a few hundred terms of size 1
				if got, want := float64(loss.Data[0]), want[p.Output("loss")].Data[0]; math.Abs(got-want) > 2e-5*max(1, math.Abs(want)) {
					t.Errorf("%s/%s passes %q: loss %v, reference %v", w.name, m.Name, skip, got, want)
				}
			}
		}
	}
}

// reference gives the interpreter the session's leaves.
func reference(t *testing.T, s *runtime.Session, w world, p *program.Program) *program.RefExec {
	t.Helper()
	x := &program.RefExec{N: s.Extent().N, NHat: s.Extent().NHat, Step: 4, Seed: 3, Leaves: map[string]program.Dense{}}
	x.Target = program.RefTarget{Rows: w.target.Rows, Class: w.target.Class, Value: dense(w.target.Value)}
	for _, name := range s.Slots() {
		m, err := s.Slot(name)
		if err != nil {
			t.Fatal(err)
		}
		x.Leaves[name] = dense(m)
	}
	x.Leaves["input.x"] = dense(w.x)
	x.Leaves["input.lr"] = program.Dense{Rows: 1, Cols: 1, Data: []float64{0.01}}
	return x
}

func dense(m tensor.Matrix) program.Dense {
	d := program.NewDense(m.Rows, m.Cols)
	for i := range m.Rows {
		for j, v := range m.Row(i) {
			d.Set(i, j, float64(v))
		}
	}
	return d
}

// TestThreadsDoNotMatter: equal bits of loss and parameters after ten steps.
func TestThreadsDoNotMatter(t *testing.T) {
	w := worlds(t)[len(worlds(t))-1]
	for _, m := range model.All() {
		var want []float32
		for _, threads := range []int{1, 2, 3, 5, 8} {
			got := train(t, w, m, threads)
			if want == nil {
				want = got
			}
			for i := range got {
				if math.Float32bits(got[i]) != math.Float32bits(want[i]) {
					t.Fatalf("%s: value %d is %v on %d threads, %v on 1", m.Name, i, got[i], threads, want[i])
				}
			}
		}
	}
}

// train returns the losses of ten steps and the parameters after them.
func train(t *testing.T, w world, m model.Model, threads int) []float32 {
	p := compile(t, m, w, true, "")
	return curve(t, session(t, w, runtime.Options{Threads: threads, Seed: 5}, p), w, 10)
}

// curve returns the losses of so many steps of a session's first program and
// the parameters after them.
func curve(t *testing.T, s *runtime.Session, w world, steps uint32) []float32 {
	t.Helper()
	var out []float32
	for step := range steps {
		if _, err := s.Run(0, step, w.target); err != nil {
			t.Fatal(err)
		}
		loss, _ := s.Value(0, "loss")
		out = append(out, loss.Data[0])
	}
	for _, name := range s.Slots() {
		m, _ := s.Slot(name)
		out = append(out, m.Flat()...)
	}
	return out
}

// TestStepAllocatesNothing: after the first step.
func TestStepAllocatesNothing(t *testing.T) {
	w := worlds(t)[len(worlds(t))-1]
	for _, m := range model.All() {
		p := compile(t, m, w, true, "")
		s := session(t, w, runtime.Options{Threads: 2, Seed: 5}, p)
		step := uint32(0)
		n := testing.AllocsPerRun(10, func() {
			if _, err := s.Run(0, step, w.target); err != nil {
				t.Fatal(err)
			}
			step++
		})
		if n != 0 {
			t.Errorf("%s: %v allocations a step", m.Name, n)
		}
	}
}
