package program_test

import (
	"fmt"
	"iter"
	"maps"
	"slices"
	"testing"

	"github.com/weft-gnn/weft/internal/graphcase"
	"github.com/weft-gnn/weft/model"
	. "github.com/weft-gnn/weft/program"
)

// TestLevelsOfModels: L layers depend on L hops, an MLP on none, in any form.
func TestLevelsOfModels(t *testing.T) {
	w := fewWorlds(t)[4]
	for _, m := range model.All() {
		for _, layers := range []int{1, 3} {
			want := layers
			if m.Name == "mlp" {
				want = 0
			}
			p := objective(t, m, layers)
			f := w.facts(RefTarget{})
			p.Widths(f.Env)
			for _, train := range []bool{false, true} {
				if train {
					f.Optimizer = &Optimizer{}
				}
				for _, f.Skip = range []map[string]bool{{}, {"none": true}} {
					q, err := Compile(p, f, nil)
					if err != nil {
						t.Fatal(err)
					}
					if got := q.Level()[q.Output("loss")]; got != want {
						t.Errorf("%s of %d layers, train %v, skip %v: level %d", m.Name, layers, train, f.Skip, got)
					}
				}
			}
		}
	}
}

// comb is a directed path of which every vertex has a second source, so that
// sources of one destination are two hops from each other.
func comb(t *testing.T) world {
	const n = 7
	c := graphcase.Case{Name: "comb", N: 2 * n}
	for v := range int32(n) {
		if v > 0 {
			c.Src, c.Dst = append(c.Src, v-1), append(c.Dst, v)
		}
		c.Src, c.Dst = append(c.Src, v+n), append(c.Dst, v)
	}
	return newWorld(t, c)
}

// distances returns the hops between all pairs, whatever the arcs' direction
// (Floyd and Warshall).
func distances(w world) [][]int {
	d := make([][]int, w.g.N)
	for v := range d {
		d[v] = slices.Repeat([]int{w.g.N}, w.g.N)
		d[v][v] = 0
	}
	for e, v := range ends(w.N, Dst) {
		u := w.N.Col[e]
		d[u][v], d[v][u] = 1, 1
	}
	for k := range d {
		for i := range d {
			for j := range d {
				d[i][j] = min(d[i][j], d[i][k]+d[k][j])
			}
		}
	}
	return d
}

// TestLevelIsReach: what changes when one vertex's features change lies Level
// hops away at most, and for some vertex something does.
func TestLevelIsReach(t *testing.T) {
	w := comb(t)
	far := distances(w)
	for name, declare := range reachCases() {
		b := NewBuilder(name)
		y := declare(b, b.Input("x", Vertices, featureCols))
		b.Output("y", y)
		p, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		reached := 0
		for seed := range uint64(3) {
			x := randomExec(w, p, seed)
			x.Leaves["input.x"] = w.draw(source(seed), vertices(featureCols).Type, awayFromZero)
			before := results(t, p, x)["y"]
			for at := range w.g.N {
				for v := range changed(t, p, x, before, at) {
					reached = max(reached, far[at][v])
				}
			}
		}
		if level := p.Level()[y]; reached != level {
			t.Errorf("%s: level %d, but it depends on %d hops\n%v", name, level, reached, p)
		}
	}
}

// changed yields the rows of y that change with the features of one vertex.
func changed(t *testing.T, p *Program, x RefExec, before Dense, at int) iter.Seq[int] {
	moved := NewDense(x.Leaves["input.x"].Rows, featureCols.N)
	copy(moved.Data, x.Leaves["input.x"].Data)
	for j := range featureCols.N {
		moved.Set(at, j, moved.At(at, j)+0.5)
	}
	x.Leaves = maps.Clone(x.Leaves)
	x.Leaves["input.x"] = moved
	after := results(t, p, x)["y"]
	return func(yield func(int) bool) {
		for v := range before.Rows {
			if !slices.Equal(after.Row(v), before.Row(v)) && !yield(v) {
				return
			}
		}
	}
}

// reachCases are programs from x to a value over vertices.
func reachCases() map[string]func(b *Builder, x Value) Value {
	sum := func(b *Builder, x Value) Value { return b.Sum(b.Scatter(x, Src, Edges), Dst) }
	cases := map[string]func(b *Builder, x Value) Value{
		"itself":     func(b *Builder, x Value) Value { return b.Scale(x, 2) },
		"one hop":    sum,
		"two hops":   func(b *Builder, x Value) Value { return sum(b, sum(b, x)) },
		"there":      func(b *Builder, x Value) Value { return b.Sum(b.Scatter(x, Dst, Edges), Src) },
		"same end":   func(b *Builder, x Value) Value { return b.Sum(b.Scatter(x, Dst, Edges), Dst) },
		"back again": func(b *Builder, x Value) Value { return b.Sum(b.Scatter(x, Src, Edges), Src) },
		"max":        func(b *Builder, x Value) Value { return b.Select(b.Scatter(x, Src, Edges), Max, Dst) },
		"skip":       func(b *Builder, x Value) Value { return b.AddValues(x, sum(b, sum(b, x))) },
		"lowered softmax": func(b *Builder, x Value) Value {
			e := b.Scatter(x, Src, LoopEdges)
			return b.Sum(EdgeSoftmax{LoopEdges}.Lower(b, []Value{e}), Dst)
		},
		"softmax read at sources": func(b *Builder, x Value) Value {
			return b.Sum(b.EdgeSoftmax(b.Scatter(x, Src, LoopEdges)), Src)
		},
		"lowered softmax read at sources": func(b *Builder, x Value) Value {
			return b.Sum(EdgeSoftmax{LoopEdges}.Lower(b, []Value{b.Scatter(x, Src, LoopEdges)}), Src)
		},
		"dots": func(b *Builder, x Value) Value {
			return b.Sum(b.HeadDot(b.Scatter(sum(b, x), Src, Edges), b.Scatter(x, Dst, Edges), Cols(1)), Dst)
		},
		"fused dots": func(b *Builder, x Value) Value {
			w := b.Add(EdgeDot{Edges, Cols(1)}, x, sum(b, x))
			return b.Add(SpMM{Src, Edges, true}, x, w)
		},
		"fused sums": func(b *Builder, x Value) Value {
			return b.Sum(b.ELU(b.Add(EdgeAdd{Edges}, b.Add(SpMM{Dst, Edges, false}, x), x)), Src)
		},
	}
	for _, m := range model.All() {
		for layers := 1; layers <= 3; layers++ {
			cases[fmt.Sprintf("%s of %d layers", m.Name, layers)] = func(b *Builder, x Value) Value {
				o := narrow(m, layers)
				o.Dropout, o.EdgeDropout = 0, 0
				for i := range layers {
					b.Layer(i)
					x = b.ELU(m.Layer(b, x, model.Layer{Out: Cols(4), Index: i, Heads: Cols(o.Heads), Options: o}))
				}
				return x
			}
		}
	}
	return cases
}

// TestLevelOfPools: a pool reads no neighbours, and passes the level on.
func TestLevelOfPools(t *testing.T) {
	b := NewBuilder("pool")
	x := b.Sum(b.Scatter(b.Input("x", Vertices, dimA), Src, Edges), Dst)
	y := b.Broadcast(b.Select(x, Max, Member))
	p, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	if got := p.Level()[y]; got != 1 {
		t.Errorf("level %d, want 1\n%v", got, p)
	}
}

// TestLevelOfGradients: a gradient of L hops depends on L hops more, the other
// way, and the routes of a maximum count as scatters do.
func TestLevelOfGradients(t *testing.T) {
	b := NewBuilder("max")
	x := b.Input("x", Vertices, dimA)
	y := b.Select(b.Scatter(x, Src, Edges), Max, Dst)
	loss := b.Add(InnerProduct{}, y, y)
	p, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	q, g, err := Grad(p, loss, []Value{x})
	if err != nil {
		t.Fatal(err)
	}
	level := q.Level()
	if level[y] != 1 || level[g[0]] != 2 {
		t.Errorf("levels of a maximum and of its gradient are %d and %d, want 1 and 2\n%v", level[y], level[g[0]], q)
	}
}

// TestRounds: the reductions over edges within each layer, fused or not.
func TestRounds(t *testing.T) {
	want := map[string]int{"mlp": 0, "gcn": 1, "sage": 1, "gin": 1, "gat": 3}
	for _, m := range model.All() {
		p := objective(t, m, 3)
		for _, skip := range []map[string]bool{{}, {"none": true}} {
			f := fewWorlds(t)[4].facts(RefTarget{})
			f.Skip = skip
			p.Widths(f.Env)
			q, err := Compile(p, f, nil)
			if err != nil {
				t.Fatal(err)
			}
			most := map[int]int{}
			for i, r := range q.Round() {
				most[q.Nodes[i].Layer] = max(most[q.Nodes[i].Layer], r)
			}
			for layer := range 3 {
				if most[layer] != want[m.Name] {
					t.Errorf("%s, skip %v: layer %d has %d rounds, want %d\n%v", m.Name, skip, layer, most[layer], want[m.Name], q)
				}
			}
		}
	}
}
