package kernel

import "github.com/weft-gnn/weft/tensor"

// panels is how a right operand is packed: cut into panels of cols columns,
// each [a][cols] values that a tile reads in order. The last panel has as many
// whole vectors of lanes values as it needs, padded with zeros.
type panels struct{ cols, lanes int }

// values returns how many values an a×b operand takes.
func (p panels) values(a, b int) int { return a * p.padded(b) }

// padded rounds columns up to whole vectors.
func (p panels) padded(b int) int { return (b + p.lanes - 1) / p.lanes * p.lanes }

// width returns how many columns the panel that starts at column j has, of b.
func (p panels) width(j, b int) int { return min(p.cols, p.padded(b)-j) }

// packFunc packs w, or its transpose, into dst.
type packFunc func(p panels, dst []float32, w tensor.Matrix)

// packColumns packs w.
func packColumns(p panels, dst []float32, w tensor.Matrix) {
	for j := 0; j < w.Cols; j += p.cols {
		width := p.width(j, w.Cols)
		panel := dst[j*w.Rows : (j+width)*w.Rows]
		to := min(j+width, w.Cols)
		if to-j < width {
			clear(panel)
		}
		for r := range w.Rows {
			copy(panel[r*width:], w.Row(r)[j:to])
		}
	}
}

// packRows packs the transpose of w.
func packRows(p panels, dst []float32, w tensor.Matrix) {
	for j := 0; j < w.Rows; j += p.cols {
		width := p.width(j, w.Rows)
		panel := dst[j*w.Cols : (j+width)*w.Cols]
		to := min(j+width, w.Rows)
		if to-j < width {
			clear(panel)
		}
		for k := range to - j {
			for r, v := range w.Row(j + k) {
				panel[r*width+k] = v
			}
		}
	}
}
