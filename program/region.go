package program

import (
	"fmt"
	"sort"

	"github.com/weft-gnn/weft/cost"
	"github.com/weft-gnn/weft/graph"
)

// Region is a stage of edges that runs chunk by chunk: all its operations over
// the edges into some destinations, then all over those into the next, so that
// what it computes per edge lives in cache and no value of m rows is stored.
//
// A chunk has whole destinations. Their sums keep their order, a softmax finds
// all edges that it goes over, and what a chunk makes of a destination is done
// when the chunk is. The price is that the largest in-degree bounds a chunk from
// below. Chunks are a function of the graph and the region alone, so that results
// depend on no number of threads; an index names positions of its chunk, and all
// regions over one space have the same chunks.
type Region struct {
	Over Space
	// Edges is how many edges and how many destinations a chunk has at most. A
	// destination with more edges is a chunk of its own.
	Edges int
}

// Cuts returns the destinations at which the chunks of a block begin, and the
// end of the last: at least one chunk, which may be empty.
func (r Region) Cuts(b *graph.Block) []int {
	cuts := []int{0}
	for lo := 0; lo < b.Dst; {
		full := b.Ptr[lo] + int64(r.Edges)
		most := min(r.Edges, b.Dst-lo)
		n := sort.Search(most, func(i int) bool { return b.Ptr[lo+i+1] > full })
		lo += max(n, 1)
		cuts = append(cuts, lo)
	}
	if len(cuts) == 1 {
		cuts = append(cuts, 0)
	}
	return cuts
}

// symbol stands for the number of chunks in costs.
func (r Region) symbol() string {
	if r.Over.base() == LoopEdges {
		return fmt.Sprintf("ĉ_%d", r.Edges)
	}
	return fmt.Sprintf("c_%d", r.Edges)
}

// ChunkSymbols returns the symbols that p's costs have for numbers of chunks,
// each with its meaning.
func (p *Program) ChunkSymbols() map[string]string {
	out := map[string]string{}
	for _, r := range p.Regions {
		out[r.symbol()] = fmt.Sprintf("chunks of up to %d edges", r.Edges)
	}
	return out
}

// CountChunks adds to env the number of chunks of each of p's regions.
func (p *Program) CountChunks(e Extent, env cost.Env) {
	for _, r := range p.Regions {
		env[r.symbol()] = int64(len(r.Cuts(e.edges(r.Over))) - 1)
	}
}

// edges returns the block of an edge space.
func (e Extent) edges(s Space) *graph.Block {
	if s.base() == LoopEdges {
		return e.NHat
	}
	return e.N
}

// chunkRows returns, for each region, how many rows the largest chunk has of
// edges and of destinations.
func (p *Program) chunkRows(e Extent) []map[Space]int {
	out := make([]map[Space]int, len(p.Regions))
	for i, r := range p.Regions {
		out[i] = map[Space]int{}
		b := e.edges(r.Over)
		cuts := r.Cuts(b)
		for c := range len(cuts) - 1 {
			out[i][r.Over] = max(out[i][r.Over], int(b.Ptr[cuts[c+1]]-b.Ptr[cuts[c]]))
			out[i][r.Over.End(Dst)] = max(out[i][r.Over.End(Dst)], cuts[c+1]-cuts[c])
		}
	}
	return out
}

// inChunks is what node n of a region costs, which cost c at once: what does not
// depend on the number of rows, such as reading a matrix, is paid for in every
// chunk. Sums begin with zeros.
func (p *Program) inChunks(n Node) cost.Cost {
	in := p.types(n.In)
	c, chunks := n.Op.Cost(in, n.Type), cost.Sym(p.Regions[n.Region-1].symbol())
	op, sums := n.Summed()
	if sums {
		c = op.CostOnto(in, n.Type)
	}
	noRows := map[string]cost.Expr{}
	for _, s := range []cost.Expr{symN, symM, symLoops, symMHat, Sources.rows(), Destinations.rows()} {
		noRows[s.Symbols()[0]] = cost.Int(0)
	}
	times := func(e cost.Expr) cost.Expr {
		return cost.Add(e, cost.Mul(cost.Sub(chunks, cost.Int(1)), e.Subst(noRows)))
	}
	c.Work, c.Bytes = times(c.Work), times(c.Bytes)
	if sums {
		c.Bytes = cost.Add(c.Bytes, bytes(n.Type))
	}
	return c
}

// Unchunked returns p with all its operations run once over all rows, for
// programs that run over neighbourhoods.
func (p *Program) Unchunked() *Program {
	q := *p
	q.Regions, q.Nodes = nil, append([]Node(nil), p.Nodes...)
	for i := range q.Nodes {
		q.Nodes[i].Region = 0
	}
	return &q
}

// Part says which rows of a value the operations of a chunk read or write.
type Part int

// The parts.
const (
	AllRows   Part = iota
	ChunkRows      // those of the chunk's edges or destinations
	Passing        // the same, of a value that is not kept from chunk to chunk
)

// Parts returns the parts of its operands that node v of a region reads, and
// that of its result which it makes.
func (p *Program) Parts(v Value, local []bool) (in []Part, out Part) {
	n := p.Nodes[v]
	_, whole, _ := p.chunkable(v)
	in = make([]Part, len(n.In))
	for j, u := range n.In {
		switch {
		case local[u]:
			in[j] = Passing
		case p.Type(u).Space != One && !whole[j]:
			in[j] = ChunkRows
		}
	}
	switch _, sums := n.Summed(); {
	case local[v]:
		out = Passing
	case !sums:
		out = ChunkRows
	}
	return in, out
}

// chunkable returns the edges over which node v could run chunk by chunk, and
// which operands it reads all rows of. What an op reads across edges, its split
// rule says: what a rank that owns some destinations, and the edges into them,
// needs of vertices that others own, a chunk needs of those of other chunks.
func (p *Program) chunkable(v Value) (over Space, whole []bool, ok bool) {
	n := p.Nodes[v]
	types := append(p.types(n.In), n.Type)
	for _, t := range types {
		if t.Space.IsEdges() && over != One && t.Space != over {
			return over, nil, false
		}
		if t.Space.IsEdges() {
			over = t.Space
		}
	}
	if _, leaf := n.Op.(Leaf); leaf || over == One {
		return over, nil, false
	}
	whole = make([]bool, len(n.In))
	if _, sums := n.Summed(); sums {
		for _, t := range p.types(n.In) {
			if t.Space != over {
				return over, nil, false
			}
		}
		return over, whole, true
	}
	if n.Type.Space != over && n.Type.Space != over.End(Dst) {
		return over, nil, false
	}
	hops, ok := p.across(n)
	for j := range hops {
		whole[j] = hops[j] > 0
	}
	return over, whole, ok
}

// locals marks the values that live within a chunk: rows of edges or of
// destinations that no operation outside their region reads. Those inside read
// the chunk's, or a region would not be one.
func (p *Program) locals() []bool {
	local := make([]bool, len(p.Nodes))
	for i, n := range p.Nodes {
		_, sums := n.Summed()
		local[i] = n.Region > 0 && !sums && !p.Kept(Value(i))
	}
	for _, o := range p.Outputs {
		local[o.Value] = false
	}
	for _, n := range p.Nodes {
		for _, u := range n.In {
			local[u] = local[u] && p.Nodes[u].Region == n.Region
		}
	}
	return local
}
