package dataset

import "github.com/weft-gnn/weft/tensor"

// RowNormalise returns the features with each row divided by the sum of its
// values, x_ij / Σ_j x_ij, as the GCN and GAT papers do with bags of words. A
// row that sums to 0 stays as it is. The set's own features, which may be
// memory-mapped, are not changed.
//
// Shapes: n × k → n × k, contiguous.
// Source: Kipf and Welling, ICLR 2017, section 5.2; Veličković et al., ICLR
// 2018, section 3.3.
func RowNormalise(x tensor.Matrix) tensor.Matrix {
	out := tensor.New(x.Rows, x.Cols)
	for i := range x.Rows {
		from, to := x.Row(i), out.Row(i)
		sum := 0.0
		for _, v := range from {
			sum += float64(v)
		}
		if sum == 0 {
			sum = 1
		}
		for j, v := range from {
			to[j] = float32(float64(v) / sum)
		}
	}
	return out
}
