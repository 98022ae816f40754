package program_test

import (
	"math"
	"slices"
	"testing"

	"github.com/weft-gnn/weft/graph"
	"github.com/weft-gnn/weft/internal/graphcase"
	"github.com/weft-gnn/weft/internal/rng"
	. "github.com/weft-gnn/weft/program"
	"github.com/weft-gnn/weft/tensor"
)

// world is a graph to run programs over, cut into a batch of graphs some of
// which are empty.
type world struct {
	name string
	g    *graph.Graph
	Extent
}

// failer is what testing.T and rapid.T have in common.
type failer interface {
	Helper()
	Fatal(args ...any)
}

// newWorld builds the graph of an edge list, parallel arcs and weights kept.
func newWorld(t failer, c graphcase.Case) world {
	t.Helper()
	g, err := graph.FromCOO(c.N, c.Src, c.Dst, c.Weight, graph.Policy{Duplicates: graph.Keep})
	if err != nil {
		t.Fatal(err)
	}
	n := int64(c.N)
	g.Graphs = []int64{0, 0, n / 3, n / 3, n}
	return world{c.Name, g, Extent{N: g.Block(), NHat: g.LoopBlock(), X: features(c.N)}}
}

// featureCols is the number of columns of sparse features.
var featureCols = dimA

// features returns places of sparse features in n rows, some of which are empty.
func features(n int) *graph.Block {
	s := source(uint64(n))
	b := &graph.Block{Dst: n, Src: featureCols.N, Ptr: make([]int64, n+1)}
	for v := range n {
		for c := range featureCols.N {
			if s.Float64() < 0.4 {
				b.Col = append(b.Col, int32(c))
			}
		}
		b.Ptr[v+1] = int64(len(b.Col))
	}
	return b
}

// worlds are the labelled graph cases.
func worlds(t testing.TB) []world {
	t.Helper()
	var out []world
	for _, c := range graphcase.All() {
		out = append(out, newWorld(t, c))
	}
	return out
}

// mediumWorlds are those of at most 100 vertices.
func mediumWorlds(t testing.TB) []world {
	t.Helper()
	return slices.DeleteFunc(worlds(t), func(w world) bool { return w.g.N > 100 })
}

// fewWorlds have between them isolated vertices, loops, parallel arcs, weights
// and hubs, for tests that take long.
func fewWorlds(t testing.TB) []world {
	t.Helper()
	few := []string{"single vertex with a loop", "parallel loops", "isolated last vertices", "weighted", "skewed n=17 rows=40"}
	return slices.DeleteFunc(worlds(t), func(w world) bool { return !slices.Contains(few, w.name) })
}

// smallWorlds are those of at most 5 vertices and 8 arcs, on which every
// element of a gradient is checked.
func smallWorlds(t testing.TB) []world {
	t.Helper()
	return slices.DeleteFunc(worlds(t), func(w world) bool { return w.g.N > 5 || len(w.g.Src) > 8 })
}

// env gives the symbols of a world and of a target their values, and those of
// widths theirs.
func (w world) env(x RefTarget) map[string]int64 {
	env := w.Env()
	env["t"], env["τ"] = int64(len(x.Rows)), int64(0)
	for _, r := range x.Rows {
		for _, v := range x.Value.Row(int(r)) {
			if !math.IsNaN(v) {
				env["τ"]++
			}
		}
	}
	for _, d := range []Dim{dimA, dimB, dimK, dimH(1), dimH(2), dimH(3), dimH(4)} {
		if names := d.Expr.Symbols(); len(names) == 1 {
			env[names[0]] = int64(d.N)
		}
	}
	return env
}

// domain is a set from which an operand's values are drawn.
type domain int

const (
	anything     domain = iota // normal
	awayFromZero               // 0.2 to 1.7 in size: not at a kink
	positive                   // 0.2 to 1.7
	inUnit                     // 0.1 to 0.9, as outputs of a sigmoid are
	negative                   // −1.7 to −0.2, as outputs of a log-sigmoid are
	slight                     // −0.1 to 0.1, which changes no sign of what is away from zero
)

func (d domain) draw(s *rng.Stream) float64 {
	size := 0.2 + 1.5*s.Float64()
	switch d {
	case positive:
		return size
	case inUnit:
		return 0.1 + 0.8*s.Float64()
	case negative:
		return -size
	case slight:
		return 0.2*s.Float64() - 0.1
	case awayFromZero:
		if s.Uint32()&1 == 0 {
			return -size
		}
		return size
	}
	return s.Normal()
}

// source returns the random numbers of one test.
func source(seed uint64) *rng.Stream { return rng.Key{Seed: seed, Purpose: rng.Test}.Stream(0) }

// drawDense draws a matrix whose values are exact in float32.
func drawDense(s *rng.Stream, rows, cols int, d domain) Dense {
	m := NewDense(rows, cols)
	for i := range m.Data {
		m.Data[i] = float64(float32(d.draw(s)))
	}
	return m
}

// draw draws a value of type t.
func (w world) draw(s *rng.Stream, t Type, d domain) Dense {
	return drawDense(s, w.Rows(t), t.Cols.N, d)
}

// target draws what a loss over rows × cols compares with: every other row has
// a class, and values of which every third is missing.
func target(s *rng.Stream, rows, cols int) RefTarget {
	x := RefTarget{Class: make([]int32, rows), Value: drawDense(s, rows, cols, inUnit)}
	for i := range rows {
		x.Class[i] = -1
		if i%2 == 0 {
			x.Rows = append(x.Rows, int32(i))
			x.Class[i] = int32(s.Uint32n(uint32(max(cols, 1))))
		}
	}
	for i := 0; i < len(x.Value.Data); i += 3 {
		x.Value.Data[i] = math.NaN()
	}
	return x
}

// exec is what references need in a world.
func (w world) exec(x RefTarget) RefExec {
	return RefExec{N: w.N, NHat: w.NHat, X: w.X, Step: 3, Seed: 11, Target: x, Leaves: map[string]Dense{}}
}

// matrix rounds a Dense to float32.
func matrix(d Dense) tensor.Matrix {
	m := tensor.New(d.Rows, d.Cols)
	for i, v := range d.Data {
		m.Data[i] = float32(v)
	}
	return m
}

// dense widens a matrix.
func dense(m tensor.Matrix) Dense {
	d := NewDense(m.Rows, m.Cols)
	for i := range m.Rows {
		for j, v := range m.Row(i) {
			d.Set(i, j, float64(v))
		}
	}
	return d
}

// apart returns the largest difference between two matrices, relative to the
// largest value of want or to 1; NaN equals NaN.
func apart(got, want Dense) float64 {
	if got.Rows != want.Rows || got.Cols != want.Cols {
		return math.Inf(1)
	}
	worst, scale := 0.0, 1.0
	for i, v := range want.Data {
		g := got.Data[i]
		switch {
		case math.IsNaN(g) && math.IsNaN(v), g == v:
		case math.IsNaN(g - v):
			return math.Inf(1)
		default:
			worst, scale = max(worst, math.Abs(g-v)), max(scale, math.Abs(v))
		}
	}
	return worst / scale
}
