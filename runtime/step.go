package runtime

import (
	"cmp"
	"fmt"
	"time"

	"github.com/weft-gnn/weft/kernel"
	"github.com/weft-gnn/weft/program"
	"github.com/weft-gnn/weft/tensor"
)

// compiled is a program with its values placed.
type compiled struct {
	p       *program.Program
	values  []tensor.Matrix
	in      [][]tensor.Matrix
	loss    program.Value
	kept    []string // keys of the values that the prelude computes
	unbound []string // inputs that were not given yet
	dies    [][]program.Value
	local   []bool // values that live within a chunk
	regions []*region
	at      int // the operation that runs
}

// compile resolves every value of p to its place in the arena.
func (s *Session) compile(p *program.Program, offset []int64, stride []int, local []bool) *compiled {
	c := &compiled{p: p, loss: p.Output("loss"), values: make([]tensor.Matrix, len(p.Nodes)), in: make([][]tensor.Matrix, len(p.Nodes)), local: local}
	c.regions = s.regionsOf(p, local)
	keys := p.Keys()
	for i, n := range p.Nodes {
		c.in[i] = make([]tensor.Matrix, len(n.In))
		rows := s.extent.Rows(n.Type)
		if local[i] {
			rows = c.regions[n.Region-1].largest(n.Type.Space)
		}
		if in, input := n.Op.(program.Input); input {
			c.values[i] = tensor.Matrix{Rows: rows, Cols: n.Type.Words(), Stride: n.Type.Words()}
			c.unbound = append(c.unbound, in.Name)
		} else if o, view := n.Op.(program.View); view {
			c.values[i] = o.Of(c.values[n.In[0]])
		} else if offset[i] == program.Outside { // no values
			c.values[i] = tensor.New(rows, n.Type.Words())
		} else {
			c.values[i] = s.arena.Spaced(offset[i], rows, n.Type.Words(), stride[i])
		}
		c.values[i] = stored(c.values[i], n.Type)
		if _, leaf := n.Op.(program.Leaf); leaf {
			s.slots[keys[i]], s.fragments[keys[i]] = c.values[i], n.Fragment()
		} else if p.Kept(program.Value(i)) {
			c.kept = append(c.kept, keys[i])
		}
		for j, v := range n.In {
			c.in[i][j] = c.values[v]
		}
	}
	if s.opts.Poison {
		c.dies = p.Deaths(s.extent)
	}
	return c
}

// stored views words as the values of a type.
func stored(m tensor.Matrix, t program.Type) tensor.Matrix {
	if t.BFloat16 {
		return m.AsBFloat16(t.Cols.N)
	}
	return m
}

// set replaces a value and every operand that reads it.
func (c *compiled) set(v program.Value, m tensor.Matrix) {
	c.values[v] = m
	for i, n := range c.p.Nodes {
		for j, u := range n.In {
			if u == v {
				c.in[i][j] = m
			}
		}
	}
}

// Event is one operation that ran.
type Event struct {
	Program *program.Program
	Node    program.Value
	Elapsed time.Duration
	Counted
}

// stage runs the operations of one stage in order.
func (s *Session) stage(c *compiled, stage program.Stage) (n Counted, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("runtime: operation %d, %v: %w", c.at, c.p.Nodes[c.at].Op, asError(r))
		}
		if s.exec.Rank != nil {
			err = cmp.Or(err, s.exec.Rank.Land())
		}
	}()
	if len(c.unbound) > 0 {
		return Counted{}, fmt.Errorf("runtime: program %s has no value of input %q", c.p.Name, c.unbound[0])
	}
	s.exec.Count.Reset()
	for at := 0; at < len(c.p.Nodes); at++ {
		if c.at = at; c.p.Nodes[at].Stage != stage || isLeaf(c.p.Nodes[at].Op) {
			continue
		}
		if r := c.p.Nodes[at].Region; r > 0 {
			s.region(c, c.regions[r-1])
			at = c.regions[r-1].last
			continue
		}
		if s.opts.Trace == nil {
			c.p.Nodes[at].Op.Run(&s.exec, c.in[at], c.values[at])
		} else {
			s.traced(c, at)
		}
		if stage == program.Step && program.Value(at) == c.loss && !finite(c.values[at]) {
			return Counted{}, s.firstNonFinite(c)
		}
		if s.opts.Poison {
			s.poison(c, at, true)
		}
	}
	n.Work, n.Bytes = s.exec.Count.Read()
	return n, nil
}

func isLeaf(op program.Op) bool { _, ok := op.(program.Leaf); return ok }

// asError turns a kernel's panic into an error: shape misuse is a ShapeError.
func asError(r any) error {
	if err, ok := r.(error); ok {
		return err
	}
	return fmt.Errorf("%v", r)
}

func (s *Session) traced(c *compiled, at int) {
	work, bytes := s.exec.Count.Read()
	start := time.Now()
	c.p.Nodes[at].Op.Run(&s.exec, c.in[at], c.values[at])
	e := Event{Program: c.p, Node: program.Value(at), Elapsed: time.Since(start)}
	w, b := s.exec.Count.Read()
	e.Work, e.Bytes = w-work, b-bytes
	s.opts.Trace(e)
}

// poison overwrites the places of the values that operation at read last; those
// of a chunk alone, unless the operation is done.
func (s *Session) poison(c *compiled, at int, done bool) {
	for _, v := range c.dies[at] {
		if !c.local[v] && !done {
			continue
		}
		words := c.values[v].AsWords()
		for r := range words.Rows {
			for j := range words.Row(r) {
				kernel.SetBits(&words.Row(r)[j], deadBits)
			}
		}
	}
}

// deadBits is a NaN that no kernel makes: read by mistake, it spreads.
const deadBits = 0x7fc0dead
