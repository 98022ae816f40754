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

// share is how many of some columns a rank has, by [comm.Cut].
func share(cols Dim, rank, ranks int) Dim {
	lo, hi := comm.Cut(cols.N, rank, ranks)
	return Dim{hi - lo, parts.owned(cols.Expr)}
}

// Tile lays rows out as tiles of the ranks' columns, one tile after the other.
type Tile struct{ afterGrad }

func (Tile) String() string { return "Tile" }

// Shape keeps the number of rows and columns.
func (Tile) Shape(in []Type) (Type, error) { return tiles(in) }

func tiles(in []Type) (Type, error) {
	if err := arity(in, 1); err != nil {
		return Type{}, err
	}
	return in[0], wantSpace(in[0], Vertices)
}

// Cost: moves only.
func (Tile) Cost(in []Type, out Type) cost.Cost { return moves(in, out) }

// Reference of a single rank has one tile.
func (Tile) Reference(_ *RefExec, in []Dense) Dense { return in[0] }

// Run copies.
func (Tile) Run(x *Exec, in []tensor.Matrix, out tensor.Matrix) {
	x.Rank.eachTile(in[0], out.Flat(), func(row, tile []float32) { copy(tile, row) })
	x.Count.Add(0, 8*int64(len(out.Flat())))
}

// Untile puts tiles together to rows.
type Untile struct{ afterGrad }

func (Untile) String() string { return "Untile" }

// Shape keeps the number of rows and columns.
func (Untile) Shape(in []Type) (Type, error) { return tiles(in) }

// Cost: moves only.
func (Untile) Cost(in []Type, out Type) cost.Cost { return moves(in, out) }

// Reference of a single rank has one tile.
func (Untile) Reference(_ *RefExec, in []Dense) Dense { return in[0] }

// Run copies.
func (Untile) Run(x *Exec, in []tensor.Matrix, out tensor.Matrix) {
	x.Rank.eachTile(out, in[0].Flat(), func(row, tile []float32) { copy(row, tile) })
	x.Count.Add(0, 8*int64(len(in[0].Flat())))
}

// eachTile calls f with the part of each row that belongs to a rank's tile, and with
// its place there.
func (r *Rank) eachTile(rows tensor.Matrix, tiles []float32, f func(row, tile []float32)) {
	for q := range r.Comm.Size() {
		lo, hi := comm.Cut(rows.Cols, q, r.Comm.Size())
		for i := range rows.Rows {
			f(rows.Row(i)[lo:hi], tiles[:hi-lo])
			tiles = tiles[hi-lo:]
		}
	}
}

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
	rows, peers := symN, cost.Sub(cost.Min(all, parts.ranks), cost.Min(mine, cost.Int(1)))
	words := cost.Mul(rows, cost.Sub(all, mine))
	if o.To == Vertices {
		mine, rows = in[0].Cols.Expr, cost.Sub(symAll, symN)
		peers = cost.Sub(cost.Min(symAll, parts.ranks), cost.Min(symN, cost.Int(1)))
		words = cost.Mul(rows, mine)
		return Traffic{Words: words, Messages: cost.Mul(peers, cost.Min(mine, cost.Int(1))), Supersteps: cost.Int(1)}
	}
	return Traffic{Words: words, Messages: cost.Mul(peers, cost.Min(symN, cost.Int(1))), Supersteps: cost.Int(1)}
}

// Reference of a single rank has all rows and columns.
func (o Reshard) Reference(_ *RefExec, in []Dense) Dense { return in[0] }

// Run exchanges. It panics with the communicator's error.
func (o Reshard) Run(x *Exec, in []tensor.Matrix, out tensor.Matrix) { x.exchange(o, in[0], out) }

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
