//go:build amd64 && !noasm

package kernel

import (
	"unsafe"

	"github.com/weft-gnn/weft/tensor"
)

// philoxFuncs holds the functions of one variant that draw masks, ones where a
// value stays, a batch of lanes blocks at a time.
type philoxFuncs struct {
	lanes int
	drop  rowLoop
	rows  func(plan *uint64, n int, dst *uint32, step, site int, below uint32, groups, lastGroup, rows, first int,
		ids *int64, lanesRows, lanesGroups int, x, y *float32)
	ones    func(plan *uint64, n int, dst *uint32, step, site int, below uint32, rows, first int, ids *int64, x, y *float32)
	entries func(plan *uint64, n int, dst *uint32, step, site int, below uint32, ids *int64, cols *int32, x, y *float32)
}

var philoxAVX2 = philoxFuncs{
	lanes: 4, drop: dropAVX2, rows: philoxRowsAVX2, ones: philoxOnesAVX2, entries: philoxEntriesAVX2,
}

var philoxAVX512 = philoxFuncs{
	lanes: 8, drop: dropAVX512, rows: philoxRowsAVX512, ones: philoxOnesAVX512, entries: philoxEntriesAVX512,
}

// loops returns the loops; order lists, for each lane, which block of a batch it
// draws.
func (f *philoxFuncs) loops(order ...int) dropoutLoops {
	return dropoutLoops{rows: f.dropRows, entries: f.dropEntries, order: order}
}

func (f *philoxFuncs) dropRows(d *dropoutOperands, worker int, x, y tensor.Matrix, from int) {
	k := y.Cols
	if k == 0 {
		return
	}
	words := d.own(worker)
	width := 4 * groups(k)
	if k == 1 {
		width = 1 // other words are not written
	}
	step := max(1, dropoutWords/width)
	for lo := 0; lo < y.Rows; lo += step {
		n := min(step, y.Rows-lo)
		xs, _ := place(x, int64(lo), 0)
		ys, _ := place(y, int64(lo), 0)
		f.draw(d, words, k, from+lo, n, xs, ys)
		masks := tensor.Matrix{Rows: n, Cols: k, Stride: width, Data: asFloats(words)}
		f.drop.values(y.Between(lo, lo+n), x.Between(lo, lo+n), masks, 0, n, d.scale)
	}
}

// draw writes the masks of n rows of k columns from row lo on, and asks for as
// many values at x and y, where they are not nil.
func (f *philoxFuncs) draw(d *dropoutOperands, words []uint32, k, lo, n int, x, y *float32) {
	var ids *int64
	if d.ids != nil {
		ids = &d.ids[lo]
	}
	step, site, first := int(d.mask.Step), int(d.mask.Site), lo+int(d.mask.First)
	if k == 1 {
		f.ones(d.plan.address(), n, &words[0], step, site, d.below, n, first, ids, x, y)
		return
	}
	g := groups(k)
	f.rows(d.plan.address(), n*g, &words[0], step, site, d.below, g, g-1, n, first, ids, f.lanes/g, f.lanes%g, x, y)
}

// dropEntries draws for some entries at a time, of which it lists the rows'
// identities and the columns.
func (f *philoxFuncs) dropEntries(c *call, worker, _, lo, hi int) {
	const most = dropoutWords / 4
	d, words := &c.dropout, c.dropout.own(worker)
	ids := unsafe.Slice((*int64)(unsafe.Pointer(&words[0])), most)
	cols, masks := words[2*most:3*most], words[3*most:]
	r := c.seg.rowOf(int64(lo))
	for ; lo < hi; lo += most {
		n := min(most, hi-lo)
		for i := range n {
			r = c.seg.advance(r, lo+i)
			ids[i], cols[i] = int64(d.id(r)), uint32(c.seg.other[lo+i])
		}
		x, _ := place(c.x, int64(lo), 0)
		y, _ := place(c.dst, int64(lo), 0)
		f.entries(d.plan.address(), n, &masks[0], int(d.mask.Step), int(d.mask.Site), d.below, &ids[0], (*int32)(unsafe.Pointer(&cols[0])), x, y)
		f.drop.values(c.dst.Between(lo, lo+n), c.x.Between(lo, lo+n), tensor.Of(n, 1, asFloats(masks)[:n]), 0, n, d.scale)
	}
}

// asFloats views words as the values of the same bits.
func asFloats(words []uint32) []float32 {
	return unsafe.Slice((*float32)(unsafe.Pointer(unsafe.SliceData(words))), len(words))
}

func (p *philoxPlan) address() *uint64 { return (*uint64)(unsafe.Pointer(p)) }
