package kernel

import "github.com/weft-gnn/weft/tensor"

// staging is room in float32, per worker, for the rows at hand of matrices that
// are stored in bfloat16: of a left operand, of the result, and of the operands of
// a tail; of the result too where a tail has still to read what it is written over.
// What is computed there stays in the near caches until it is stored.
type staging struct {
	room         []float32
	size         int // values per worker
	result, tail int // where these begin; the left operand comes first
}

// stage makes room for so many rows of the call's left operand and of its result,
// where these are staged.
func (c *Ctx) stage(left, result int) {
	k := &c.call
	s := &k.staging
	if k.x.BFloat16 {
		s.result = left * k.x.Cols
	}
	s.tail = s.result
	if k.stagesResult() {
		s.tail += result * k.dst.Cols
	}
	s.size = s.tail
	for _, t := range k.tail.steps[:k.tail.n] {
		if t.X.BFloat16 {
			s.size = s.tail + max(tailValues, t.X.Cols)
		}
	}
	n := c.Pool.Threads() * s.size
	if cap(c.staged) < n {
		c.staged = make([]float32, n)
	}
	s.room = c.staged[:n]
}

// of views a worker's room from some place on as a matrix.
func (s *staging) of(worker, at, rows, cols int) tensor.Matrix {
	return tensor.Of(rows, cols, s.room[worker*s.size+at:][:rows*cols])
}

// slab is some columns of a matrix, of which a few rows at a time are read in
// float32.
type slab struct {
	matrix tensor.Matrix
	widen  rowFunc
	room   []float32 // for these rows, where the matrix is stored in bfloat16
}

// slabOf returns columns lo to hi of rows of m; lo is even.
func (c *call) slabOf(m tensor.Matrix, lo, hi int, room []float32) slab {
	if !m.BFloat16 {
		return slab{matrix: m.Columns(lo, hi)}
	}
	words := m
	words.BFloat16, words.Cols = false, m.Words()
	return slab{words.Columns(lo/2, (hi+1)/2).AsBFloat16(hi - lo), c.values.rows.widen, room}
}

// rows returns rows lo to hi, until the next call.
func (s slab) rows(lo, hi int) tensor.Matrix {
	if !s.matrix.BFloat16 {
		return s.matrix.Between(lo, hi)
	}
	x := tensor.Of(hi-lo, s.matrix.Cols, s.room[:(hi-lo)*s.matrix.Cols])
	s.widen(x, s.matrix.Between(lo, hi), x, 0, hi-lo, 0)
	return x
}

// left returns rows lo to hi of the left operand in float32.
func (c *call) left(worker, lo, hi int) tensor.Matrix {
	if !c.x.BFloat16 {
		return c.x.Between(lo, hi)
	}
	x := c.staging.of(worker, 0, hi-lo, c.x.Cols)
	c.values.rows.widen(x, c.x.Between(lo, hi), x, 0, hi-lo, 0)
	return x
}

// stagesResult reports whether rows of the result are computed in the staging room.
func (c *call) stagesResult() bool { return c.dst.BFloat16 || c.tail.over }

// result returns where rows lo to hi of the result are computed; finish then
// takes them on.
func (c *call) result(worker, lo, hi int) tensor.Matrix {
	if !c.stagesResult() {
		return c.dst.Between(lo, hi)
	}
	return c.staging.of(worker, c.staging.result, hi-lo, c.dst.Cols)
}

// stagedRows runs the body of a call whose result may be staged over its rows, and
// returns their number.
func (c *Ctx) stagedRows() int64 {
	k := &c.call
	k.cut(k.dst.Rows, k.dst.Cols)
	c.stage(0, k.stagedBlock())
	return c.cutRows()
}

// stagedBlock is how many rows of a result are staged at once.
func (c *call) stagedBlock() int { return max(1, tailValues/max(1, c.dst.Cols)) }

// eachStaged computes rows lo to hi of the result, those that are staged a block at
// a time, and stores them.
func (c *call) eachStaged(worker, lo, hi int, compute func(y tensor.Matrix, lo, hi int)) {
	step := hi - lo
	if c.stagesResult() {
		step = c.stagedBlock()
	}
	for ; lo < hi; lo += step {
		end := min(lo+step, hi)
		y := c.result(worker, lo, end)
		compute(y, lo, end)
		c.finish(worker, y, lo, end)
	}
}

// finish runs the tail over y, which holds rows lo to hi of the result, and stores
// them: a block at a time, so that a step finds what it reads in the nearest cache and
// nothing is overwritten before it is read.
func (c *call) finish(worker int, y tensor.Matrix, lo, hi int) {
	if !c.stagesResult() {
		c.follow(worker, y, lo)
		return
	}
	step := c.stagedBlock()
	for from := lo; from < hi; from += step {
		to := min(from+step, hi)
		block := y.Between(from-lo, to-lo)
		c.follow(worker, block, from)
		c.store(block, from, to)
	}
}

// store writes rows lo to hi of the result, which y holds.
func (c *call) store(y tensor.Matrix, lo, hi int) {
	if c.dst.BFloat16 {
		c.values.rows.narrow(c.dst.Between(lo, hi), y, y, 0, hi-lo, 0)
		return
	}
	for r := range y.Rows {
		copy(c.dst.Row(lo+r), y.Row(r))
	}
}
