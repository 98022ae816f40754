package program

import (
	"fmt"

	"github.com/weft-gnn/weft/comm"
	"github.com/weft-gnn/weft/cost"
	"github.com/weft-gnn/weft/kernel"
	"github.com/weft-gnn/weft/tensor"
)

// AllGather gives every rank along an axis the rows of all, see [Reshard]: for values of
// fewer columns than there are ranks, which cannot be shared out.
type AllGather struct {
	afterGrad
	Along Axis
}

func (o AllGather) String() string { return fmt.Sprintf("AllGather(%v)", o.Along.allRows()) }

// Shape: own rows to all.
func (o AllGather) Shape(in []Type) (Type, error) {
	if err := arity(in, 1); err != nil {
		return Type{}, err
	}
	return Type{Space: o.Along.allRows(), Cols: in[0].Cols}, wantSpace(in[0], o.Along.ownRows())
}

// Split is row-wise, along another axis.
func (AllGather) Split(s Split) (Placement, error) { return s.rowwise() }

// Cost: moves only.
func (AllGather) Cost(in []Type, out Type) cost.Cost { return moves(in, out) }

// Traffic: own rows to every other rank.
func (o AllGather) Traffic(in []Type, _ Type) Traffic {
	return Traffic{
		Words:      cost.Mul(in[0].size(), o.Along.others()),
		Messages:   cost.Mul(cost.Min(in[0].size(), cost.Int(1)), o.Along.others()),
		Supersteps: cost.Int(1),
	}
}

// Reference of a single rank has all rows.
func (AllGather) Reference(_ *RefExec, in []Dense) Dense { return in[0] }

// Run exchanges. It panics with the communicator's error.
func (o AllGather) Run(x *Exec, in []tensor.Matrix, out tensor.Matrix) { x.exchange(o, in[0], out) }

func (o AllGather) along() Axis { return o.Along }

func (AllGather) pieces(_ *Exec, in, out tensor.Matrix, send, recv [][]float32) {
	for q := range send {
		lo, hi := comm.Cut(out.Rows, q, len(send))
		send[q], recv[q] = in.Flat(), rowsBetween(out, lo, hi)
	}
}

// OwnRows takes a rank's rows along an axis of all that it has.
type OwnRows struct {
	afterGrad
	Along Axis
}

func (o OwnRows) String() string { return fmt.Sprintf("OwnRows(%v)", o.Along.ownRows()) }

// Shape: all rows to own ones.
func (o OwnRows) Shape(in []Type) (Type, error) {
	if err := arity(in, 1); err != nil {
		return Type{}, err
	}
	return Type{Space: o.Along.ownRows(), Cols: in[0].Cols}, wantSpace(in[0], o.Along.allRows())
}

// Split is row-wise, along another axis.
func (OwnRows) Split(s Split) (Placement, error) { return s.rowwise() }

// Cost: moves only.
func (OwnRows) Cost(_ []Type, out Type) cost.Cost { return moves([]Type{out}, out) }

// Reference of a single rank has all rows.
func (OwnRows) Reference(_ *RefExec, in []Dense) Dense { return in[0] }

// Run copies.
func (o OwnRows) Run(x *Exec, in []tensor.Matrix, out tensor.Matrix) {
	lo, hi := comm.Cut(in[0].Rows, x.Rank.at[o.Along], x.Rank.mesh.Along(o.Along))
	kernel.Copy(x.Ctx, in[0].Between(lo, hi), out)
}
