package runtime

import (
	"time"

	"github.com/weft-gnn/weft/graph"
	"github.com/weft-gnn/weft/kernel"
	"github.com/weft-gnn/weft/program"
	"github.com/weft-gnn/weft/tensor"
)

// region is a part of a program that runs chunk by chunk.
type region struct {
	first, last int // its operations
	over        program.Space
	chunks      []chunk
	in          [][]program.Part // of each operation's operands
	out         []program.Part
	views       []tensor.Matrix // room for the operands of one operation
	spent       []Event         // of each operation, where they are traced
}

// chunk is some destinations and the edges into them.
type chunk struct {
	block     *graph.Block
	dst, edge int // the first of them in the whole block
}

// rows views the rows of a value of edges or of destinations that are the chunk's.
func (k *chunk) rows(m tensor.Matrix, s program.Space, p program.Part) tensor.Matrix {
	if p == program.AllRows {
		return m
	}
	lo, n := k.dst, k.block.Dst
	if s.IsEdges() {
		lo, n = k.edge, k.block.Edges()
	}
	if p == program.Passing {
		lo = 0
	}
	return m.Between(lo, lo+n)
}

// cut returns the chunks of a region, which all regions of its kind share.
func (s *Session) cut(r program.Region) []chunk {
	if made, ok := s.chunks[r]; ok {
		return made
	}
	whole := s.exec.Block(r.Over)
	cuts := r.Cuts(whole)
	var out []chunk
	for i, lo := range cuts[:len(cuts)-1] {
		out = append(out, chunk{whole.Cut(lo, cuts[i+1]), lo, int(whole.Ptr[lo])})
	}
	s.chunks[r] = out
	return out
}

// regionsOf prepares the regions of p.
func (s *Session) regionsOf(p *program.Program, local []bool) []*region {
	out := make([]*region, len(p.Regions))
	for i, n := range p.Nodes {
		if n.Region == 0 {
			continue
		}
		r := out[n.Region-1]
		if r == nil {
			of := p.Regions[n.Region-1]
			r = &region{first: i, over: of.Over, chunks: s.cut(of)}
			out[n.Region-1] = r
		}
		in, made := p.Parts(program.Value(i), local)
		r.in, r.out, r.last = append(r.in, in), append(r.out, made), i
		if len(in) > len(r.views) {
			r.views = make([]tensor.Matrix, len(in))
		}
		if s.opts.Trace != nil {
			r.spent = append(r.spent, Event{Program: p, Node: program.Value(i)})
		}
	}
	return out
}

// largest returns how many rows of a space the largest chunk has.
func (r *region) largest(s program.Space) int {
	most := 0
	for _, k := range r.chunks {
		if s.IsEdges() {
			most = max(most, k.block.Edges())
		} else {
			most = max(most, k.block.Dst)
		}
	}
	return most
}

// inChunks runs a region. After each operation on a chunk it calls visit with
// what was made, and stops where that returns false.
func (s *Session) inChunks(c *compiled, r *region, visit func(chunk int, made tensor.Matrix) bool) {
	block := &s.exec.NHat
	if whole := s.exec.Block(r.over); whole == s.exec.N {
		block = &s.exec.N
	}
	whole := *block
	defer func() { *block = whole }()
	for c.at = r.first; c.at <= r.last; c.at++ {
		if _, sums := c.p.Nodes[c.at].Summed(); sums {
			s.timed(r, func() { kernel.Fill(s.exec.Ctx, 0, c.values[c.at]) }, c.at)
		}
	}
	for i := range r.chunks {
		k := &r.chunks[i]
		*block = k.block
		for c.at = r.first; c.at <= r.last; c.at++ {
			n, place := &c.p.Nodes[c.at], c.at-r.first
			in := r.views[:len(n.In)]
			for j, u := range n.In {
				in[j] = k.rows(c.in[c.at][j], c.p.Nodes[u].Type.Space, r.in[place][j])
			}
			out := k.rows(c.values[c.at], n.Type.Space, r.out[place])
			s.timed(r, func() { s.operate(n, in, out) }, c.at)
			if !visit(i, out) {
				return
			}
		}
	}
}

// operate runs an operation of a region on a chunk.
func (s *Session) operate(n *program.Node, in []tensor.Matrix, out tensor.Matrix) {
	if op, sums := n.Summed(); sums {
		op.RunOnto(&s.exec, in, out)
		return
	}
	n.Op.Run(&s.exec, in, out)
}

// timed runs f and, where operations are traced, adds what it took to operation at.
func (s *Session) timed(r *region, f func(), at int) {
	if s.opts.Trace == nil {
		f()
		return
	}
	work, bytes := s.exec.Count.Read()
	start := time.Now()
	f()
	e := &r.spent[at-r.first]
	e.Elapsed += time.Since(start)
	w, b := s.exec.Count.Read()
	e.Work, e.Bytes = e.Work+w-work, e.Bytes+b-bytes
}

// region runs a region as part of a step. A traced operation is reported once,
// with what it took in all chunks.
func (s *Session) region(c *compiled, r *region) {
	s.inChunks(c, r, func(chunk int, _ tensor.Matrix) bool {
		if s.opts.Poison {
			s.poison(c, c.at, c.at == r.last && chunk == len(r.chunks)-1)
		}
		return true
	})
	for i, e := range r.spent {
		s.opts.Trace(e)
		r.spent[i].Elapsed, r.spent[i].Counted = 0, Counted{}
	}
}
