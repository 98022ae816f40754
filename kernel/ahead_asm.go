//go:build (amd64 || arm64) && !noasm

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
	c.seg.splitAhead(ptr, ahead(cols), func(from, to, ahead int) { sum(&ptr[from], y.Between(from, to), ahead) })
}

// splitAhead runs a loop over rows, given by their positions, that looks some
// positions ahead, and not at all in those rows of which that is beyond the index.
func (s segments) splitAhead(ptr []int64, ahead int, run func(from, to, ahead int)) {
	rows := len(ptr) - 1
	n, last := rows, int64(len(s.other)-ahead)
	for n > 0 && ptr[n] > last {
		n--
	}
	if n > 0 {
		run(0, n, ahead)
	}
	if n < rows {
		run(n, rows, 0)
	}
}
