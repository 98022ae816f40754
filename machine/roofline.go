package machine

import (
	"github.com/weft-gnn/weft/graph"
	"github.com/weft-gnn/weft/program"
)

// Roofline relates the operations of programs to a machine. It remembers how
// often the rows of a graph are read, which takes a walk over its edges to find
// out. It is used by one goroutine at a time.
type Roofline struct {
	machine *Machine
	extent  program.Extent
	reuse   map[reading]*Reuse
}

// reading is an order in which rows are read.
type reading struct {
	over  program.Space
	by    program.Map
	own   bool
	half  program.Half
	group int
}

// Over returns the roofline of programs that run over an extent.
func (m *Machine) Over(e program.Extent) *Roofline {
	return &Roofline{machine: m, extent: e, reuse: map[reading]*Reuse{}}
}

// Demand returns what operation v of a program asks for. Work and bytes are
// those of its cost or, which is equal, those that its kernel counted.
//
// What is written is its result, of a view nothing; where that may lie over an operand,
// or the op overwrites operands, these are changed. What is gathered is what it says to
// gather; the rest of its bytes is read in order.
func (r *Roofline) Demand(p *program.Program, v program.Value, work, bytes int64) Demand {
	n := p.Nodes[v]
	d := Demand{Work: work, Written: r.size(n.Type)}
	if _, over := n.Over(); over {
		d.Written, d.Changed = 0, d.Written
	}
	switch o := n.Op.(type) {
	case program.View:
		d.Written = 0
	case program.Effect:
		for _, i := range o.Writes() {
			d.Changed += r.size(p.Type(n.In[i]))
		}
	}
	d.Read = bytes - d.Written - 2*d.Changed
	for _, g := range program.GathersOf(n.Op) {
		row := p.Type(n.In[g.Operand]).RowBytes()
		reuse := r.reuseOf(reading{g.Over, g.By, g.Own, g.Half, perLine(row)})
		d.Gathers = append(d.Gathers, Gathered{row, reuse})
		d.Read -= reuse.Reads * int64(row)
	}
	return d
}

func (r *Roofline) size(t program.Type) int64 {
	return int64(r.extent.Rows(t)) * int64(t.RowBytes())
}

func (r *Roofline) reuseOf(k reading) *Reuse {
	if have, ok := r.reuse[k]; ok {
		return have
	}
	b := r.block(k.over)
	if k.half != program.AllSources {
		b = r.extent.Share.EdgesOut(b, k.half)
	}
	var found *Reuse
	switch {
	case k.by == program.Dst:
		found = newReuse(b.Col, b.Src, k.group)
	case k.own:
		found = newReuse(b.Transpose().Edges(), b.Edges(), k.group)
	default:
		found = newReuse(b.Transpose().Row, b.Dst, k.group)
	}
	r.reuse[k] = found
	return found
}

func (r *Roofline) block(s program.Space) *graph.Block {
	switch s.Held(program.AllEdges) {
	case program.Entries:
		return r.extent.X
	case program.LoopEdges:
		return r.extent.NHat
	}
	return r.extent.N
}

// Traffic is Demand, served.
func (r *Roofline) Traffic(p *program.Program, v program.Value, work, bytes int64) Traffic {
	return r.machine.Serve(r.Demand(p, v, work, bytes))
}
