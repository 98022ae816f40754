package graph

import (
	"fmt"
	"math"
)

// SymNorm returns s_v = 1/√(Σ_u w_vu), u over the edges into v, for each
// destination: the coefficients of the symmetric normalisation
// c_vu = s_v w_vu s_u of Â = D̂^-½ (A + I) D̂^-½. Without weights s_v = 1/√d̂_v.
//
// Take it from [Graph.LoopBlock]: the sum is then over N̂(v), the loop counting 1.
// Where A is not symmetric, both ends use the sum over edges *into* a vertex.
//
// Shapes: one value per destination; sums are taken in float64, in edge order. In
// a [Part] they are those of the graph that was divided.
// Cost: O(Dst + edges).
// Errors: a [DegreeError] where the sum is not positive and finite.
// Source: Kipf and Welling, arXiv 1609.02907, Eq. 2. Differs: the paper has
// symmetric A and weights that are not negative.
func (b *Block) SymNorm() ([]float32, error) {
	s := make([]float32, b.Dst)
	for v := range s {
		sum := b.weightInto(v)
		if !(sum > 0) || math.IsInf(sum, 0) {
			return nil, &DegreeError{Vertex: b.vertexID(v), Sum: sum}
		}
		s[v] = float32(1 / math.Sqrt(sum))
	}
	return s, nil
}

// InvDegree returns 1/d_v for each destination, d_v being the number of edges
// into v whatever their weights, and 0 where there are none: the factor that
// turns a sum over N(v) into a mean, the mean of nothing being 0.
func (b *Block) InvDegree() []float32 {
	r := make([]float32, b.Dst)
	for v := range r {
		if d := b.Degree(v); d > 0 {
			r[v] = 1 / float32(d)
		}
	}
	return r
}

// weightInto returns the sum of the weights of the edges into v.
func (b *Block) weightInto(v int) float64 {
	if b.whole.Norm != nil {
		return b.whole.Norm[v]
	}
	if b.Weight == nil {
		return float64(b.InDegree(v))
	}
	sum := 0.0
	for _, w := range b.Weight[b.Ptr[v]:b.Ptr[v+1]] {
		sum += float64(w)
	}
	return sum
}

func (b *Block) vertexID(v int) int64 {
	if b.Vertex != nil {
		return b.Vertex[v]
	}
	return int64(v)
}

// DegreeError says that the weights into a vertex do not sum to something that
// has an inverse square root.
type DegreeError struct {
	Vertex int64 // identity of the vertex
	Sum    float64
}

func (e *DegreeError) Error() string {
	return fmt.Sprintf("graph: weights into vertex %d sum to %v, want a positive number to normalise by", e.Vertex, e.Sum)
}
