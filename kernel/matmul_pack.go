package kernel

import "github.com/weft-gnn/weft/tensor"

// panels is how a right operand is packed: cut into panels of cols columns,
// each [a][cols] values that a tile reads in order. The last panel has as many
// whole vectors of lanes values as it needs, padded with zeros.
type panels struct{ cols, lanes int }

// padded rounds columns up to whole vectors.
func (p panels) padded(b int) int { return (b + p.lanes - 1) / p.lanes * p.lanes }

// values returns how many values an a×b operand takes.
func (p panels) values(a, b int) int { return a * p.padded(b) }

// width returns how many columns the panel that starts at column j has, of b.
func (p panels) width(j, b int) int { return min(p.cols, p.padded(b)-j) }

// ragged returns the first column that no whole vectors hold, or b.
func (p panels) ragged(b int) int {
	if b%p.lanes == 0 {
		return b
	}
	return b - b%p.cols
}

// right is the right operand of a product. Panels from column from on are
// packed; those before are read where they are.
type right struct {
	matrix tensor.Matrix
	from   int
	packed []float32
}

// packRight packs what the product in c.call does not read in place.
func (c *Ctx) packRight() {
	k := &c.call
	m := &k.matmul
	w, p := &m.w, m.loops
	a, b := k.x.Cols, k.dst.Cols
	if !m.transposed && p.inPlace(w.matrix) {
		w.from = p.ragged(b)
	}
	w.packed = c.floats(p.values(a, b-w.from))
	k.grain = max(1, grainValues/max(a*p.cols, 1))
	k.n = (b - w.from + p.cols - 1) / p.cols
	c.Pool.Run((k.n+k.grain-1)/k.grain, (*packPieces)(k))
}

// packPieces packs panels.
type packPieces call

func (t *packPieces) Piece(_, piece int) {
	c := (*call)(t)
	lo := piece * c.grain
	for panel := lo; panel < min(lo+c.grain, c.n); panel++ {
		c.matmul.pack(panel, c.x.Cols, c.dst.Cols)
	}
}

// pack packs one panel, counted from the first that is packed, of an a×b operand.
func (m *matmulOperands) pack(panel, a, b int) {
	p, w := m.loops, m.w
	j := w.from + panel*p.cols
	width := p.width(j, b)
	to := min(j+width, b)
	dst := w.packed[(j-w.from)*a : (j-w.from+width)*a]
	if m.transposed {
		p.transpose(dst, width, w.matrix.Between(j, to))
	} else {
		packColumns(dst, width, w.matrix.Columns(j, to))
	}
}

// packColumns packs w as one panel.
func packColumns(panel []float32, width int, w tensor.Matrix) {
	if w.Cols < width {
		clear(panel[:width*w.Rows])
	}
	for r := range w.Rows {
		copy(panel[r*width:], w.Row(r))
	}
}

// packRows packs the transpose of w as one panel.
func packRows(panel []float32, width int, w tensor.Matrix) {
	if w.Rows < width {
		clear(panel[:width*w.Cols])
	}
	scatter(panel, width, w)
}

// scatter writes each row of w as a column of rows width values apart.
func scatter(panel []float32, width int, w tensor.Matrix) {
	for k := range w.Rows {
		for r, v := range w.Row(k) {
			panel[r*width+k] = v
		}
	}
}
