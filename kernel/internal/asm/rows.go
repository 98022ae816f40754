package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// rowFunc is a function of rows of x, and perhaps y, a row at a time.
type rowFunc struct {
	name, reads string
	// listed are the operands of which rows are those of a list, or the first where
	// that is nil; 'd' is dst. Of the others dst and y take a value for each row, x a row.
	listed    string
	scalar    bool
	heads     bool // rows have heads, of which lane tells each column's
	constants []float32
	doc       string
	row       func(r *rows)
}

const rowArgs = "n int, dst *float32, lddst int, x *float32, ldx int, y *float32, ldy, cols int, s float32"

// rows walks rows of cols values, which are at least one.
type rows struct {
	lanes
	at       map[rune]reg.GPVirtual // the current row of an operand; 'd' is dst
	full     reg.GPVirtual          // its values in whole vectors
	rest     tail                   // those beyond
	restOf   reg.GPVirtual          // how many they are
	position reg.GPVirtual

	lane  reg.Register  // of functions of heads: for each column, its head
	heads tail          // as many lanes as there are heads
	later reg.GPVirtual // from y's row to the one that is asked for
}

// weightsAhead is how many rows ahead the weights of a row's heads are asked for: they
// may be some columns of longer rows, of which hardware asks for all or none.
const weightsAhead = 32

// rowsLater returns how many bytes lie between rows that far apart.
func rowsLater(ld string) reg.GPVirtual {
	r := load(ld)
	SHLQ(Imm(uint64(log2(weightsAhead))), r)
	return r
}

// weights returns a row's value of each head, in a lane each.
func (r *rows) weights() vec {
	w := r.v.register()
	r.heads.load(Mem{Base: r.at['y']}, w)
	PREFETCHT0(strided(r.at['y'], r.later, 1))
	return w
}

func (f rowFunc) build(v vectors) {
	args := "func("
	if f.listed != "" {
		args += "list *int32, listed int, "
	}
	args += rowArgs
	if f.heads {
		args += ", heads int, lane *uint32"
	}
	TEXT(f.name+v.name, NOSPLIT, args+")")
	Doc(f.name + v.name + " computes, of n rows of cols values, " + f.doc + ".")
	Pragma("noescape")
	operands := "d" + f.reads
	r := newRows(v, f.reads, f.constants...)
	if f.scalar {
		r.scalar = v.register()
		VBROADCASTSS(argument("s"), r.scalar)
	}
	if f.heads {
		r.lane = Load(Param("lane"), GP64())
		r.heads = newTail(v, Load(Param("heads"), GP64()))
		r.later = rowsLater("ldy")
	}

	left := Load(Param("n"), GP64())
	loop := label("row")
	if f.listed == "" {
		Label(loop)
		f.row(r)
		for _, o := range operands {
			ADDQ(argument("ld"+operandNames[o]), r.at[o])
		}
		DECQ(left)
		JNZ(LabelRef(loop))
		VZEROUPPER()
		RET()
		return
	}
	f.eachListed(r, left, loop)
}

var operandNames = map[rune]string{'d': "dst", 'x': "x", 'y': "y"}

// newRows starts at the first row of dst and of the operands that are read.
func newRows(v vectors, reads string, constants ...float32) *rows {
	r := &rows{lanes: lanes{constants: newConstants(v, constants...)}, at: map[rune]reg.GPVirtual{}}
	for _, o := range "d" + reads {
		r.at[o] = load(operandNames[o])
	}
	r.full, r.restOf, r.position = load("cols"), GP64(), GP64()
	MOVQ(r.full, r.restOf)
	ANDQ(Imm(uint64(v.values()-1)), r.restOf)
	SUBQ(r.restOf, r.full)
	r.rest = newTail(v, r.restOf)
	return r
}

// listedAhead is how many rows of a list ahead of its own one is asked for: the
// gaps between them are of no length that hardware foresees.
const listedAhead = 16

// eachListed builds the loop over the rows of a list.
func (f rowFunc) eachListed(r *rows, left reg.Register, loop string) {
	list, i, unlisted := Load(Param("list"), GP64()), GP64(), label("unlisted")
	first := map[rune]reg.GPVirtual{}
	for _, o := range f.listed {
		first[o], r.at[o] = r.at[o], GP64()
	}
	XORQ(i, i)
	Label(loop)
	row := GP64()
	MOVQ(i, row)
	TESTQ(list, list)
	JZ(LabelRef(unlisted))
	asked := rune(f.listed[0])
	askListed(list, i, first[asked], "ld"+operandNames[asked])
	MOVLQSX(Mem{Base: list, Index: i, Scale: 4}, row)
	Label(unlisted)
	for _, o := range f.listed {
		MOVQ(row, r.at[o])
		IMULQ(argument("ld"+operandNames[o]), r.at[o])
		ADDQ(first[o], r.at[o])
	}
	f.row(r)
	for _, o := range "d" + f.reads {
		switch {
		case first[o] != nil:
		case o == 'x':
			ADDQ(argument("ldx"), r.at[o])
		default:
			ADDQ(Imm(4), r.at[o])
		}
	}
	INCQ(i)
	CMPQ(i, left)
	JLT(LabelRef(loop))
	VZEROUPPER()
	RET()
}

// askListed asks for the row of an operand some places after the i-th of the list, if
// the list goes on so far.
func askListed(list, i, x reg.Register, ld string) {
	loop, enough := label("lines"), label("enough")
	at, end := GP64(), GP64()
	LEAQ(Mem{Base: i, Disp: listedAhead}, at)
	CMPQ(at, argument("listed"))
	JGE(LabelRef(enough))
	MOVLQSX(Mem{Base: list, Index: at, Scale: 4}, at)
	IMULQ(argument(ld), at)
	ADDQ(x, at)
	MOVQ(argument("cols"), end)
	LEAQ(Mem{Base: at, Index: end, Scale: 4, Disp: -1}, end)
	Label(loop)
	PREFETCHT0(Mem{Base: at})
	ADDQ(Imm(64), at)
	CMPQ(at, end)
	JLT(LabelRef(loop))
	PREFETCHT0(Mem{Base: end})
	Label(enough)
}

// each builds a loop over the vectors of the current row.
func (r *rows) each(step func(only *tail)) {
	loop, rest, done := label("vectors"), label("rest"), label("done")
	XORQ(r.position, r.position)
	TESTQ(r.full, r.full)
	JZ(LabelRef(rest))
	Label(loop)
	step(nil)
	ADDQ(Imm(uint64(r.v.values())), r.position)
	CMPQ(r.position, r.full)
	JLT(LabelRef(loop))
	Label(rest)
	TESTQ(r.restOf, r.restOf)
	JZ(LabelRef(done))
	step(&r.rest)
	Label(done)
}

func (r *rows) place(operand rune) Mem {
	return Mem{Base: r.at[operand], Index: r.position, Scale: 4}
}

// read returns the vector of an operand at the current position; lanes that do
// not count hold fill, or 0 without it.
func (r *rows) read(operand rune, only *tail, fill ...vec) vec {
	if len(fill) > 0 {
		return r.v.read(r.place(operand), only, fill[0])
	}
	return r.v.read(r.place(operand), only, nil)
}

func (r *rows) write(x vec, only *tail) { store(x, r.place('d'), only) }

// fold leaves the combination of all lanes of x in each of them.
func (r *rows) fold(combine func(ops ...Op), x vec) {
	(&scores{v: r.v, heads: 1}).fold(combine, x)
}

// sum returns Σ of what term gives of each vector; lanes that do not count must
// give 0.
func (r *rows) sum(add func(sum vec, only *tail)) vec {
	sum := r.v.register()
	r.v.zero(sum)
	r.each(func(only *tail) { add(sum, only) })
	r.fold(VADDPS, sum)
	return sum
}

// dot returns Σ of the products of two operands.
func (r *rows) dot(a, b rune) vec {
	return r.sum(func(sum vec, only *tail) {
		x := r.read(a, only)
		if b == a {
			VFMADD231PS(x, x, sum)
			return
		}
		VFMADD231PS(r.read(b, only), x, sum)
	})
}

// top returns the largest value of x's row, −Inf where none is a number.
func (r *rows) top(lowest vec) vec {
	top := r.copy(lowest)
	r.each(func(only *tail) { VMAXPS(top, r.read('x', only, lowest), top) })
	r.fold(VMAXPS, top)
	return top
}

// first returns the first column of x's row that equals the lanes of top, 0 for none.
func (r *rows) first(top, lowest vec) reg.GPVirtual {
	column, found, done := GP64(), label("found"), label("stored")
	r.each(func(only *tail) {
		equals := GP32()
		equalLanes := r.where(r.read('x', only, lowest), equal, top)
		if r.v.masked() {
			KMOVW(equalLanes, equals)
		} else {
			VMOVMSKPS(equalLanes, equals)
		}
		XORQ(column, column)
		TZCNTL(equals, column.As32())
		JCC(LabelRef(found))
	})
	XORQ(column, column)
	JMP(LabelRef(done))
	Label(found)
	ADDQ(r.position, column)
	CMPQ(column, argument("cols"))
	JLT(LabelRef(done))
	XORQ(column, column) // beyond the row: it has no number
	Label(done)
	return column
}

// sumExp returns Σ exp(x − top), and writes the terms where they are asked for.
func (r *rows) sumExp(lowest, top vec, write bool) vec {
	return r.sum(func(sum vec, only *tail) {
		x := r.sub(r.read('x', only, lowest), top)
		r.exp(x, false)
		VADDPS(x, sum, sum)
		if write {
			r.write(x, only)
		}
	})
}
