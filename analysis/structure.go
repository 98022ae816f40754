package analysis

import (
	"slices"

	"github.com/weft-gnn/weft/graph"
	"github.com/weft-gnn/weft/program"
)

// structure returns the bytes of g's arrays, of the blocks beside them and of what
// programs read of these: see [lists].
func structure(g *graph.Graph, e program.Extent, programs []*program.Program) int64 {
	sum := 8*int64(len(g.Ptr)+len(g.Listing)) + 4*int64(len(g.Src)+len(g.Weight))
	for _, b := range []*graph.Block{e.NHat, e.X} {
		if b != nil {
			sum += b.Bytes()
		}
	}
	return sum + walked(e, programs)
}

// lists says what programs read of edges beside the sources of each destination:
// the destinations of each source, where these edges lie, and, where they draw
// random numbers for edges, their identities.
type lists struct{ bySource, positions, identities bool }

func listsOf(programs []*program.Program, s program.Space) (l lists) {
	for _, p := range programs {
		for _, n := range p.Nodes {
			l.identities = l.identities || masks(n.Op, s)
			if n.Region > 0 {
				continue // it walks pieces
			}
			over, along, values := program.One, program.Dst, true
			switch o := program.BaseOf(n.Op).(type) {
			case program.SpMM:
				over, along, values = o.Over, o.Along, o.Weighted
			case program.Aggregate:
				over, along = o.Over, o.Along
			case program.ArgSelect:
				over, along = o.Over, o.Along
			case program.Extreme:
				over, along = o.Over, o.Along
			case program.Walker:
				over, along, _ = o.Walk()
				values = masks(o, s)
			case program.SparseMatMulT:
				over, along = program.Entries, program.Src
			}
			if over.Held(program.AllEdges) == s && along == program.Src {
				l.bySource, l.positions = true, l.positions || values
			}
		}
	}
	return l
}

// masks reports whether an op draws masks for the edges of s.
func masks(op program.Op, s program.Space) bool {
	over := program.One
	switch o := op.(type) {
	case program.Tailed:
		return masks(o.Base, s) || slices.ContainsFunc(o.Steps[:o.Len], func(step program.Op) bool { return masks(step, s) })
	case program.Dropout:
		over = o.Over
	case program.Attention:
		return o.Mask.P > 0 && masks(o.Mask, s)
	case program.AttentionGradDst:
		return masks(program.Attention(o), s)
	case program.AttentionGradSrc:
		return masks(program.Attention(o), s)
	}
	return over.Held(program.AllEdges) == s
}

// walked returns the bytes of what programs read of edges beside the blocks, and of
// the pieces that chunks run over. A symmetric block is its own index by source.
func walked(e program.Extent, programs []*program.Program) (sum int64) {
	for space, b := range map[program.Space]*graph.Block{program.Edges: e.N, program.LoopEdges: e.NHat, program.Entries: e.X} {
		l := listsOf(programs, space)
		if l.bySource && !b.Symmetric() {
			sum += 8*int64(b.Src+1) + 4*int64(b.Edges())
		}
		if l.positions {
			sum += 4 * int64(b.Edges())
		}
		if l.identities {
			sum += b.IdentityBytes()
		}
	}
	return sum + pieces(e, programs)
}

// pieces returns the bytes of the blocks that chunks run over: row offsets, and
// the order of the edges by source where they are summed there.
func pieces(e program.Extent, programs []*program.Program) int64 {
	size := map[program.Region]int64{}
	for _, p := range programs {
		for _, n := range p.Nodes {
			if n.Region == 0 {
				continue
			}
			r, b := p.Regions[n.Region-1], e.N
			if r.Over.Held(program.AllEdges) == program.LoopEdges {
				b = e.NHat
			}
			bytes := 8 * int64(b.Dst+len(r.Cuts(b))-1)
			if o, ok := n.Op.(program.Aggregate); ok && o.Along == program.Src {
				bytes += 4 * int64(b.Edges())
			}
			size[r] = max(size[r], bytes)
		}
	}
	sum := int64(0)
	for _, bytes := range size {
		sum += bytes
	}
	return sum
}
