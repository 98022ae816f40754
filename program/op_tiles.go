package program

import (
	"fmt"

	"github.com/weft-gnn/weft/comm"
	"github.com/weft-gnn/weft/cost"
	"github.com/weft-gnn/weft/kernel"
	"github.com/weft-gnn/weft/tensor"
)

// Columns that ranks share out are gathered, and partial sums become columns, by
// exchanges of tiles: the columns that one rank has, of some rows, one row after the
// other. What is sent and received has a place in the arena:
//
//	columns → GatherTiles → tiles of all columns → Untile → whole
//	partial → Tile → tiles of all columns → SwapTiles → all ranks' tiles of own columns → AddTiles → columns
//
// The second is a reduce-scatter, and the one is the gradient's way back of the other.

// Tile lays rows out as tiles of the columns of the ranks along an axis, one tile after
// the other.
type Tile struct {
	afterGrad
	Along Axis
}

func (o Tile) String() string { return fmt.Sprintf("Tile(%v)", o.Along) }

// Shape keeps the number of rows and columns.
func (Tile) Shape(in []Type) (Type, error) { return in[0], arity(in, 1) }

// Cost: moves only.
func (Tile) Cost(in []Type, out Type) cost.Cost { return moves(in, out) }

// Split is row-wise.
func (Tile) Split(s Split) (Placement, error) { return s.rowwise() }

// Reference of a single rank has one tile.
func (Tile) Reference(_ *RefExec, in []Dense) Dense { return in[0] }

// Run copies.
func (o Tile) Run(x *Exec, in []tensor.Matrix, out tensor.Matrix) {
	eachTile(x.Rank.Along(o.Along).Size(), in[0], out.Flat(), func(row, tile []float32) { copy(tile, row) })
	x.Count.Add(0, 8*int64(len(out.Flat())))
}

// Untile puts tiles together to rows.
type Untile struct {
	afterGrad
	Along Axis
}

func (o Untile) String() string { return fmt.Sprintf("Untile(%v)", o.Along) }

// Shape keeps the number of rows and columns.
func (Untile) Shape(in []Type) (Type, error) { return in[0], arity(in, 1) }

// Cost: moves only.
func (Untile) Cost(in []Type, out Type) cost.Cost { return moves(in, out) }

// Split is row-wise.
func (Untile) Split(s Split) (Placement, error) { return s.rowwise() }

// Reference of a single rank has one tile.
func (Untile) Reference(_ *RefExec, in []Dense) Dense { return in[0] }

// Run copies.
func (o Untile) Run(x *Exec, in []tensor.Matrix, out tensor.Matrix) {
	eachTile(x.Rank.Along(o.Along).Size(), out, in[0].Flat(), func(row, tile []float32) { copy(row, tile) })
	x.Count.Add(0, 8*int64(len(in[0].Flat())))
}

// eachTile calls f with the part of each row that belongs to a rank's tile, and with
// its place there.
func eachTile(ranks int, rows tensor.Matrix, tiles []float32, f func(row, tile []float32)) {
	for q := range ranks {
		lo, hi := comm.Cut(rows.Cols, q, ranks)
		for i := range rows.Rows {
			f(rows.Row(i)[lo:hi], tiles[:hi-lo])
			tiles = tiles[hi-lo:]
		}
	}
}

// GatherTiles gives every rank along the axis of features the columns of all, as
// tiles.
type GatherTiles struct {
	afterGrad
	Cols Dim // of the result: all
}

func (GatherTiles) String() string { return "GatherTiles" }

// Shape: a rank's columns to tiles of all.
func (o GatherTiles) Shape(in []Type) (Type, error) {
	if err := arity(in, 1); err != nil {
		return Type{}, err
	}
	t := in[0]
	t.Cols = o.Cols
	return t, nil
}

// Cost: moves only.
func (GatherTiles) Cost(in []Type, out Type) cost.Cost { return moves(in, out) }

// Split is row-wise.
func (GatherTiles) Split(s Split) (Placement, error) { return s.rowwise() }

// Traffic: the own tile to every other rank.
func (GatherTiles) Traffic(in []Type, _ Type) Traffic {
	own, others := in[0].size(), Features.others()
	return Traffic{Words: cost.Mul(own, others), Messages: cost.Mul(cost.Min(own, cost.Int(1)), others), Supersteps: cost.Int(1)}
}

// Reference of a single rank has all columns.
func (GatherTiles) Reference(_ *RefExec, in []Dense) Dense { return in[0] }

// Run exchanges. It panics with the communicator's error.
func (o GatherTiles) Run(x *Exec, in []tensor.Matrix, out tensor.Matrix) { x.exchange(o, in[0], out) }

func (GatherTiles) along() Axis { return Features }

func (GatherTiles) pieces(_ *Exec, in, out tensor.Matrix, send, recv [][]float32) {
	tiles(out, recv)
	for q := range send {
		send[q] = in.Flat()
	}
}

// tiles cuts a matrix that is laid out in tiles into these.
func tiles(m tensor.Matrix, into [][]float32) {
	all := m.Flat()
	for q := range into {
		lo, hi := comm.Cut(m.Cols, q, len(into))
		into[q], all = all[:m.Rows*(hi-lo)], all[m.Rows*(hi-lo):]
	}
}

// SwapTiles sends every rank along the axis of features its tile of a partial sum: a
// rank gets all ranks' tiles of its own columns, one after the other.
type SwapTiles struct {
	afterGrad
	Own   Dim // columns of the rank
	Ranks int
}

func (SwapTiles) String() string { return "SwapTiles" }

// Shape: tiles of all columns to as many tiles of the own ones.
func (o SwapTiles) Shape(in []Type) (Type, error) {
	if err := arity(in, 1); err != nil {
		return Type{}, err
	}
	t := in[0]
	t.Cols = Dim{o.Ranks * o.Own.N, cost.Mul(Features.ranks(), o.Own.Expr)}
	return t, nil
}

// Cost: moves only.
func (SwapTiles) Cost(in []Type, out Type) cost.Cost { return moves(in, out) }

// Split is row-wise.
func (SwapTiles) Split(s Split) (Placement, error) { return s.rowwise() }

// Traffic: all tiles but the own; those of no words are not sent.
func (o SwapTiles) Traffic(in []Type, _ Type) Traffic {
	all, own, some := in[0].Cols.Expr, o.Own.Expr, cost.Min(in[0].rows(), cost.Int(1))
	tiles := cost.Sub(cost.Min(all, Features.ranks()), cost.Min(own, cost.Int(1)))
	return Traffic{Words: cost.Mul(in[0].rows(), cost.Sub(all, own)), Messages: cost.Mul(tiles, some), Supersteps: cost.Int(1)}
}

// Reference of a single rank has one tile.
func (SwapTiles) Reference(_ *RefExec, in []Dense) Dense { return in[0] }

// Run exchanges. It panics with the communicator's error.
func (o SwapTiles) Run(x *Exec, in []tensor.Matrix, out tensor.Matrix) { x.exchange(o, in[0], out) }

func (SwapTiles) along() Axis { return Features }

func (o SwapTiles) pieces(_ *Exec, in, out tensor.Matrix, send, recv [][]float32) {
	tiles(in, send)
	for q := range recv {
		recv[q] = o.tile(out, q).Flat()
	}
}

// tile is the one of a rank's own columns that rank q sent.
func (o SwapTiles) tile(all tensor.Matrix, q int) tensor.Matrix {
	size := all.Rows * o.Own.N
	return tensor.Of(all.Rows, o.Own.N, all.Flat()[q*size:(q+1)*size])
}

// AddTiles adds the tiles that all ranks sent of a rank's columns, in the order of
// ranks.
type AddTiles SwapTiles

func (AddTiles) String() string { return "AddTiles" }

// Shape: tiles of the own columns to these.
func (o AddTiles) Shape(in []Type) (Type, error) {
	if err := arity(in, 1); err != nil {
		return Type{}, err
	}
	if in[0].Cols.N != o.Ranks*o.Own.N {
		return Type{}, fmt.Errorf("%v are not %d tiles of %d columns", in[0], o.Ranks, o.Own.N)
	}
	t := in[0]
	t.Cols = o.Own
	return t, nil
}

// Cost: one addition per value of the other ranks.
func (o AddTiles) Cost(_ []Type, out Type) cost.Cost {
	others := cost.Mul(Features.others(), out.size())
	return cost.Cost{Work: others, Depth: cost.Log2(Features.ranks()), Bytes: cost.Scale(12, others)}
}

// Split is row-wise.
func (AddTiles) Split(s Split) (Placement, error) { return s.rowwise() }

// Reference of a single rank has one tile.
func (AddTiles) Reference(_ *RefExec, in []Dense) Dense { return in[0] }

// Run adds.
func (o AddTiles) Run(x *Exec, in []tensor.Matrix, out tensor.Matrix) {
	sum := SwapTiles(o).tile(in[0], 0)
	for q := 1; q < o.Ranks; q++ {
		kernel.Add(x.Ctx, sum, SwapTiles(o).tile(in[0], q), out)
		sum = out
	}
}
