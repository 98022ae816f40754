package program

import (
	"context"
	"fmt"

	"github.com/weft-gnn/weft/comm"
	"github.com/weft-gnn/weft/cost"
	"github.com/weft-gnn/weft/kernel"
	"github.com/weft-gnn/weft/tensor"
)

// AllReduce combines the values of the ranks along an axis, in their order; all get
// the same bits.
type AllReduce struct {
	afterGrad
	Of    Reduction
	Along Axis
}

func (o AllReduce) String() string {
	if o.Along == Parts {
		return fmt.Sprintf("AllReduce(%v)", o.Of)
	}
	return fmt.Sprintf("AllReduce(%v, %v)", o.Of, o.Along)
}

// Shape keeps the shape.
func (AllReduce) Shape(in []Type) (Type, error) {
	if err := arity(in, 1); err != nil {
		return Type{}, err
	}
	return in[0], nil
}

// Over is the operand, which may be overwritten.
func (AllReduce) Over() int { return 0 }

// Split: along another axis a sum is linear.
func (o AllReduce) Split(s Split) (Placement, error) {
	if s.In[0].Kind == Partial && o.Of != Sum {
		return s.refuse(0, "only a sum of partial values is one")
	}
	return StopGradient{}.Split(s)
}

// units are what the ranks share out, each of so many words: values, or rows where
// these are reduced as such.
func (o AllReduce) units(t Type) (number, words cost.Expr) {
	if o.Of.ofRows() {
		return t.rows(), t.Cols.Expr
	}
	return t.size(), cost.Int(1)
}

// Cost: the rank combines its piece with every other rank's.
func (o AllReduce) Cost(in []Type, out Type) cost.Cost {
	a := o.Along
	number, words := o.units(out)
	return cost.Cost{
		Work:  cost.Mul(a.owned(number), words, a.others()),
		Depth: cost.Log2(a.ranks()),
		Bytes: bytes(in[0], out),
	}
}

// Traffic: all but its own piece to their owners, then its own piece to all.
// Pieces of no words are not sent.
func (o AllReduce) Traffic(_ []Type, out Type) Traffic {
	a := o.Along
	s, words := o.units(out)
	own := a.owned(s)
	some := cost.Min(own, cost.Int(1))
	return Traffic{
		Words:      cost.Mul(words, cost.Add(cost.Sub(s, own), cost.Mul(own, a.others()))),
		Messages:   cost.Add(cost.Sub(cost.Min(s, a.ranks()), some), cost.Mul(some, a.others())),
		Supersteps: cost.Int(1),
	}
}

// Reference of a single rank is its matrix.
func (AllReduce) Reference(_ *RefExec, in []Dense) Dense { return in[0] }

// Run combines. It panics with the communicator's error.
func (o AllReduce) Run(x *Exec, in []tensor.Matrix, out tensor.Matrix) {
	words, c := out.Flat(), x.Rank.Along(o.Along)
	copy(words, in[0].Flat())
	cols := 1
	if o.Of.ofRows() {
		cols = out.Cols
	}
	if err := c.AllReduceRows(context.Background(), words, cols, o.Of.ofWords(out.Cols)); err != nil {
		panic(err)
	}
	lo, hi := comm.Cut(len(words)/cols, c.Rank(), c.Size())
	x.Count.Add(int64((hi-lo)*cols)*int64(c.Size()-1), 8*int64(len(words)))
}

// ofWords is the reduction of words that are rows of so many columns.
func (r Reduction) ofWords(cols int) comm.Reduction {
	switch r {
	case Max:
		return comm.Max
	case Min:
		return comm.Min
	case ArgMax:
		return eachRow(cols, kernel.BetterOfMax)
	case ArgMin:
		return eachRow(cols, kernel.BetterOfMin)
	}
	return comm.Sum
}

// eachRow reduces row by row.
func eachRow(cols int, reduce func(into, from []float32)) comm.Reduction {
	return func(into, from []float32) {
		for i := 0; i < len(into); i += cols {
			reduce(into[i:i+cols], from[i:i+cols])
		}
	}
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

// Split: all are whole, or all partial sums along another axis.
func (Bundle) Split(s Split) (Placement, error) {
	for i, p := range s.In {
		if p != s.In[0] || p.Kind != Whole && p != (Placement{Partial, Sum}) {
			return s.refuse(i, "a bundle's matrices lie alike")
		}
	}
	return s.In[0], nil
}

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

// Split is a bundle's.
func (Unbundle) Split(s Split) (Placement, error) { return Bundle{}.Split(s) }

// Reference copies.
func (o Unbundle) Reference(_ *RefExec, in []Dense) Dense {
	return Dense{o.Rows.N, o.Cols.N, in[0].Data[o.From.N : o.From.N+o.Rows.N*o.Cols.N]}
}

// Run copies.
func (o Unbundle) Run(x *Exec, in []tensor.Matrix, out tensor.Matrix) {
	n := copy(out.Flat(), in[0].Flat()[o.From.N:])
	x.Count.Add(0, 8*int64(n))
}
