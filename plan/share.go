package plan

import (
	"fmt"
	"slices"

	"github.com/weft-gnn/weft/comm"
	"github.com/weft-gnn/weft/graph"
	"github.com/weft-gnn/weft/kernel"
	"github.com/weft-gnn/weft/program"
	"github.com/weft-gnn/weft/tensor"
)

// Piece is what one rank has of a graph.
type Piece struct {
	// Extent is what programs run at.
	program.Extent
	// Vertex lists the rank's vertices by their numbers in the whole graph, in order.
	Vertex []int32
	// items says which of the vertices the rank trains on as its own; nil for all.
	items []bool
	// Coefs are the values of the inputs that coefficients of the graph became.
	Coefs map[string]tensor.Matrix
}

// Local returns what a rank has of the matrix of all vertices' rows, copied.
func (p *Piece) Local(all tensor.Matrix) tensor.Matrix {
	return pick(all, p.Vertex)
}

// Target returns what a rank has of a target over vertices. The mean goes over all
// ranks' items.
func (p *Piece) Target(all program.Target) program.Target {
	t := program.Target{Items: kernel.Items{Rows: []int32{}, Total: all.Total}}
	if all.Value.Rows > 0 {
		t.Value = p.Local(all.Value)
	}
	for i, v := range p.Vertex {
		if all.Class != nil {
			t.Class = append(t.Class, all.Class[v])
		}
		if p.items != nil && !p.items[i] {
			continue
		}
		if _, listed := slices.BinarySearch(all.Rows, v); listed {
			t.Rows = append(t.Rows, int32(i))
		}
	}
	return t
}

// Pieces divides a graph over ranks, for programs that have been distributed: it
// returns a function that makes the piece of one rank.
//
// Cost: O(P·n + m) once, and O(P·n + m) for each rank.
func Pieces(g *graph.Graph, o Owners, programs ...*program.Program) (func(rank int) *Piece, error) {
	if err := o.Validate(g.N); err != nil {
		return nil, err
	}
	d := &division{Owners: o, g: g, all: g.N, whole: program.ExtentOf(g, programs...)}
	if o.Has == nil && (o.spread(program.Src) || o.spread(program.Dst)) {
		arcs := g.Block()
		d.named = arcs.Named(o.Ranks, func(e int64, u, v int32) int32 { return o.edge(arcs, e, u, v) })
	}
	if err := d.coefficients(programs); err != nil {
		return nil, err
	}
	d.findPlaces(programs)
	return d.piece, nil
}

// division is a graph that is divided over ranks.
type division struct {
	Owners
	g     *graph.Graph
	all   int // vertices, of which g has some where it is a part
	whole program.Extent
	named []graph.Named // by the arcs of each rank; nil where Has says it
	coefs map[program.GraphCoef]tensor.Matrix
	// among are the places of all edges at the ends at which programs compare winners.
	among map[program.EdgeEnd][]uint32
}

// coefficients computes what programs read of the whole graph.
func (d *division) coefficients(programs []*program.Program) error {
	d.coefs = map[program.GraphCoef]tensor.Matrix{}
	x := program.Exec{Ctx: &kernel.Ctx{}, N: d.whole.N, NHat: d.whole.NHat}
	for _, c := range program.Coefficients() {
		if !reads(programs, c.Input(d.Edges).Name) {
			continue
		}
		if err := c.Check(d.whole); err != nil {
			return fmt.Errorf("plan: %w", err)
		}
		t, err := c.Shape(nil)
		if err != nil {
			return err
		}
		d.coefs[c] = tensor.New(d.whole.Rows(t), 1)
		c.Run(&x, nil, d.coefs[c])
	}
	return nil
}

func reads(programs []*program.Program, input string) bool {
	for _, p := range programs {
		if p.Reads(input) {
			return true
		}
	}
	return false
}

// seat is a rank among those with other vertices, and among those with the same that
// share out the edges of these.
type seat struct{ rank, copy int }

// seat is where one of all ranks is.
func (d *division) seat(at program.Mesh) seat {
	if d.Ranged {
		return seat{at[program.Parts], at[program.Features]}
	}
	return seat{at[program.Parts], at[program.Copies]}
}

// piece returns what one of all ranks has.
func (d *division) piece(of int) *Piece {
	place := d.Mesh().At(of)
	at := d.seat(place)
	p := &Piece{Coefs: map[string]tensor.Matrix{}, Vertex: d.vertices(at.rank)}
	if d.Replicas > 1 {
		for _, v := range p.Vertex {
			p.items = append(p.items, int(d.Item[v]) == place[program.Replicas])
		}
	}
	p.Share = &program.Share{Own: d.ids(p.Vertex), All: d.all}
	if d.Ranged {
		p.Share.First, p.Share.Last = comm.Cut(len(p.Vertex), at.copy, d.Features)
	}
	sources, dst := d.rows(at, program.Src), d.rows(at, program.Dst)
	p.Share.Sources, p.Share.Destinations = d.ends(at, program.Src, sources), d.ends(at, program.Dst, dst)
	var n, loops []int64 // the rank's edges by their numbers in the whole
	p.N, n = d.block(at, d.whole.N, sources, dst)
	p.NHat, loops = d.block(at, d.whole.NHat, sources, dst)
	p.Share.Loops = selfLoops(d.whole.N, n)
	p.Share.Borrowed = borrowed(len(d.owned(at, program.Src)), p.Share.Sources, p.N, p.NHat)
	p.Share.Places = d.placesOf(n, loops)
	for c, all := range d.coefs {
		name := c.Input(d.Edges).Name
		switch c.Space {
		case program.Edges:
			p.Coefs[name] = pick(all, n)
		case program.LoopEdges:
			p.Coefs[name] = pick(all, loops)
		default:
			p.Coefs[name] = p.Local(all)
		}
	}
	return p
}

// vertices lists those that a rank has.
func (d *division) vertices(rank int) (vs []int32) {
	for v, r := range d.Vertex {
		if int(r) == rank {
			vs = append(vs, int32(v))
		}
	}
	return vs
}

func wide(vs []int32) []int64 {
	out := make([]int64, len(vs))
	for i, v := range vs {
		out[i] = int64(v)
	}
	return out
}

func pick[T int32 | int64](all tensor.Matrix, rows []T) tensor.Matrix {
	out := tensor.New(len(rows), all.Cols)
	for i, r := range rows {
		copy(out.Row(i), all.Row(int(r)))
	}
	return out
}

// ids returns the identities of vertices.
func (d *division) ids(vs []int32) []int64 {
	b := d.whole.N
	if b == nil {
		b = d.whole.NHat
	}
	out := wide(vs)
	if b.Vertex != nil {
		for i, v := range vs {
			out[i] = b.Vertex[v]
		}
	}
	return out
}

// selfLoops counts those among some edges of a block.
func selfLoops(b *graph.Block, edges []int64) (loops int64) {
	v := 0
	for _, e := range edges {
		if e < b.Ptr[v] { // what others' vertices have comes behind
			v = 0
		}
		for b.Ptr[v+1] <= e {
			v++
		}
		if int(b.Col[e]) == v {
			loops++
		}
	}
	return loops
}

// borrowed counts the edges from others' vertices of the first of some blocks that
// there is; no loop is one.
func borrowed(own int, e *program.Ends, blocks ...*graph.Block) (edges int64) {
	for _, b := range blocks {
		if e == nil || b == nil {
			continue
		}
		for _, u := range b.Col {
			if int(u) >= own {
				edges++
			}
		}
		return edges
	}
	return 0
}

// places returns where each vertex is among some of them, −1 for the others.
func (d *division) places(vs []int32) []int32 {
	out := make([]int32, d.g.N)
	for v := range out {
		out[v] = -1
	}
	for i, v := range vs {
		out[v] = int32(i)
	}
	return out
}

// order returns where each of some rows stands in the order of the whole graph, of
// whose vertices place says which row they have; nil where that is the order of rows.
func order(place []int32, rows int) []int32 {
	at, next, same := make([]int32, rows), int32(0), true
	for _, row := range place {
		if row >= 0 {
			at[row], same = next, same && row == next
			next++
		}
	}
	if same {
		return nil
	}
	return at
}

// rows are the vertices that a rank has at one end of its edges.
func (d *division) rows(at seat, end program.Map) []int32 {
	if d.spread(end) {
		return d.names(at, end)
	}
	return d.vertices(at.rank)
}

// block returns the edges of a block that a rank has, between sources and dst, and their
// positions in the block.
func (d *division) block(at seat, b *graph.Block, sources, dst []int32) (*graph.Block, []int64) {
	switch {
	case b == nil:
		return nil, nil
	case d.Edges == program.AllEdges || d.Edges == program.Shared:
		return b, allOf(b)
	}
	src := d.places(sources)
	out := &graph.Block{Dst: len(dst), Src: len(sources), Ptr: make([]int64, 1, len(dst)+1), Vertex: d.ids(sources), Place: order(src, len(sources)), DstPlace: order(d.places(dst), len(dst))}
	has := func(e int64, v int32) bool {
		return int(d.edge(b, e, b.Col[e], v)) == at.rank && d.copied(at.copy, b.Col[e])
	}
	size := int64(0) // known before, so that no list is copied as it grows
	for _, v := range dst {
		for e := b.Ptr[v]; e < b.Ptr[v+1]; e++ {
			if has(e, v) {
				size++
			}
		}
		out.Ptr = append(out.Ptr, size)
	}
	out.Col = make([]int32, 0, size)
	if b.Weight != nil {
		out.Weight = make([]float32, 0, size)
	}
	from := make([]int64, 0, size)
	for _, v := range dst {
		for e := b.Ptr[v]; e < b.Ptr[v+1]; e++ {
			if !has(e, v) {
				continue
			}
			out.Col, from = append(out.Col, src[b.Col[e]]), append(from, e)
			if b.Weight != nil {
				out.Weight = append(out.Weight, b.Weight[e])
			}
		}
	}
	out.Identify(named(b, from))
	return out, from
}

// named returns the identities of some edges of a graph's block.
func named(b *graph.Block, edges []int64) []int64 {
	ids := b.Identities()
	if ids == nil {
		return edges
	}
	out := make([]int64, len(edges))
	for i, e := range edges {
		out[i] = ids[e]
	}
	return out
}

// allOf lists all edges of a block.
func allOf(b *graph.Block) []int64 {
	all := make([]int64, b.Edges())
	for e := range all {
		all[e] = int64(e)
	}
	return all
}
