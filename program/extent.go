package program

import (
	"github.com/weft-gnn/weft/cost"
	"github.com/weft-gnn/weft/graph"
)

// Extent gives symbols their numbers for the blocks at hand: N with the loops
// of the data, NHat with one loop per vertex. Either may be nil where a
// program does not use its edges.
type Extent struct{ N, NHat *graph.Block }

// block returns a block that knows the vertices.
func (e Extent) block() *graph.Block {
	if e.N != nil {
		return e.N
	}
	return e.NHat
}

// Rows returns the number of rows of a value of type t.
func (e Extent) Rows(t Type) int {
	switch t.Space {
	case One:
		return t.Rows.N
	case Vertices:
		return e.block().Dst
	case Edges:
		return e.N.Edges()
	case LoopEdges:
		return e.NHat.Edges()
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
		loops := selfLoops(e.N)
		env["m"], env["ℓ"] = int64(e.N.Edges())-loops, loops
		env["d"], env["d_out"] = int64(e.N.MaxInDegree()), int64(e.N.MaxOutDegree())
	}
	if e.NHat != nil {
		env["m̂"] = int64(e.NHat.Edges())
		env["d̂"], env["d̂_out"] = int64(e.NHat.MaxInDegree()), int64(e.NHat.MaxOutDegree())
	}
	return env
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
