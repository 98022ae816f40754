package program

import (
	"fmt"

	"github.com/weft-gnn/weft/comm"
	"github.com/weft-gnn/weft/cost"
	"github.com/weft-gnn/weft/tensor"
)

// Rows of vertices become columns of all vertices, and the other way round, by an
// all-to-all in which every rank sends every other a tile: the rows that one has of
// the columns that the other has. Both are in two steps, so that what is sent and
// received has a place in the arena:
//
//	Vertices → Tile → vertices' tiles → Reshard → AllVertices
//	AllVertices → Reshard → vertices' tiles → Untile → Vertices
//
// Ranks have consecutive vertices, so that the tiles of all ranks, one after the
// other, are rows of all vertices.

// Reshard sends tiles: to all vertices' rows of the rank's columns, or back to tiles
// of its own rows of all columns.
type Reshard struct {
	afterGrad
	To Space
	// Cols is the width of the result: the rank's share of columns, or all of them.
	Cols Dim
}

func (o Reshard) String() string { return fmt.Sprintf("Reshard(%v)", o.To) }

// Shape: vertices to all vertices, or back.
func (o Reshard) Shape(in []Type) (Type, error) {
	if err := count(in, 1); err != nil {
		return Type{}, err
	}
	from := AllVertices
	if o.To == AllVertices {
		from = Vertices
	}
	return Type{Space: o.To, Cols: o.Cols}, wantSpace(in[0], from)
}

// Cost: moves only.
func (o Reshard) Cost(in []Type, out Type) cost.Cost { return moves(in, out) }

// Traffic: to all vertices, own rows of the columns that others have; back, others'
// rows of own columns. Tiles of no words are not sent.
func (o Reshard) Traffic(in []Type, out Type) Traffic {
	all, mine := in[0].Cols.Expr, out.Cols.Expr
	rows, peers := symN, cost.Sub(cost.Min(all, Parts.ranks()), cost.Min(mine, cost.Int(1)))
	words := cost.Mul(rows, cost.Sub(all, mine))
	if o.To == Vertices {
		mine, rows = in[0].Cols.Expr, cost.Sub(symAll, symN)
		peers = cost.Sub(cost.Min(symAll, Parts.ranks()), cost.Min(symN, cost.Int(1)))
		words = cost.Mul(rows, mine)
		return Traffic{Words: words, Messages: cost.Mul(peers, cost.Min(mine, cost.Int(1))), Supersteps: cost.Int(1)}
	}
	return Traffic{Words: words, Messages: cost.Mul(peers, cost.Min(symN, cost.Int(1))), Supersteps: cost.Int(1)}
}

// Reference of a single rank has all rows and columns.
func (o Reshard) Reference(_ *RefExec, in []Dense) Dense { return in[0] }

// Run exchanges. It panics with the communicator's error.
func (o Reshard) Run(x *Exec, in []tensor.Matrix, out tensor.Matrix) { x.exchange(o, in[0], out) }

func (Reshard) along() Axis { return Parts }

func (o Reshard) pieces(x *Exec, in, out tensor.Matrix, send, recv [][]float32) {
	narrow, wide := send, recv // by rows of a few columns, by columns of a few rows
	rows, tiles := in, out
	if o.To == AllVertices {
		narrow, wide = recv, send
		rows, tiles = out, in
	}
	all := tiles.Flat()
	for q := range send {
		lo, hi := comm.Cut(x.Rank.All, q, len(send))
		narrow[q] = rowsBetween(rows, lo, hi)
		lo, hi = comm.Cut(tiles.Cols, q, len(send))
		wide[q], all = all[:tiles.Rows*(hi-lo)], all[tiles.Rows*(hi-lo):]
	}
}
