package main

import "fmt"

// matmul builds the functions that compute a strip of a product, a column of
// tiles, for each width in vectors, and the one that packs a transposed operand.
func matmul(f *file) {
	for _, width := range []int{1, 2} {
		stripFunc(f, width)
	}
	transpose(f)
}

// Bits of a strip's flags, by their numbers, as package kernel has them.
const (
	flagTransposed = iota
	flagAhead
	flagAdd
	flagReLU
	flagLeakyReLU
)

const (
	lanes       = 4
	vectorBytes = 4 * lanes // of a vector

	// maxRows is the most rows of a tile. The sums of two vectors of columns take
	// half of the registers; the other half holds four rows of b, and four columns
	// of a, whose values multiply as elements of their vectors: 64 multiply-adds for
	// 12 loads.
	maxRows = 8
)

const (
	stripParams = "flags, tiles, rows, cols, k int, a *float32, lda int, b *float32, ldb, ahead int, c *float32, ldc int, bias *float32, slope float32, later *float32, ldlater int"
	stripDoc    = `computes c = f(a·b [+ c] [+ bias]) of tiles > 0 times 1 to %[1]d
rows and %[2]d to %[3]d columns, by sums over k in ascending order. Strides are in
bytes. a[i, p] lies at a + i·lda + 4p, or at a + p·lda + 4i where transposed; row
p of b, of which %[3]d values are read, at b + p·ldb. What lies ahead bytes after
b is needed next. It does not ask for later.`
)

// tile builds the code for one number of rows.
type tile struct {
	*function
	rows, width int
	sums        [][]vec
	a, c        gp // of the current tile
	tiles       gp // that are left
	flags       gp
	ahead       gp
}

// stripFunc builds one function, with a loop over tiles for each number of rows.
func stripFunc(out *file, width int) {
	name := fmt.Sprintf("stripNEONx%d", width*lanes)
	f := out.function(name, stripParams, fmt.Sprintf(stripDoc, maxRows, (width-1)*lanes+1, width*lanes))
	rows := f.load("rows")
	for h := maxRows; h > 1; h-- {
		f.do("CMP", imm(h), rows)
		f.do("BEQ", fmt.Sprintf("enter%d", h))
	}
	for h := 1; h <= maxRows; h++ {
		f.scope(func() { newTile(f, h, width).build() })
	}
}

func newTile(f *function, rows, width int) *tile {
	t := &tile{function: f, rows: rows, width: width}
	for range rows {
		t.sums = append(t.sums, f.vec(width))
	}
	return t
}

// here names a place in the code for this number of rows.
func (t *tile) here(name string) string { return fmt.Sprintf("%s%d", name, t.rows) }

// unless jumps where a flag is not set.
func (t *tile) unless(flag int, name string) { t.do("TBZ", imm(flag), t.flags, t.here(name)) }

func (t *tile) build() {
	t.label(t.here("enter"))
	t.flags, t.tiles, t.ahead = t.load("flags"), t.load("tiles"), t.load("ahead")
	t.a, t.c = t.load("a"), t.load("c")
	t.label(t.here("tile"))
	t.scope(t.fetchC)
	for _, row := range t.sums {
		t.clear(row...)
	}
	t.unless(flagTransposed, "rowmajor")
	t.scope(func() { t.multiplyColumns(newRight(t)) })
	t.do("B", t.here("finish"))
	t.label(t.here("rowmajor"))
	t.scope(func() { t.multiplyRows(newRight(t)) })
	t.label(t.here("finish"))
	t.scope(t.finish)
	t.scope(t.next)
}

// next goes on to the next tile, or returns. The first tile has asked for all of
// what is ahead.
func (t *tile) next() {
	t.do("SUBS", imm(1), t.tiles, t.tiles)
	t.do("BEQ", t.here("done"))
	t.do("MOVD", imm(0), t.ahead)
	rows := t.gp()
	t.do("MOVD", imm(t.rows), rows)
	t.do("MADD", rows, t.c, t.load("ldc"), t.c)
	t.unless(flagTransposed, "down")
	t.do("ADD", imm(4*t.rows), t.a)
	t.do("B", t.here("tile"))
	t.label(t.here("down"))
	t.do("MADD", rows, t.a, t.load("lda"), t.a)
	t.do("B", t.here("tile"))
	t.label(t.here("done"))
	t.do("RET")
}

// fetchC asks for the tile's part of c, so that it is there when the sums are.
func (t *tile) fetchC() {
	row, ldc := t.gp(), t.load("ldc")
	t.do("MOVD", t.c, row)
	for range t.rows {
		t.fetch(row, 0, toWrite)
		t.do("ADD", ldc, row)
	}
}

// right addresses the right operand row by row, and what the argument ahead says
// is needed later.
type right struct {
	*tile
	p, ldb, later gp
}

func newRight(t *tile) right {
	b := right{t, t.load("b"), t.load("ldb"), t.gp()}
	t.do("ADD", t.ahead, b.p, b.later)
	return b
}

// load loads a row and moves on to the next.
func (b right) load(row []vec) {
	if b.width == 2 {
		b.do("FLDPQ", at(b.p, 0), pair(row))
	} else {
		b.do("FMOVQ", at(b.p, 0), row[0])
	}
	b.fetch(b.later, 0, toNear)
	b.do("ADD", b.ldb, b.p)
	b.do("ADD", b.ldb, b.later)
}

// pair names two registers that one instruction loads or stores.
func pair(v []vec) string { return fmt.Sprintf("(%v, %v)", v[0], v[1]) }

// unroll is how many steps over k the loop over rows takes at once: a vector of
// each row.
const unroll = lanes

// multiplyRows adds the products of the columns of a, which lies by rows, with
// the rows of b.
func (t *tile) multiplyRows(b right) {
	k, row := t.load("k"), t.rowsOfA()
	after, step := t.afterTile()
	a := t.vec(t.rows)
	t.do("SUBS", imm(unroll), k, k)
	t.do("BLT", t.here("tailN"))
	t.label(t.here("loopN"))
	for i, r := range row {
		t.do("FMOVQ.P", at(r, vectorBytes), a[i])
	}
	t.fetch(after, 0, toRead)
	t.fetch(after, 64, toRead)
	t.do("ADD", step, after)
	t.scope(func() {
		for u := range unroll {
			x := t.vec(t.width)
			b.load(x)
			t.step(x, func(i int) (vec, int) { return a[i], u })
		}
	})
	t.do("SUBS", imm(unroll), k, k)
	t.do("BGE", t.here("loopN"))
	t.label(t.here("tailN"))
	t.do("ADDS", imm(unroll), k, k)
	t.do("BEQ", t.here("endN"))
	t.label(t.here("oneN"))
	for i, r := range row {
		t.do("FMOVS.P", at(r, 4), a[i])
	}
	x := t.vec(t.width)
	b.load(x)
	t.step(x, func(i int) (vec, int) { return a[i], 0 })
	t.do("SUBS", imm(1), k, k)
	t.do("BNE", t.here("oneN"))
	t.label(t.here("endN"))
}

// rowsOfA returns the addresses of the tile's rows of a.
func (t *tile) rowsOfA() (row []gp) {
	for range t.rows {
		row = append(row, t.gp())
	}
	t.do("MOVD", t.a, row[0])
	t.scope(func() {
		lda := t.load("lda")
		for i := 1; i < t.rows; i++ {
			t.do("ADD", lda, row[i-1], row[i])
		}
	})
	return row
}

// afterTile returns what the loop over rows asks for: where rows follow each
// other, 128 bytes per vector of columns of what follows the tile, which is the
// next tile; elsewhere only what it has.
func (t *tile) afterTile() (after, step gp) {
	after, step = t.gp(), t.gp()
	t.do("MOVD", t.a, after)
	t.do("MOVD", imm(0), step)
	t.unless(flagAhead, "near")
	t.scope(func() {
		rows := t.gp()
		t.do("MOVD", imm(t.rows), rows)
		t.do("MADD", rows, after, t.load("lda"), after)
	})
	t.do("MOVD", imm(maxRows*vectorBytes), step)
	t.label(t.here("near"))
	return after, step
}

// multiplyColumns does the same where a is transposed. It asks for as many of
// its rows below as it goes through: those of the next sums.
func (t *tile) multiplyColumns(b right) {
	k, lda, column, below := t.load("k"), t.load("lda"), t.gp(), t.gp()
	t.do("MOVD", t.a, column)
	t.do("MOVD", t.a, below)
	t.unless(flagAhead, "nearT")
	t.do("MADD", lda, below, k, below)
	t.label(t.here("nearT"))
	t.do("CBZ", k, t.here("endT"))
	t.label(t.here("loopT"))
	element := t.loadColumn(column)
	t.fetch(below, 0, toNear)
	t.do("ADD", lda, column)
	t.do("ADD", lda, below)
	x := t.vec(t.width)
	b.load(x)
	t.step(x, element)
	t.do("SUBS", imm(1), k, k)
	t.do("BNE", t.here("loopT"))
	t.label(t.here("endT"))
}

// loadColumn loads a column of a in as few registers as hold no more than it, and
// returns where its elements are.
func (t *tile) loadColumn(column gp) func(i int) (vec, int) {
	var from []int // the first rows of the registers
	first := vec(t.vectors)
	for i := 0; i < t.rows; {
		op, n := "FMOVS", 1
		switch left := t.rows - i; {
		case left >= 4:
			op, n = "FMOVQ", 4
		case left >= 2:
			op, n = "FMOVD", 2
		}
		t.do(op, at(column, 4*i), t.vec(1)[0])
		from = append(from, i)
		i += n
	}
	return func(i int) (vec, int) {
		r := len(from) - 1
		for from[r] > i {
			r--
		}
		return first + vec(r), i - from[r]
	}
}

// step adds a column of a times a row of b.
func (t *tile) step(row []vec, element func(i int) (vec, int)) {
	for i, sums := range t.sums {
		a, lane := element(i)
		for j, s := range sums {
			t.multiplyAdd(row[j], a, lane, s)
		}
	}
}
