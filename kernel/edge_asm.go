//go:build amd64 && !noasm

package kernel

// edgeFuncs holds the functions of one variant that write a row per edge.
type edgeFuncs struct {
	lanes int
	// By the columns that they are for; function 0 takes any number.
	add     [17]edgeAddFunc
	gather  [17]edgeGatherFunc
	scatter [17]edgeScatterFunc
	dot     [17]edgeDotFunc // of one head, by the vectors of its columns
	wide    func(p, hi int, z *float32, ldz, lastByte int, other *int32, ahead int, x *float32, ldx int,
		ptr *int64, y *float32, ldy, heads, width, full, tail int)
	eight func(p, hi int, z *float32, ldz, lastByte int, other *int32, ahead int, x *float32, ldx int,
		ptr *int64, y *float32, ldy int)
}

type (
	edgeAddFunc func(p, hi int, z *float32, ldz, lastByte int, other *int32, ahead int, x *float32, ldx int,
		ptr *int64, y *float32, ldy, full, tail int)
	edgeGatherFunc  func(p, hi int, z *float32, ldz, lastByte int, other *int32, ahead int, x *float32, ldx, full, tail int)
	edgeScatterFunc func(p, hi int, z *float32, ldz, lastByte int, ptr *int64, y *float32, ldy, full, tail int)
)

type edgeDotFunc func(p, hi int, z *float32, ldz, lastByte int, other *int32, ahead int, x *float32, ldx int,
	ptr *int64, y *float32, ldy, tail int)

var edgesAVX2 = edgeFuncs{
	lanes:   8,
	add:     [17]edgeAddFunc{0: edgeAddAVX2, 1: edgeAddAVX2x1, 8: edgeAddAVX2x8},
	gather:  [17]edgeGatherFunc{0: edgeGatherAVX2, 1: edgeGatherAVX2x1, 8: edgeGatherAVX2x8},
	scatter: [17]edgeScatterFunc{0: edgeScatterAVX2, 1: edgeScatterAVX2x1, 8: edgeScatterAVX2x8},
	dot:     [17]edgeDotFunc{1: edgeDotAVX2x1, 2: edgeDotAVX2x2, 3: edgeDotAVX2x3, 4: edgeDotAVX2x4, 5: edgeDotAVX2x5, 6: edgeDotAVX2x6, 7: edgeDotAVX2x7, 8: edgeDotAVX2x8, 12: edgeDotAVX2x12},
	wide:    edgeDotWideAVX2,
	eight:   edgeDotEightAVX2,
}

var edgesAVX512 = edgeFuncs{
	lanes:   16,
	add:     [17]edgeAddFunc{0: edgeAddAVX512, 1: edgeAddAVX512x1, 8: edgeAddAVX2x8, 16: edgeAddAVX512x16},
	gather:  [17]edgeGatherFunc{0: edgeGatherAVX512, 1: edgeGatherAVX512x1, 8: edgeGatherAVX2x8, 16: edgeGatherAVX512x16},
	scatter: [17]edgeScatterFunc{0: edgeScatterAVX512, 1: edgeScatterAVX512x1, 8: edgeScatterAVX2x8, 16: edgeScatterAVX512x16},
	dot:     [17]edgeDotFunc{1: edgeDotAVX512x1, 2: edgeDotAVX512x2, 3: edgeDotAVX512x3, 4: edgeDotAVX512x4, 5: edgeDotAVX512x5, 6: edgeDotAVX512x6, 7: edgeDotAVX512x7, 8: edgeDotAVX512x8, 16: edgeDotAVX512x16},
	wide:    edgeDotWideAVX512,
	eight:   edgeDotEightAVX512,
}

// whole returns the bytes of k values that fill vectors, and the values beyond.
func (f *edgeFuncs) whole(k int) (full, tail int) {
	tail = k % f.lanes
	return 4 * (k - tail), tail
}

func (f *edgeFuncs) addRows(c *call, _, _, lo, hi int) {
	add := f.add[0]
	if k := c.dst.Cols; k < len(f.add) && f.add[k] != nil {
		add = f.add[k]
	}
	full, tail := f.whole(c.dst.Cols)
	x, ldx := place(c.x, 0, 0)
	c.piecesAhead(lo, hi, func(lo, hi, ahead int) {
		r := c.seg.rowOf(int64(lo))
		y, ldy := place(c.y, int64(r), 0)
		z, ldz := place(c.dst, int64(lo), 0)
		add(lo, hi, z, ldz, 4*c.x.Cols-1, neighbourIndex(c.seg), ahead, x, ldx, &c.seg.ptr[r], y, ldy, full, tail)
	})
}

func (f *edgeFuncs) gatherRows(c *call, _, _, lo, hi int) {
	gather := f.gather[0]
	if k := c.dst.Cols; k < len(f.gather) && f.gather[k] != nil {
		gather = f.gather[k]
	}
	full, tail := f.whole(c.dst.Cols)
	x, ldx := place(c.x, 0, 0)
	c.piecesAhead(lo, hi, func(lo, hi, ahead int) {
		z, ldz := place(c.dst, int64(lo), 0)
		gather(lo, hi, z, ldz, 4*c.x.Cols-1, neighbourIndex(c.seg), ahead, x, ldx, full, tail)
	})
}

func (f *edgeFuncs) scatterRows(c *call, _, _, lo, hi int) {
	scatter := f.scatter[0]
	if k := c.dst.Cols; k < len(f.scatter) && f.scatter[k] != nil {
		scatter = f.scatter[k]
	}
	full, tail := f.whole(c.dst.Cols)
	r := c.seg.rowOf(int64(lo))
	y, ldy := place(c.x, int64(r), 0)
	z, ldz := place(c.dst, int64(lo), 0)
	scatter(lo, hi, z, ldz, 4*c.x.Cols-1, &c.seg.ptr[r], y, ldy, full, tail)
}

func (f *edgeFuncs) dotRows(c *call, _, _, lo, hi int) {
	k, heads := c.x.Cols, c.dst.Cols
	vectors := (k + f.lanes - 1) / f.lanes
	other, lastByte := neighbourIndex(c.seg), 4*k-1
	x, ldx := place(c.x, 0, 0)
	c.piecesAhead(lo, hi, func(lo, hi, ahead int) {
		r := c.seg.rowOf(int64(lo))
		ptr := &c.seg.ptr[r]
		y, ldy := place(c.y, int64(r), 0)
		z, ldz := place(c.dst, int64(lo), 0)
		switch {
		case k == 64 && heads == 8:
			f.eight(lo, hi, z, ldz, lastByte, other, ahead, x, ldx, ptr, y, ldy)
		case heads == 1 && vectors < len(f.dot) && f.dot[vectors] != nil:
			f.dot[vectors](lo, hi, z, ldz, lastByte, other, ahead, x, ldx, ptr, y, ldy, k-(vectors-1)*f.lanes)
		default:
			full, tail := f.whole(k / heads)
			f.wide(lo, hi, z, ldz, lastByte, other, ahead, x, ldx, ptr, y, ldy, heads, 4*k/heads, full, tail)
		}
	})
}

// piecesAhead runs run over positions lo to hi, and tells it how far to look ahead
// of them: not at all where that would be beyond the index.
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
