package runtime_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/weft-gnn/weft/graph"
	"github.com/weft-gnn/weft/kernel"
	"github.com/weft-gnn/weft/model"
	"github.com/weft-gnn/weft/program"
	"github.com/weft-gnn/weft/runtime"
	"github.com/weft-gnn/weft/tensor"
)

// edgeModels have ψ that are dense on edges: what EdgeConv computes of both ends
// (Wang et al. 2019, Eq. 8), reduced by a sum or a maximum; two products per
// edge; attention to such messages; and what is dropped per edge.
func edgeModels() []model.Model {
	relu := kernel.Func{Kind: kernel.ReLU}
	o := model.Options{Layers: 3, Hidden: 12, Heads: 1, OutHeads: 1, Depth: 1}
	ends := func(b *program.Builder, h program.Value, s program.Space) program.Value {
		to := b.Scatter(h, program.Dst, s)
		return b.Concat(to, b.Sub(b.Scatter(h, program.Src, s), to))
	}
	conv := func(b *program.Builder, h program.Value, l model.Layer) program.Value {
		return b.ReLU(b.Affine(ends(b, h, program.Edges), l.Out))
	}
	return []model.Model{
		{Name: "sum", Activation: relu, Defaults: o, Layer: func(b *program.Builder, h program.Value, l model.Layer) program.Value {
			return b.Sum(conv(b, h, l), program.Dst)
		}},
		{Name: "max", Activation: relu, Defaults: o, Layer: func(b *program.Builder, h program.Value, l model.Layer) program.Value {
			return b.Select(conv(b, h, l), program.Max, program.Dst)
		}},
		{Name: "two layers per edge", Activation: relu, Defaults: o, Layer: func(b *program.Builder, h program.Value, l model.Layer) program.Value {
			e := b.ELU(b.Affine(ends(b, h, program.LoopEdges), l.Out))
			e = b.AddBias(b.LinearNamed("weight2", e, l.Out), b.Bias("bias2", l.Out))
			return b.Select(e, program.Min, program.Dst)
		}},
		{Name: "dropped", Activation: relu, Defaults: o, Layer: func(b *program.Builder, h program.Value, l model.Layer) program.Value {
			own := b.LinearNamed("weight_self", h, l.Out)
			return b.AddValues(own, b.Mean(b.Dropout(conv(b, h, l), 0.3)))
		}},
		{Name: "attention", Activation: relu, Defaults: o, Layer: func(b *program.Builder, h program.Value, l model.Layer) program.Value {
			e := b.LeakyReLU(b.Affine(ends(b, h, program.Edges), l.Out), 0.2)
			one := program.Cols(1)
			α := b.EdgeSoftmax(b.HeadProject(e, b.HeadVector("attention", l.Out, one), one))
			return b.Sum(b.HeadScale(b.Dropout(e, 0.2), α), program.Dst)
		}},
	}
}

// compileChunked compiles a training step, or inference, whose chunks take so
// many bytes.
func compileChunked(t testing.TB, m model.Model, w world, train bool, chunkBytes int64, skip ...string) *program.Program {
	t.Helper()
	o := m.Defaults
	widths := model.NamedWidths(w.x.Cols, w.classes, o)
	p, err := m.Declare(widths, o)
	if train {
		p, err = m.Objective(widths, o, model.CrossEntropy, model.Decay{Lambda: 1e-2})
	}
	if err != nil {
		t.Fatal(err)
	}
	f := program.Facts{Steps: 100, FoldBytes: -1, Skip: map[string]bool{}, ChunkBytes: chunkBytes}
	for _, s := range skip {
		f.Skip[s] = true
	}
	if train {
		f.Optimizer = &program.Optimizer{}
	}
	f.Env = program.ExtentOf(w.g, p).Env()
	p.Widths(f.Env)
	f.Env["t"], f.Env["τ"] = int64(len(w.target.Rows)), int64(len(w.target.Rows))
	q, err := program.Compile(p, f, nil)
	if err != nil {
		t.Fatal(err)
	}
	return q
}

// TestChunkedIsExact: work, bytes and arena of programs in chunks, of one
// destination each and of many.
func TestChunkedIsExact(t *testing.T) {
	for _, w := range worlds(t) {
		for _, m := range edgeModels() {
			for _, train := range []bool{false, true} {
				for _, size := range []int64{1, 1 << 11, 1 << 14} {
					t.Run(fmt.Sprintf("%s/%s/train=%v/%d", w.name, m.Name, train, size), func(t *testing.T) {
						checkExact(t, w, compileChunked(t, m, w, train, size))
					})
				}
			}
		}
	}
}

// steps returns the losses of some training steps, and the parameters after them.
func steps(t *testing.T, w world, threads int, p *program.Program) []float32 {
	t.Helper()
	s := session(t, w, runtime.Options{Threads: threads, Seed: 5, Poison: true}, p)
	return curve(t, s, w, 5)
}

func TestChunkedAnyThreads(t *testing.T) {
	w := worlds(t)[len(worlds(t))-1]
	for _, m := range edgeModels() {
		p := compileChunked(t, m, w, true, 1<<11)
		want := steps(t, w, 1, p)
		for _, threads := range []int{2, 3, 8} {
			for i, got := range steps(t, w, threads, p) {
				if math.Float32bits(got) != math.Float32bits(want[i]) {
					t.Fatalf("%s: value %d is %v on %d threads, %v on 1", m.Name, i, got, threads, want[i])
				}
			}
		}
	}
}

// ring is a graph of n vertices that each have degree sources, without storing
// what a list of edges would take.
func ring(n, degree int) *graph.Graph {
	g := &graph.Graph{N: n, Ptr: make([]int64, n+1), Src: make([]int32, 0, n*degree)}
	for v := range n {
		for i := range degree {
			g.Src = append(g.Src, int32((v+i*i+1)%n))
		}
		slices.Sort(g.Src[v*degree:])
		g.Ptr[v+1] = int64(len(g.Src))
	}
	return g
}

// TestEdgeMemory lays out training steps of layers that are dense on edges at
// 10⁵ vertices, 5·10⁶ arcs and 256 columns: what an arc has beside scores takes
// no memory but a chunk's. Of two layers as wide as their results, backward holds what
// the first one made, the gradient of the second's result and, in its place, that of
// what it read as far as destinations go, and the same of sources.
func TestEdgeMemory(t *testing.T) {
	const n, degree, k = 100_000, 50, 256
	w := world{g: ring(n, degree), x: tensor.Matrix{Rows: n, Cols: k}, classes: k}
	for _, m := range edgeModels() {
		for _, c := range []struct{ layers, classes int }{{1, k}, {2, 40}, {2, k}} {
			m.Defaults.Layers, m.Defaults.Hidden, w.classes = c.layers, k, c.classes
			p := compileChunked(t, m, w, true, 0)
			l := program.Memory([]*program.Program{p}, program.ExtentOf(w.g, p))
			if words, most := l.Size/4, int64(4*n*k+n*degree); words > most {
				t.Errorf("%s, %d layers to %d columns: %d words, %.2f nk, want at most 4nk + m = %d\n%v", m.Name, c.layers, c.classes, words, float64(words)/(n*k), most, p)
			}
		}
	}
}

// TestEdgeMemoryIsKept: the arena of a smaller graph is no larger in proportion,
// and its highest byte that a step writes is the layout's.
func TestEdgeMemoryIsKept(t *testing.T) {
	const n, degree, k = 2000, 50, 64
	w := newWorld(t, "ring", 1, nil, nil)
	w.g, w.x, w.classes = ring(n, degree), tensor.New(n, k), k
	for i := range w.x.Data {
		w.x.Data[i] = float32(i%7) - 3
	}
	w.target.Rows, w.target.Class = w.target.Rows[:0], make([]int32, n)
	for v := range n {
		w.target.Rows = append(w.target.Rows, int32(v))
	}
	w.target.Total = n
	for _, m := range edgeModels() {
		for _, m.Defaults.Layers = range []int{1, 2} {
			m.Defaults.Hidden = k
			p := compileChunked(t, m, w, true, 1<<16)
			checkExact(t, w, p)
			weights := int64(4 * 2 * k * k * m.Defaults.Layers) // with gradients and state
			if l := program.Memory([]*program.Program{p}, program.ExtentOf(w.g, p)); l.Size > 4*(4*n*k+n*degree+weights)+1<<17 {
				t.Errorf("%s, %d layers: %d bytes", m.Name, m.Defaults.Layers, l.Size)
			}
		}
	}
}

// TestChunkedEqualsWhole: predictions have the same bits in chunks of any size,
// and those of the program without chunks; so has the loss of the first step.
// After it, gradients of weights are sums of another order.
func TestChunkedEqualsWhole(t *testing.T) {
	for _, w := range worlds(t) {
		for _, m := range edgeModels() {
			predict := func(size int64, skip ...string) tensor.Matrix {
				return ran(t, session(t, w, runtime.Options{Seed: 5}, compileChunked(t, m, w, false, size, skip...)), w)
			}
			want, trained := predict(0, "chunk"), steps(t, w, 1, compileChunked(t, m, w, true, 0, "chunk"))
			for _, size := range []int64{1, 1 << 11, 1 << 14} {
				if got := predict(size); !got.Equal(want) {
					t.Fatalf("%s, %s, chunks of %d bytes: logits %v, want %v", w.name, m.Name, size, got.Data, want.Data)
				}
				got := steps(t, w, 1, compileChunked(t, m, w, true, size))
				if got[0] != trained[0] {
					t.Errorf("%s, %s, chunks of %d bytes: the first loss is %v, %v at once", w.name, m.Name, size, got[0], trained[0])
				}
				for i, got := range got[:5] {
					// five steps of Adam, whose first ones divide gradients by their size
					if d := math.Abs(float64(got - trained[i])); d > 1e-4*max(1, math.Abs(float64(trained[i]))) {
						t.Errorf("%s, %s, chunks of %d bytes: loss %d is %v, %v at once", w.name, m.Name, size, i, got, trained[i])
					}
				}
			}
		}
	}
}

// ran runs an inference and returns its predictions.
func ran(t *testing.T, s *runtime.Session, w world) tensor.Matrix {
	t.Helper()
	if _, err := s.Run(0, 0, w.target); err != nil {
		t.Fatal(err)
	}
	logits, err := s.Value(0, "logits")
	if err != nil {
		t.Fatal(err)
	}
	return logits
}

func TestChunkedStepAllocatesNothing(t *testing.T) {
	w := worlds(t)[len(worlds(t))-1]
	for _, m := range edgeModels() {
		s := session(t, w, runtime.Options{Threads: 2, Seed: 5}, compileChunked(t, m, w, true, 1<<11))
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

// TestChunkedTrace: an operation is reported once a step, with all that its
// chunks did.
func TestChunkedTrace(t *testing.T) {
	w := worlds(t)[len(worlds(t))-1]
	m := edgeModels()[1]
	p := compileChunked(t, m, w, true, 1<<11)
	var sum runtime.Counted
	events := map[program.Value]int{}
	s := session(t, w, runtime.Options{Seed: 5, Trace: func(e runtime.Event) {
		if p.Nodes[e.Node].Stage == program.Step {
			sum.Work, sum.Bytes = sum.Work+e.Work, sum.Bytes+e.Bytes
			events[e.Node]++
		}
	}}, p)
	for step := range 2 {
		sum = runtime.Counted{}
		got, err := s.Run(0, uint32(step), w.target)
		if err != nil || got != sum {
			t.Errorf("a step counted %+v, its events %+v, %v", got, sum, err)
		}
	}
	for i, n := range p.Nodes {
		if _, leaf := n.Op.(program.Leaf); !leaf && n.Stage == program.Step && events[program.Value(i)] != 2 {
			t.Errorf("%v was reported %d times in 2 steps", n.Op, events[program.Value(i)])
		}
	}
}

// TestChunkedNonFinite names the operation on edges that made the first NaN, in
// whichever chunk.
func TestChunkedNonFinite(t *testing.T) {
	w := newWorld(t, "path", 4, []int32{0, 1, 2}, []int32{1, 2, 3})
	w.x.Data[5*2] = 3e38
	layer := func(b *program.Builder, h program.Value, l model.Layer) program.Value {
		e := b.Apply(kernel.Square, 0, b.AddValues(b.Scatter(h, program.Src, program.Edges), b.Scatter(h, program.Dst, program.Edges)))
		return b.Sum(b.Affine(b.Concat(e, e), l.Out), program.Dst)
	}
	m := model.Model{Name: "squares", Layer: layer, Activation: kernel.Func{Kind: kernel.ReLU}, Defaults: edgeModels()[0].Defaults}
	p := compileChunked(t, m, w, true, 1, "hoist")
	if len(p.Regions) == 0 {
		t.Fatal("no regions\n", p)
	}
	w.target.Rows = []int32{0, 1, 2, 3}
	w.target.Total = 4
	_, err := session(t, w, runtime.Options{Seed: 5}, p).Run(0, 0, w.target)
	var found *runtime.NonFiniteError
	if !errors.As(err, &found) || found.Op != "square" || found.Layer != 0 {
		t.Errorf("got %v, want square in layer 0", err)
	}
}

// TestChunkedQueries: single vertices have the bits of the whole graph in chunks.
func TestChunkedQueries(t *testing.T) {
	w := worlds(t)[len(worlds(t))-1]
	for _, m := range edgeModels() {
		p := compileChunked(t, m, w, false, 1<<11)
		if len(p.Regions) == 0 {
			t.Fatal("no regions\n", p)
		}
		s := session(t, w, runtime.Options{Seed: 5}, p)
		whole := ran(t, s, w)
		inputs := map[string]tensor.Matrix{"x": w.x}
		for _, name := range s.Slots() {
			inputs[name], _ = s.Slot(name)
		}
		once, asked := program.Apart(p)
		if len(once.Outputs) > 0 {
			pre := session(t, w, runtime.Options{}, once)
			if _, err := pre.Run(0, 0, program.Target{}); err != nil {
				t.Fatal(err)
			}
			for _, o := range once.Outputs {
				inputs[o.Name], _ = pre.Value(0, o.Name)
			}
		}
		l, err := runtime.NewLocal(asked, s.Extent(), inputs)
		if err != nil {
			t.Fatal(err)
		}
		q := query(t, l)
		for v := range w.g.N {
			if got := ask(t, q, int32(v)); !got.Equal(rowsOf(whole, []int32{int32(v)})) {
				t.Fatalf("%s: vertex %d is %v, %v in the whole", m.Name, v, got.Data, whole.Row(v))
			}
		}
	}
}
