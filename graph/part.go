package graph

import (
	"cmp"
	"slices"
)

// Part is what a part has of a graph that was divided: vertices in any order, of
// which the first are those that its arcs end in, and these arcs.
type Part struct {
	// Vertex is the number of each vertex in the graph that was divided, Identity that
	// in the whole graph; nil where these are equal.
	Vertex   []int32
	Identity []int64
	// The arcs into the first len(Ptr)−1 vertices, in the order of the graph that was
	// divided: Col are places in Vertex, Edge identities.
	Ptr    []int64
	Col    []int32
	Weight []float32
	Edge   []int64
	// N and M are those of the whole graph, as [Origin] has them.
	N, M int64
	// Into is of each vertex what the graph that was divided has.
	Into Into
}

// Into is what normalisations read of the arcs into each vertex. A part has it of
// all its vertices, though it lacks arcs into these.
type Into struct {
	Arcs []int32   // their number, loops included
	Norm []float64 // Σ w_vu over N̂(v), see [Block.SymNorm]; without weights d̂_v
}

// Graph returns the part as a graph, and the vertex of it that each vertex of the
// part is: they are numbered as they follow each other in the graph that was divided.
//
// So sources ascend within a row, as kernels and loops expect, and sums over a
// row's arcs add in the order of the whole graph: a rank that opens its part alone
// computes the same bits as one that took its piece of the whole.
//
// Cost: O(n log n + arcs) time; 12 bytes per arc and some 40 per vertex.
func (p Part) Graph() (g *Graph, at []int32) {
	n := len(p.Vertex)
	order, at := make([]int32, n), make([]int32, n)
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(i, j int32) int { return cmp.Compare(p.Vertex[i], p.Vertex[j]) })
	for v, i := range order {
		at[i] = int32(v)
	}
	g = &Graph{
		N: n, Ptr: make([]int64, 1, n+1), Src: make([]int32, 0, len(p.Col)),
		Origin: &Origin{Vertex: make([]int64, n), Edge: make([]int64, 0, len(p.Col)), N: p.N, M: p.M},
		into:   Into{Arcs: make([]int32, n), Norm: make([]float64, n)},
	}
	if p.Weight != nil {
		g.Weight = make([]float32, 0, len(p.Col))
	}
	for v, i := range order {
		g.Origin.Vertex[v] = int64(p.Vertex[i])
		if p.Identity != nil {
			g.Origin.Vertex[v] = p.Identity[i]
		}
		g.into.Arcs[v], g.into.Norm[v] = p.Into.Arcs[i], p.Into.Norm[i]
		if int(i) < len(p.Ptr)-1 {
			g.appendRow(p, p.Ptr[i], p.Ptr[i+1], at)
		}
		g.Ptr = append(g.Ptr, int64(len(g.Src)))
	}
	g.recount(int64(len(g.Src)))
	return g, at
}

// appendRow appends the part's arcs lo to hi.
func (g *Graph) appendRow(p Part, lo, hi int64, at []int32) {
	for _, u := range p.Col[lo:hi] {
		g.Src = append(g.Src, at[u])
	}
	g.Origin.Edge = append(g.Origin.Edge, p.Edge[lo:hi]...)
	if p.Weight != nil {
		g.Weight = append(g.Weight, p.Weight[lo:hi]...)
	}
}

// Into counts the arcs into each vertex, and adds up their weights.
//
// Cost: O(n + m); 12 bytes per vertex.
func (g *Graph) Into() Into {
	d := Into{Arcs: make([]int32, g.N), Norm: make([]float64, g.N)}
	for v := range g.N {
		d.Arcs[v], d.Norm[v] = int32(g.Ptr[v+1]-g.Ptr[v]), g.weightWithLoop(v)
	}
	return d
}

// weightWithLoop adds the weights into v over N̂(v), in the order of [Graph.LoopBlock].
func (g *Graph) weightWithLoop(v int) float64 {
	lo, hi := g.Ptr[v], g.Ptr[v+1]
	at, _ := slices.BinarySearch(g.Src[lo:hi], int32(v))
	loop := lo + int64(at)
	rest := loop
	for rest < hi && g.Src[rest] == int32(v) {
		rest++
	}
	if g.Weight == nil {
		return float64(loop - lo + 1 + hi - rest)
	}
	sum := 0.0
	for _, w := range g.Weight[lo:loop] {
		sum += float64(w)
	}
	sum++
	for _, w := range g.Weight[rest:hi] {
		sum += float64(w)
	}
	return sum
}

// Sizes are the numbers of a graph that costs are stated in; see the symbols of the
// package.
type Sizes struct {
	Vertices int64 `json:"vertices"` // n
	Arcs     int64 `json:"arcs"`     // m
	Loops    int64 `json:"loops"`    // arcs of the data from a vertex to itself
	// In and Out are d and d_out, InHat and OutHat those with one loop a vertex.
	In     int64 `json:"max_in"`
	Out    int64 `json:"max_out"`
	InHat  int64 `json:"max_in_loops"`
	OutHat int64 `json:"max_out_loops"`
}

// Sizes counts.
//
// Cost: O(n + m); 8 bytes per vertex while it counts.
func (g *Graph) Sizes() Sizes {
	s := Sizes{Vertices: int64(g.N), Loops: g.loopsIn()}
	s.Arcs = int64(len(g.Src)) - s.Loops
	out, loops := make([]int32, g.N), make([]int32, g.N)
	for v := range g.N {
		for _, u := range g.Src[g.Ptr[v]:g.Ptr[v+1]] {
			out[u]++
			if int(u) == v {
				loops[v]++
			}
		}
	}
	for v := range g.N {
		in := g.Ptr[v+1] - g.Ptr[v]
		s.In, s.Out = max(s.In, in), max(s.Out, int64(out[v]))
		s.InHat, s.OutHat = max(s.InHat, in-int64(loops[v])+1), max(s.OutHat, int64(out[v]-loops[v])+1)
	}
	return s
}
