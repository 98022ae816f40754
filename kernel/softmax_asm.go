//go:build amd64 && !noasm

package kernel

import "github.com/weft-gnn/weft/tensor"

// softmaxFuncs holds the functions of one variant, by the number of heads that
// lie side by side without a gap; function 0 takes up to lanes heads of rows
// some bytes apart.
type softmaxFuncs struct {
	lanes    int
	rows     [9]scoreRows
	max      [9]scoreToHeads
	exp      [9]scorePairHeads
	divide   [9]scoreToHeads
	gradRows [9]scoreTripleRows
	gradSum  [9]scorePairHeads
	weigh    [9]scoreTripleHeads
}

// The functions go through rows, or through some edges and a value per head.
type (
	scoreRows        func(rows int, ptr *int64, x *float32, ldx int, y *float32, ldy, heads int)
	scoreTripleRows  func(rows int, ptr *int64, x *float32, ldx int, y *float32, ldy int, z *float32, ldz, heads int)
	scoreToHeads     func(edges int, x *float32, ldx int, value *float32, heads int)
	scorePairHeads   func(edges int, x *float32, ldx int, y *float32, ldy int, value *float32, heads int)
	scoreTripleHeads func(edges int, x *float32, ldx int, y *float32, ldy int, z *float32, ldz int, value *float32, heads int)
)

var softmaxAVX2 = softmaxFuncs{
	lanes:    8,
	rows:     [...]scoreRows{0: softmaxRowsAVX2, 1: softmaxRowsAVX2x1, 2: softmaxRowsAVX2x2, 4: softmaxRowsAVX2x4, 8: softmaxRowsAVX2x8},
	max:      [...]scoreToHeads{0: softmaxMaxAVX2, 1: softmaxMaxAVX2x1, 2: softmaxMaxAVX2x2, 4: softmaxMaxAVX2x4, 8: softmaxMaxAVX2x8},
	exp:      [...]scorePairHeads{0: softmaxExpAVX2, 1: softmaxExpAVX2x1, 2: softmaxExpAVX2x2, 4: softmaxExpAVX2x4, 8: softmaxExpAVX2x8},
	divide:   [...]scoreToHeads{0: softmaxDivideAVX2, 1: softmaxDivideAVX2x1, 2: softmaxDivideAVX2x2, 4: softmaxDivideAVX2x4, 8: softmaxDivideAVX2x8},
	gradRows: [...]scoreTripleRows{0: softmaxGradRowsAVX2, 1: softmaxGradRowsAVX2x1, 2: softmaxGradRowsAVX2x2, 4: softmaxGradRowsAVX2x4, 8: softmaxGradRowsAVX2x8},
	gradSum:  [...]scorePairHeads{0: softmaxGradSumAVX2, 1: softmaxGradSumAVX2x1, 2: softmaxGradSumAVX2x2, 4: softmaxGradSumAVX2x4, 8: softmaxGradSumAVX2x8},
	weigh:    [...]scoreTripleHeads{0: softmaxGradWeighAVX2, 1: softmaxGradWeighAVX2x1, 2: softmaxGradWeighAVX2x2, 4: softmaxGradWeighAVX2x4, 8: softmaxGradWeighAVX2x8},
}

var softmaxAVX512 = softmaxFuncs{
	lanes:    16,
	rows:     [...]scoreRows{0: softmaxRowsAVX512, 1: softmaxRowsAVX512x1, 2: softmaxRowsAVX512x2, 4: softmaxRowsAVX512x4, 8: softmaxRowsAVX512x8},
	max:      [...]scoreToHeads{0: softmaxMaxAVX512, 1: softmaxMaxAVX512x1, 2: softmaxMaxAVX512x2, 4: softmaxMaxAVX512x4, 8: softmaxMaxAVX512x8},
	exp:      [...]scorePairHeads{0: softmaxExpAVX512, 1: softmaxExpAVX512x1, 2: softmaxExpAVX512x2, 4: softmaxExpAVX512x4, 8: softmaxExpAVX512x8},
	divide:   [...]scoreToHeads{0: softmaxDivideAVX512, 1: softmaxDivideAVX512x1, 2: softmaxDivideAVX512x2, 4: softmaxDivideAVX512x4, 8: softmaxDivideAVX512x8},
	gradRows: [...]scoreTripleRows{0: softmaxGradRowsAVX512, 1: softmaxGradRowsAVX512x1, 2: softmaxGradRowsAVX512x2, 4: softmaxGradRowsAVX512x4, 8: softmaxGradRowsAVX512x8},
	gradSum:  [...]scorePairHeads{0: softmaxGradSumAVX512, 1: softmaxGradSumAVX512x1, 2: softmaxGradSumAVX512x2, 4: softmaxGradSumAVX512x4, 8: softmaxGradSumAVX512x8},
	weigh:    [...]scoreTripleHeads{0: softmaxGradWeighAVX512, 1: softmaxGradWeighAVX512x1, 2: softmaxGradWeighAVX512x2, 4: softmaxGradWeighAVX512x4, 8: softmaxGradWeighAVX512x8},
}

// layout returns which functions fit a call's operands and how many heads one takes.
func (s *softmaxFuncs) layout(c *call) (which, heads int) {
	h := c.dst.Cols
	side := func(m tensor.Matrix) bool { return m.Stride == h || m.Data == nil }
	if h <= s.lanes && h < len(s.rows) && s.rows[h] != nil && side(c.x) && side(c.y) && side(c.dst) {
		return h, h
	}
	return 0, s.lanes
}

func (s *softmaxFuncs) loops() softmaxLoops {
	return softmaxLoops{
		rows:        s.eachRow,
		chunkMax:    s.chunkMax,
		chunkExp:    s.chunkExp,
		chunkDivide: s.chunkDivide,
		gradRows:    s.eachGradRow,
		chunkSum:    s.chunkSum,
		chunkWeigh:  s.chunkWeigh,
	}
}

func (s *softmaxFuncs) eachRow(c *call, lo, hi int) {
	p := c.seg.ptr[lo]
	which, step := s.layout(c)
	for h := 0; h < c.dst.Cols; h += step {
		x, ldx := place(c.x, p, h)
		y, ldy := place(c.dst, p, h)
		s.rows[which](hi-lo, &c.seg.ptr[lo], x, ldx, y, ldy, min(step, c.dst.Cols-h))
	}
}

func (s *softmaxFuncs) chunkMax(c *call, slot int, k chunk) {
	which, step := s.layout(c)
	for h := 0; h < c.dst.Cols; h += step {
		x, ldx := place(c.x, k.span[0], h)
		s.max[which](k.edges(), x, ldx, &c.slot(slot)[h], min(step, c.dst.Cols-h))
	}
}

func (s *softmaxFuncs) chunkExp(c *call, slot int, k chunk) {
	which, step := s.layout(c)
	for h := 0; h < c.dst.Cols; h += step {
		x, ldx := place(c.x, k.span[0], h)
		y, ldy := place(c.dst, k.span[0], h)
		s.exp[which](k.edges(), x, ldx, y, ldy, &c.slot(slot)[h], min(step, c.dst.Cols-h))
	}
}

func (s *softmaxFuncs) chunkDivide(c *call, slot int, k chunk) {
	which, step := s.layout(c)
	for h := 0; h < c.dst.Cols; h += step {
		y, ldy := place(c.dst, k.span[0], h)
		s.divide[which](k.edges(), y, ldy, &c.slot(slot)[h], min(step, c.dst.Cols-h))
	}
}

func (s *softmaxFuncs) eachGradRow(c *call, lo, hi int) {
	p := c.seg.ptr[lo]
	which, step := s.layout(c)
	for h := 0; h < c.dst.Cols; h += step {
		y, ldy := place(c.x, p, h)
		g, ldg := place(c.y, p, h)
		d, ldd := place(c.dst, p, h)
		s.gradRows[which](hi-lo, &c.seg.ptr[lo], y, ldy, g, ldg, d, ldd, min(step, c.dst.Cols-h))
	}
}

func (s *softmaxFuncs) chunkSum(c *call, slot int, k chunk) {
	which, step := s.layout(c)
	for h := 0; h < c.dst.Cols; h += step {
		y, ldy := place(c.x, k.span[0], h)
		g, ldg := place(c.y, k.span[0], h)
		s.gradSum[which](k.edges(), y, ldy, g, ldg, &c.slot(slot)[h], min(step, c.dst.Cols-h))
	}
}

func (s *softmaxFuncs) chunkWeigh(c *call, slot int, k chunk) {
	which, step := s.layout(c)
	for h := 0; h < c.dst.Cols; h += step {
		y, ldy := place(c.x, k.span[0], h)
		g, ldg := place(c.y, k.span[0], h)
		d, ldd := place(c.dst, k.span[0], h)
		s.weigh[which](k.edges(), y, ldy, g, ldg, d, ldd, &c.slot(slot)[h], min(step, c.dst.Cols-h))
	}
}
