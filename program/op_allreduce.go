package program

import (
	"context"
	"fmt"

	"github.com/weft-gnn/weft/comm"
	"github.com/weft-gnn/weft/cost"
	"github.com/weft-gnn/weft/tensor"
)

// AllReduce combines the values of ranks, in the order of ranks; all get the same
// bits: of those with other vertices, or of those with copies of the same.
type AllReduce struct {
	afterGrad
	Of     Reduction
	Copies bool
}

func (o AllReduce) String() string {
	if o.Copies {
		return fmt.Sprintf("AllReduce(%v, copies)", o.Of)
	}
	return fmt.Sprintf("AllReduce(%v)", o.Of)
}

// Shape keeps the shape.
func (AllReduce) Shape(in []Type) (Type, error) {
	if err := arity(in, 1); err != nil {
		return Type{}, err
	}
	if s := in[0].Space; s != One && s != Vertices && !s.IsEdges() {
		return Type{}, fmt.Errorf("got %v, want one matrix, vertices or edges", in[0])
	}
	return in[0], nil
}

// Over is the operand, which may be overwritten.
func (AllReduce) Over() int { return 0 }

// axis is a communicator in costs: its number of ranks, and this rank's.
type axis struct{ ranks, rank cost.Expr }

var (
	parts  = axis{cost.Sym("P"), cost.Sym("p")}
	copies = axis{cost.Sym("c"), cost.Sym("q")}
)

func (o AllReduce) axis() axis {
	if o.Copies {
		return copies
	}
	return parts
}

// owned is how many of s words the rank combines: its piece by [comm.Cut].
func (a axis) owned(s cost.Expr) cost.Expr {
	end := cost.Mul(s, cost.Add(a.rank, cost.Int(1)))
	return cost.Sub(cost.FloorDiv(end, a.ranks), cost.FloorDiv(cost.Mul(s, a.rank), a.ranks))
}

// others is the number of other ranks.
func (a axis) others() cost.Expr { return cost.Sub(a.ranks, cost.Int(1)) }

// Cost: the rank combines its piece with every other rank's.
func (o AllReduce) Cost(in []Type, out Type) cost.Cost {
	a := o.axis()
	return cost.Cost{
		Work:  cost.Mul(a.owned(out.size()), a.others()),
		Depth: cost.Log2(a.ranks),
		Bytes: bytes(in[0], out),
	}
}

// Traffic: all but its own piece to their owners, then its own piece to all.
// Pieces of no words are not sent.
func (o AllReduce) Traffic(_ []Type, out Type) Traffic {
	a, s := o.axis(), out.size()
	own := a.owned(s)
	some := cost.Min(own, cost.Int(1))
	return Traffic{
		Words:      cost.Add(cost.Sub(s, own), cost.Mul(own, a.others())),
		Messages:   cost.Add(cost.Sub(cost.Min(s, a.ranks), some), cost.Mul(some, a.others())),
		Supersteps: cost.Int(1),
	}
}

// Reference of a single rank is its matrix.
func (AllReduce) Reference(_ *RefExec, in []Dense) Dense { return in[0] }

// Run combines. It panics with the communicator's error.
func (o AllReduce) Run(x *Exec, in []tensor.Matrix, out tensor.Matrix) {
	words, c := out.Flat(), x.Rank.Comm
	if o.Copies {
		c = x.Rank.Copies
	}
	copy(words, in[0].Flat())
	by := map[Reduction]comm.Reduction{Sum: comm.Sum, Max: comm.Max, Min: comm.Min}[o.Of]
	if err := c.AllReduce(context.Background(), words, by); err != nil {
		panic(err)
	}
	lo, hi := comm.Cut(len(words), c.Rank(), c.Size())
	x.Count.Add(int64(hi-lo)*int64(c.Size()-1), 8*int64(len(words)))
}

// Bundle lays matrices out one after the other in one row, so that ranks combine
// them in one exchange.
type Bundle struct{ afterGrad }

func (Bundle) String() string { return "Bundle" }

// Shape: matrices in One to a row of all their elements.
func (Bundle) Shape(in []Type) (Type, error) {
	all := Cols(0)
	for i, t := range in {
		if t.Space != One || t.Index {
			return Type{}, fmt.Errorf("operand %d is %v, want one matrix", i, t)
		}
		all = all.Plus(t.Rows.Times(t.Cols))
	}
	return row(all), nil
}

// Cost: moves only.
func (Bundle) Cost(in []Type, out Type) cost.Cost { return moves(in, out) }

// Reference lays them out.
func (Bundle) Reference(_ *RefExec, in []Dense) Dense {
	var all []float64
	for _, d := range in {
		all = append(all, d.Data...)
	}
	return Dense{1, len(all), all}
}

// Run copies.
func (Bundle) Run(x *Exec, in []tensor.Matrix, out tensor.Matrix) {
	all := out.Flat()
	for _, m := range in {
		all = all[copy(all, m.Flat()):]
	}
	x.Count.Add(0, 8*int64(len(out.Flat())))
}

// Unbundle takes one matrix out of a bundle: the elements from From on.
type Unbundle struct {
	afterGrad
	From, Rows, Cols Dim
}

func (o Unbundle) String() string { return fmt.Sprintf("Unbundle(from %v)", o.From.Expr) }

// Shape: a bundle to a matrix.
func (o Unbundle) Shape(in []Type) (Type, error) {
	if err := arity(in, 1); err != nil {
		return Type{}, err
	}
	if in[0].Space != One || in[0].Rows.N != 1 || o.From.N+o.Rows.N*o.Cols.N > in[0].Cols.N {
		return Type{}, fmt.Errorf("%v has no %d×%d elements from %d on", in[0], o.Rows.N, o.Cols.N, o.From.N)
	}
	return Type{Space: One, Rows: o.Rows, Cols: o.Cols}, nil
}

// Cost: moves only.
func (o Unbundle) Cost(_ []Type, out Type) cost.Cost { return moves([]Type{out}, out) }

// Reference copies.
func (o Unbundle) Reference(_ *RefExec, in []Dense) Dense {
	return Dense{o.Rows.N, o.Cols.N, in[0].Data[o.From.N : o.From.N+o.Rows.N*o.Cols.N]}
}

// Run copies.
func (o Unbundle) Run(x *Exec, in []tensor.Matrix, out tensor.Matrix) {
	n := copy(out.Flat(), in[0].Flat()[o.From.N:])
	x.Count.Add(0, 8*int64(n))
}
