//go:build amd64 && !noasm

package kernel

import "github.com/weft-gnn/weft/tensor"

// attendFuncs are passes of attention that take the exponentials of edges in the
// loops that gather rows: while these are on their way there is time for it. Of
// three functions the first is for eight heads, of two edges at a time, the second
// for fewer, and the third for more, of which it takes a vector.
type attendFuncs struct {
	lanes   int
	scores  [3]attendScoresFunc
	sum     [3][]attendSumsFunc // by the vectors of their rows
	back    [3][]attendBackFunc
	moments [3]attendMomentsFunc
	// Of eight heads: moments, with the products that they need, by the vectors of
	// rows; and of eight columns each, what is left of a row after back.
	momentsRows [17]attendMomentsRowsFunc
	backSquare  attendBackSquareFunc
}

type (
	attendScoresFunc func(rows int, ptr *int64, x *float32, ldx int, y *float32, ldy int, other *int32, ahead int,
		slope float32, score, top *float32, heads, apart int)
	attendSumsFunc func(rows int, ptr *int64, x *float32, ldx int, y *float32, ldy, tail int, other *int32, ahead, lastByte int,
		heads, apart int, lane *uint32, keep *float32, slope float32, far *float32, ldfar int, own *float32, ldown int,
		top, total *float32)
	attendBackFunc func(rows int, ptr *int64, x *float32, ldx int, y *float32, ldy, tail int, other *int32, ahead, lastByte int,
		heads, apart int, lane *uint32, keep *float32, slope float32, far *float32, ldfar int, own *float32, ldown int,
		t *float32, ldt int, pull *float32)
	attendMomentsFunc    func(rows int, ptr *int64, product *float32, slope float32, score, moment *float32, plane, heads, apart int)
	attendBackSquareFunc func(rows int, ptr *int64, x *float32, ldx int, y *float32, ldy, tail int, other *int32, ahead, lastByte int,
		heads, apart int, lane *uint32, keep *float32, slope float32, far *float32, ldfar int, own *float32, ldown int,
		t *float32, ldt int, z *float32, ldz int)
	attendMomentsRowsFunc func(rows int, ptr *int64, x *float32, ldx int, y *float32, ldy int, other *int32, ahead, lastByte int,
		slope float32, score, moment *float32, plane, heads, apart int, keep *float32)
)

var attendAVX512 = attendFuncs{
	lanes:  16,
	scores: [3]attendScoresFunc{attendScoresEightAVX512, attendScoresSomeAVX512, attendScoresManyAVX512},
	sum: [3][]attendSumsFunc{
		{1: attendSumEightAVX512x1, 2: attendSumEightAVX512x2, 3: attendSumEightAVX512x3, 4: attendSumEightAVX512x4, 5: attendSumEightAVX512x5, 6: attendSumEightAVX512x6, 7: attendSumEightAVX512x7, 8: attendSumEightAVX512x8},
		{1: attendSumSomeAVX512x1, 2: attendSumSomeAVX512x2, 3: attendSumSomeAVX512x3, 4: attendSumSomeAVX512x4, 5: attendSumSomeAVX512x5, 6: attendSumSomeAVX512x6, 7: attendSumSomeAVX512x7, 8: attendSumSomeAVX512x8},
		{1: attendSumManyAVX512x1, 2: attendSumManyAVX512x2, 3: attendSumManyAVX512x3, 4: attendSumManyAVX512x4, 5: attendSumManyAVX512x5, 6: attendSumManyAVX512x6, 7: attendSumManyAVX512x7, 8: attendSumManyAVX512x8},
	},
	back: [3][]attendBackFunc{
		{1: attendBackEightAVX512x1, 2: attendBackEightAVX512x2, 3: attendBackEightAVX512x3, 4: attendBackEightAVX512x4},
		{1: attendBackSomeAVX512x1, 2: attendBackSomeAVX512x2, 3: attendBackSomeAVX512x3, 4: attendBackSomeAVX512x4},
		{1: attendBackManyAVX512x1, 2: attendBackManyAVX512x2, 3: attendBackManyAVX512x3, 4: attendBackManyAVX512x4},
	},
	moments: [3]attendMomentsFunc{attendMomentsEightAVX512, attendMomentsSomeAVX512, attendMomentsManyAVX512},
	momentsRows: [17]attendMomentsRowsFunc{
		1: attendMomentsRowsAVX512x1, 2: attendMomentsRowsAVX512x2, 4: attendMomentsRowsAVX512x4,
		8: attendMomentsRowsAVX512x8, 16: attendMomentsRowsAVX512x16,
	},
	backSquare: attendBackSquareEightAVX512x4,
}

// loops returns the passes; those of one head, whose exponentials would fill no
// vector, and what is not theirs are as in parts.
func (f *attendFuncs) loops(parts *attentionFuncs) attentionLoops {
	one := parts.oneLoops()
	loops := one
	loops.one, loops.pairs = &one, len(f.back[0])-1
	loops.sum, loops.moments, loops.back = f.sumRows, f.momentRows, f.backRows
	return loops
}

// which returns the function of three for a block.
func (f *attendFuncs) which(w *attender) int {
	switch {
	case w.heads == 8:
		return 0
	case w.heads < 8:
		return 1
	}
	return 2
}

// eachLanes calls run for each vector of heads.
func (f *attendFuncs) eachLanes(w *attender, run func(from, heads int)) {
	for h := 0; h < w.heads; h += f.lanes {
		run(h, min(f.lanes, w.heads-h))
	}
}

// scoreRows sets the scores, rectified, and their tops.
func (f *attendFuncs) scoreRows(c *call, w *attender) {
	o, h := &c.attend, w.heads
	score := f.scores[f.which(w)]
	w.sub.seg.splitAhead(w.ptr, ahead(h), func(from, to, ahead int) {
		f.eachLanes(w, func(head, heads int) {
			x, ldx := place(o.r, 0, head)
			y, ldy := place(o.l, int64(w.row+from), head)
			score(to-from, &w.ptr[from], x, ldx, y, ldy, neighbourIndex(w.sub.seg), ahead, w.slope,
				valueAt(w.score, int(w.ptr[from])*h+head), &w.moment[from*h+head], heads, 4*h)
		})
	})
}

func (f *attendFuncs) sumRows(c *call, w *attender, y tensor.Matrix) {
	o, h := &c.attend, w.heads
	keep := w.factors(c)
	w.sub.seg.splitAhead(w.ptr, ahead(c.passes[0].cols), func(from, to, ahead int) {
		for _, p := range c.passes {
			x, ldx := place(o.z, 0, p.from)
			dst, ldy := place(y, int64(from), p.from)
			far, ldfar := place(o.r, 0, p.head)
			own, ldown := place(o.l, int64(w.row+from), p.head)
			f.sum[f.which(w)][p.vectors](to-from, &w.ptr[from], x, ldx, dst, ldy, p.tail, neighbourIndex(w.sub.seg), ahead, p.lastByte(),
				p.heads, 4*h, &p.lane[0], valueAt(keep, p.head), w.slope, far, ldfar, own, ldown,
				&w.plane(topMoment)[from*h+p.head], &w.plane(sumMoment)[from*h+p.head])
		}
	})
}

func (f *attendFuncs) momentRows(c *call, w *attender) {
	o, h := &c.attend, w.heads
	f.scoreRows(c, w)
	plane := 4 * w.planeSize()
	rows := f.momentsOf(h, o.z.Cols)
	if rows == nil {
		w.multiply(c, o.z, o.g)
		f.eachLanes(w, func(head, heads int) {
			f.moments[f.which(w)](w.rows, &w.ptr[0], valueAt(w.product, head), w.slope, valueAt(w.score, head), &w.moment[head], plane, heads, 4*h)
		})
		return
	}
	keep := w.factors(c)
	w.sub.seg.splitAhead(w.ptr, ahead(o.z.Cols), func(from, to, ahead int) {
		x, ldx := place(o.z, 0, 0)
		y, ldy := place(o.g, int64(w.row+from), 0)
		rows(to-from, &w.ptr[from], x, ldx, y, ldy, neighbourIndex(w.sub.seg), ahead, 4*o.z.Cols-1,
			w.slope, valueAt(w.score, 0), &w.moment[from*h], plane, h, 4*h, valueAt(keep, 0))
	})
}

// momentsOf returns the function for some heads that takes their products, or nil.
func (f *attendFuncs) momentsOf(heads, cols int) attendMomentsRowsFunc {
	if n := cols / f.lanes; heads == 8 && cols%f.lanes == 0 && n < len(f.momentsRows) {
		return f.momentsRows[n]
	}
	return nil
}

func (f *attendFuncs) backRows(c *call, w *attender, dz, dr tensor.Matrix) {
	o, h, others := &c.attend, w.heads, w.others(c)
	keep := w.factors(c)
	square := h == 8 && o.g.Cols == 64
	w.sub.seg.splitAhead(w.ptr, ahead(c.passes[0].cols), func(from, to, ahead int) {
		for _, p := range c.passes {
			x, ldx := place(o.g, 0, p.from)
			y, ldy := place(dz, int64(from), p.from)
			far, ldfar := place(o.l, 0, p.head)
			own, ldown := place(o.r, int64(w.row+from), p.head)
			if square {
				t, ldt := place(dr, int64(from), 0)
				z, ldz := place(o.z, int64(w.row+from), 0)
				f.backSquare(to-from, &w.ptr[from], x, ldx, y, ldy, p.tail, neighbourIndex(w.sub.seg), ahead, p.lastByte(),
					h, 4*h, &p.lane[0], valueAt(keep, 0), w.slope, far, ldfar, own, ldown, t, ldt, z, ldz)
				return
			}
			t, ldt := place(others, int64(from), p.from)
			f.back[f.which(w)][p.vectors](to-from, &w.ptr[from], x, ldx, y, ldy, p.tail, neighbourIndex(w.sub.seg), ahead, p.lastByte(),
				p.heads, 4*h, &p.lane[0], valueAt(keep, p.head), w.slope, far, ldfar, own, ldown, t, ldt, &w.plane(0)[from*h+p.head])
		}
	})
	if !square {
		w.products(c, dr)
	}
}

// factors draws the mask and returns its factors of the edges' values, or nil
// where there is no mask.
func (w *attender) factors(c *call) []float32 {
	if w.dropout.mask.P == 0 || w.edges == 0 {
		return nil
	}
	keep := w.keep[:w.edges*w.heads]
	ones := w.ofEdges(keep)
	c.attend.values.fill(ones, ones, ones, 0, w.edges, 1)
	w.draw(c)
	w.mask(c, keep)
	return keep
}

// valueAt returns the place of value i, or nil where there are none.
func valueAt(x []float32, i int) *float32 {
	if i >= len(x) {
		return nil
	}
	return &x[i]
}
