package graph

import "slices"

// Block returns the graph as a block over N: its arcs and its own loops, as they
// are. Slices alias the graph's.
//
// Contract: the block is built once and shared; safe for concurrent use.
// Cost: O(n) where the graph has no loops, otherwise O(n + m).
func (g *Graph) Block() *Block {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.block == nil {
		g.block = &Block{
			Dst: g.N, Src: g.N, Ptr: g.Ptr, Col: g.Src, Weight: g.Weight,
			Edge: g.arcIDs(), Vertex: g.vertexIDs(), Graphs: g.Graphs,
			whole: Into{Arcs: g.into.Arcs},
		}
	}
	return g.block
}

// LoopBlock returns the graph as a block over N̂(v) = N(v) ∪ {v}: its arcs and
// exactly one loop per vertex, at its sorted place. A loop has weight 1, whether
// the data had none there, one of any weight, or several, which collapse to one;
// its Arc is −1 in all these cases.
//
// Contract: the block is built once and shared; safe for concurrent use. Edge
// and Arc are never nil, unless the graph has no vertices.
// Cost: O(n + m); 20 bytes per edge, 24 where arcs have weights.
func (g *Graph) LoopBlock() *Block {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.loops == nil {
		g.loops = g.withLoops()
	}
	return g.loops
}

func (g *Graph) withLoops() *Block {
	size := len(g.Src) - int(g.loopsIn()) + g.N
	b := &Block{
		Dst: g.N, Src: g.N, Ptr: make([]int64, g.N+1), Col: make([]int32, 0, size),
		Edge: make([]int64, 0, size), Arc: make([]int64, 0, size),
		Vertex: g.vertexIDs(), Graphs: g.Graphs, whole: Into{Norm: g.into.Norm},
	}
	if g.Weight != nil {
		b.Weight = make([]float32, 0, size)
	}
	ids, loop := g.arcIDs(), g.loopIDs()
	for v := range g.N {
		lo, hi := g.Ptr[v], g.Ptr[v+1]
		at, has := slices.BinarySearch(g.Src[lo:hi], int32(v))
		i := lo + int64(at)
		b.copyArcs(g, ids, lo, i)
		b.Col, b.Edge, b.Arc = append(b.Col, int32(v)), append(b.Edge, loop(v)), append(b.Arc, -1)
		if g.Weight != nil {
			b.Weight = append(b.Weight, 1)
		}
		for has && i < hi && g.Src[i] == int32(v) {
			i++
		}
		b.copyArcs(g, ids, i, hi)
		b.Ptr[v+1] = int64(len(b.Col))
	}
	return b
}

// copyArcs appends the graph's arcs lo to hi.
func (b *Block) copyArcs(g *Graph, ids []int64, lo, hi int64) {
	b.Col = append(b.Col, g.Src[lo:hi]...)
	if g.Weight != nil {
		b.Weight = append(b.Weight, g.Weight[lo:hi]...)
	}
	for i := lo; i < hi; i++ {
		b.Arc = append(b.Arc, i)
	}
	if ids != nil {
		b.Edge = append(b.Edge, ids[lo:hi]...)
	} else {
		b.Edge = append(b.Edge, b.Arc[len(b.Edge):]...)
	}
}

// loopsIn returns the number of arcs that are loops, counted once. It does not
// rely on Counts, which a reader of files may have got wrong.
func (g *Graph) loopsIn() int64 {
	g.countLoops.Do(func() {
		for v := range g.N {
			row := g.Src[g.Ptr[v]:g.Ptr[v+1]]
			i, _ := slices.BinarySearch(row, int32(v))
			for ; i < len(row) && row[i] == int32(v); i++ {
				g.loopArcs++
			}
		}
	})
	return g.loopArcs
}

// arcIDs returns the identity of each arc, as [Block.Edge] defines it; nil where
// identity and position are equal.
func (g *Graph) arcIDs() []int64 {
	if g.Origin != nil {
		return g.Origin.Edge
	}
	loops := g.loopsIn()
	if loops == 0 {
		return nil
	}
	m := int64(len(g.Src)) - loops
	rank, extra := int64(0), m+int64(g.N)
	ids := make([]int64, len(g.Src))
	for v := range g.N {
		first := true
		for i := g.Ptr[v]; i < g.Ptr[v+1]; i++ {
			switch {
			case g.Src[i] != int32(v):
				ids[i], rank = rank, rank+1
			case first:
				ids[i], first = m+int64(v), false
			default:
				ids[i], extra = extra, extra+1
			}
		}
	}
	return ids
}

// vertexIDs returns the identity of each vertex; nil where it is its number.
func (g *Graph) vertexIDs() []int64 {
	if g.Origin != nil {
		return g.Origin.Vertex
	}
	return nil
}

// loopIDs returns the function from a vertex to the identity of its loop.
func (g *Graph) loopIDs() func(v int) int64 {
	if o := g.Origin; o != nil {
		return func(v int) int64 { return o.M + o.Vertex[v] }
	}
	m := int64(len(g.Src)) - g.loopsIn()
	return func(v int) int64 { return m + int64(v) }
}

// Edges returns the number of edges, loops included.
func (b *Block) Edges() int { return len(b.Col) }

// InDegree returns the number of edges into destination v, loops included.
func (b *Block) InDegree(v int) int { return int(b.Ptr[v+1] - b.Ptr[v]) }

// Degree returns the number of edges into destination v, loops included, in the
// graph that was divided where the block is of a [Part] of it.
func (b *Block) Degree(v int) int {
	if b.whole.Arcs != nil {
		return int(b.whole.Arcs[v])
	}
	return b.InDegree(v)
}

// MaxInDegree returns d, the largest number of edges into a destination;
// 0 where there are no edges. It is computed once, in O(Dst + Src + edges).
func (b *Block) MaxInDegree() int {
	b.degrees.Do(b.countDegrees)
	return b.inMax
}

// MaxOutDegree returns d_out, the largest number of edges out of a source;
// 0 where there are no edges. It is computed once, in O(Dst + Src + edges).
func (b *Block) MaxOutDegree() int {
	b.degrees.Do(b.countDegrees)
	return b.outMax
}

func (b *Block) countDegrees() {
	for v := range b.Dst {
		b.inMax = max(b.inMax, b.InDegree(v))
	}
	out := make([]uint32, b.Src)
	for _, u := range b.Col {
		out[u]++
	}
	if len(out) > 0 {
		b.outMax = int(slices.Max(out))
	}
}

// Bytes returns the memory of the block's slices, its transposed index not
// counted. Slices that alias the graph's are counted here too.
func (b *Block) Bytes() int64 {
	words := len(b.Ptr) + len(b.Edge) + len(b.Vertex) + len(b.Arc) + len(b.Graphs)
	return 8*int64(words) + 4*int64(len(b.Col)+len(b.Weight))
}
