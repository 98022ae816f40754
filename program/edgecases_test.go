package program_test

import (
	"math"
	"slices"
	"testing"

	"github.com/weft-gnn/weft/graph"
	"github.com/weft-gnn/weft/internal/graphcase"
	"github.com/weft-gnn/weft/kernel"
	"github.com/weft-gnn/weft/model"
	. "github.com/weft-gnn/weft/program"
	"github.com/weft-gnn/weft/tensor"
)

// Every test here is a row of the project's list of edge cases, at the level of
// programs: through the references in float64 and through the kernels.

// small is a graph of few vertices with a policy for parallel arcs.
func small(t *testing.T, n int, d graph.Duplicates, arcs ...[2]int32) world {
	t.Helper()
	var src, dst []int32
	for _, a := range arcs {
		src, dst = append(src, a[0]), append(dst, a[1])
	}
	g, err := graph.FromCOO(n, src, dst, nil, graph.Policy{Duplicates: d})
	if err != nil {
		t.Fatal(err)
	}
	return world{"small", g, Extent{N: g.Block(), NHat: g.LoopBlock()}}
}

func column(values ...float64) Dense { return Dense{Rows: len(values), Cols: 1, Data: values} }

// evaluate returns f(x) over one column of vertices, by references, and checks
// that the kernels agree to float32 with and without passes.
func evaluate(t *testing.T, w world, x Dense, f func(b *Builder, x Value) Value) []float64 {
	t.Helper()
	b := NewBuilder("edge case")
	b.Output("y", f(b, b.Input("x", Vertices, Cols(x.Cols))))
	p, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	exec := w.exec(RefTarget{})
	exec.Leaves["input.x"] = x
	want := results(t, p, exec)["y"]
	q, err := Compile(p, Facts{Env: w.Env(), FoldBytes: -1}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range []*Program{p, q} {
		m := newMachine(w, exec, p, nil)
		m.step(0)
		if got := dense(m.values[p.Output("y")]); apart(got, want) > kernelTolerance {
			t.Errorf("the kernels give %v, the references %v\n%v", got.Data, want.Data, p)
		}
	}
	return want.Data
}

// near allows the rounding of float64 coefficients.
func near(got, want []float64) bool {
	return slices.EqualFunc(got, want, func(a, b float64) bool { return math.Abs(a-b) <= 1e-12*max(1, math.Abs(b)) })
}

func meanOver(b *Builder, x Value) Value { return b.Mean(b.Scatter(x, Src, Edges)) }

// graphConv is ÂX.
func graphConv(b *Builder, x Value) Value {
	return b.Sum(b.HeadScale(b.Scatter(x, Src, LoopEdges), b.EdgeCoef(SymNorm, LoopEdges)), Dst)
}

func TestMeanOverNoNeighbours(t *testing.T) {
	none := small(t, 2, graph.Merge)
	if got := evaluate(t, none, column(5, 7), meanOver); !near(got, []float64{0, 0}) {
		t.Errorf("no edges: means %v, want 0, 0", got)
	}
	w := small(t, 3, graph.Merge, [2]int32{0, 1}, [2]int32{1, 0})
	x := column(1, 3, 5)
	if got := evaluate(t, w, x, meanOver); !near(got, []float64{3, 1, 0}) {
		t.Errorf("means %v, want 3, 1, 0", got)
	}
	if got := evaluate(t, w, x, graphConv); !near(got, []float64{2, 2, 5}) {
		t.Errorf("gcn %v, want 2, 2, 5", got)
	}
}

// The weight of the neighbours has gradient 0 where nobody has any.
func TestNeighbourWeightOfNoNeighbours(t *testing.T) {
	sage, err := model.ByName("sage")
	if err != nil {
		t.Fatal(err)
	}
	w := small(t, 2, graph.Merge)
	b := NewBuilder("sage")
	x := b.Input("x", Vertices, Cols(2))
	b.Output("loss", b.CrossEntropy(sage.Layer(b, x, model.Layer{Out: Cols(2)})))
	p, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	exec := w.exec(RefTarget{Rows: []int32{0, 1}, Class: []int32{0, 1}})
	exec.Leaves["input.x"] = Dense{Rows: 2, Cols: 2, Data: []float64{1, 2, 3, 4}}
	exec.Leaves["input.lr"] = column(0.1)
	s := source(1)
	for _, v := range p.Params() {
		exec.Leaves[p.Nodes[v].Op.(Param).Slot()] = w.draw(s, p.Type(v), anything)
	}
	for name, g := range results(t, step(t, p), exec) {
		zero := true
		for _, v := range g.Data {
			zero = zero && v == 0
			if math.IsNaN(v) {
				t.Errorf("%s is %v", name, g.Data)
			}
		}
		if neighbours := name == "gradient of Param(weight_neigh, glorot)"; zero != neighbours && name != "loss" {
			t.Errorf("%s is %v", name, g.Data)
		}
	}
}

func TestSoftmaxRange(t *testing.T) {
	w := small(t, 7, graph.Merge, [2]int32{2, 0}, [2]int32{3, 0}, [2]int32{4, 0}, [2]int32{5, 1}, [2]int32{6, 1})
	scores := column(0, 0, 1000, 1001, -2000, -500, -501)
	want := []float64{0.26894142137, 0.73105857863, 0, 0.73105857863, 0.26894142137}
	for name, softmax := range map[string]func(b *Builder, e Value) Value{
		"one op":  func(b *Builder, e Value) Value { return b.EdgeSoftmax(e) },
		"lowered": func(b *Builder, e Value) Value { return EdgeSoftmax{Edges}.Lower(b, []Value{e}) },
	} {
		got := evaluate(t, w, scores, func(b *Builder, x Value) Value { return softmax(b, b.Scatter(x, Src, Edges)) })
		for i, v := range want {
			if math.Abs(got[i]-v) > 1e-10 {
				t.Errorf("%s: %v, want %v", name, got, want)
				break
			}
		}
	}
}

func TestSelfLoops(t *testing.T) {
	w := small(t, 2, graph.Merge, [2]int32{0, 1}, [2]int32{1, 0}, [2]int32{0, 0})
	if got := evaluate(t, w, column(1, 2), graphConv); !near(got, []float64{1.5, 1.5}) {
		t.Errorf("gcn %v, want 1.5, 1.5: every vertex has exactly one loop", got)
	}
	if got := evaluate(t, w, column(1, 2), meanOver); !near(got, []float64{1.5, 1}) {
		t.Errorf("means over N %v, want 1.5, 1: the data's loop is a neighbour", got)
	}
}

func TestUnsortedEdges(t *testing.T) {
	w := small(t, 4, graph.Keep, [2]int32{1, 1}, [2]int32{2, 0}, [2]int32{3, 1})
	sum := func(b *Builder, x Value) Value { return b.Sum(b.Scatter(x, Src, Edges), Dst) }
	if got := evaluate(t, w, column(0, 10, 20, 30), sum); !near(got, []float64{20, 40, 0, 0}) {
		t.Errorf("sums %v, want 20, 40", got)
	}
}

func TestParallelEdges(t *testing.T) {
	attention := func(b *Builder, x Value) Value {
		e := b.Scatter(x, Src, Edges)
		return b.Sum(b.HeadScale(e, b.EdgeSoftmax(b.Scale(e, 0))), Dst)
	}
	arcs := [][2]int32{{1, 0}, {1, 0}, {2, 0}}
	for policy, want := range map[graph.Duplicates]float64{graph.Keep: 5, graph.Merge: 6} {
		if got := evaluate(t, small(t, 3, policy, arcs...), column(0, 3, 9), attention); !near(got, []float64{want, 0, 0}) {
			t.Errorf("policy %v: attention %v, want %v", policy, got, want)
		}
	}
}

func TestDirection(t *testing.T) {
	twoSums := func(b *Builder, x Value) Value {
		for range 2 {
			x = b.Sum(b.Scatter(x, Src, Edges), Dst)
		}
		return x
	}
	x := column(1, 0, 0)
	if got := evaluate(t, small(t, 3, graph.Merge, [2]int32{0, 1}, [2]int32{1, 2}), x, twoSums); !near(got, []float64{0, 0, 1}) {
		t.Errorf("directed: %v, want 0, 0, 1", got)
	}
	both := small(t, 3, graph.Merge, [2]int32{0, 1}, [2]int32{1, 2}, [2]int32{1, 0}, [2]int32{2, 1})
	if got := evaluate(t, both, x, twoSums); !near(got, []float64{1, 0, 1}) {
		t.Errorf("both ways: %v, want 1, 0, 1", got)
	}
}

// batch is three graphs of 0, 2 and 0 vertices.
func batch(t *testing.T) world {
	t.Helper()
	g, err := graph.FromCOO(2, nil, nil, nil, graph.Policy{})
	if err != nil {
		t.Fatal(err)
	}
	g.Graphs = []int64{0, 0, 2, 2}
	return world{"batch", g, Extent{N: g.Block(), NHat: g.LoopBlock()}}
}

func TestEmptyGraphsInABatch(t *testing.T) {
	for name, c := range map[string]struct {
		pool func(b *Builder, x Value) Value
		want []float64
	}{
		"sum":  {func(b *Builder, x Value) Value { return b.SumPool(x) }, []float64{0, 2, 0}},
		"mean": {func(b *Builder, x Value) Value { return b.MeanPool(x) }, []float64{0, 1, 0}},
		"max":  {func(b *Builder, x Value) Value { return b.Select(x, Max, Member) }, []float64{0, 1, 0}},
		"min":  {func(b *Builder, x Value) Value { return b.Select(b.Scale(x, -1), Min, Member) }, []float64{0, -1, 0}},
	} {
		if got := evaluate(t, batch(t), column(1, 1), c.pool); !near(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

// As many predictions as labels, and a gradient that no empty graph disturbs.
func TestLossOverEmptyGraphs(t *testing.T) {
	w := batch(t)
	b := NewBuilder("pool")
	x := b.Input("x", Vertices, Cols(2))
	b.Output("loss", b.CrossEntropy(b.Linear(b.MeanPool(x), Cols(2))))
	p, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	exec := w.exec(RefTarget{Rows: []int32{0, 1, 2}, Class: []int32{0, 1, 0}})
	exec.Leaves["input.x"] = Dense{Rows: 2, Cols: 2, Data: []float64{1, 0, 0, 1}}
	exec.Leaves["param.weight"] = NewDense(2, 2)
	exec.Leaves["input.lr"] = column(0.1)
	got := results(t, step(t, p), exec)
	if loss := got["loss"].Data[0]; math.Abs(loss-math.Ln2) > 1e-12 {
		t.Errorf("loss %v, want ln 2", loss)
	}
	// Only the graph of two vertices has features: their mean is ½, ½.
	if g := got["gradient of Param(weight, glorot)"].Data; !near(g, []float64{0.5 / 2 / 3, -0.5 / 2 / 3, 0.5 / 2 / 3, -0.5 / 2 / 3}) {
		t.Errorf("gradient %v", g)
	}
}

func TestMissingLabels(t *testing.T) {
	nan := math.NaN()
	w := small(t, 2, graph.Merge)
	for _, c := range []struct {
		name   string
		target RefTarget
		loss   func(b *Builder, x Value) Value
		want   float64
		moves  bool // whether a step has a gradient
	}{
		{"values", RefTarget{Rows: []int32{0, 1}, Value: Dense{2, 2, []float64{0, nan, 1, 1}}}, binary, math.Ln2, true},
		{"all values missing", RefTarget{Rows: []int32{0, 1}, Value: Dense{2, 2, []float64{nan, nan, nan, nan}}}, binary, 0, false},
		{"no rows", RefTarget{Value: Dense{2, 2, []float64{0, nan, 1, 1}}}, binary, 0, false},
		{"classes", RefTarget{Rows: []int32{0, 1}, Class: []int32{-1, 1}}, entropy, math.Ln2, true},
		{"all classes missing", RefTarget{Rows: []int32{0, 1}, Class: []int32{-1, -1}}, entropy, 0, false},
	} {
		b := NewBuilder(c.name)
		logits := b.Linear(b.Input("x", Vertices, Cols(1)), Cols(2))
		b.Output("loss", c.loss(b, logits))
		p, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		p = step(t, p)
		exec := w.exec(c.target)
		exec.Leaves["input.x"], exec.Leaves["input.lr"] = column(1, 2), column(0.1)
		exec.Leaves["param.weight"] = NewDense(1, 2)
		got := results(t, p, exec)
		if loss := got["loss"].Data[0]; math.Abs(loss-c.want) > 1e-12 {
			t.Errorf("%s: loss %v, want %v", c.name, loss, c.want)
		}
		m := newMachine(w, exec, p, nil)
		if c.target.Class != nil {
			m.x.Target.Total = kernel.CountClasses(c.target.Class, c.target.Rows)
		} else if c.target.Rows != nil { // kernels take no list to be all rows
			m.x.Target.Total = kernel.CountValues(matrix(c.target.Value), c.target.Rows)
		} else {
			m.x.Target.Rows = []int32{}
		}
		m.step(0)
		if loss := float64(m.values[p.Output("loss")].Data[0]); math.Abs(loss-c.want) > 1e-6 {
			t.Errorf("%s: the kernels' loss is %v, want %v", c.name, loss, c.want)
		}
		moved := false
		for _, v := range m.values[p.Params()[0]].Data {
			moved = moved || v != 0
		}
		if moved != c.moves {
			t.Errorf("%s: the weight after a step is %v", c.name, m.values[p.Params()[0]].Data)
		}
	}
}

func binary(b *Builder, x Value) Value  { return b.ValueLoss(BinaryCrossEntropy, x) }
func entropy(b *Builder, x Value) Value { return b.CrossEntropy(x) }

// Messages 1e8, 1, −1e8 in float32 sum to 0 in the order of the edges, and to 0
// or 1 in others: the order is fixed, on any number of threads.
func TestDeterminism(t *testing.T) {
	// A hub of many such triples, so that its row is cut into chunks.
	c := graphcase.Case{Name: "hub", N: 3 * 4000}
	for u := range int32(c.N) {
		c.Src, c.Dst = append(c.Src, u), append(c.Dst, u%2)
	}
	w := newWorld(t, c)
	x := tensor.New(c.N, 1)
	for i := range x.Data {
		x.Data[i] = []float32{1e8, 1, -1e8}[i%3]
	}
	for name, op := range map[string]Op{
		"fused":   SpMM{Dst, Edges, false},
		"unfused": Aggregate{Dst, Edges},
		"columns": ColumnSum{},
		"softmax": EdgeSoftmax{Edges},
	} {
		var want tensor.Matrix
		for _, threads := range []int{1, 2, 3, 8} {
			pool := kernel.NewPool(threads)
			e := &Exec{Ctx: &kernel.Ctx{Pool: pool}, N: w.N, NHat: w.NHat}
			messages := tensor.New(w.N.Edges(), 1)
			Scatter{Src, Edges}.Run(e, []tensor.Matrix{x}, messages)
			in, rows := messages, c.N
			switch op.(type) {
			case SpMM:
				in = x
			case ColumnSum:
				rows = 1
			case EdgeSoftmax:
				rows = w.N.Edges()
			}
			got := blank(rows, 1)
			op.Run(e, []tensor.Matrix{in}, got)
			pool.Close()
			if want.Data == nil {
				want = got
			}
			if !got.Equal(want) {
				t.Errorf("%s: other bits on %d threads", name, threads)
			}
		}
	}
	three := small(t, 4, graph.Merge, [2]int32{1, 0}, [2]int32{2, 0}, [2]int32{3, 0})
	e := &Exec{Ctx: &kernel.Ctx{}, N: three.N}
	y := blank(4, 1)
	SpMM{Dst, Edges, false}.Run(e, []tensor.Matrix{tensor.Of(4, 1, []float32{0, 1e8, 1, -1e8})}, y)
	if y.Data[0] != 0 {
		t.Errorf("1e8 + 1 − 1e8 in the order of edges is %v, want 0 in float32", y.Data[0])
	}
}

// TestWeightsThatCancel: a vertex whose weights and loop sum to 0 or less has no
// symmetric normalisation, and is named; other programs run.
func TestWeightsThatCancel(t *testing.T) {
	g, err := graph.FromCOO(3, []int32{0, 1}, []int32{2, 2}, []float32{1, -3}, graph.Policy{})
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range model.All() {
		p := objective(t, m, 2)
		err := p.Check(ExtentOf(g, p))
		if named := err != nil && err.Error() == "gcn: graph: weights into vertex 2 sum to -1, want a positive number to normalise by"; named != (m.Name == "gcn") {
			t.Errorf("%s: %v", m.Name, err)
		}
	}
}
