package machine

import (
	"testing"

	"github.com/weft-gnn/weft/graph"
	"github.com/weft-gnn/weft/program"
)

// demands returns what each operation of the program asks for, by its name.
func demands(t *testing.T, g *graph.Graph, declare func(b *program.Builder)) map[string]Demand {
	t.Helper()
	b := program.NewBuilder("test")
	declare(b)
	p, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	e := program.ExtentOf(g, p)
	env := e.Env()
	p.Widths(env)
	r, out := toy().Over(e), map[string]Demand{}
	for i, c := range p.Costs() {
		out[p.Nodes[i].Op.String()] = r.Demand(p, program.Value(i), c.Work.MustEval(env), c.Bytes.MustEval(env))
	}
	return out
}

// star is a centre with arcs to and from n−1 leaves.
func star(t *testing.T, n int) *graph.Graph {
	b := graph.NewBuilder(n, graph.Policy{})
	for v := range int32(n) {
		if v == 0 {
			continue
		}
		b.Add(0, v)
		b.Add(v, 0)
	}
	g, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// chain joins each vertex with the next.
func chain(t *testing.T, n int32) *graph.Graph {
	b := graph.NewBuilder(int(n), graph.Policy{})
	for v := range n - 1 {
		b.Add(v, v+1)
		b.Add(v+1, v)
	}
	g, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// gathers returns how many rows of an operand each level of toy serves.
func gathers(d Demand, operand int) (rows [3]int64) {
	g := d.Gathers[operand]
	for i, l := range toy().Serve(Demand{Gathers: []Gathered{g}}).Levels {
		for _, s := range l.Gathers {
			rows[i] += s.Bytes / int64(g.RowBytes)
		}
	}
	return rows
}

// TestStar: n−1 leaves read the centre, the centre reads each leaf. A cache of
// one row serves all reads of the centre, one of eleven ten leaves besides.
func TestStar(t *testing.T) {
	const n, m, k = 101, 200, 16
	all := demands(t, star(t, n), func(b *program.Builder) {
		x := b.Input("x", program.Vertices, program.Sym("k", k))
		b.Output("y", b.Add(program.SpMM{Along: program.Dst, Over: program.Edges}, x))
		w := b.Input("w", program.Edges, program.Cols(2))
		b.Output("z", b.Add(program.SpMM{Along: program.Src, Over: program.Edges, Weighted: true}, x, w))
	})
	d := all["SpMM(dst, edges)"]
	if d.Work != m*k || d.Written != 4*n*k || d.Read != 8*(n+1)+4*m || d.Gathers[0].RowBytes != 4*k {
		t.Errorf("unweighted: %+v", d)
	}
	if got, want := gathers(d, 0), [3]int64{100, 10, 90}; got != want {
		t.Errorf("L1, L2 and the memory serve %v rows, want %v", got, want)
	}
	d = all["SpMM(src, edges, weighted)"]
	if d.Work != 2*m*k || d.Written != 4*n*k || d.Read != 8*(n+1)+4*m+4*m {
		t.Errorf("weighted: %+v", d)
	}
	if got, want := gathers(d, 0), [3]int64{100, 10, 90}; got != want {
		t.Errorf("by source L1, L2 and the memory serve %v rows, want %v", got, want)
	}
	// Rows of two weights lie eight to a line. By source, the centre's arcs are
	// those of the leaves, which follow each other, and the leaves' are the
	// centre's: every line is read eight times in a row, but for the one that
	// holds the last of the centre's arcs and the first of a leaf's.
	if got, want := gathers(d, 1), [3]int64{200 - 26 + 1, 10, 15}; d.Gathers[1].RowBytes != 8 || got != want {
		t.Errorf("L1, L2 and the memory serve %v rows of weights, want %v", got, want)
	}
}

// TestChain: rows are read again three reads later: a cache of three serves half
// of the reads, and one of a single row next to none.
func TestChain(t *testing.T) {
	const n, k = 1000, 16
	d := demands(t, chain(t, n), func(b *program.Builder) {
		x := b.Input("x", program.Vertices, program.Sym("k", k))
		b.Output("y", b.Add(program.EdgeDot{Over: program.Edges, Heads: program.Cols(1)}, x, x))
	})["EdgeDot(1)"]
	const m = 2 * (n - 1)
	if d.Written != 4*m || d.Read != 8*(n+1)+4*m+4*n*k || d.Gathers[0].Reuse.Reads != m {
		t.Errorf("got %+v", d)
	}
	// The ends of the chain are read once, all others twice.
	if got, want := gathers(d, 0), [3]int64{1, n - 2 + 11 - 1, n - 11}; got != want {
		t.Errorf("L1, L2 and the memory serve %v rows, want %v", got, want)
	}
}

// TestDenseAndUpdates: what names no rows is streams alone; an update changes what
// it overwrites.
func TestDenseAndUpdates(t *testing.T) {
	const n, a, c = 101, 8, 3
	all := demands(t, star(t, n), func(b *program.Builder) {
		x := b.Input("x", program.Vertices, program.Sym("a", a))
		w := b.Param("w", program.Cols(a), program.Cols(c), program.Glorot)
		b.Output("y", b.ReLU(b.MatMul(x, w)))
		rate := b.Add(program.Input{Name: "lr", Of: program.Type{Space: program.One, Rows: program.Cols(1), Cols: program.Cols(1)}})
		b.Add(program.SGD{Momentum: 0.9}, w, b.Param("g", program.Cols(a), program.Cols(c), program.Glorot), rate,
			b.Add(program.State{Name: "v", Of: b.Type(w)}))
	})
	d := all["MatMul(xW)"]
	if d.Work != 2*n*a*c || d.Written != 4*n*c || d.Read != 4*(n*a+a*c) || d.Gathers != nil {
		t.Errorf("got %+v", d)
	}
	// The parameter and its velocity are changed, the gradient is read.
	d = all["SGD(momentum 0.9)"]
	if d.Changed != 2*4*a*c || d.Read != 4*a*c || d.Written != 0 {
		t.Errorf("an update: %+v", d)
	}
	d = all["relu"]
	if d.Changed != 4*n*c || d.Read != 0 || d.Written != 0 {
		t.Errorf("what may be done in place: %+v", d)
	}
}
