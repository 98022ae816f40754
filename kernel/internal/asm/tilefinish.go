package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// finish builds what follows a tile's sums: c = f(sums [+ c] [+ bias]).
func (t *tile) finish() {
	t.when(flagAdd, "add", t.addC)
	t.addBias()
	t.when(flagReLU, "relu", t.relu)
	t.when(flagLeakyReLU, "leaky", t.leaky)
	t.store()
}

// when builds code that runs where a flag is set.
func (t *tile) when(flag uint32, name string, build func()) {
	t.unless(flag, "no"+name)
	build()
	Label(t.label("no" + name))
}

// eachRow runs build with the address of each row of c.
func (t *tile) eachRow(build func(row int, m Mem)) {
	c := Load(Param("c"), GP64())
	ldc := Load(Param("ldc"), GP64())
	for i := range t.sums {
		if i > 0 {
			ADDQ(ldc, c)
		}
		build(i, Mem{Base: c})
	}
}

// columnMasks returns masks of the columns that there are, which take the
// first free registers.
func (t *tile) columnMasks() []reg.Register {
	return t.masks(Load(Param("cols"), GP64()), t.width, t.rows*t.width)
}

func (t *tile) addC() {
	masks := t.columnMasks()
	x := t.free(t.width)
	t.eachRow(func(i int, m Mem) {
		for j, s := range t.sums[i] {
			t.vectors.load(t.at(m, j), masks[j], x)
			VADDPS(x, s, s)
		}
	})
}

func (t *tile) addBias() {
	bias := Load(Param("bias"), GP64())
	TESTQ(bias, bias)
	JZ(t.ref("nobias"))
	masks := t.columnMasks()
	x := t.free(t.width)
	for j := range t.width {
		t.vectors.load(t.at(Mem{Base: bias}, j), masks[j], x)
		for _, s := range t.sums {
			VADDPS(x, s[j], s[j])
		}
	}
	Label(t.label("nobias"))
}

// relu keeps NaN and −0: of those, a maximum returns its second operand, which
// assembly names first.
func (t *tile) relu() {
	zero := t.free(0)
	t.clear(zero)
	for _, row := range t.sums {
		for _, s := range row {
			VMAXPS(s, zero, s)
		}
	}
}

// leaky multiplies by the slope what is not above zero; NaN is neither.
func (t *tile) leaky() {
	const lessOrEqual = 18
	zero, slope := t.free(0), t.free(1)
	t.clear(zero)
	VBROADCASTSS(argument("slope"), slope)
	for _, row := range t.sums {
		for _, s := range row {
			if t.masked() {
				low := K()
				VCMPPS(Imm(lessOrEqual), zero, s, low)
				VMULPS(slope, s, low, s)
				continue
			}
			low, scaled := t.free(2), t.free(3)
			VCMPPS(Imm(lessOrEqual), zero, s, low)
			VMULPS(slope, s, scaled)
			VBLENDVPS(low, scaled, s, s)
		}
	}
}

// store writes the sums to c. Where every column is there, AVX2 stores without
// masks, for some processors take long over its masked stores.
func (t *tile) store() {
	if !t.masked() {
		cols := Load(Param("cols"), GP64())
		CMPQ(cols, Imm(uint64(t.width*t.values())))
		JNE(t.ref("narrow"))
		t.eachRow(func(i int, m Mem) {
			for j, s := range t.sums[i] {
				VMOVUPS(s, t.at(m, j))
			}
		})
		JMP(t.ref("stored"))
		Label(t.label("narrow"))
	}
	masks := t.columnMasks()
	t.eachRow(func(i int, m Mem) {
		for j, s := range t.sums[i] {
			t.vectors.store(s, masks[j], t.at(m, j))
		}
	})
	Label(t.label("stored"))
}

// fetchC asks for the tile's part of c, so that it is there when the sums are.
func (t *tile) fetchC() {
	t.eachRow(func(_ int, m Mem) {
		for line := 0; line < t.width*t.bytes; line += 64 {
			PREFETCHT0(m.Offset(line))
		}
	})
}
