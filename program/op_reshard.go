package program

import (
	"fmt"

	"github.com/weft-gnn/weft/comm"
	"github.com/weft-gnn/weft/cost"
	"github.com/weft-gnn/weft/tensor"
)

// Rows that ranks along an axis share out become columns that they share out of all
// these rows, and the other way round, by an all-to-all in which every rank sends every
// other a tile: the rows that one has of the columns that the other has. Both are in two
// steps, so that what is sent and received has a place in the arena:
//
//	own rows → Tile → own rows' tiles → Reshard → all rows, own columns
//	all rows, own columns → Reshard → own rows' tiles → Untile → own rows
//
// Ranks have consecutive rows, so that the tiles of all ranks, one after the other, are
// rows of all. Along Parts own rows are vertices, and all are those of the graph; along
// Features they are the vertices of a range, and all are the vertices of the part.

// allRows and ownRows are what the ranks along an axis have together, and one by one.
func (a Axis) allRows() Space { return map[Axis]Space{Parts: AllVertices, Features: Vertices}[a] }
func (a Axis) ownRows() Space { return map[Axis]Space{Parts: Vertices, Features: Range}[a] }

// Reshard sends tiles: to all rows of the rank's columns, or back to tiles of its own
// rows of all columns.
type Reshard struct {
	afterGrad
	Along Axis // Parts or Features
	To    Space
	// Cols is the width of the result: the rank's share of columns, or all of them.
	Cols Dim
}

func (o Reshard) String() string { return fmt.Sprintf("Reshard(%v)", o.To) }

// gathers reports whether it brings all rows.
func (o Reshard) gathers() bool { return o.To == o.Along.allRows() }

// Shape: own rows to all rows, or back.
func (o Reshard) Shape(in []Type) (Type, error) {
	if err := count(in, 1); err != nil {
		return Type{}, err
	}
	from := o.Along.allRows()
	if o.gathers() {
		from = o.Along.ownRows()
	}
	return Type{Space: o.To, Cols: o.Cols}, wantSpace(in[0], from)
}

// Split is row-wise, along another axis.
func (Reshard) Split(s Split) (Placement, error) { return s.rowwise() }

// Cost: moves only.
func (o Reshard) Cost(in []Type, out Type) cost.Cost { return moves(in, out) }

// Traffic: to all rows, own rows of the columns that others have; back, others' rows of
// own columns. Tiles of no words are not sent.
func (o Reshard) Traffic(in []Type, out Type) Traffic {
	all, mine := in[0].Cols.Expr, out.Cols.Expr // what others have a share of, and its own
	kept := o.Along.ownRows().rows()
	if !o.gathers() {
		all, mine, kept = o.Along.allRows().rows(), o.Along.ownRows().rows(), in[0].Cols.Expr
	}
	peers := cost.Sub(cost.Min(all, o.Along.ranks()), cost.Min(mine, cost.Int(1)))
	return Traffic{Words: cost.Mul(kept, cost.Sub(all, mine)), Messages: cost.Mul(peers, cost.Min(kept, cost.Int(1))), Supersteps: cost.Int(1)}
}

// Reference of a single rank has all rows and columns.
func (o Reshard) Reference(_ *RefExec, in []Dense) Dense { return in[0] }

// Run exchanges. It panics with the communicator's error.
func (o Reshard) Run(x *Exec, in []tensor.Matrix, out tensor.Matrix) { x.exchange(o, in[0], out) }

func (o Reshard) along() Axis { return o.Along }

func (o Reshard) pieces(_ *Exec, in, out tensor.Matrix, send, recv [][]float32) {
	narrow, wide := send, recv // by rows of a few columns, by columns of a few rows
	rows, tiles := in, out
	if o.gathers() {
		narrow, wide = recv, send
		rows, tiles = out, in
	}
	all := tiles.Flat()
	for q := range send {
		lo, hi := comm.Cut(rows.Rows, q, len(send))
		narrow[q] = rowsBetween(rows, lo, hi)
		lo, hi = comm.Cut(tiles.Cols, q, len(send))
		wide[q], all = all[:tiles.Rows*(hi-lo)], all[tiles.Rows*(hi-lo):]
	}
}
