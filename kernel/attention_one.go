//go:build amd64 && !noasm

package kernel

import "github.com/weft-gnn/weft/tensor"

// oneHead are loops of one variant for attention of one head, of which edges have
// one value each: a vector of edges at a time, whichever rows they belong to.
type oneHead struct {
	lanes          int
	spread         func(rows int, ptr *int64, own *float32, ldown int, z *float32)
	named          func(n int, x *float32, ldx int, other *int32, ahead int, z *float32)
	weigh, moments func(rows int, ptr *int64, own *float32, ldown int, far, score, last *float32,
		slope float32, result *float32, plane, ldr, heads int)
	far  func(n int, x *float32, ldx int, other *int32, ahead int, own *float32, slope float32, weight, tilted, pull *float32)
	back []oneHeadBack // by the vectors of their rows
}

type oneHeadBack func(rows int, ptr *int64, x *float32, ldx int, y *float32, ldy, tail int, other *int32, ahead, lastByte int,
	w, tilted, pull *float32, z *float32, ldz int, t *float32, ldt, later int)

var oneHeadAVX2 = oneHead{
	lanes: 8, spread: attentionSpreadAVX2, named: attentionNamedAVX2, weigh: attentionWeighAVX2x1, moments: attentionWeighMomentsAVX2x1, far: attentionFarAVX2,
	back: []oneHeadBack{1: attentionBackAVX2x1, 2: attentionBackAVX2x2, 3: attentionBackAVX2x3, 4: attentionBackAVX2x4},
}

var oneHeadAVX512 = oneHead{
	lanes: 16, spread: attentionSpreadAVX512, named: attentionNamedAVX512, weigh: attentionWeighAVX512x1, moments: attentionWeighMomentsAVX512x1, far: attentionFarAVX512,
	back: []oneHeadBack{1: attentionBackAVX512x1, 2: attentionBackAVX512x2, 3: attentionBackAVX512x3, 4: attentionBackAVX512x4,
		5: attentionBackAVX512x5, 6: attentionBackAVX512x6, 7: attentionBackAVX512x7, 8: attentionBackAVX512x8},
}

// sumRows sets y to the sums of rows, and the first two moments.
func (o *oneHead) sumRows(c *call, w *attender, y tensor.Matrix) {
	w.clearMoments()
	if w.edges > 0 {
		own, ldown := o.gatherEdges(c, w)
		o.weigh(w.rows, &w.ptr[0], own, ldown, &w.far[0], &w.score[0], &w.weight[0],
			w.slope, &w.moment[0], 4*w.planeSize(), 4, 1)
	}
	w.draw(c)
	w.mask(c, w.weight)
	w.sum(c, c.attend.z, y)
}

// momentRows sets all moments.
func (o *oneHead) momentRows(c *call, w *attender) {
	w.clearMoments()
	if w.edges == 0 {
		return
	}
	w.multiply(c, c.attend.z, c.attend.g)
	own, ldown := o.gatherEdges(c, w)
	o.moments(w.rows, &w.ptr[0], own, ldown, &w.far[0], &w.score[0], &w.product[0],
		w.slope, &w.moment[0], 4*w.planeSize(), 4, 1)
}

// gatherEdges sets far to what the other ends add to scores, and returns the place of
// what the own ones do.
func (o *oneHead) gatherEdges(c *call, w *attender) (own *float32, ldown int) {
	x, ldx := place(c.attend.r, 0, 0)
	other, later := w.padded(o.lanes, ahead(1))
	o.named(w.edges, x, ldx, other, later, &w.far[0])
	return place(c.attend.l, int64(w.row), 0)
}

// spreadRows sets the scores to the values of the block's own rows.
func (o *oneHead) spreadRows(w *attender, m tensor.Matrix) {
	own, ld := place(m, int64(w.row), 0)
	o.spread(w.rows, &w.ptr[0], own, ld, &w.score[0])
}

// backRows sums rows and takes their products. What edges pull is in far.
func (o *oneHead) backRows(c *call, w *attender, dz, dr tensor.Matrix) {
	k := &c.attend
	o.weighEdges(c, w)
	w.draw(c)
	w.mask(c, w.weight)
	w.mask(c, w.tilted)
	w.sub.seg.splitAhead(w.ptr, ahead(c.passes[0].cols), func(from, to, ahead int) {
		for i, p := range c.passes {
			x, ldx := place(k.g, 0, p.from)
			y, ldy := place(dz, int64(from), p.from)
			z, ldz := place(k.z, int64(w.row+from), p.from)
			t, ldt := place(dr, int64(from), 0)
			o.back[p.vectors](to-from, &w.ptr[from], x, ldx, y, ldy, p.tail, neighbourIndex(w.sub.seg), ahead, p.lastByte(),
				valueAt(w.weight, 0), valueAt(w.tilted, 0), valueAt(w.far, 0), z, ldz, t, ldt, i)
		}
	})
}

// weighEdges sets the weights, those times σ′, and far to the latter times t.
func (o *oneHead) weighEdges(c *call, w *attender) {
	if w.edges == 0 {
		return
	}
	o.spreadRows(w, c.attend.r)
	x, ldx := place(c.attend.l, 0, 0)
	other, later := w.padded(o.lanes, ahead(4))
	o.far(w.edges, x, ldx, other, later, &w.score[0], w.slope, &w.weight[0], &w.tilted[0], &w.far[0])
}

// padded returns an index of the block's edges and of a vector beyond, which may be
// any vertices, and how far ahead of it one may look: not at all where that would be
// beyond the index.
func (w *attender) padded(lanes, ahead int) (*int32, int) {
	other := w.sub.seg.other
	if len(other) >= w.edges+lanes+ahead {
		return &other[0], ahead
	}
	w.index = w.index[:w.edges+lanes]
	clear(w.index[copy(w.index, other[:w.edges]):])
	return &w.index[0], 0
}
