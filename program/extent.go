package program

import (
	"fmt"
	"maps"

	"github.com/weft-gnn/weft/cost"
	"github.com/weft-gnn/weft/graph"
)

// Extent gives symbols their numbers for the blocks at hand: N with the loops
// of the data, NHat with one loop per vertex, X the places of sparse features.
// Each may be nil where a program does not use it. Share is set for one of
// several ranks.
type Extent struct {
	N, NHat, X *graph.Block
	Share      *Share
}

// block returns a block that knows the vertices.
func (e Extent) block() *graph.Block {
	if e.N != nil {
		return e.N
	}
	return e.NHat
}

// Rows returns the number of rows of a value of type t.
func (e Extent) Rows(t Type) int {
	if e.Share != nil && t.Space.exchanged() {
		return e.Share.rows(t.Space)
	}
	switch t.Space.base() {
	case One:
		return t.Rows.N
	case Vertices:
		return e.block().Dst
	case Edges:
		return e.N.Edges()
	case LoopEdges:
		return e.NHat.Edges()
	case Entries:
		return e.X.Edges()
	}
	return graphsOf(e.block())
}

// Env returns the values of the symbols n, m, ℓ, m̂, d, d_out, d̂, d̂_out, B and
// s (the largest graph of a batch).
func (e Extent) Env() cost.Env {
	env := cost.Env{}
	b := e.block()
	env["n"] = int64(b.Dst)
	env["B"] = int64(graphsOf(b))
	env["s"] = largestGraph(b)
	if e.N != nil {
		loops := e.loops()
		env["m"], env["ℓ"] = int64(e.N.Edges())-loops, loops
		env["d"], env["d_out"] = int64(e.N.MaxInDegree()), int64(e.N.MaxOutDegree())
	}
	if e.X != nil {
		env["nnz"] = int64(e.X.Edges())
	}
	if e.NHat != nil {
		env["m̂"] = int64(e.NHat.Edges())
		env["d̂"], env["d̂_out"] = int64(e.NHat.MaxInDegree()), int64(e.NHat.MaxOutDegree())
	}
	if e.Share != nil {
		e.Share.env(env)
	}
	return env
}

// EnvOf returns what [Extent.Env] says of a graph of these sizes, which is one and
// whose programs read both edge spaces.
func EnvOf(s graph.Sizes) cost.Env {
	return cost.Env{
		"n": s.Vertices, "B": 1, "s": s.Vertices, "m": s.Arcs, "ℓ": s.Loops, "m̂": s.Arcs + s.Vertices,
		"d": s.In, "d_out": s.Out, "d̂": s.InHat, "d̂_out": s.OutHat,
	}
}

// loops returns how many edges over N are self-loops.
func (e Extent) loops() int64 {
	if e.Share != nil {
		return e.Share.Loops
	}
	return selfLoops(e.N)
}

func selfLoops(b *graph.Block) int64 {
	var loops int64
	for v := range b.Dst {
		for _, u := range b.Col[b.Ptr[v]:b.Ptr[v+1]] {
			if int(u) == v {
				loops++
			}
		}
	}
	return loops
}

func largestGraph(b *graph.Block) int64 {
	if b.Graphs == nil {
		return int64(b.Dst)
	}
	var s int64
	for g := 0; g+1 < len(b.Graphs); g++ {
		s = max(s, b.Graphs[g+1]-b.Graphs[g])
	}
	return s
}

// ExtentOf returns the extent of a graph with the blocks that programs use.
func ExtentOf(g *graph.Graph, programs ...*Program) Extent {
	var e Extent
	for _, p := range programs {
		for _, n := range p.Nodes {
			if n.walks(LoopEdges) {
				e.NHat = g.LoopBlock()
			}
			if n.walks(Edges) {
				e.N = g.Block()
			}
		}
	}
	if e.block() == nil {
		e.N = g.Block()
	}
	return e
}

// walks reports whether a node reads the structure of an edge space.
func (n Node) walks(s Space) bool {
	switch o := BaseOf(n.Op).(type) {
	case SpMM:
		return o.Over.base() == s
	case Walker:
		over, _, _ := o.Walk()
		return over.base() == s
	case GraphCoef:
		return o.Space == s || s == LoopEdges && o.Coef == InvSqrt || s == Edges && o.Coef == InvDegree
	}
	return n.Type.Space.base() == s
}

// Check returns the error of a graph that lacks a coefficient p uses.
func (p *Program) Check(e Extent) error {
	for _, n := range p.Nodes {
		if c, ok := n.Op.(GraphCoef); ok {
			if err := c.Check(e); err != nil {
				return fmt.Errorf("%s: %w", p.Name, err)
			}
		}
	}
	return nil
}

// Widths adds to env the value of every symbol that names a column count.
func (p *Program) Widths(env cost.Env) {
	maps.Copy(env, p.whole)
	for _, n := range p.Nodes {
		full := n.Fragment().Full
		for _, d := range []Dim{n.Type.Rows, n.Type.Cols, full.Rows, full.Cols} {
			if names := d.Expr.Symbols(); len(names) == 1 && d.Expr.Equal(cost.Sym(names[0])) {
				env[names[0]] = int64(d.N)
			}
		}
	}
}
