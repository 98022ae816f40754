package main

import (
	"fmt"
	"strings"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// matmul builds the functions that compute a strip of a product, a column of
// tiles, for each width in vectors, and those that pack a transposed operand.
func matmul() {
	maskData()
	for _, v := range []vectors{zmm, ymm} {
		for _, width := range []int{1, 2} {
			stripFunc(v, width)
		}
		transpose(v)
	}
}

// Bits of a strip's flags, as package kernel has them.
const (
	flagTransposed = 1 << iota
	flagAhead
	flagAdd
	flagReLU
	flagLeakyReLU
)

const (
	stripArgs = "func(flags, tiles, rows, cols, k int, a *float32, lda int, b *float32, ldb, ahead int, c *float32, ldc int, bias *float32, slope float32, later *float32, ldlater int)"
	stripDoc  = `%[1]s computes c = f(a·b [+ c] [+ bias]) of tiles > 0 times 1 to %[2]d
rows and 1 to %[3]d columns, by sums over k in ascending order. Strides are in
bytes. a[i, p] lies at a + i·lda + 4p, or at a + p·lda + 4i where transposed; row
p of b, of which %[4]s values are read, at b + p·ldb. What lies ahead bytes after
b is needed next, and then what lies at later, ldlater bytes per step over k.`
)

// maxRows is the most rows of a tile of two vectors: its sums leave registers
// for two vectors of b and a value of a.
func maxRows(v vectors) int { return (v.registers - 3) / 2 }

// stripFunc builds one function, with a loop over tiles for each number of rows.
func stripFunc(v vectors, width int) {
	name := fmt.Sprintf("strip%sx%d", v.name, width*v.values())
	TEXT(name, NOSPLIT, stripArgs)
	read := fmt.Sprint(width * v.values())
	if v.masked() {
		read = "cols"
	}
	doc := fmt.Sprintf(stripDoc, name, maxRows(v), width*v.values(), read)
	Doc(strings.Split(doc, "\n")...)
	Pragma("noescape")
	rows := Load(Param("rows"), GP64())
	for h := maxRows(v); h > 1; h-- {
		CMPQ(rows, Imm(uint64(h)))
		JE(LabelRef(fmt.Sprintf("tile%d", h)))
	}
	for h := 1; h <= maxRows(v); h++ {
		newTile(v, h, width).build()
	}
}

// tile builds the code for one number of rows.
type tile struct {
	vectors
	rows, width int
	sums        [][]reg.VecPhysical
}

func newTile(v vectors, rows, width int) *tile {
	t := &tile{vectors: v, rows: rows, width: width, sums: make([][]reg.VecPhysical, rows)}
	for i := range t.sums {
		for j := range width {
			t.sums[i] = append(t.sums[i], v.numbered(i*width+j))
		}
	}
	return t
}

// free returns a register that holds no sum.
func (t *tile) free(i int) reg.VecPhysical { return t.numbered(t.rows*t.width + i) }

// label names a place in the code for this number of rows.
func (t *tile) label(name string) string { return fmt.Sprintf("%s%d", name, t.rows) }

func (t *tile) ref(name string) LabelRef { return LabelRef(t.label(name)) }

// unless jumps where a flag is not set.
func (t *tile) unless(flag uint32, label string) {
	f := Load(Param("flags"), GP64())
	TESTQ(U32(flag), f)
	JZ(t.ref(label))
}

func (t *tile) build() {
	Label(t.label("tile"))
	t.fetchC()
	for _, row := range t.sums {
		for _, s := range row {
			t.clear(s)
		}
	}
	t.unless(flagTransposed, "rowmajor")
	t.multiply("T", transposed(t))
	JMP(t.ref("finish"))
	Label(t.label("rowmajor"))
	t.multiply("N", rowMajor(t))
	Label(t.label("finish"))
	t.finish()
	t.next()
}

// next goes on to the next tile, or returns.
func (t *tile) next() {
	left := GP64()
	MOVQ(argument("tiles"), left)
	DECQ(left)
	JNZ(t.ref("more"))
	VZEROUPPER()
	RET()
	Label(t.label("more"))
	MOVQ(left, argument("tiles"))
	XORQ(left, left) // the first tile has asked for all
	MOVQ(left, argument("ahead"))
	t.unless(flagTransposed, "down")
	ADDQ(Imm(uint64(4*t.rows)), argument("a"))
	JMP(t.ref("downC"))
	Label(t.label("down"))
	t.moveDown("a", "lda")
	Label(t.label("downC"))
	t.moveDown("c", "ldc")
	JMP(t.ref("tile"))
}

// moveDown adds a tile's rows to an argument that is an address.
func (t *tile) moveDown(address, stride string) {
	step := Load(Param(stride), GP64())
	IMUL3Q(Imm(uint64(t.rows)), step, step)
	ADDQ(step, argument(address))
}

// unroll is how many steps over k a loop takes at once.
const unroll = 2

// multiply adds the products of the columns of a with the rows of b.
func (t *tile) multiply(name string, a left) {
	k := Load(Param("k"), GP64())
	b := newRight(t)
	SUBQ(Imm(unroll), k)
	JL(t.ref("tail" + name))
	Label(t.label("loop" + name))
	for u := range unroll {
		t.step(a, b, u)
	}
	a.advance(unroll)
	b.advance(unroll)
	SUBQ(Imm(unroll), k)
	JGE(t.ref("loop" + name))
	Label(t.label("tail" + name))
	ADDQ(Imm(unroll), k)
	JZ(t.ref("end" + name))
	t.step(a, b, 0)
	Label(t.label("end" + name))
	b.keep()
}

// step adds column u of a times row u of b, from the current ones.
func (t *tile) step(a left, b right, u int) {
	a.fetch(u)
	b.fetch(u)
	for j := range t.width {
		b.load(u, j)
	}
	v := t.free(t.width)
	for i, sums := range t.sums {
		VBROADCASTSS(a.at(i, u), v)
		for j, s := range sums {
			VFMADD231PS(v, t.free(j), s)
		}
	}
}
