//go:build amd64 && !noasm

package kernel

import "github.com/weft-gnn/weft/tensor"

// A loop over edges asks for the rows that later positions name, because their
// order is one that no hardware foresees. How far ahead is best depends on
// what one row takes: about a third of the first cache should be under way,
// though more than aheadMost rows need not.
const (
	aheadBytes = 16 << 10
	aheadMost  = 192
)

// ahead returns how many positions ahead of its use a row of cols values is
// asked for.
func ahead(cols int) int { return max(1, min(aheadMost, aheadBytes/(4*max(cols, 1)))) }

// rowsAhead runs sum over rows, and tells it how far to look ahead of their
// positions: not at all where that would be beyond the index.
func (c *call) rowsAhead(ptr []int64, y tensor.Matrix, sum func(ptr *int64, y tensor.Matrix, ahead int)) {
	if len(c.passes) == 0 {
		return
	}
	cols := c.passes[0].cols
	if c.x.BFloat16 {
		cols = (cols + 1) / 2
	}
	n, ahead := y.Rows, ahead(cols)
	last := int64(len(c.seg.other) - ahead)
	for n > 0 && ptr[n] > last {
		n--
	}
	if n > 0 {
		sum(&ptr[0], rowsOf(y, 0, n), ahead)
	}
	if n < y.Rows {
		sum(&ptr[n], rowsOf(y, n, y.Rows), 0)
	}
}

// piecesAhead does the same to positions lo to hi.
func (c *call) piecesAhead(lo, hi int, run func(lo, hi, ahead int)) {
	ahead := ahead(c.x.Cols)
	near := max(lo, min(hi, len(c.seg.other)-ahead))
	if lo < near {
		run(lo, near, ahead)
	}
	if near < hi {
		run(near, hi, 0)
	}
}
