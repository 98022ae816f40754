package graph

import "slices"

// Block returns the graph as a block over N: its arcs and its own loops, as they
// are. Slices alias the graph's.
//
// Contract: the block is built once and shared; safe for concurrent use.
// Cost: O(1).
func (g *Graph) Block() *Block {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.block == nil {
		g.block = &Block{
			Dst: g.N, Src: g.N, Ptr: g.Ptr, Col: g.Src, Weight: g.Weight,
			Vertex: g.vertexIDs(), Graphs: g.Graphs, of: g, whole: Into{Arcs: g.into.Arcs},
		}
	}
	return g.block
}

// LoopBlock returns the graph as a block over N̂(v) = N(v) ∪ {v}: its arcs and
// exactly one loop per vertex, at its sorted place. A loop has weight 1, whether
// the data had none there, one of any weight, or several, which collapse to one;
// it is no arc of [Block.Arcs] in any of these cases.
//
// Contract: the block is built once and shared; safe for concurrent use.
// Cost: O(n + m); 4 bytes per edge, 8 where arcs have weights.
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
		Vertex: g.vertexIDs(), Graphs: g.Graphs, of: g, looped: true, whole: Into{Norm: g.into.Norm},
	}
	if g.Weight != nil {
		b.Weight = make([]float32, 0, size)
	}
	for v := range g.N {
		lo, hi := g.Ptr[v], g.Ptr[v+1]
		at, has := slices.BinarySearch(g.Src[lo:hi], int32(v))
		i := lo + int64(at)
		b.copyArcs(g, lo, i)
		b.Col = append(b.Col, int32(v))
		if g.Weight != nil {
			b.Weight = append(b.Weight, 1)
		}
		for has && i < hi && g.Src[i] == int32(v) {
			i++
		}
		b.copyArcs(g, i, hi)
		b.Ptr[v+1] = int64(len(b.Col))
	}
	return b
}

// copyArcs appends the graph's arcs lo to hi.
func (b *Block) copyArcs(g *Graph, lo, hi int64) {
	b.Col = append(b.Col, g.Src[lo:hi]...)
	if g.Weight != nil {
		b.Weight = append(b.Weight, g.Weight[lo:hi]...)
	}
}

// Identities returns the global identity of each edge, the counter of its random
// numbers: its rank in (destination, source, listing) order among the arcs of the
// whole graph that are not loops; the first loop at v has m + v, the r-th loop of
// the graph that is not its vertex's first has m + n + r. Nil means that the
// identity of position i is First + i.
//
// Contract: listed once and shared, which most programs never ask for; safe for
// concurrent use.
// Cost: O(Dst + edges) time and 8 bytes per edge, of a block with loops or of a graph
// that has loops; otherwise O(1).
func (b *Block) Identities() []int64 {
	b.naming.Do(func() {
		switch {
		case b.cutOf != nil:
			if ids := b.cutOf.Identities(); ids != nil {
				from := b.First - b.cutOf.First
				b.identities = ids[from:][:b.Edges():b.Edges()]
			}
		case b.looped:
			b.identities = b.loopedIDs()
		case b.of != nil:
			b.identities = b.of.arcIDs()
		}
	})
	return b.identities
}

// Identify gives the edges of a block that is made by hand their identities, one
// each, before anyone asks for them.
func (b *Block) Identify(edges []int64) { b.identities = edges }

func (b *Block) loopedIDs() []int64 {
	all := make([]int64, 0, b.Edges())
	ids, loop := b.of.arcIDs(), b.of.loopIDs()
	b.eachArc(func(v int, arc int64) {
		switch {
		case arc < 0:
			arc = loop(v)
		case ids != nil:
			arc = ids[arc]
		}
		all = append(all, arc)
	})
	return all
}

// Arcs returns, for each edge of a block of [Graph.LoopBlock], its position in the
// graph, or −1 for the loop; nil, which means the identity, for [Graph.Block].
//
// Contract: listed once and shared; safe for concurrent use.
// Cost: O(Dst + edges) time and 8 bytes per edge.
func (b *Block) Arcs() []int64 {
	b.locating.Do(func() {
		if b.looped {
			b.arcs = make([]int64, 0, b.Edges())
			b.eachArc(func(_ int, arc int64) { b.arcs = append(b.arcs, arc) })
		}
	})
	return b.arcs
}

// eachArc visits the edges of a block with loops in order: the destination, and
// the position in the graph, −1 for the loop.
func (b *Block) eachArc(visit func(v int, arc int64)) {
	for v := range b.Dst {
		arc, hi := b.of.Ptr[v], b.of.Ptr[v+1]
		for _, u := range b.Col[b.Ptr[v]:b.Ptr[v+1]] {
			if int(u) != v {
				visit(v, arc)
				arc++
				continue
			}
			visit(v, -1)
			for arc < hi && b.of.Src[arc] == u {
				arc++
			}
		}
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

// Bytes returns the memory that the block was made with: not its index by source, nor
// the lists of edges of a graph's block, which are made when asked for. Slices that
// alias the graph's are counted here too.
func (b *Block) Bytes() int64 {
	words := len(b.Ptr) + len(b.Vertex) + len(b.Graphs)
	if b.of == nil {
		words += len(b.identities)
	}
	return 8*int64(words) + 4*int64(len(b.Col)+len(b.Weight))
}

// IdentityBytes returns what [Block.Identities] take beside [Block.Bytes] once they
// were asked for.
func (b *Block) IdentityBytes() int64 {
	if b.looped || b.of != nil && b.of.Origin == nil && b.of.loopsIn() > 0 {
		return 8 * int64(b.Edges())
	}
	return 0
}
