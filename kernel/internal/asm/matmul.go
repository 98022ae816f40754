package main

import (
	"fmt"
	"strings"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// matmul builds the functions that compute one tile of a product, for each
// width of a tile in vectors.
func matmul() {
	maskData()
	for _, v := range []vectors{zmm, ymm} {
		for _, width := range []int{1, 2} {
			tileFunc(v, width)
		}
	}
}

// Bits of a tile's flags, as package kernel has them.
const (
	flagTransposed = 1 << iota
	flagAdd
	flagReLU
	flagLeakyReLU
)

const tileDoc = `%[1]s computes c = f(a·b [+ c] [+ bias]) of 1 to %[2]d rows and 1 to
%[3]d columns, by sums over k in ascending order. Strides are in bytes. a[i, p]
lies at a + i·lda + 4p, or at a + p·lda + 4i where transposed; row p of b, of
which %[3]d values are read, at b + p·ldb.`

// tileRows is the most rows of a tile of two vectors: the sums leave registers
// for two vectors of b and a value of a.
func tileRows(v vectors) int { return (v.registers - 3) / 2 }

// tileFunc builds one function with a body per number of rows.
func tileFunc(v vectors, width int) {
	name := fmt.Sprintf("tile%sx%d", v.name, width*v.values())
	TEXT(name, NOSPLIT, "func(flags, rows, cols, k int, a *float32, lda int, b *float32, ldb int, c *float32, ldc int, bias *float32, slope float32)")
	doc := fmt.Sprintf(tileDoc, name, tileRows(v), width*v.values())
	Doc(strings.Split(doc, "\n")...)
	Pragma("noescape")
	rows := Load(Param("rows"), GP64())
	for h := tileRows(v); h > 1; h-- {
		CMPQ(rows, Imm(uint64(h)))
		JE(LabelRef(fmt.Sprintf("rows%d", h)))
	}
	for h := 1; h <= tileRows(v); h++ {
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

func (t *tile) build() {
	Label(t.label("rows"))
	for _, row := range t.sums {
		for _, s := range row {
			t.clear(s)
		}
	}
	k := Load(Param("k"), GP64())
	a := Load(Param("a"), GP64()).(reg.GPVirtual)
	lda := Load(Param("lda"), GP64())
	b := Load(Param("b"), GP64())
	ldb := Load(Param("ldb"), GP64())
	t.unless(flagTransposed, "rowmajor")
	t.multiply("T", k, columnMajor{a, lda}, b, ldb)
	JMP(t.ref("finish"))
	Label(t.label("rowmajor"))
	t.multiply("N", k, rowsOf(a, lda, t.rows), b, ldb)
	Label(t.label("finish"))
	t.finish()
}

// unless jumps where a flag is not set.
func (t *tile) unless(flag uint32, label string) {
	f := Load(Param("flags"), GP64())
	TESTQ(U32(flag), f)
	JZ(t.ref(label))
}

// unroll is how many steps over k a loop takes at once.
const unroll = 2

// multiply adds the products of k columns of a with as many rows of b.
func (t *tile) multiply(name string, k reg.Register, a left, b, ldb reg.Register) {
	SUBQ(Imm(unroll), k)
	JL(t.ref("tail" + name))
	Label(t.label("loop" + name))
	for u := range unroll {
		t.step(a, u, strided(b, ldb, u))
	}
	a.advance(unroll)
	LEAQ(strided(b, ldb, unroll), b)
	SUBQ(Imm(unroll), k)
	JGE(t.ref("loop" + name))
	Label(t.label("tail" + name))
	ADDQ(Imm(unroll), k)
	JZ(t.ref("end" + name))
	t.step(a, 0, Mem{Base: b})
	Label(t.label("end" + name))
}

// step adds column u of a times the row of b at m.
func (t *tile) step(a left, u int, m Mem) {
	for j := range t.width {
		VMOVUPS(t.at(m, j), t.free(j))
	}
	v := t.free(t.width)
	for i, sums := range t.sums {
		VBROADCASTSS(a.at(i, u), v)
		for j, s := range sums {
			VFMADD231PS(v, t.free(j), s)
		}
	}
}

// strided is n strides after base; n is 0, 1, 2, 4 or 8.
func strided(base, stride reg.Register, n int) Mem {
	if n == 0 {
		return Mem{Base: base}
	}
	return Mem{Base: base, Index: stride, Scale: uint8(n)}
}

// left addresses the left operand of a tile.
type left interface {
	at(row, u int) Mem // the value in column u from the current one
	advance(columns int)
}

// rowMajor addresses rows by a pointer for every third.
type rowMajor struct {
	every3 []reg.GPVirtual
	lda    reg.Register
}

func rowsOf(a reg.GPVirtual, lda reg.Register, rows int) rowMajor {
	r := rowMajor{[]reg.GPVirtual{a}, lda}
	for i := 3; i < rows; i += 3 {
		next := GP64()
		LEAQ(strided(a, lda, 2), next)
		ADDQ(lda, next)
		r.every3 = append(r.every3, next)
		a = next
	}
	return r
}

func (r rowMajor) at(row, u int) Mem {
	return strided(r.every3[row/3], r.lda, row%3).Offset(4 * u)
}

func (r rowMajor) advance(columns int) {
	for _, p := range r.every3 {
		ADDQ(Imm(uint64(4*columns)), p)
	}
}

// columnMajor addresses a transposed operand.
type columnMajor struct{ a, lda reg.Register }

func (c columnMajor) at(row, u int) Mem {
	return strided(c.a, c.lda, u).Offset(4 * row)
}

func (c columnMajor) advance(columns int) {
	LEAQ(strided(c.a, c.lda, columns), c.a)
}
