package kernel

import "github.com/weft-gnn/weft/tensor"

// Wide rows of x that do not stay in cache are gathered a band of columns at a
// time, all rows of the result in one band before the next: a band of all rows
// of x is small enough that many of them are met in a cache. A column's edges are
// summed in the same order as ever, so that results have the same bits.
//
// A band is no copy. Its lines are spread over all sets of the caches where rows
// begin an odd number of lines apart, as the memory layout of programs has them;
// where they lie at multiples of 1 KiB a band of 64 columns would share a quarter
// of the sets, and is not worth its passes over the index.
const (
	bandColumns = 64      // of four vectors, eight or sixteen
	bandedBytes = 4 << 20 // that x fills at least
	lineValues  = 16      // of a cache line
)

// band returns how many columns of x a sum takes at a time.
func (c *Ctx) band(x, y tensor.Matrix, heads int64) int {
	wide := x.Cols >= 2*bandColumns && x.Rows*x.Stride > bandedBytes/4
	spread := x.Stride%lineValues == 0 && x.Stride/lineValues%2 == 1
	if wide && spread && heads <= 1 && !x.BFloat16 && !y.BFloat16 && c.sparse().lanes > 0 {
		return bandColumns
	}
	return x.Cols
}

// sumBands runs the call's sum for each band of columns, and its tail after the
// last, over whole rows. It returns the edges that each band went through, and
// how many values all of them summed.
func (c *Ctx) sumBands(band int) (edges, values int64) {
	k := &c.call
	x, y, tail := k.x, k.dst, k.tail
	if band >= y.Cols {
		edges = c.segmentSum()
		return edges, edges * int64(y.Cols)
	}
	k.tail, k.ended = Tail{}, nil
	for lo := 0; lo < y.Cols; lo += band {
		hi := min(lo+band, y.Cols)
		k.x, k.dst = x.Columns(lo, hi), y.Columns(lo, hi)
		if hi == y.Cols {
			k.tail, k.whole = tail, y
		}
		k.done.Store(0)
		edges = c.segmentSum()
		values += edges * int64(hi-lo)
	}
	return edges, values
}
