package program

import (
	"cmp"
	"math/bits"
	"slices"
)

// defaultChunkBytes is about what caches that cores share have for a chunk, and
// enough rows for products to run at their full speed.
const defaultChunkBytes = 8 << 20

// worthComputing is how many times the memory of a chunk the values must take
// that backward would read, for it to compute them again instead: that is work
// done twice, not only traffic saved.
const worthComputing = 16

// slimCols is how many columns a value of edges has at most that is stored
// rather than computed again: scores and coefficients of attention heads.
const slimCols = 8

// Chunk makes stages of edges with wide values regions, where all edges' values
// take more memory than Facts.ChunkBytes says. Values that backward reads of
// forward's are computed again in backward's region: the price is forward's work
// on edges once more, and none of it is stored.
//
// A region is what can be done with a chunk before anything is needed of other
// chunks. Nodes are ordered by how many regions must have ended before them, as
// little as that takes.
func Chunk(p *Program, f Facts) *Program {
	all := int64(0)
	for _, n := range p.Nodes {
		if wide(n.Type) {
			all += f.bytesOf(n.Type)
		}
	}
	if all <= f.chunkBytes() {
		return p
	}
	c := &chunker{rewriter: rewrite(p), f: f, made: map[copied]Value{}}
	c.find()
	c.keepSmall()
	if !slices.ContainsFunc(c.over, func(s Space) bool { return s != One }) {
		return p
	}
	c.divide()
	c.done = make([]bool, len(p.Nodes))
	for i := range p.Nodes {
		c.emit(Value(i))
	}
	return numbered(Dead(c.finish()), f.chunkBytes())
}

func (f Facts) chunkBytes() int64 { return cmp.Or(f.ChunkBytes, defaultChunkBytes) }

type chunker struct {
	*rewriter
	f     Facts
	over  []Space  // the edges over which a node runs in chunks; One for others
	whole [][]bool // which operands it reads all rows of
	level []int    // how many regions must end before the node runs
	group sets     // the nodes of one region
	done  []bool
	made  map[copied]Value
}

// copied is a value computed again in a region.
type copied struct{ value, region Value }

// find marks what could run in chunks.
func (c *chunker) find() {
	p := c.old
	c.over, c.whole = make([]Space, len(p.Nodes)), make([][]bool, len(p.Nodes))
	for i := range p.Nodes {
		if over, whole, ok := p.chunkable(Value(i)); ok {
			c.over[i], c.whole[i] = over, whole
		}
	}
	uses := p.uses()
	for i, n := range p.Nodes {
		if !n.Type.Index {
			continue
		}
		// An index counts within its chunk: whoever reads it runs over the same.
		apart := func(u Value) bool { return u == None || !c.together(u, Value(i)) }
		if c.over[i] == One || n.Type.Space != c.over[i].End(Dst) || slices.ContainsFunc(uses[i], apart) {
			c.over[i] = One
			for _, u := range uses[i] {
				if u != None {
					c.over[u] = One
				}
			}
		}
	}
}

// together reports whether two nodes could run over the same chunks.
func (c *chunker) together(a, b Value) bool {
	return c.over[a] != One && c.over[a] == c.over[b] && c.old.Nodes[a].Stage == c.old.Nodes[b].Stage
}

// passes reports whether node v reads, chunk by chunk, what its operand number j
// makes chunk by chunk.
func (c *chunker) passes(v Value, j int) bool {
	u := c.old.Nodes[v].In[j]
	_, sums := c.old.Nodes[u].Summed()
	return c.together(u, v) && !sums && !c.whole[v][j]
}

// keepSmall leaves stages as they are whose values take little memory. A stage
// is what edge values and indices connect, in forward and backward.
func (c *chunker) keepSmall() {
	p := c.old
	stage := newSets(len(p.Nodes))
	for i := range p.Nodes {
		for j, u := range p.Nodes[i].In {
			if t := p.Type(u); c.passes(Value(i), j) && (t.Space.IsEdges() || t.Index) {
				stage.join(Value(i), u)
			}
		}
	}
	peak := c.alive(stage)
	forward, backward := map[Value]bool{}, map[Value]bool{}
	for i, n := range p.Nodes {
		if n.Backward {
			backward[stage.of(Value(i))] = true
		} else {
			forward[stage.of(Value(i))] = true
		}
	}
	for i := range p.Nodes {
		s, most := stage.of(Value(i)), c.f.chunkBytes()
		if forward[s] && backward[s] {
			most *= worthComputing
		}
		if peak[s] <= most {
			c.over[i] = One
		}
	}
}

// alive returns the most bytes that wide edge values of each stage take at once.
func (c *chunker) alive(stage sets) map[Value]int64 {
	p := c.old
	last, ends := p.lastReaders(), make([][]Value, len(p.Nodes))
	now, peak := map[Value]int64{}, map[Value]int64{}
	for i, n := range p.Nodes {
		s := stage.of(Value(i))
		if c.over[i] != One && wide(n.Type) {
			now[s] += c.f.bytesOf(n.Type)
			peak[s] = max(peak[s], now[s])
			ends[last[i]] = append(ends[last[i]], Value(i))
		}
		for _, v := range ends[i] {
			now[stage.of(v)] -= c.f.bytesOf(p.Type(v))
		}
	}
	return peak
}

// chunks reports whether a value alone is reason enough for chunks.
func (f Facts) chunks(t Type) bool { return wide(t) && f.bytesOf(t) > f.chunkBytes() }

func wide(t Type) bool { return t.Space.IsEdges() && t.Cols.N > slimCols }

// stored reports whether a value that one region makes and another reads is
// stored: not wide values of edges, nor which of them were selected, for that
// takes an operation for each and no product.
func stored(t Type) bool { return t.Cols.N <= slimCols || !t.Space.IsEdges() && !t.Index }

// divide finds how many regions end before each node, and joins the nodes of one
// such number between which values pass, or which compute the same value again.
func (c *chunker) divide() {
	p := c.old
	c.level, c.group = make([]int, len(p.Nodes)), newSets(len(p.Nodes))
	for i := range p.Nodes {
		for j, u := range p.Nodes[i].In {
			level := c.level[u]
			if c.over[u] != One && !c.passes(Value(i), j) {
				level++
			}
			c.level[i] = max(c.level[i], level)
		}
	}
	readers := map[copied]Value{}
	for i := range p.Nodes {
		v := Value(i)
		for j, u := range p.Nodes[i].In {
			if !c.passes(v, j) {
				continue
			}
			first, read := readers[copied{u, Value(c.level[i])}]
			switch {
			case c.level[u] == c.level[i]:
				c.group.join(v, u)
			case stored(p.Type(u)):
			case read:
				c.group.join(v, first)
			default:
				readers[copied{u, Value(c.level[i])}] = v
			}
		}
	}
}

// again reports whether operand number j of v, which runs in a region or is
// computed again there, is computed again in it.
func (c *chunker) again(v Value, j int, region Value) bool {
	u := c.old.Nodes[v].In[j]
	return c.passes(v, j) && c.group.of(u) != region && !stored(c.old.Type(u))
}

// emit adds node v after all that it needs, and with it the whole of its region.
func (c *chunker) emit(v Value) {
	if c.done[v] {
		return
	}
	if c.over[v] == One {
		c.done[v] = true
		for _, u := range c.old.Nodes[v].In {
			c.emit(u)
		}
		c.copy(v)
		return
	}
	region := c.group.of(v)
	var nodes []Value
	for i := range c.old.Nodes {
		if c.over[i] != One && c.group.of(Value(i)) == region {
			nodes = append(nodes, Value(i))
			c.done[i] = true
		}
	}
	seen := map[Value]bool{}
	for _, u := range nodes {
		c.emitBefore(u, region, seen)
	}
	for _, u := range nodes {
		c.new[u] = c.add(u, u, region)
	}
}

// emitBefore adds what a node of a region needs from outside of it.
func (c *chunker) emitBefore(v, region Value, seen map[Value]bool) {
	if seen[v] {
		return
	}
	seen[v] = true
	for j, u := range c.old.Nodes[v].In {
		switch {
		case c.again(v, j, region):
			c.emitBefore(u, region, seen)
		case c.over[u] == One || c.group.of(u) != region:
			c.emit(u)
		}
	}
}

// add adds v to a region, for a reader there, after the values that it computes
// again.
func (c *chunker) add(v, reader, region Value) Value {
	n := c.old.Nodes[v]
	in := make([]Value, len(n.In))
	for j, u := range n.In {
		in[j] = c.new[u]
		if c.again(v, j, region) {
			key := copied{u, region}
			if _, made := c.made[key]; !made {
				c.made[key] = c.add(u, reader, region)
			}
			in[j] = c.made[key]
		}
	}
	c.at(v)
	c.b.backward = c.old.Nodes[reader].Backward
	c.b.region = 1 + int(region)
	return c.b.Add(n.Op, in...)
}

// numbered numbers the regions of p in order and gives them their chunks: as
// many edges, by powers of two, as fit so many bytes in the region that holds
// most values at once.
func numbered(p *Program, size int64) *Program {
	numbers, order := map[int]int{}, []Region{}
	for i, n := range p.Nodes {
		if n.Region > 0 && numbers[n.Region] == 0 {
			over, _, _ := p.chunkable(Value(i))
			order = append(order, Region{Over: over})
			numbers[n.Region] = len(order)
		}
	}
	q := *p
	q.Nodes, q.Regions = slices.Clone(p.Nodes), order
	for i := range q.Nodes {
		q.Nodes[i].Region = numbers[p.Nodes[i].Region]
	}
	words := q.chunkWords()
	for i := range order {
		most := 1
		for j, r := range order {
			if r.Over == order[i].Over {
				most = max(most, words[j])
			}
		}
		rows := max(1, size/int64(4*most))
		order[i].Edges = 1 << (bits.Len64(uint64(rows)) - 1)
	}
	return &q
}

// chunkWords returns how many words each region holds at once per edge.
func (p *Program) chunkWords() []int {
	local, last := p.locals(), p.lastReaders()
	now, most := make([]int, len(p.Regions)), make([]int, len(p.Regions))
	ends := make([]int, len(p.Nodes))
	for i, n := range p.Nodes {
		if n.Region == 0 {
			continue
		}
		r := n.Region - 1
		if local[i] {
			now[r] += n.Type.Cols.N
			ends[last[i]] += n.Type.Cols.N
		}
		most[r] = max(most[r], now[r])
		now[r] -= ends[i]
	}
	return most
}

// lastReaders returns the last node that reads each value, or itself.
func (p *Program) lastReaders() []int {
	last := make([]int, len(p.Nodes))
	for i, n := range p.Nodes {
		last[i] = i
		for _, v := range n.In {
			last[v] = i
		}
	}
	return last
}

// sets are disjoint sets of values.
type sets []Value

func newSets(n int) sets {
	s := make(sets, n)
	for i := range s {
		s[i] = Value(i)
	}
	return s
}

// of returns the lowest value of v's set.
func (s sets) of(v Value) Value {
	for s[v] != v {
		s[v] = s[s[v]]
		v = s[v]
	}
	return v
}

func (s sets) join(a, b Value) {
	a, b = s.of(a), s.of(b)
	s[max(a, b)] = min(a, b)
}
