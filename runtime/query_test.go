package runtime_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/weft-gnn/weft/graph"
	"github.com/weft-gnn/weft/internal/graphcase"
	"github.com/weft-gnn/weft/internal/rng"
	"github.com/weft-gnn/weft/kernel"
	"github.com/weft-gnn/weft/model"
	"github.com/weft-gnn/weft/program"
	"github.com/weft-gnn/weft/runtime"
	"github.com/weft-gnn/weft/tensor"
)

// models are weft's own, and two of a user's: one that reads both edge spaces
// and takes maxima, one that reads only the edges' own ends.
func models() []model.Model {
	relu := kernel.Func{Kind: kernel.ReLU}
	o := model.Options{Layers: 2, Hidden: 8, Heads: 1, OutHeads: 1, Depth: 1}
	both := func(b *program.Builder, h program.Value, l model.Layer) program.Value {
		z := b.Linear(h, l.Out)
		e := b.Sub(b.Scatter(z, program.Src, program.Edges), b.Scatter(z, program.Dst, program.Edges))
		mean := b.Mean(b.Scatter(z, program.Src, program.Edges))
		own := b.Sum(b.Scatter(z, program.Src, program.LoopEdges), program.Dst)
		return b.AddValues(b.AddValues(b.Select(e, program.Max, program.Dst), mean), own)
	}
	ends := func(b *program.Builder, h program.Value, l model.Layer) program.Value {
		return b.Sum(b.ELU(b.Scatter(b.Linear(h, l.Out), program.Dst, program.Edges)), program.Dst)
	}
	return append(model.All(),
		model.Model{Name: "both spaces", Layer: both, Activation: relu, Defaults: o},
		model.Model{Name: "own ends", Layer: ends, Activation: relu, Defaults: o})
}

// weighted returns worlds with weights, one by graph case and one at random; in
// gcn they must sum to more than 0.
func weighted(t *testing.T) []world {
	t.Helper()
	var out []world
	for _, c := range graphcase.All() {
		if c.N == 0 || len(c.Src) == 0 || c.N > 100 {
			continue
		}
		s := rng.Key{Seed: 9, Purpose: rng.Test}.Stream(3)
		c.Weight = make([]float32, len(c.Src))
		for e := range c.Weight {
			c.Weight[e] = 0.5 + s.Float32()
		}
		w := newWorld(t, c.Name+", weighted", c.N, c.Src, c.Dst)
		g, err := graph.FromCOO(c.N, c.Src, c.Dst, c.Weight, graph.Policy{Duplicates: graph.Keep})
		if err != nil {
			t.Fatal(err)
		}
		w.g = g
		out = append(out, w)
	}
	return out
}

// variant is how a world's features are read, and what is computed once.
type variant struct {
	sparse  bool
	fold    int64
	storage program.Storage
}

func variants() []variant {
	return []variant{{}, {sparse: true}, {fold: -1}, {fold: -1, storage: program.BFloat16Storage}}
}

// of returns a world whose features are mostly zero where they are to be sparse.
func (c variant) of(w world) world {
	w.sparse, w.storage = c.sparse, c.storage
	if c.sparse && w.x.Cols < 100 {
		s := rng.Key{Seed: 2, Purpose: rng.Test}.Stream(5)
		w.x = w.x.Clone()
		for i := range w.x.Data {
			if s.Uint32n(4) > 0 {
				w.x.Data[i] = 0
			}
		}
	}
	return w
}

// inference compiles what queries are of: a model of three layers, or as many
// as it says beyond two.
func inference(t *testing.T, m model.Model, w world, fold int64) *program.Program {
	t.Helper()
	o := options(m)
	if m.Defaults.Layers != 2 {
		o.Layers = m.Defaults.Layers
	}
	p, err := m.Declare(model.NamedWidths(w.x.Cols, w.classes, o), o)
	if err != nil {
		t.Fatal(err)
	}
	f := program.Facts{Env: program.ExtentOf(w.g, p).Env(), Weighted: w.g.Weight != nil, Steps: 1, FoldBytes: fold, Storage: w.storage}
	p.Widths(f.Env)
	if w.sparse {
		f.Env["nnz"] = program.Nonzeros(w.x)
	}
	if p, err = program.Compile(p, f, nil); err != nil {
		t.Fatal(err)
	}
	return p
}

// local runs a model over the whole of a world, and prepares its queries.
func local(t *testing.T, m model.Model, w world, fold int64) (whole tensor.Matrix, l *runtime.Local) {
	t.Helper()
	p := inference(t, m, w, fold)
	s := session(t, w, runtime.Options{Seed: 5}, p)
	if _, err := s.Run(0, 0, program.Target{}); err != nil {
		t.Fatal(err)
	}
	whole, err := s.Value(0, "logits")
	if err != nil {
		t.Fatal(err)
	}
	inputs := map[string]tensor.Matrix{program.SparseInput: w.x}
	for _, name := range s.Slots() {
		if inputs[name], err = s.Slot(name); err != nil {
			t.Fatal(err)
		}
	}
	once, query := program.Apart(p)
	if len(once.Outputs) > 0 {
		o := session(t, w, runtime.Options{}, once)
		if _, err := o.Prelude(0); err != nil {
			t.Fatal(err)
		}
		for _, out := range once.Outputs {
			if inputs[out.Name], err = o.Value(0, out.Name); err != nil {
				t.Fatal(err)
			}
		}
	}
	e := program.ExtentOf(w.g, query)
	if w.sparse {
		x := program.SparseOf(w.x)
		e.X, inputs[program.SparseEntries] = x.Block, x.Values
	}
	if l, err = runtime.NewLocal(query, e, inputs); err != nil {
		t.Fatalf("%s: %v\n%v", m.Name, err, query)
	}
	return whole, l
}

func query(t *testing.T, l *runtime.Local) *runtime.Query {
	t.Helper()
	q := l.Query()
	t.Cleanup(func() { q.Close() })
	return q
}

// rowsOf are the given rows of m.
func rowsOf(m tensor.Matrix, rows []int32) tensor.Matrix {
	out := tensor.New(len(rows), m.Cols)
	for i, v := range rows {
		copy(out.Row(i), m.Row(int(v)))
	}
	return out
}

func ask(t *testing.T, q *runtime.Query, vertices ...int32) tensor.Matrix {
	t.Helper()
	m, err := q.Run(vertices)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestQueriesEqualTheWhole: a vertex asked for alone, or among others, has the
// bits that it has where all are computed; for every model, over every graph
// case, features dense and sparse. Weights are read by gcn alone.
func TestQueriesEqualTheWhole(t *testing.T) {
	plain := worlds(t)
	for i, w := range append(plain, weighted(t)...) {
		for _, m := range models() {
			if i >= len(plain) && m.Name != "gcn" {
				continue
			}
			for _, c := range variants() {
				t.Run(fmt.Sprintf("%s/%s/%+v", w.name, m.Name, c), func(t *testing.T) {
					whole, l := local(t, m, c.of(w), c.fold)
					q, s := query(t, l), rng.Key{Seed: 1, Purpose: rng.Test}.Stream(4)
					for v := 0; v < w.g.N; v += 1 + w.g.N/32 {
						if got := ask(t, q, int32(v)); !got.Equal(rowsOf(whole, []int32{int32(v)})) {
							t.Fatalf("vertex %d: %v alone, %v in the whole", v, got.Data, whole.Row(v))
						}
					}
					for range 5 { // with duplicates, in any order
						vertices := make([]int32, s.Uint32n(6))
						for i := range vertices {
							vertices[i] = int32(s.Uint32n(uint32(w.g.N)))
						}
						if got := ask(t, q, vertices...); !got.Equal(rowsOf(whole, vertices)) {
							t.Fatalf("vertices %v: %v, want %v", vertices, got.Data, rowsOf(whole, vertices).Data)
						}
					}
				})
			}
		}
	}
}

func TestQueriesEqualTheWholeOnData(t *testing.T) {
	w := dataWorld(t, "cora")
	for _, m := range model.All() {
		for _, layers := range []int{1, 3} {
			m.Defaults.Layers = layers
			whole, l := local(t, m, w, 0)
			q := query(t, l)
			for v := 0; v < w.g.N; v += 7 {
				if got := ask(t, q, int32(v)); !got.Equal(rowsOf(whole, []int32{int32(v)})) {
					t.Fatalf("%s of %d layers, vertex %d: %v, want %v", m.Name, layers, v, got.Data, whole.Row(v))
				}
			}
		}
	}
}

// A query reads no more than it must: of a path 0 ← 1 ← 2 ← 3 ← 4, a model of
// three layers reads four vertices and the edges into three of them.
func TestQueryReadsItsNeighbourhood(t *testing.T) {
	w := newWorld(t, "path", 5, []int32{1, 2, 3, 4}, []int32{0, 1, 2, 3})
	for _, c := range []struct {
		model                 string
		asked, vertices, arcs int
	}{{"sage", 0, 4, 3}, {"sage", 3, 2, 1}, {"sage", 4, 1, 0}, {"gcn", 0, 4, 6}, {"mlp", 0, 1, 0}} {
		m, err := model.ByName(c.model)
		if err != nil {
			t.Fatal(err)
		}
		_, l := local(t, m, w, 0)
		q := query(t, l)
		ask(t, q, int32(c.asked))
		if v, e := q.Neighbourhood(); v != c.vertices || e != c.arcs {
			t.Errorf("%s around %d: %d vertices and %d edges, want %d and %d", c.model, c.asked, v, e, c.vertices, c.arcs)
		}
	}
}

// allocations returns how often f allocates once it has run: the least of some
// tries, for what Go's own threads allocate meanwhile counts too.
func allocations(f func()) float64 {
	least := testing.AllocsPerRun(1, f)
	for try := 0; try < 4 && least > 0; try++ {
		least = min(least, testing.AllocsPerRun(1, f))
	}
	return least
}

// TestQueryAllocatesNothing: after one pass over all vertices.
func TestQueryAllocatesNothing(t *testing.T) {
	all := worlds(t)
	for _, w := range append(all[len(all)-3:], weighted(t)[:3]...) {
		for _, m := range models() {
			_, l := local(t, m, variant{sparse: true}.of(w), 0)
			q, one := query(t, l), make([]int32, 1)
			n := allocations(func() {
				for v := range w.g.N {
					one[0] = int32(v)
					if _, err := q.Run(one); err != nil {
						t.Fatal(err)
					}
				}
			})
			if n != 0 {
				t.Errorf("%s, %s: %v allocations", w.name, m.Name, n)
			}
		}
	}
}

// TestQueriesAtOnce: goroutines share what is whole and disturb no one.
func TestQueriesAtOnce(t *testing.T) {
	w := variant{sparse: true}.of(worlds(t)[len(worlds(t))-1])
	for _, m := range models() {
		whole, l := local(t, m, w, 0)
		var all sync.WaitGroup
		for i := range 4 {
			q := query(t, l)
			all.Go(func() {
				for step := range 3 * w.g.N {
					v := int32((step*(i+1) + i) % w.g.N)
					got, err := q.Run([]int32{v, 0})
					if err != nil || !got.Equal(rowsOf(whole, []int32{v, 0})) {
						t.Errorf("%s, vertex %d: %v, %v", m.Name, v, got.Data, err)
						return
					}
				}
			})
		}
		all.Wait()
	}
}

func TestQueryErrors(t *testing.T) {
	w := newWorld(t, "path", 3, []int32{1, 2}, []int32{0, 1})
	m, err := model.ByName("gcn")
	if err != nil {
		t.Fatal(err)
	}
	whole, l := local(t, m, w, 0)
	q := query(t, l)
	if _, err := q.Run([]int32{0, 3}); err == nil || !strings.Contains(err.Error(), "vertex 3 is out of range") {
		t.Errorf("a vertex that is not there: %v", err)
	}
	if got := ask(t, q, 2); !got.Equal(rowsOf(whole, []int32{2})) {
		t.Errorf("after an error: %v, want %v", got.Data, whole.Row(2))
	}
	if got := ask(t, q); got.Rows != 0 || got.Cols != whole.Cols {
		t.Errorf("of no vertices: %v", got)
	}
}

func TestNewLocalErrors(t *testing.T) {
	w := newWorld(t, "path", 3, []int32{1, 2}, []int32{0, 1})
	declare := func(f func(b *program.Builder, x program.Value) program.Value) *program.Program {
		b := program.NewBuilder("own")
		b.Output("logits", f(b, b.Input("x", program.Vertices, program.Cols(5))))
		p, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	e := program.Extent{N: w.g.Block()}
	sum := declare(func(b *program.Builder, x program.Value) program.Value {
		return b.Sum(b.Scatter(x, program.Src, program.Edges), program.Dst)
	})
	if _, err := runtime.NewLocal(sum, e, nil); err == nil || !strings.Contains(err.Error(), `input "x" of program own is missing`) {
		t.Errorf("no input: %v", err)
	}
	if _, err := runtime.NewLocal(sum, e, map[string]tensor.Matrix{"x": tensor.New(2, 5)}); err == nil || !strings.Contains(err.Error(), `input "x" is 2×5, want 3×5`) {
		t.Errorf("too few rows: %v", err)
	}
	pooled := declare(func(b *program.Builder, x program.Value) program.Value { return b.Broadcast(b.SumPool(x)) })
	var refused *program.NotLocalError
	if _, err := runtime.NewLocal(pooled, e, map[string]tensor.Matrix{"x": w.x}); !errors.As(err, &refused) {
		t.Errorf("pooling: %v", err)
	}
}
