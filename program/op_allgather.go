package program

import (
	"github.com/weft-gnn/weft/comm"
	"github.com/weft-gnn/weft/cost"
	"github.com/weft-gnn/weft/kernel"
	"github.com/weft-gnn/weft/tensor"
)

// AllGather gives every rank the rows of all vertices: for values of fewer columns
// than there are ranks, which cannot be shared out.
type AllGather struct{ afterGrad }

func (AllGather) String() string { return "AllGather" }

// Shape: vertices to all vertices.
func (AllGather) Shape(in []Type) (Type, error) {
	if err := arity(in, 1); err != nil {
		return Type{}, err
	}
	return Type{Space: AllVertices, Cols: in[0].Cols}, wantSpace(in[0], Vertices)
}

// Cost: moves only.
func (AllGather) Cost(in []Type, out Type) cost.Cost { return moves(in, out) }

// Traffic: own rows to every other rank.
func (AllGather) Traffic(in []Type, _ Type) Traffic {
	return Traffic{
		Words:      cost.Mul(in[0].size(), Parts.others()),
		Messages:   cost.Mul(cost.Min(in[0].size(), cost.Int(1)), Parts.others()),
		Supersteps: cost.Int(1),
	}
}

// Reference of a single rank has all rows.
func (AllGather) Reference(_ *RefExec, in []Dense) Dense { return in[0] }

// Run exchanges. It panics with the communicator's error.
func (o AllGather) Run(x *Exec, in []tensor.Matrix, out tensor.Matrix) { x.exchange(o, in[0], out) }

func (AllGather) along() Axis { return Parts }

func (AllGather) pieces(x *Exec, in, out tensor.Matrix, send, recv [][]float32) {
	for q := range send {
		lo, hi := comm.Cut(x.Rank.All, q, len(send))
		send[q], recv[q] = in.Flat(), rowsBetween(out, lo, hi)
	}
}

// OwnRows takes a rank's rows of values that it has for all vertices.
type OwnRows struct{ afterGrad }

func (OwnRows) String() string { return "OwnRows" }

// Shape: all vertices to vertices.
func (OwnRows) Shape(in []Type) (Type, error) {
	if err := arity(in, 1); err != nil {
		return Type{}, err
	}
	return Type{Space: Vertices, Cols: in[0].Cols}, wantSpace(in[0], AllVertices)
}

// Cost: moves only.
func (OwnRows) Cost(_ []Type, out Type) cost.Cost { return moves([]Type{out}, out) }

// Reference of a single rank has all rows.
func (OwnRows) Reference(_ *RefExec, in []Dense) Dense { return in[0] }

// Run copies.
func (OwnRows) Run(x *Exec, in []tensor.Matrix, out tensor.Matrix) {
	lo, hi := comm.Cut(x.Rank.All, x.Rank.at[Parts], x.Rank.mesh.Along(Parts))
	kernel.Copy(x.Ctx, tensor.Of(hi-lo, out.Cols, rowsBetween(in[0], lo, hi)), out)
}
