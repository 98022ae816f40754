package kernel

import (
	"github.com/weft-gnn/weft/tensor"
)

// Where the edges of a vertex are spread over ranks, each finds a winner among its own,
// and what it says of it is the winner's value and its place among all edges of the
// vertex. Of two such candidates the better one is that which [ArgMax] finds first
// over all edges: so any number of ranks decides as one does, ties and NaN included.

// Candidates states the winners that [ArgMax] or [ArgMin] found, so that those of
// other ranks can be compared with them: y[v, c] = x[arg[v, c], c], and in y[v, k + c]
// the place of that edge; 0 and [None] where there is no winner.
//
// Shapes: arg is n×k, x m×k, y n×2k; place has the places of all edges, of which the
// rows of x are those from first on.
// Contract: overwrites y. Places are bit patterns, see [Bits].
// Cost: work 0, bytes 20nk.
func Candidates(ctx *Ctx, arg, x tensor.Matrix, place []uint32, first int64, y tensor.Matrix) {
	wantShape("kernel.Candidates: y", y, arg.Rows, 2*arg.Cols)
	wantShape("kernel.Candidates: x", x, x.Rows, arg.Cols)
	ctx.call = call{body: candidateRows, x: arg, y: x, dst: y, places: place[first:]}
	n, k := ctx.rows(arg.Rows, y.Cols), int64(arg.Cols)
	ctx.Count.Add(0, 20*n*k)
}

func candidateRows(c *call, _, _, lo, hi int) {
	for i := lo; i < hi; i++ {
		arg, y := c.x.Row(i), c.dst.Row(i)
		values, places := y[:len(arg)], y[len(arg):]
		for j, a := range arg {
			e := Bits(a)
			if e == None {
				values[j], places[j] = 0, a
				continue
			}
			values[j] = c.y.Row(int(e))[j]
			SetBits(&places[j], c.places[e])
		}
	}
}

// Won keeps of the winners among these edges those that have won over all: y[v, c] is
// arg[v, c] where the place of that edge is at[v, c], and [None] elsewhere.
//
// Shapes: arg, at and y are n×k; place and first as for [Candidates].
// Contract: overwrites y, which may be arg.
// Cost: work nk, bytes 16nk.
func Won(ctx *Ctx, arg, at tensor.Matrix, place []uint32, first int64, y tensor.Matrix) {
	wantShape("kernel.Won: arg", arg, y.Rows, y.Cols)
	wantShape("kernel.Won: at", at, y.Rows, y.Cols)
	ctx.call = call{body: wonRows, x: arg, y: at, dst: y, places: place[first:]}
	n, k := ctx.rows(y.Rows, y.Cols), int64(y.Cols)
	ctx.Count.Add(n*k, 16*n*k)
}

func wonRows(c *call, _, _, lo, hi int) {
	for i := lo; i < hi; i++ {
		at, y := c.y.Row(i), c.dst.Row(i)
		for j, a := range c.x.Row(i) {
			if e := Bits(a); e == None || c.places[e] != Bits(at[j]) {
				SetBits(&y[j], None)
			} else {
				y[j] = a
			}
		}
	}
}

// BetterOfMax replaces, among candidates for maxima as [Candidates] lays out one row,
// those of y that are beaten by x's. BetterOfMin does so for minima.
func BetterOfMax(y, x []float32) { better(1, y, x) }

// BetterOfMin is for minima what [BetterOfMax] is for maxima.
func BetterOfMin(y, x []float32) { better(-1, y, x) }

func better(sign float32, y, x []float32) {
	k := len(y) / 2
	for j, v := range x[:k] {
		mine, theirs := Bits(y[k+j]), Bits(x[k+j])
		before, after := beats(sign*v, sign*y[j]), beats(sign*y[j], sign*v)
		if theirs != None && (mine == None || before || !after && theirs < mine) {
			y[j], y[k+j] = v, x[k+j]
		}
	}
}
