package kernel

import "github.com/weft-gnn/weft/tensor"

// The portable product computes tiles of 2 rows × 4 columns: eight accumulators
// and their operands just fit sixteen registers. Of a transposed product it
// packs blocks of portableRows rows.
const (
	panelCols    = 4
	portableRows = 128
)

var productsGeneric = products{
	panels:     panels{panelCols, panelCols},
	inPlace:    func(tensor.Matrix) bool { return false },
	multiply:   multiplyPortable,
	multiplyTN: multiplyPortableTN,
	transpose:  packRows,
	bufferTN:   portableRows * (tnTile + panelCols),
	rowsTN:     portableRows,
}

// multiplyPortable computes y = f(x·w + bias).
func multiplyPortable(x tensor.Matrix, w right, y tensor.Matrix, e epilogue) {
	a := x.Cols
	for j := 0; j < y.Cols; j += panelCols {
		multiplyPanel(x, w.packed[j*a:(j+panelCols)*a], y.Columns(j, min(j+panelCols, y.Cols)), false)
	}
	if e.bias.Rows != 0 {
		e.values.add(y, y, repeated(e.bias, y.Rows), 0, y.Rows, 0)
	}
	if e.fn.Kind != Identity {
		e.values.apply(e.fn, y)
	}
}

// multiplyPortableTN computes w = xᵀ·g in blocks of rows, which it packs into buffer.
func multiplyPortableTN(x, g slab, w tensor.Matrix, buffer []float32) {
	for i := range w.Rows {
		clear(w.Row(i))
	}
	panel := buffer[portableRows*tnTile:]
	for lo := 0; lo < x.matrix.Rows; lo += portableRows {
		hi := min(lo+portableRows, x.matrix.Rows)
		xt := tensor.Of(w.Rows, hi-lo, buffer[:w.Rows*(hi-lo)])
		transpose(xt, x.rows(lo, hi))
		gs := g.rows(lo, hi)
		for j := 0; j < w.Cols; j += panelCols {
			to := min(j+panelCols, w.Cols)
			packColumns(panel, panelCols, gs.Columns(j, to))
			multiplyPanel(xt, panel, w.Columns(j, to), true)
		}
	}
}

func transpose(dst, x tensor.Matrix) {
	for r := range x.Rows {
		for c, v := range x.Row(r) {
			dst.Data[c*dst.Stride+r] = v
		}
	}
}

// multiplyPanel computes y = x·w, or y += x·w, of a packed panel w.
func multiplyPanel(x tensor.Matrix, panel []float32, y tensor.Matrix, add bool) {
	i := 0
	for ; i+2 <= y.Rows; i += 2 {
		tile2(x.Row(i), x.Row(i+1), panel, y.Row(i), y.Row(i+1), add)
	}
	if i < y.Rows {
		tile1(x.Row(i), panel, y.Row(i), add)
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
