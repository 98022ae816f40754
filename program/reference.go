package program

import (
	"fmt"
	"math"

	"github.com/weft-gnn/weft/graph"
)

// Dense is a float64 matrix: what an op's Reference computes with.
type Dense struct {
	Rows, Cols int
	Data       []float64
}

// NewDense returns a zeroed matrix.
func NewDense(rows, cols int) Dense { return Dense{rows, cols, make([]float64, rows*cols)} }

// At returns element (i, j).
func (d Dense) At(i, j int) float64 { return d.Data[i*d.Cols+j] }

// Set overwrites element (i, j).
func (d Dense) Set(i, j int, v float64) { d.Data[i*d.Cols+j] = v }

// Row returns row i, aliasing the matrix.
func (d Dense) Row(i int) []float64 { return d.Data[i*d.Cols : (i+1)*d.Cols] }

// like returns a zeroed matrix of the same shape.
func (d Dense) like() Dense { return NewDense(d.Rows, d.Cols) }

// RefExec is the reference counterpart of Exec.
type RefExec struct {
	N, NHat, X *graph.Block
	Step       uint32
	Seed       uint64
	Target     RefTarget
	// Leaves holds the value of every leaf by slot.
	Leaves map[string]Dense
}

// RefTarget is Target in float64.
type RefTarget struct {
	Rows  []int32
	Class []int32 // −1 where missing
	Value Dense   // NaN where missing
	// Total is what the mean divides by: the number of classes, or of values,
	// that are listed on all ranks. 0 stands for those listed here.
	Total int64
}

// classes returns what a mean over classes divides by.
func (t RefTarget) classes() float64 {
	n := 0
	for _, i := range t.Rows {
		if t.Class[i] >= 0 {
			n++
		}
	}
	return t.total(n)
}

// values returns what a mean over values divides by.
func (t RefTarget) values() float64 {
	n := 0
	for _, i := range t.Rows {
		for _, y := range t.Value.Row(int(i)) {
			if !math.IsNaN(y) {
				n++
			}
		}
	}
	return t.total(n)
}

func (t RefTarget) total(listed int) float64 {
	if t.Total != 0 {
		return float64(t.Total)
	}
	return float64(listed)
}

// Block returns the block whose edges, or whose vertices, are the rows of s.
func (x *RefExec) Block(s Space) *graph.Block {
	if s == Entries {
		return x.X
	}
	if s.base() == LoopEdges || x.N == nil {
		return x.NHat
	}
	return x.N
}

func (x *RefExec) ids(s Space) []int64 {
	e := Exec{N: x.N, NHat: x.NHat, X: x.X}
	return e.ids(s)
}

// rowsOf returns the number of rows of a value of type t.
func (x *RefExec) rowsOf(t Type) int {
	return Extent{N: x.N, NHat: x.NHat, X: x.X}.Rows(t)
}

// image returns, for each row of s, its image along m.
func (x *RefExec) image(m Map, s Space) []int32 {
	b := x.Block(s)
	if m == Member {
		return members(b)
	}
	if m == Src {
		return b.Col
	}
	dst := make([]int32, len(b.Col))
	for v := range b.Dst {
		for e := b.Ptr[v]; e < b.Ptr[v+1]; e++ {
			dst[e] = int32(v)
		}
	}
	return dst
}

// images returns the number of rows that m leads to.
func (x *RefExec) images(m Map, s Space) int {
	b := x.Block(s)
	switch m {
	case Member:
		return graphsOf(b)
	case Src:
		return b.Src
	}
	return b.Dst
}

// members returns the graph of each vertex of a batch.
func members(b *graph.Block) []int32 {
	out := make([]int32, b.Dst)
	for g := 0; g+1 < len(b.Graphs); g++ {
		for v := b.Graphs[g]; v < b.Graphs[g+1]; v++ {
			out[v] = int32(g)
		}
	}
	return out
}

// graphsOf returns the number of graphs in a block's batch.
func graphsOf(b *graph.Block) int {
	if b.Graphs == nil {
		return 1
	}
	return len(b.Graphs) - 1
}

// Interpret runs a program with the ops' references in float64 and returns
// every value. It is the oracle that kernels and gradients are checked
// against: nothing in it is shared with the runtime. Effects are skipped.
func Interpret(p *Program, x *RefExec) ([]Dense, error) {
	vals := make([]Dense, len(p.Nodes))
	for i, n := range p.Nodes {
		in := make([]Dense, len(n.In))
		for j, v := range n.In {
			in[j] = vals[v]
		}
		if l, ok := n.Op.(Leaf); ok {
			d, ok := x.Leaves[l.Slot()]
			if ok {
				vals[i] = d
				continue
			}
		}
		if _, ok := n.Op.(Effect); ok {
			continue
		}
		vals[i] = n.Op.Reference(x, in)
		if rows := x.rowsOf(n.Type); vals[i].Rows != rows || vals[i].Cols != n.Type.Cols.N {
			return nil, fmt.Errorf("program: %s, operation %d, %v: the reference gave %d×%d, the shape is %d×%d",
				p.Name, i, n.Op, vals[i].Rows, vals[i].Cols, rows, n.Type.Cols.N)
		}
	}
	return vals, nil
}
