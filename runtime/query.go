package runtime

import (
	"fmt"

	"github.com/weft-gnn/weft/graph"
	"github.com/weft-gnn/weft/kernel"
	"github.com/weft-gnn/weft/program"
	"github.com/weft-gnn/weft/tensor"
)

// Query runs a [Local] program for some vertices, again and again, and keeps the
// memory that this takes. It is used by one goroutine at a time and runs in it
// alone: many queries may run at once, and a single one wakes nobody.
type Query struct {
	l      *Local
	near   *neighbourhood
	entry  int // the hops within which features' entries are read
	arena  *tensor.Arena
	room   program.Extent  // that the arena was laid out for
	values []tensor.Matrix // as large as there is room for
	in     [][]tensor.Matrix
	exec   program.Exec
	result tensor.Matrix
}

// Query returns a new query.
func (l *Local) Query() *Query {
	q := &Query{l: l, near: newNeighbourhood(l.whole, l.needs.Hops), exec: program.Exec{Ctx: &kernel.Ctx{}}}
	q.values = make([]tensor.Matrix, len(l.p.Nodes))
	q.in = make([][]tensor.Matrix, len(l.p.Nodes))
	for i, n := range l.p.Nodes {
		q.in[i] = make([]tensor.Matrix, len(n.In))
		if n.Type.Space == program.Entries {
			q.entry = max(q.entry, l.needs.Rows[i])
		}
	}
	return q
}

// Close frees the query's memory.
func (q *Query) Close() error {
	if q.arena == nil {
		return nil
	}
	return q.arena.Close()
}

// Run returns the program's output for the given vertices of the whole graph, a
// row for each, in order; a vertex may be named more than once.
//
// Contract: the result holds until the next call. Its values have the same bits
// as those of a [Session] over the whole graph: a vertex sums the same values in
// the same order. Nothing is allocated unless the neighbourhood is larger than
// all before.
// Cost: per layer what the program states for the vertices that the layers above
// it read, and a copy of the inputs' rows for these.
// Errors: a vertex that the graph does not have; memory that cannot be had.
func (q *Query) Run(vertices []int32) (tensor.Matrix, error) {
	if err := q.near.cut(vertices, q.entry); err != nil {
		return tensor.Matrix{}, fmt.Errorf("runtime: %w", err)
	}
	if !q.fits() {
		if err := q.grow(); err != nil {
			return tensor.Matrix{}, fmt.Errorf("runtime: %w", err)
		}
	}
	for i := range q.l.inputs {
		q.gather(&q.l.inputs[i])
	}
	if err := q.run(); err != nil {
		return tensor.Matrix{}, err
	}
	return q.answer(vertices), nil
}

// Neighbourhood returns how many vertices the last Run read, and how many edges
// into those whose rows it computed.
func (q *Query) Neighbourhood() (vertices, edges int) {
	hops := q.l.needs.Hops
	if hops > 0 {
		rows := q.near.rows[hops-1]
		edges = max(rows[program.Edges], rows[program.LoopEdges])
	}
	return q.near.rows[hops][program.Vertices], edges
}

// fits reports whether the arena has room for the neighbourhood.
func (q *Query) fits() bool {
	if q.arena == nil {
		return false
	}
	h := q.near
	last := h.rows[q.l.needs.Hops]
	ok := last[program.Vertices] <= q.room.Rows(program.Type{Space: program.Vertices})
	if hops := q.l.needs.Hops; hops > 0 {
		far := h.rows[hops-1]
		ok = ok && (h.n < 0 || far[program.Edges] <= q.room.N.Edges())
		ok = ok && (h.nHat < 0 || far[program.LoopEdges] <= q.room.NHat.Edges())
	}
	return ok && (h.features == nil || last[program.Entries] <= q.room.X.Edges())
}

// grow lays the values out anew, for neighbourhoods as large as fit where the
// cuts lie: they grow by more than they need, so that this is rare.
func (q *Query) grow() (err error) {
	if err := q.Close(); err != nil {
		return err
	}
	q.arena, q.room = nil, q.near.room()
	layout := program.Memory([]*program.Program{q.l.p}, q.room)
	size, at := layout.Size, make([]int64, len(q.l.inputs))
	for i, in := range q.l.inputs {
		if in.space != program.One {
			at[i] = align(size)
			size = at[i] + 4*int64(q.room.Rows(q.l.p.Type(in.value)))*int64(in.whole.Words())
		}
	}
	if q.arena, err = tensor.NewArena(size); err != nil {
		return err
	}
	for i, n := range q.l.p.Nodes {
		rows, words := q.room.Rows(n.Type), n.Type.Words()
		if o, view := n.Op.(program.View); view {
			q.values[i] = o.Of(q.values[n.In[0]])
		} else if off := layout.Offset[0][i]; off != program.Outside {
			q.values[i] = stored(q.arena.Spaced(off, rows, words, layout.Stride[0][i]), n.Type)
		} else if !isLeaf(n.Op) {
			q.values[i] = stored(tensor.New(rows, words), n.Type) // no values
		}
	}
	for i, in := range q.l.inputs {
		q.values[in.value] = in.whole
		if in.space != program.One {
			t := q.l.p.Type(in.value)
			q.values[in.value] = stored(q.arena.View(at[i], q.room.Rows(t), in.whole.Words()), t)
		}
	}
	return nil
}

func align(n int64) int64 { return (n + tensor.Align - 1) &^ (tensor.Align - 1) }

// gather copies the rows that the program reads of an input.
func (q *Query) gather(in *localInput) {
	rows := q.near.hops.Vertices()[:q.near.hops.Within(in.hop)]
	switch in.space {
	case program.One:
	case program.Vertices:
		gatherRows(q.values[in.value].AsWords(), in.whole.AsWords(), rows)
	default:
		gatherSegments(q.values[in.value], in.whole, q.wholeBlock(in.space).Ptr, rows)
	}
}

// wholeBlock returns the whole block whose edges are the rows of a space.
func (q *Query) wholeBlock(s program.Space) *graph.Block {
	switch s {
	case program.Entries:
		return q.l.whole.X
	case program.LoopEdges:
		return q.l.whole.NHat
	}
	return q.l.whole.N
}

// gatherRows copies rows of x to the first rows of y.
func gatherRows(y, x tensor.Matrix, rows []int32) {
	if x.Cols == 1 {
		for i, v := range rows {
			y.Data[i*y.Stride] = x.Data[int(v)*x.Stride]
		}
		return
	}
	for i, v := range rows {
		copy(y.Row(i), x.Row(int(v)))
	}
}

// gatherSegments copies, for each of rows, the rows ptr[v] to ptr[v+1] of x to
// the first rows of y.
func gatherSegments(y, x tensor.Matrix, ptr []int64, rows []int32) {
	to := 0
	for _, v := range rows {
		lo, hi := int(ptr[v]), int(ptr[v+1])
		if x.Stride == x.Cols {
			to += copy(y.Data[to:], x.Data[lo*x.Cols:hi*x.Cols])
			continue
		}
		for e := lo; e < hi; e++ {
			to += copy(y.Data[to:], x.Row(e))
		}
	}
}

// run executes the program's operations, each over the rows that are needed.
func (q *Query) run() (err error) {
	at := 0
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("runtime: operation %d, %v: %w", at, q.l.p.Nodes[at].Op, asError(r))
		}
	}()
	needs := &q.l.needs
	for at = range q.l.p.Nodes {
		n := &q.l.p.Nodes[at]
		if isLeaf(n.Op) {
			continue
		}
		for j, v := range n.In {
			q.in[at][j] = q.view(v, needs.Reads[at][j])
		}
		hop := needs.Rows[at]
		e := &q.near.extents[hop]
		q.exec.N, q.exec.NHat, q.exec.X = e.N, e.NHat, e.X
		n.Op.Run(&q.exec, q.in[at], q.view(program.Value(at), hop))
	}
	return nil
}

// view returns the rows of a value within so many hops.
func (q *Query) view(v program.Value, hop int) tensor.Matrix {
	m := q.values[v]
	if s := q.l.p.Nodes[v].Type.Space; s != program.One {
		m.Rows = q.near.rows[hop][s]
		m.Data = m.Data[:max(0, (m.Rows-1)*m.Stride+m.Words())]
	}
	return m
}

// answer lays out the rows of the result as they were asked for.
func (q *Query) answer(vertices []int32) tensor.Matrix {
	y := q.view(q.l.result, 0)
	if size := len(vertices) * y.Cols; cap(q.result.Data) < size {
		q.result.Data = make([]float32, size, 2*size)
	}
	q.result = tensor.Of(len(vertices), y.Cols, q.result.Data[:len(vertices)*y.Cols])
	for i, v := range vertices {
		copy(q.result.Row(i), y.Row(q.near.hops.Number(v)))
	}
	return q.result
}
