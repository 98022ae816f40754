package kernel

import "github.com/weft-gnn/weft/tensor"

// The portable product computes tiles of 2 rows × 4 columns: eight accumulators
// and their operands just fit sixteen registers. The right operand is packed
// into panels of 4 columns, [b/4][a][4], the last one padded with zeros.
const panelCols = 4

// panelValues returns how many values an a×b operand takes in panels.
func panelValues(a, b int) int { return a * ((b + panelCols - 1) &^ (panelCols - 1)) }

// packColumns packs w.
func packColumns(panels []float32, w tensor.Matrix) {
	for j := 0; j < w.Cols; j += panelCols {
		panel := panels[j*w.Rows : (j+panelCols)*w.Rows]
		width := min(panelCols, w.Cols-j)
		if width < panelCols {
			clear(panel)
		}
		for p := range w.Rows {
			copy(panel[p*panelCols:], w.Row(p)[j:j+width])
		}
	}
}

// packRows packs the transpose of w.
func packRows(panels []float32, w tensor.Matrix) {
	for j := 0; j < w.Rows; j += panelCols {
		panel := panels[j*w.Cols : (j+panelCols)*w.Cols]
		if w.Rows-j < panelCols {
			clear(panel)
		}
		for k := range min(panelCols, w.Rows-j) {
			for p, v := range w.Row(j + k) {
				panel[p*panelCols+k] = v
			}
		}
	}
}

// productRows computes rows of y = f(x·w + bias).
func productRows(c *call, _, _, lo, hi int) {
	y := rowsOf(c.dst, lo, hi)
	multiply(rowsOf(c.x, lo, hi), c.matmul.panels, y, false)
	if c.matmul.bias.Rows == 0 && c.fn.Kind == Identity {
		return
	}
	for i := range y.Rows {
		row := y.Row(i)
		if c.matmul.bias.Rows != 0 {
			accumulate(row, c.matmul.bias.Row(0))
		}
		c.fn.apply(row, row)
	}
}

// productTN computes w = xᵀ·g in blocks of rows, which it packs into buffer.
func productTN(x, g, w tensor.Matrix, buffer []float32) {
	for i := range w.Rows {
		clear(w.Row(i))
	}
	for lo := 0; lo < x.Rows; lo += tnBlock {
		hi := min(lo+tnBlock, x.Rows)
		xt := tensor.Of(x.Cols, hi-lo, buffer[:x.Cols*(hi-lo)])
		transpose(xt, rowsOf(x, lo, hi))
		panels := buffer[tnBlock*tnTile:]
		packColumns(panels, rowsOf(g, lo, hi))
		multiply(xt, panels, w, true)
	}
}

func transpose(dst, x tensor.Matrix) {
	for r := range x.Rows {
		for c, v := range x.Row(r) {
			dst.Data[c*dst.Stride+r] = v
		}
	}
}

// multiply computes y = x·w, or y += x·w, of a packed w.
func multiply(x tensor.Matrix, panels []float32, y tensor.Matrix, add bool) {
	a := x.Cols
	for j := 0; j < y.Cols; j += panelCols {
		panel := panels[j*a : (j+panelCols)*a]
		to := min(j+panelCols, y.Cols)
		i := 0
		for ; i+2 <= y.Rows; i += 2 {
			tile2(x.Row(i), x.Row(i+1), panel, y.Row(i)[j:to], y.Row(i + 1)[j:to], add)
		}
		if i < y.Rows {
			tile1(x.Row(i), panel, y.Row(i)[j:to], add)
		}
	}
}

// tile2 multiplies two rows with one panel.
func tile2(x0, x1, panel, y0, y1 []float32, add bool) {
	x1 = x1[:len(x0)]
	panel = panel[:panelCols*len(x0)]
	var s0, s1, s2, s3, t0, t1, t2, t3 float32
	for p, u := range x0 {
		w := panel[panelCols*p : panelCols*p+4 : panelCols*p+4]
		v := x1[p]
		w0, w1, w2, w3 := w[0], w[1], w[2], w[3]
		s0 += u * w0
		s1 += u * w1
		s2 += u * w2
		s3 += u * w3
		t0 += v * w0
		t1 += v * w1
		t2 += v * w2
		t3 += v * w3
	}
	put(y0, add, s0, s1, s2, s3)
	put(y1, add, t0, t1, t2, t3)
}

// tile1 multiplies one row with one panel.
func tile1(x, panel, y []float32, add bool) {
	panel = panel[:panelCols*len(x)]
	var s0, s1, s2, s3 float32
	for p, u := range x {
		w := panel[panelCols*p : panelCols*p+4 : panelCols*p+4]
		s0 += u * w[0]
		s1 += u * w[1]
		s2 += u * w[2]
		s3 += u * w[3]
	}
	put(y, add, s0, s1, s2, s3)
}

// put stores, or adds, the sums of one row of a tile of up to four columns.
func put(y []float32, add bool, s0, s1, s2, s3 float32) {
	s := [panelCols]float32{s0, s1, s2, s3}
	if add {
		for i := range y {
			y[i] += s[i]
		}
		return
	}
	copy(y, s[:])
}
