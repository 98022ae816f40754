//go:build amd64 && !noasm

package kernel

// edgeFuncs holds the functions of one variant that write a row per edge.
type edgeFuncs struct {
	lanes int
	add   func(ptr *int64, p, hi int, other *int32, last, ahead int,
		x *float32, ldx, lastByte int, y *float32, ldy int, z *float32, ldz, full, tail int)
	gather  func(p, hi int, other *int32, last, ahead int, x *float32, ldx, lastByte int, z *float32, ldz, full, tail int)
	scatter func(ptr *int64, p, hi int, y *float32, ldy int, z *float32, ldz, full, tail int)
	dot     [eachPass + 1]edgeDotFunc // of one head, by the vectors of its columns
	wide    func(ptr *int64, p, hi int, other *int32, last, ahead int,
		x *float32, ldx, lastByte int, y *float32, ldy int, z *float32, ldz, heads, width, full, tail int)
	eight func(ptr *int64, p, hi int, other *int32, last, ahead int,
		x *float32, ldx, lastByte int, y *float32, ldy int, z *float32, ldz int)
}

type edgeDotFunc func(ptr *int64, p, hi int, other *int32, last, ahead int,
	x *float32, ldx, lastByte int, y *float32, ldy int, z *float32, ldz, tail int)

var edgesAVX2 = edgeFuncs{
	lanes:   8,
	add:     edgeAddAVX2,
	gather:  edgeGatherAVX2,
	scatter: edgeScatterAVX2,
	dot:     [...]edgeDotFunc{1: edgeDotAVX2x1, 2: edgeDotAVX2x2, 3: edgeDotAVX2x3, 4: edgeDotAVX2x4, 5: edgeDotAVX2x5, 6: edgeDotAVX2x6, 7: edgeDotAVX2x7, 8: edgeDotAVX2x8},
	wide:    edgeDotWideAVX2,
	eight:   edgeDotEightAVX2,
}

var edgesAVX512 = edgeFuncs{
	lanes:   16,
	add:     edgeAddAVX512,
	gather:  edgeGatherAVX512,
	scatter: edgeScatterAVX512,
	dot:     [...]edgeDotFunc{1: edgeDotAVX512x1, 2: edgeDotAVX512x2, 3: edgeDotAVX512x3, 4: edgeDotAVX512x4, 5: edgeDotAVX512x5, 6: edgeDotAVX512x6, 7: edgeDotAVX512x7, 8: edgeDotAVX512x8},
	wide:    edgeDotWideAVX512,
	eight:   edgeDotEightAVX512,
}

// whole returns the bytes of k values that fill vectors, and the values beyond.
func (f *edgeFuncs) whole(k int) (full, tail int) {
	tail = k % f.lanes
	return 4 * (k - tail), tail
}

func (f *edgeFuncs) addRows(c *call, _, _, lo, hi int) {
	r := c.seg.rowOf(int64(lo))
	x, ldx := place(c.x, 0, 0)
	y, ldy := place(c.y, int64(r), 0)
	z, ldz := place(c.dst, int64(lo), 0)
	full, tail := f.whole(c.dst.Cols)
	f.add(&c.seg.ptr[r], lo, hi, neighbourIndex(c.seg), len(c.seg.other)-1, ahead,
		x, ldx, 4*c.x.Cols-1, y, ldy, z, ldz, full, tail)
}

func (f *edgeFuncs) gatherRows(c *call, _, _, lo, hi int) {
	x, ldx := place(c.x, 0, 0)
	z, ldz := place(c.dst, int64(lo), 0)
	full, tail := f.whole(c.dst.Cols)
	f.gather(lo, hi, neighbourIndex(c.seg), len(c.seg.other)-1, ahead, x, ldx, 4*c.x.Cols-1, z, ldz, full, tail)
}

func (f *edgeFuncs) scatterRows(c *call, _, _, lo, hi int) {
	r := c.seg.rowOf(int64(lo))
	y, ldy := place(c.x, int64(r), 0)
	z, ldz := place(c.dst, int64(lo), 0)
	full, tail := f.whole(c.dst.Cols)
	f.scatter(&c.seg.ptr[r], lo, hi, y, ldy, z, ldz, full, tail)
}

func (f *edgeFuncs) dotRows(c *call, _, _, lo, hi int) {
	k, heads := c.x.Cols, c.dst.Cols
	r := c.seg.rowOf(int64(lo))
	ptr, other, last := &c.seg.ptr[r], neighbourIndex(c.seg), len(c.seg.other)-1
	x, ldx := place(c.x, 0, 0)
	y, ldy := place(c.y, int64(r), 0)
	z, ldz := place(c.dst, int64(lo), 0)
	vectors := (k + f.lanes - 1) / f.lanes
	switch {
	case k == 64 && heads == 8:
		f.eight(ptr, lo, hi, other, last, ahead, x, ldx, 4*k-1, y, ldy, z, ldz)
	case heads == 1 && 1 <= vectors && vectors <= eachPass:
		f.dot[vectors](ptr, lo, hi, other, last, ahead, x, ldx, 4*k-1, y, ldy, z, ldz, k-(vectors-1)*f.lanes)
	default:
		full, tail := f.whole(k / heads)
		f.wide(ptr, lo, hi, other, last, ahead, x, ldx, 4*k-1, y, ldy, z, ldz, heads, 4*k/heads, full, tail)
	}
}
