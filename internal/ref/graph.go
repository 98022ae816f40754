package ref

import (
	"math"
	"slices"

	"github.com/weft-gnn/weft/graph"
)

// Sources returns the m×n_src incidence matrix of a block: row e has a 1 in the
// column of edge e's source, so that Sources·X scatters X and Sourcesᵀ·E
// aggregates E.
func Sources(b *graph.Block) Matrix {
	d := New(b.Edges(), b.Src)
	for e, u := range b.Col {
		d.Set(e, int(u), 1)
	}
	return d
}

// Destinations returns the m×n_dst incidence matrix of a block.
func Destinations(b *graph.Block) Matrix {
	d := New(b.Edges(), b.Dst)
	for v := range b.Dst {
		for e := b.Ptr[v]; e < b.Ptr[v+1]; e++ {
			d.Set(int(e), v, 1)
		}
	}
	return d
}

// Members returns the n×G matrix that tells which vertex is in which graph.
func Members(b *graph.Block) Matrix {
	if b.Graphs == nil {
		return Full(b.Dst, 1, 1)
	}
	d := New(b.Dst, len(b.Graphs)-1)
	for g := range d.Cols {
		for v := b.Graphs[g]; v < b.Graphs[g+1]; v++ {
			d.Set(int(v), g, 1)
		}
	}
	return d
}

// group lists the rows i with in[i, g] = 1.
func group(in Matrix, g int) (rows []int) {
	for i := range in.Rows {
		if in.At(i, g) == 1 {
			rows = append(rows, i)
		}
	}
	return rows
}

// SegmentSoftmax normalises the columns of x within the groups of in, as
// y_i = 1/Σ_j exp(x_j − x_i): no maximum is needed, since a term too large for
// float64 makes y_i the 0 that it rounds to.
func SegmentSoftmax(in, x Matrix) Matrix {
	y := New(x.Rows, x.Cols)
	for g := range in.Cols {
		rows := group(in, g)
		for c := range x.Cols {
			for _, i := range rows {
				sum := 0.0
				for _, j := range rows {
					sum += math.Exp(x.At(j, c) - x.At(i, c))
				}
				y.Set(i, c, 1/sum)
			}
		}
	}
	return y
}

// Softmax normalises every row.
func Softmax(x Matrix) Matrix {
	return SegmentSoftmax(Full(x.Cols, 1, 1), x.T()).T()
}

// SegmentArgMax returns, per group and column, the row with the largest value:
// the first after a stable sort by NaN first, then falling value; −1 of nothing.
func SegmentArgMax(in, x Matrix) Matrix {
	arg := New(in.Cols, x.Cols)
	for g := range in.Cols {
		for c := range x.Cols {
			rows := group(in, g)
			slices.SortStableFunc(rows, func(i, j int) int {
				a, b := x.At(i, c), x.At(j, c)
				switch {
				case math.IsNaN(a) || math.IsNaN(b):
					return falling(bool2float(math.IsNaN(a)), bool2float(math.IsNaN(b)))
				default:
					return falling(a, b)
				}
			})
			arg.Set(g, c, -1)
			if len(rows) > 0 {
				arg.Set(g, c, float64(rows[0]))
			}
		}
	}
	return arg
}

func falling(a, b float64) int {
	switch {
	case a > b:
		return -1
	case a < b:
		return 1
	}
	return 0
}

func bool2float(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// Derivative returns the derivative of f at x along d, by central differences.
func Derivative(f func(Matrix) float64, x, d Matrix) float64 {
	const h = 1e-6
	return (f(x.Add(d.Scale(h))) - f(x.Add(d.Scale(-h)))) / (2 * h)
}
