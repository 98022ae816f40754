package program

import (
	"fmt"
	"math"

	"github.com/weft-gnn/weft/cost"
	"github.com/weft-gnn/weft/graph"
	"github.com/weft-gnn/weft/tensor"
)

// Coef is a coefficient that the graph alone determines.
type Coef int

// The coefficients. With s_v = 1/√(Σ_{u∈N̂(v)} w_vu), w = 1 where the graph has
// no weights and 1 on the loop:
const (
	SymNorm    Coef = iota // on edges: w_vu · s_v · s_u (Kipf and Welling 1609.02907, Eq. 2)
	EdgeWeight             // on edges: w_vu
	InvSqrt                // on vertices: s_v
	InvDegree              // on vertices: 1/d_v, and 0 where nothing is received
	InvSize                // on graphs: 1/|V_g|, and 0 for an empty graph
)

var coefNames = [...]string{"symnorm", "weight", "invsqrt", "invdegree", "invsize"}

func (c Coef) String() string { return coefNames[c] }

// GraphCoef is a column of coefficients, computed once from the structure.
// SymNorm and InvSqrt are of N̂.
type GraphCoef struct {
	Coef  Coef
	Space Space
}

func (o GraphCoef) String() string { return fmt.Sprintf("Coef(%v)", o.Coef) }

// Shape checks that the coefficient exists on the space.
func (o GraphCoef) Shape(in []Type) (Type, error) {
	want := map[Coef][]Space{SymNorm: {LoopEdges}, EdgeWeight: {Edges, LoopEdges},
		InvSqrt: {Vertices}, InvDegree: {Vertices}, InvSize: {Graphs}}[o.Coef]
	for _, s := range want {
		if s == o.Space {
			return Type{Space: o.Space, Cols: Cols(1)}, arity(in, 0)
		}
	}
	return Type{}, fmt.Errorf("no such coefficient on %v", o.Space)
}

// Cost: s_v is a square root and a reciprocal, SymNorm two products per edge
// after that, InvDegree and InvSize one reciprocal per row. Degrees, and sums of
// weights, belong to the structure and count 0.
func (o GraphCoef) Cost(_ []Type, out Type) cost.Cost {
	switch o.Coef {
	case EdgeWeight:
		return moves(nil, out)
	case SymNorm:
		c := elementwise(2, 4, nil, out)
		c.Work = cost.Add(c.Work, cost.Scale(2, symN))
		c.Bytes = cost.Add(c.Bytes, adjacency(o.Space, Dst, false))
		return c
	case InvSqrt:
		c := elementwise(2, 2, nil, out)
		c.Bytes = cost.Add(c.Bytes, offsets(Vertices))
		return c
	}
	c := elementwise(1, 1, nil, out)
	c.Bytes = cost.Add(c.Bytes, offsets(map[bool]Space{true: Graphs, false: Vertices}[o.Coef == InvSize]))
	return c
}

// Grad: the structure is not learned.
func (o GraphCoef) Grad(*Builder, []Value, Value, Value) []Value { return nil }

// Split: coefficients are those of the whole graph, and lie with their rows;
// where every rank has all edges it has all coefficients.
func (o GraphCoef) Split(s Split) (Placement, error) {
	if s.Edges == AllEdges {
		return Placement{Kind: Whole}, nil
	}
	return Placement{Kind: Rows}, nil
}

// Reference computes the coefficient from its definition.
func (o GraphCoef) Reference(x *RefExec, _ []Dense) Dense {
	t, _ := o.Shape(nil)
	out := NewDense(x.rowsOf(t), 1)
	b := x.Block(o.Space)
	switch o.Coef {
	case InvDegree:
		for v := range out.Data {
			if d := b.Ptr[v+1] - b.Ptr[v]; d > 0 {
				out.Data[v] = 1 / float64(d)
			}
		}
	case InvSize:
		for _, g := range members(b) {
			out.Data[g]++
		}
		for g, s := range out.Data {
			if s > 0 {
				out.Data[g] = 1 / s
			}
		}
	case InvSqrt:
		copy(out.Data, refInvSqrt(x.NHat))
	default:
		s := refInvSqrt(x.NHat)
		dst := x.image(Dst, o.Space)
		for e, v := range dst {
			out.Data[e] = weightOf(b, e)
			if o.Coef == SymNorm {
				out.Data[e] *= s[v] * s[b.Col[e]]
			}
		}
	}
	return out
}

func weightOf(b *graph.Block, e int) float64 {
	if b.Weight == nil {
		return 1
	}
	return float64(b.Weight[e])
}

func refInvSqrt(b *graph.Block) []float64 {
	if b == nil {
		return nil
	}
	s := make([]float64, b.Dst)
	for v := range s {
		for e := b.Ptr[v]; e < b.Ptr[v+1]; e++ {
			s[v] += weightOf(b, int(e))
		}
		s[v] = 1 / math.Sqrt(s[v])
	}
	return s
}

// Check returns the error of a graph that has no such coefficient: a vertex
// whose weights sum to 0 or less has no symmetric normalisation.
func (o GraphCoef) Check(e Extent) error {
	if o.Coef != SymNorm && o.Coef != InvSqrt {
		return nil
	}
	_, err := e.NHat.SymNorm()
	return err
}

// Run computes the coefficient; the runtime has called Check before.
func (o GraphCoef) Run(x *Exec, _ []tensor.Matrix, out tensor.Matrix) {
	b, y := x.Block(o.Space), out.Flat()
	switch o.Coef {
	case EdgeWeight:
		fillWeights(b, y)
		x.Count.Add(0, 4*int64(len(y)))
	case InvDegree:
		x.Count.Add(int64(copy(y, b.InvDegree())), 8*int64(len(b.Ptr))+4*int64(len(y)))
	case InvSqrt:
		x.Count.Add(2*int64(copy(y, mustSymNorm(x.NHat))), 8*int64(len(b.Ptr))+4*int64(len(y)))
	case SymNorm:
		n := int64(normaliseEdges(b, mustSymNorm(x.NHat), y))
		x.Count.Add(2*int64(b.Dst)+2*n, 8*int64(len(b.Ptr))+8*n)
	case InvSize:
		x.Count.Add(int64(fillSizes(b, y)), 8*int64(graphsOf(b)+1)+4*int64(len(y)))
	}
}

func mustSymNorm(b *graph.Block) []float32 {
	s, err := b.SymNorm()
	if err != nil {
		panic(err)
	}
	return s
}

func fillWeights(b *graph.Block, y []float32) {
	for e := range y {
		y[e] = float32(weightOf(b, e))
	}
}

// normaliseEdges writes w_vu s_v s_u and returns the number of edges.
func normaliseEdges(b *graph.Block, s, y []float32) int {
	edges := 0
	for v := range b.Dst {
		for e := b.Ptr[v]; e < b.Ptr[v+1]; e++ {
			y[e] = float32(weightOf(b, int(e))) * s[v] * s[b.Col[e]]
			edges++
		}
	}
	return edges
}

// fillSizes writes 1/|V_g| and returns the number of graphs.
func fillSizes(b *graph.Block, y []float32) int {
	for g := range y {
		size := int64(b.Dst)
		if b.Graphs != nil {
			size = b.Graphs[g+1] - b.Graphs[g]
		}
		y[g] = 0
		if size > 0 {
			y[g] = 1 / float32(size)
		}
	}
	return len(y)
}

// Input returns the coefficient as a rank of several is given it: it depends on the
// whole graph, of which the rank has a part.
func (o GraphCoef) Input(by Owner) Input {
	return Input{Name: o.String() + " of " + o.Space.String(), Of: Type{Space: o.Space.Held(by), Cols: Cols(1)}}
}

// Coefficients lists all there are.
func Coefficients() []GraphCoef {
	var all []GraphCoef
	for _, c := range []Coef{SymNorm, EdgeWeight, InvSqrt, InvDegree, InvSize} {
		for _, s := range []Space{Vertices, Edges, LoopEdges, Graphs} {
			if _, err := (GraphCoef{c, s}).Shape(nil); err == nil {
				all = append(all, GraphCoef{c, s})
			}
		}
	}
	return all
}

// EdgeCoef declares a coefficient per edge of s.
func (b *Builder) EdgeCoef(c Coef, s Space) Value { return b.Add(GraphCoef{c, s}) }

// VertexCoef declares a coefficient per vertex.
func (b *Builder) VertexCoef(c Coef) Value { return b.Add(GraphCoef{c, Vertices}) }
