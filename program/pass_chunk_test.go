package program_test

import (
	"fmt"

	"testing"

	"pgregory.net/rapid"

	"github.com/weft-gnn/weft/graph"
	"github.com/weft-gnn/weft/internal/graphcase"
	"github.com/weft-gnn/weft/kernel"
	. "github.com/weft-gnn/weft/program"
	"github.com/weft-gnn/weft/tensor"
)

// blockOf returns the block over which a region of the machine's program runs.
func (m *machine) blockOf(r Region) *graph.Block {
	if r.Over == LoopEdges {
		return m.x.NHat
	}
	return m.x.N
}

// largest returns how many rows of n a chunk of its region has at most.
func (m *machine) largest(n Node) int {
	r := m.p.Regions[n.Region-1]
	b, cuts, most := m.blockOf(r), r.Cuts(m.blockOf(r)), 0
	for c := range len(cuts) - 1 {
		_, rows := spanOf(b, n.Type, cuts[c], cuts[c+1])
		most = max(most, rows)
	}
	return most
}

// spanOf returns the first row and the number of rows that destinations lo to hi
// have of a type.
func spanOf(b *graph.Block, t Type, lo, hi int) (first, n int) {
	if t.Space == Vertices {
		return lo, hi - lo
	}
	return int(b.Ptr[lo]), int(b.Ptr[hi] - b.Ptr[lo])
}

// region runs the region that begins at node first, in the order that Region
// says, and returns where it ends.
func (m *machine) region(first int) int {
	number := m.p.Nodes[first].Region
	r := m.p.Regions[number-1]
	b, end := m.blockOf(r), first
	for ; end < len(m.p.Nodes) && m.p.Nodes[end].Region == number; end++ {
		if _, sums := m.p.Nodes[end].Summed(); sums {
			kernel.Fill(m.x.Ctx, 0, m.values[end])
		}
	}
	cuts := r.Cuts(b)
	for c := range len(cuts) - 1 {
		x := *m.x
		if x.N = b.Cut(cuts[c], cuts[c+1]); r.Over == LoopEdges {
			x.N, x.NHat = m.x.N, x.N
		}
		view := func(v Value, p Part) tensor.Matrix {
			y := m.values[v]
			if p == AllRows {
				return y
			}
			lo, n := spanOf(b, m.p.Type(v), cuts[c], cuts[c+1])
			if p == Passing {
				lo = 0
			}
			return tensor.Matrix{Rows: n, Cols: y.Cols, Stride: y.Stride, Data: y.Data[min(lo*y.Stride, len(y.Data)):]}
		}
		for i := first; i < end; i++ {
			parts, out := m.p.Parts(Value(i), m.local)
			in := make([]tensor.Matrix, len(parts))
			for j, p := range parts {
				in[j] = view(m.p.Nodes[i].In[j], p)
			}
			if op, sums := m.p.Nodes[i].Summed(); sums {
				op.RunOnto(&x, in, view(Value(i), out))
			} else {
				m.p.Nodes[i].Op.Run(&x, in, view(Value(i), out))
			}
		}
	}
	return end
}

// edgeConv is a dense function of both ends, of up to two products, dropped or
// weighed by attention, and reduced at either end.
func (a *author) edgeConv() Value {
	s, v := a.space(), a.pick()
	to := a.Scatter(v, Dst, s)
	e := a.Concat(to, a.Sub(a.Scatter(v, Src, s), to))
	for range 1 + a.intn(2, "products") {
		e = a.LeakyReLU(a.affine(e, a.columns(3)), 0.1)
	}
	if a.flip("dropped") {
		e = a.Dropout(e, 0.3)
	}
	if a.flip("attention") {
		one := Cols(1)
		e = a.HeadScale(e, a.EdgeSoftmax(a.HeadProject(e, a.param(1, a.cols(e)), one)))
	}
	switch a.intn(5, "reduction") {
	case 0:
		return a.Sum(e, Src)
	case 1:
		return a.Sum(e, Dst)
	case 2: // less what the mean of a destination's edges is
		return a.Sum(a.ELU(a.Sub(e, a.Scatter(a.Sum(e, Dst), Dst, s))), Dst)
	case 3:
		return a.Select(e, Min, Src)
	}
	return a.Select(e, Max, Dst)
}

// drawChunked draws a program of values wide enough to be run in chunks, compiled
// with them and without.
func drawChunked(t *rapid.T) (w world, x RefExec, chunked, whole *Program) {
	w = randomWorld(t)
	a := newAuthor(t)
	a.wide = 8
	a.kinds = []func() Value{a.edgeConv, a.edgeConv, a.edgeNetwork, a.edgeLinear, a.convolve, a.dense, a.concat, a.drop}
	p := a.program(4)
	x = randomExec(w, p, 3)
	f := w.facts(x.Target)
	f.Skip = map[string]bool{"reorder": true, "hoist": rapid.Bool().Draw(t, "skip hoist"), "fuse": rapid.Bool().Draw(t, "skip fuse")}
	f.ChunkBytes = rapid.SampledFrom([]int64{1, 30, 100}).Draw(t, "chunk bytes")
	if rapid.Bool().Draw(t, "train") {
		f.Optimizer = &Optimizer{}
	}
	compile := func() *Program {
		q, err := Compile(p, f, nil)
		if err != nil {
			t.Fatal(err)
		}
		return q
	}
	chunked = compile()
	for _, n := range chunked.Nodes {
		if s, ok := n.Op.(State); ok {
			x.Leaves[s.Slot()] = NewDense(s.Of.Rows.N, s.Of.Cols.N)
		}
	}
	f.Skip["chunk"] = true
	return w, x, chunked, compile()
}

// TestChunkKeepsResults, in float64, where a region is no more than an order.
func TestChunkKeepsResults(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		_, x, chunked, whole := drawChunked(t)
		sameResults(t, "chunk", whole, chunked, x)
	})
}

// TestRegions: the nodes of a region follow each other and are of one stage, and
// no wide value of edges leaves it unless something that runs over all of them
// at once reads it.
func TestRegions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, _, p, _ := drawChunked(t)
		local := Memory([]*Program{p}, w.Extent).Local[0]
		ended := map[int]bool{}
		for i, n := range p.Nodes {
			if i > 0 && p.Nodes[i-1].Region != n.Region {
				ended[p.Nodes[i-1].Region] = true
			}
			if n.Region == 0 {
				continue
			}
			if ended[n.Region] || p.Nodes[i-1].Region == n.Region && p.Nodes[i-1].Stage != n.Stage {
				t.Fatal("node", i, "is apart from its region\n", p)
			}
			if n.Type.Space.IsEdges() && n.Type.Cols.N > 8 && !local[i] && !leaves(p, Value(i)) {
				t.Fatal("value", i, "is stored\n", p)
			}
		}
	})
}

// leaves reports whether v is a result, kept, or read outside of all regions or
// in another stage.
func leaves(p *Program, v Value) bool {
	if p.Kept(v) {
		return true
	}
	for _, o := range p.Outputs {
		if o.Value == v {
			return true
		}
	}
	for _, n := range p.Nodes {
		for _, u := range n.In {
			if u == v && n.Region == 0 {
				return true
			}
		}
	}
	return false
}

// TestChunkedKernels runs random programs chunk by chunk, in an arena and with
// memory of its own for every value. Bits are equal, and those of the program
// without chunks but in gradients, whose sums have another order; these are the
// float64 reference's. Work and bytes are those stated.
func TestChunkedKernels(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, x, chunked, whole := drawChunked(t)
		layout := Memory([]*Program{chunked}, w.Extent)
		env := w.env(x.Target)
		chunked.Widths(env)
		chunked.CountChunks(w.Extent, env)
		alone, arena, at := newMachine(w, x, chunked, nil), newMachine(w, x, chunked, &layout), newMachine(w, x, whole, nil)
		arena.x.Count.Reset()
		for _, m := range []*machine{alone, arena, at} {
			m.step(x.Step)
		}
		work, bytes := arena.x.Count.Read()
		if want := chunked.Work(Step).MustEval(env); work != want {
			t.Fatal("counted work", work, "stated", want, "\n", chunked)
		}
		if want := chunked.Bytes(Step).MustEval(env); bytes != want {
			t.Fatal("counted bytes", bytes, "stated", want, "\n", chunked)
		}
		want, others := results(t, whole, x), at.gradients()
		for name, g := range alone.gradients() {
			// programs of layers that amplify are as far from it without chunks
			if d := apart(g, want[name]); d > max(100*kernelTolerance, 10*apart(others[name], want[name])) {
				t.Fatal(name, "is", d, "apart\n", chunked)
			}
		}
		for _, v := range chunked.Params() { // updated, where there is an optimiser
			if !arena.values[v].Equal(alone.values[v]) {
				t.Fatal(chunked.Nodes[v].Op, "has other bits in the arena\n", chunked)
			}
		}
		for i, o := range chunked.Outputs {
			got, want := arena.values[o.Value], at.values[whole.Outputs[i].Value]
			if !got.Equal(alone.values[o.Value]) {
				t.Fatal(o.Name, "has other bits in the arena\n", chunked)
			}
			if o.Name != "loss" && chunked.Type(o.Value).Space == Vertices && !got.Equal(want) {
				t.Fatal(o.Name, "has other bits in chunks:", got.Data, want.Data, "\n", chunked)
			}
		}
	})
}

// TestChunkComputesAgainOnce: two gradients that read a value of forward's edges,
// and have nothing else in common, run in one region, which computes it once.
func TestChunkComputesAgainOnce(t *testing.T) {
	b := NewBuilder("two weights")
	x := b.Input("x", Vertices, Sym("k", 16))
	e := b.Mul(b.Scatter(x, Src, Edges), b.Scatter(x, Dst, Edges))
	y := b.Sum(b.ReLU(b.LinearNamed("one", e, Sym("k", 16))), Dst)
	z := b.Sum(b.ReLU(b.LinearNamed("two", e, Sym("k", 16))), Dst)
	b.Output("loss", b.CrossEntropy(b.AddValues(b.ReLU(y), b.ELU(z))))
	p, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	f := Facts{Env: map[string]int64{"n": 10, "m": 1000, "ℓ": 0, "k": 16, "t": 10, "d": 100, "d_out": 100, "τ": 0}, ChunkBytes: 1, Optimizer: &Optimizer{}}
	q, err := Compile(p, f, nil)
	if err != nil {
		t.Fatal(err)
	}
	products := 0
	for _, n := range q.Nodes {
		if n.Op == (Binary{Product}) && n.Type.Space == Edges {
			products++
		}
	}
	if products != 2 || len(q.Regions) != 2 {
		t.Errorf("%d products on edges, want one forward and one backward\n%v", products, q)
	}
}

// gradients returns what updates read, by the parameter's name.
func (m *machine) gradients() map[string]Dense {
	out := map[string]Dense{}
	for _, n := range m.p.Nodes {
		if isEffect(n.Op) {
			out["gradient of "+m.p.Nodes[n.In[0]].Op.String()] = dense(m.values[n.In[1]])
		}
	}
	return out
}

// TestCuts: chunks cover the block in order, hold no more than they may, unless
// of one destination, and could hold no more.
func TestCuts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := newWorld(t, graphcase.Random(9, 40).Draw(t, "graph")).N
		r := Region{Over: Edges, Edges: rapid.IntRange(1, 12).Draw(t, "edges")}
		cuts := r.Cuts(b)
		if cuts[0] != 0 || cuts[len(cuts)-1] != b.Dst || len(cuts) < 2 {
			t.Fatal("chunks from", cuts, "of", b.Dst)
		}
		fits := func(lo, hi int) bool { return hi-lo <= r.Edges && b.Ptr[hi]-b.Ptr[lo] <= int64(r.Edges) }
		for i := range len(cuts) - 1 {
			lo, hi := cuts[i], cuts[i+1]
			if hi < lo || hi == lo && b.Dst > 0 || hi > lo+1 && !fits(lo, hi) || hi < b.Dst && fits(lo, hi+1) {
				t.Fatal("a chunk of", r.Edges, "edges from", lo, "to", hi, "of", b.Ptr)
			}
		}
	})
}

// TestChunkOfEdgeConv is what the pass makes of a layer whose messages are dense
// functions of both ends: forward once more in backward's region.
func TestChunkOfEdgeConv(t *testing.T) {
	b := NewBuilder("edgeconv")
	b.Layer(0)
	h := b.Linear(b.Input("x", Vertices, Sym("k_in", 16)), Sym("k", 16))
	to := b.Scatter(h, Dst, Edges)
	e := b.Concat(to, b.Sub(b.Scatter(h, Src, Edges), to))
	w := b.Param("edge", b.Type(e).Cols, Sym("k", 16), Glorot)
	e = b.ReLU(b.AddBias(b.MatMul(e, w), b.Bias("bias", Sym("k", 16))))
	b.EndLayers()
	b.Output("loss", b.CrossEntropy(b.Select(e, Max, Dst)))
	p, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	f := Facts{Env: map[string]int64{"n": 1000, "m": 50_000, "ℓ": 0, "k": 16, "k_in": 16, "t": 1000, "d": 50, "d_out": 50, "τ": 0}, ChunkBytes: 1 << 18}
	text := ""
	for _, f.Optimizer = range []*Optimizer{nil, {}} {
		q, err := Compile(p, f, nil)
		if err != nil {
			t.Fatal(err)
		}
		text += fmt.Sprintln(q)
	}
	golden(t, "edgeconv-chunked.txt", text)
	f.ChunkBytes = 0
	if q, err := Compile(p, f, nil); err != nil || len(q.Regions) > 0 {
		t.Errorf("%d regions of values that fit a cache, %v", len(q.Regions), err)
	}
}
