package runtime

import (
	"fmt"

	"github.com/weft-gnn/weft/graph"
	"github.com/weft-gnn/weft/program"
	"github.com/weft-gnn/weft/tensor"
)

// Local is a program that can be run for some vertices alone, over their
// neighbourhoods, beside the whole graph from which these are cut. It is read
// only: each goroutine asks by a [Query] of its own.
type Local struct {
	p      *program.Program
	needs  program.Local
	whole  program.Extent
	inputs []localInput
	result program.Value
}

// localInput is an input over the whole graph.
type localInput struct {
	value program.Value
	space program.Space
	hop   int // within which its rows are read
	whole tensor.Matrix
}

// NewLocal prepares the part of a program that [program.Apart] calls query, of
// one output, over the whole graph e. Inputs has every input by its name, with
// the rows of the whole graph; parameters are inputs too. They are read where
// they lie, by all queries, and must stay as they are.
//
// Errors: a [program.NotLocalError]; an input that is missing or of another
// shape.
func NewLocal(p *program.Program, e program.Extent, inputs map[string]tensor.Matrix) (*Local, error) {
	p = p.Unchunked()
	needs, err := p.Local()
	if err != nil {
		return nil, fmt.Errorf("runtime: %w", err)
	}
	if len(p.Outputs) != 1 {
		return nil, fmt.Errorf("runtime: program %s has %d outputs, want one", p.Name, len(p.Outputs))
	}
	l := &Local{p: p, needs: needs, whole: e, result: p.Outputs[0].Value}
	for i, n := range p.Nodes {
		in, ok := n.Op.(program.Input)
		if !ok {
			continue
		}
		m, ok := inputs[in.Name]
		if !ok {
			return nil, fmt.Errorf("runtime: input %q of program %s is missing", in.Name, p.Name)
		}
		if rows := e.Rows(n.Type); m.Rows != rows || m.Cols != n.Type.Cols.N || m.BFloat16 != n.Type.BFloat16 {
			return nil, fmt.Errorf("runtime: input %q is %v, want %d×%d", in.Name, m, rows, n.Type.Cols.N)
		}
		l.inputs = append(l.inputs, localInput{program.Value(i), n.Type.Space, needs.Rows[i], m})
	}
	return l, nil
}

// Hops returns how far away vertices are that the program reads.
func (l *Local) Hops() int { return l.needs.Hops }

// neighbourhood is a piece of the whole graph that changes from call to call:
// the blocks of each edge space by hop, and how many rows each space has there.
type neighbourhood struct {
	hops     *graph.Hops
	features *graph.RowCut // nil where no entries are read
	n, nHat  int           // the cuts' numbers in hops, −1 where there is none
	extents  []program.Extent
	rows     [][]int // by hop and space
}

func newNeighbourhood(e program.Extent, hops int) *neighbourhood {
	h := &neighbourhood{n: -1, nHat: -1, extents: make([]program.Extent, hops+1), rows: make([][]int, hops+1)}
	var whole []*graph.Block
	if e.N != nil {
		h.n, whole = len(whole), append(whole, e.N)
	}
	if e.NHat != nil {
		h.nHat, whole = len(whole), append(whole, e.NHat)
	}
	h.hops = graph.NewHops(hops, whole...)
	if e.X != nil {
		h.features = graph.NewRowCut(hops, e.X)
	}
	for hop := range h.extents {
		h.rows[hop] = make([]int, program.Entries+1)
		if hop < hops {
			h.extents[hop] = h.edges(func(i int) *graph.Block { return h.hops.Block(i, hop) })
		}
		if h.features != nil {
			h.extents[hop].X = h.features.Block(hop)
		}
	}
	return h
}

// edges returns the extent that has the given block for each cut.
func (h *neighbourhood) edges(block func(cut int) *graph.Block) program.Extent {
	var e program.Extent
	if h.n >= 0 {
		e.N = block(h.n)
	}
	if h.nHat >= 0 {
		e.NHat = block(h.nHat)
	}
	return e
}

// cut moves the neighbourhood to other vertices. Entries are those of the rows
// within so many hops.
func (h *neighbourhood) cut(vertices []int32, entries int) error {
	if err := h.hops.Around(vertices); err != nil {
		return err
	}
	if h.features != nil {
		h.features.Take(h.hops, entries)
	}
	for hop, e := range h.extents {
		rows := h.rows[hop]
		rows[program.Vertices] = h.hops.Within(hop)
		if e.N != nil {
			rows[program.Edges] = e.N.Edges()
		}
		if e.NHat != nil {
			rows[program.LoopEdges] = e.NHat.Edges()
		}
		if e.X != nil {
			rows[program.Entries] = e.X.Edges()
		}
	}
	return nil
}

// room returns the sizes that neighbourhoods may have before memory must grow.
func (h *neighbourhood) room() program.Extent {
	e := h.edges(h.hops.Room)
	if h.features != nil {
		e.X = h.features.Room()
	}
	return e
}
