package program

import (
	"context"
	"fmt"

	"github.com/weft-gnn/weft/cost"
	"github.com/weft-gnn/weft/kernel"
	"github.com/weft-gnn/weft/tensor"
)

// A halo exchange is three operations, so that what is sent and received has a
// place in the arena and other work can be done meanwhile:
//
//	expand: Vertices → Collect → boundary → Swap → halo → Merge(vertices, halo) → Sources
//	fold:   Sources → Collect → halo → Swap → boundary → Combine(sources, boundary) → Vertices
//
// and the same for Destinations. Merge leaves the rank's own rows where they are, behind which
// the halo is received, and Combine adds what other ranks contribute to the rank's own rows, in the order of
// ranks, where these are; the pass settle finds where they cannot. Expand's reverse is
// fold, and the other way round.

// Traffic is what one execution of an operation sends to other ranks.
type Traffic struct{ Words, Messages, Supersteps cost.Expr }

// Plus returns what both send.
func (t Traffic) Plus(o Traffic) Traffic {
	return Traffic{cost.Add(t.Words, o.Words), cost.Add(t.Messages, o.Messages), cost.Add(t.Supersteps, o.Supersteps)}
}

// Collective is an op that all ranks run together.
type Collective interface {
	Op
	// Traffic states what this rank sends.
	Traffic(in []Type, out Type) Traffic
}

// afterGrad is what ops have in common that exist in programs of ranks alone.
type afterGrad struct{}

// Grad fails: programs are differentiated before they are distributed.
func (afterGrad) Grad(b *Builder, in []Value, _, _ Value) []Value {
	b.fail("a program of a rank is not differentiated: distribute its gradient")
	return make([]Value, len(in))
}

// ofRank marks them: what their rows are depends on the rank.
func (afterGrad) ofRank() {}

// Split: what exchanges has been placed.
func (afterGrad) Split(Split) (Placement, error) {
	return Placement{}, fmt.Errorf("it is of a program that has been distributed")
}

// endSpaces are the spaces of one end of edges.
type endSpaces struct{ all, halo, boundary Space }

var (
	atSources      = endSpaces{Sources, SourceHalo, SourceBoundary}
	atDestinations = endSpaces{Destinations, DestinationHalo, DestinationBoundary}
)

// own is where the rows are that a rank owns of such ends: those of its range, if from
// says so and it is the sources, or its vertices.
func (e endSpaces) own(from Space) Space {
	if e == atSources && from == Range {
		return Range
	}
	return Vertices
}

// endsOf returns the ends that a space belongs to.
func endsOf(s Space) (endSpaces, bool) {
	for _, e := range []endSpaces{atSources, atDestinations} {
		if s == e.all || s == e.halo || s == e.boundary {
			return e, true
		}
	}
	return endSpaces{}, false
}

// sent is the shape of what goes from halo to boundary or to either from elsewhere:
// toHalo and toBoundary say from where.
func sent(in []Type, to Space, toHalo, toBoundary func(endSpaces) Space) (Type, error) {
	if err := count(in, 1); err != nil {
		return Type{}, err
	}
	e, ok := endsOf(to)
	if !ok || to == e.all {
		return Type{}, fmt.Errorf("%v is neither a halo nor a boundary", to)
	}
	from := toHalo
	if to == e.boundary {
		from = toBoundary
	}
	return Type{Space: to, Cols: in[0].Cols}, wantSpace(in[0], from(e))
}

// exchange sends and receives the values of an op's operand and result. It panics
// with the communicator's error.
func (x *Exec) exchange(o Exchange, in, out tensor.Matrix) {
	c := x.Rank.Along(o.along())
	send, recv := x.Rank.pieces(c.Size())
	o.pieces(x, in, out, send, recv)
	if err := c.Exchange(context.Background(), send, recv); err != nil {
		panic(err)
	}
	x.Count.Add(0, 4*int64(len(in.Flat())+len(out.Flat())))
}

// wantSpace checks an operand's space.
func wantSpace(t Type, s Space) error {
	if t.Space != s {
		return fmt.Errorf("got %v, want %v", t, s)
	}
	return nil
}

// Collect gathers the rows that are sent: own vertices that others need into a
// boundary, or ends of edges that others own, which follow each other, into a halo.
type Collect struct {
	afterGrad
	To Space
}

func (o Collect) String() string { return fmt.Sprintf("Collect(%v)", o.To) }

// Shape: vertices to a boundary, ends to a halo.
func (o Collect) Shape(in []Type) (Type, error) {
	return sent(in, o.To, func(e endSpaces) Space { return e.all }, func(e endSpaces) Space { return e.own(in[0].Space) })
}

// Cost: moves only, of a boundary by an index.
func (o Collect) Cost(_ []Type, out Type) cost.Cost {
	c := moves([]Type{out}, out)
	if o.To == SourceBoundary || o.To == DestinationBoundary {
		c.Bytes = cost.Add(c.Bytes, indices(out.Space))
	}
	return c
}

// Reference gathers; a single rank sends nothing.
func (o Collect) Reference(_ *RefExec, in []Dense) Dense { return NewDense(0, in[0].Cols) }

// Run gathers.
func (o Collect) Run(x *Exec, in []tensor.Matrix, out tensor.Matrix) {
	if o.To == SourceHalo || o.To == DestinationHalo {
		kernel.Copy(x.Ctx, in[0].Between(in[0].Rows-out.Rows, in[0].Rows), out)
		return
	}
	kernel.CollectRows(x.Ctx, x.Rank.ends(o.To).Boundary, in[0], out)
}

// Swap sends the rows of a boundary to the ranks in whose halo they are and
// receives the halo, or the other way round.
type Swap struct {
	afterGrad
	To Space
}

func (o Swap) String() string { return fmt.Sprintf("Swap(%v)", o.To) }

// Shape: a boundary to the halo, or a halo to the boundary.
func (o Swap) Shape(in []Type) (Type, error) {
	return sent(in, o.To, func(e endSpaces) Space { return e.boundary }, func(e endSpaces) Space { return e.halo })
}

// Cost: moves only.
func (o Swap) Cost(in []Type, out Type) cost.Cost { return moves(in, out) }

// Traffic: the rows of the operand; a message for each rank that gets some.
func (o Swap) Traffic(in []Type, _ Type) Traffic {
	name := map[Space]string{SourceHalo: "μ_src", SourceBoundary: "ν_src", DestinationHalo: "μ_dst", DestinationBoundary: "ν_dst"}[o.To]
	return Traffic{Words: in[0].size(), Messages: cost.Sym(name), Supersteps: cost.Int(1)}
}

// Reference of a single rank receives nothing.
func (o Swap) Reference(_ *RefExec, in []Dense) Dense { return NewDense(0, in[0].Cols) }

// Run exchanges. It panics with the communicator's error.
func (o Swap) Run(x *Exec, in []tensor.Matrix, out tensor.Matrix) { x.exchange(o, in[0], out) }

func (Swap) along() Axis { return Parts }

func (o Swap) pieces(x *Exec, in, out tensor.Matrix, send, recv [][]float32) {
	e := x.Rank.ends(o.To)
	to, from := e.BoundaryPtr, e.HaloPtr
	if o.To == SourceBoundary || o.To == DestinationBoundary {
		to, from = from, to
	}
	for q := range send {
		send[q], recv[q] = rowsBetween(in, to[q], to[q+1]), rowsBetween(out, from[q], from[q+1])
	}
}

// rowsBetween returns the values of rows lo to hi, which follow each other.
func rowsBetween(m tensor.Matrix, lo, hi int) []float32 { return m.Flat()[lo*m.Cols : hi*m.Cols] }

// Merge gives the ends of a rank's edges their rows: its own vertices', and behind
// them the halo's.
type Merge struct {
	afterGrad
	To Space
	// Copies says that own rows are copied, and CopiesHalo that the halo's are, since
	// they cannot lie where the result does.
	Copies, CopiesHalo bool
}

func (o Merge) String() string { return fmt.Sprintf("Merge(%v)", o.To) }

// Shape: vertices and a halo to the ends.
func (o Merge) Shape(in []Type) (Type, error) {
	if err := count(in, 2); err != nil {
		return Type{}, err
	}
	e, ok := endsOf(o.To)
	if !ok || o.To != e.all || in[1].Space != e.halo || in[1].Cols.N != in[0].Cols.N {
		return Type{}, fmt.Errorf("%v and %v are not rows of %v", in[0], in[1], o.To)
	}
	return Type{Space: o.To, Cols: in[0].Cols}, wantSpace(in[0], e.own(in[0].Space))
}

// Over is the operand of the rank's own rows.
func (Merge) Over() int { return 0 }

// Behind is the halo.
func (Merge) Behind() int { return 1 }

// Placed says whether own rows and the halo lie where the result does.
func (o Merge) Placed(there []bool) Op {
	o.Copies, o.CopiesHalo = !there[0], !there[1]
	return o
}

// Cost: moves only, of what does not lie there.
func (o Merge) Cost(in []Type, _ Type) cost.Cost {
	c := moves(nil, Type{})
	for i, copies := range []bool{o.Copies, o.CopiesHalo} {
		if copies {
			c.Bytes = cost.Add(c.Bytes, moves(in[i:i+1], in[i]).Bytes)
		}
	}
	return c
}

// Reference of a single rank has no halo.
func (o Merge) Reference(_ *RefExec, in []Dense) Dense { return in[0] }

// Run copies.
func (o Merge) Run(x *Exec, in []tensor.Matrix, out tensor.Matrix) {
	own := in[0].Rows
	if o.Copies {
		kernel.Copy(x.Ctx, in[0], out.Between(0, own))
	}
	if o.CopiesHalo {
		kernel.Copy(x.Ctx, in[1], out.Between(own, out.Rows))
	}
}

// Combine reduces what the ranks contribute to each vertex: to the rank's own
// contribution come those of the others, in the order of ranks; 0 where there is none.
type Combine struct {
	afterGrad
	Of   Reduction
	From Space
	To   Space // Vertices, or Range of sources
	// Own says that the rank's own contributions are rows of its vertices, not of all
	// ends.
	Own bool
	// Open leaves ⊕'s identity of a maximum or minimum where nobody had a value: ranks
	// along another axis may have some.
	Open bool
	// Copies says that they are copied, since they cannot lie where the result does.
	Copies bool
}

func (o Combine) String() string {
	if o.Own {
		return fmt.Sprintf("Combine(%v, own %v)", o.Of, o.From)
	}
	return fmt.Sprintf("Combine(%v, %v)", o.Of, o.From)
}

// Shape: ends, or own vertices, and a boundary to vertices.
func (o Combine) Shape(in []Type) (Type, error) {
	if err := count(in, 2); err != nil {
		return Type{}, err
	}
	e, ok := endsOf(o.From)
	if !ok || o.From != e.all || in[1].Space != e.boundary || in[1].Cols.N != in[0].Cols.N {
		return Type{}, fmt.Errorf("%v and %v are not contributions of %v", in[0], in[1], o.From)
	}
	own := o.From
	if o.Own {
		own = Vertices
	}
	if want := e.own(o.To); o.To != want {
		return Type{}, fmt.Errorf("%v combine to %v, not to %v", o.From, want, o.To)
	}
	return Type{Space: o.To, Cols: in[0].Cols}, wantSpace(in[0], own)
}

// Over is the operand of the rank's own contributions.
func (Combine) Over() int { return 0 }

// Placed says whether they lie where the result does.
func (o Combine) Placed(there []bool) Op {
	o.Copies = !there[0]
	return o
}

// Cost: one operation per value that others contribute, which is read, as is the
// value it is added to; of maximum and minimum one more per value, to tell ⊕'s identity.
func (o Combine) Cost(in []Type, out Type) cost.Cost {
	theirs := in[1].size()
	c := cost.Cost{
		Work: theirs, Depth: cost.Log2(Parts.ranks()),
		Bytes: cost.Add(indices(in[1].Space), cost.Scale(12, theirs)),
	}
	if (o.Of == Max || o.Of == Min) && !o.Open {
		c.Work, c.Bytes = cost.Add(c.Work, out.size()), cost.Add(c.Bytes, moves([]Type{out}, out).Bytes)
	}
	if o.Copies {
		c.Bytes = cost.Add(c.Bytes, moves([]Type{out}, out).Bytes)
	}
	return c
}

// Reference of a single rank has one contribution.
func (o Combine) Reference(_ *RefExec, in []Dense) Dense { return in[0] }

// Run combines.
func (o Combine) Run(x *Exec, in []tensor.Matrix, out tensor.Matrix) {
	if o.Copies {
		kernel.Copy(x.Ctx, in[0].Between(0, out.Rows), out)
	}
	e := x.Rank.ends(o.From)
	kernel.FoldRows(x.Ctx, o.folding(), e.Boundary, e.BoundaryPtr, in[1], out)
}

// folding is the kernel's reduction.
func (o Combine) folding() kernel.Folding {
	switch {
	case o.Of == Max && o.Open:
		return kernel.FoldOpenMax
	case o.Of == Min && o.Open:
		return kernel.FoldOpenMin
	}
	return [...]kernel.Folding{Sum: kernel.FoldSum, Max: kernel.FoldMax, Min: kernel.FoldMin, ArgMax: kernel.FoldArgMax, ArgMin: kernel.FoldArgMin}[o.Of]
}
