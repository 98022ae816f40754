package kernel

import "github.com/weft-gnn/weft/tensor"

// ColumnSum computes s = 1ᵀX, the sum of every column: the gradient of a bias.
//
// Shapes: x is n×k, s 1×k.
// Contract: overwrites s; no rows sum to 0. Fixed pieces of rows are summed in order.
// Cost: work nk, bytes 4(nk + k).
func ColumnSum(ctx *Ctx, x, s tensor.Matrix) {
	n, k := columnSum(ctx, false, x, s), int64(x.Cols)
	ctx.Count.Add(n*k, 4*(n*k+k))
}

// ColumnSumOnto computes s += 1ᵀX, of rows that are a piece of more, as [ColumnSum].
//
// Cost: work nk, bytes 4(nk + 2k).
func ColumnSumOnto(ctx *Ctx, x, s tensor.Matrix) {
	n, k := columnSum(ctx, true, x, s), int64(x.Cols)
	ctx.Count.Add(n*k, 4*(n*k+2*k))
}

func columnSum(ctx *Ctx, onto bool, x, s tensor.Matrix) int64 {
	wantShape("kernel.ColumnSum: s", s, 1, x.Cols)
	ctx.call = call{body: columnSumRows, values: ctx.values(), x: x, dst: s, onto: onto}
	return ctx.reduceRows(x.Rows, x.Cols)
}

func columnSumRows(c *call, _, piece, lo, hi int) {
	c.values.rows.columnSum(c.partial(piece).Row(0), c.x, lo, hi)
}

// reduceRows runs a body that leaves a partial result per piece, and adds them
// into dst in order. It returns the number of rows.
func (c *Ctx) reduceRows(n, width int) int64 {
	k := &c.call
	k.cut(n, width)
	k.parts = k.pieces
	k.scratch = c.floats(k.parts * k.dst.Rows * k.dst.Cols)
	rows := c.cutRows()
	c.combine()
	return rows
}

// Dot computes z = Σ X ⊙ Y, the product of two matrices as vectors.
//
// Shapes: x and y are r×k, z 1×1.
// Contract: overwrites z. Fixed pieces are summed in order, in float64, each in
// an order of the variant's own.
// Cost: work 2rk, bytes 4(2rk + 1).
func Dot(ctx *Ctx, x, y, z tensor.Matrix) {
	sum, n := innerProduct(ctx, x, y, z)
	z.Data[0] = float32(sum)
	ctx.Count.Add(2*n, 4*(2*n+1))
}

// DotOnto computes z += Σ X ⊙ Y, of rows that are a piece of more, as [Dot].
//
// Cost: work 2rk, bytes 4(2rk + 2).
func DotOnto(ctx *Ctx, x, y, z tensor.Matrix) {
	sum, n := innerProduct(ctx, x, y, z)
	z.Data[0] = float32(float64(z.Data[0]) + sum)
	ctx.Count.Add(2*n, 4*(2*n+2))
}

// innerProduct returns Σ X ⊙ Y and the number of its terms.
func innerProduct(ctx *Ctx, x, y, z tensor.Matrix) (sum float64, terms int64) {
	wantShape("kernel.Dot: y", y, x.Rows, x.Cols)
	wantShape("kernel.Dot: z", z, 1, 1)
	sum, n := ctx.total(ctx.values().dot, x, y)
	return sum, n * int64(x.Cols)
}

// total returns what f sums up of x and y, in pieces, and their rows.
func (c *Ctx) total(f func(x, y []float32) float64, x, y tensor.Matrix) (sum float64, rows int64) {
	k := &c.call
	*k = call{body: totalRows, fold: f, x: x, y: y}
	k.cut(x.Rows, x.Cols)
	k.sums = c.doubles(k.pieces)
	rows = c.cutRows()
	return total(k.sums), rows
}

// totalRows takes rows one by one, or all of them at once where they follow each
// other.
func totalRows(c *call, _, piece, lo, hi int) {
	n, sum := 1, 0.0
	if c.x.Contiguous() && c.y.Contiguous() {
		n = hi - lo
	}
	for i := lo; i < hi; i += n {
		sum += c.fold(block(c.x, i, n), block(c.y, i, n))
	}
	c.sums[piece] = sum
}

func total(sums []float64) (t float64) {
	for _, s := range sums {
		t += s
	}
	return t
}

// Sum computes z = Σ X, the sum of all values.
//
// Shapes: x is r×k, z 1×1.
// Contract: overwrites z. Fixed pieces are summed in order, in float64, each in
// an order of the variant's own.
// Cost: work rk, bytes 4(rk + 1).
func Sum(ctx *Ctx, x, z tensor.Matrix) {
	wantShape("kernel.Sum: z", z, 1, 1)
	sum, n := ctx.total(ctx.values().sum, x, x)
	z.Data[0] = float32(sum)
	k := int64(x.Cols)
	ctx.Count.Add(n*k, 4*(n*k+1))
}
