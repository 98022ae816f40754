package main

// finish builds what follows a tile's sums: c = f(sums [+ c] [+ bias]).
func (t *tile) finish() {
	if t.width == 2 {
		t.scope(t.overlap)
		t.finishAs(lanes)
		return
	}
	t.byCount(t.argument("cols"), t.finishAs)
}

// overlap shifts the second vector of each row so that it ends with the last
// column there is: some of its columns are the first's as well, and get the same
// values. So no vector has fewer columns than lanes.
func (t *tile) overlap() {
	cols, half := t.load("cols"), t.gp()
	t.do("CMP", imm(2*lanes), cols)
	t.do("BEQ", t.here("whole"))
	first, shift := t.vec(1)[0], t.vec(1)[0]
	t.do("MOVD", "$0x0706050403020100", half)
	t.do("VMOV", half, first.lane('D', 0))
	t.do("MOVD", "$0x0f0e0d0c0b0a0908", half)
	t.do("VMOV", half, first.lane('D', 1))
	t.do("SUB", imm(lanes), cols)
	t.do("LSL", imm(2), cols)
	t.do("VDUP", cols, shift.b16())
	t.do("VADD", shift.b16(), first.b16(), first.b16())
	for _, s := range t.sums {
		t.do("VTBL", first.b16(), "["+s[0].b16()+", "+s[1].b16()+"]", s[1].b16())
	}
	t.label(t.here("whole"))
}

// finishAs finishes where the last vector has n columns.
func (t *tile) finishAs(n some) {
	t.when(flagAdd, func() {
		x := t.vec(1)[0]
		t.eachVector(t.c, func(p gp, i, j int) {
			t.loadSome(n, p, x)
			t.add(x, t.sums[i][j], t.sums[i][j])
		})
	})
	t.scope(func() { t.addBias(n) })
	t.when(flagReLU, t.relu)
	t.when(flagLeakyReLU, t.leaky)
	t.eachVector(t.c, func(p gp, i, j int) { t.storeSome(n, t.sums[i][j], p) })
}

// when builds code that runs where a flag is set.
func (t *tile) when(flag int, build func()) {
	end := t.newLabel("unset")
	t.do("TBZ", imm(flag), t.flags, end)
	t.scope(build)
	t.label(end)
}

// eachVector runs build with the address of each vector of c.
func (t *tile) eachVector(c gp, build func(p gp, row, j int)) {
	t.scope(func() {
		at, ldc := t.columns(c), t.load("ldc")
		for i := range t.sums {
			for j, p := range at {
				build(p, i, j)
				if i < t.rows-1 {
					t.do("ADD", ldc, p)
				}
			}
		}
	})
}

// columns returns the addresses of the tile's vectors in a row.
func (t *tile) columns(row gp) (at []gp) {
	for range t.width {
		at = append(at, t.gp())
	}
	t.do("MOVD", row, at[0])
	if t.width == 2 {
		t.do("MOVD", t.argument("cols"), at[1])
		t.do("SUB", imm(lanes), at[1])
		t.do("ADD", at[1].String()+"<<2", row, at[1])
	}
	return at
}

func (t *tile) addBias(n some) {
	bias, end := t.load("bias"), t.newLabel("unbiased")
	t.do("CBZ", bias, end)
	x := t.vec(1)[0]
	for j, p := range t.columns(bias) {
		t.loadSome(n, p, x)
		for _, s := range t.sums {
			t.add(x, s[j], s[j])
		}
	}
	t.label(end)
}

// relu sets to zero what is below it, which NaN and −0 are not.
func (t *tile) relu() {
	zero, low := t.vec(1)[0], t.vec(1)[0]
	t.clear(zero)
	for _, row := range t.sums {
		for _, s := range row {
			t.below(s, low)
			t.do("VBIT", low.b16(), zero.b16(), s.b16())
		}
	}
}

// leaky multiplies by the slope what is not above zero; NaN is neither.
func (t *tile) leaky() {
	slope, low, scaled := t.vec(1)[0], t.vec(1)[0], t.vec(1)[0]
	t.do("FMOVS", t.argument("slope"), slope)
	t.do("VDUP", slope.lane('S', 0), slope.s4())
	for _, row := range t.sums {
		for _, s := range row {
			t.notAbove(s, low)
			t.multiply(s, slope, scaled)
			t.do("VBIT", low.b16(), scaled.b16(), s.b16())
		}
	}
}

// transpose builds the function that packs the rows of a right operand as
// columns: squares of a vector's width.
func transpose(out *file) {
	f := out.function("transposeNEON", "squares int, a *float32, lda int, dst *float32, ldd int",
		"transposes 4 rows of squares × 4 columns, squares > 0:\na[i, p] at a + i·lda + 4p goes to dst + p·ldd + 4i.")
	squares, a, lda := f.load("squares"), f.load("a"), f.load("lda")
	dst, ldd, row := f.load("dst"), f.load("ldd"), f.gp()
	in, twos, out4 := f.vec(lanes), f.vec(lanes), f.vec(lanes)
	f.label("square")
	f.do("MOVD", a, row)
	for _, v := range in {
		f.do("FMOVQ", at(row, 0), v)
		f.do("ADD", lda, row)
	}
	// Pairs of values of two rows, and then of all four.
	for i := 0; i < lanes; i += 2 {
		f.do("VTRN1", in[i+1].s4(), in[i].s4(), twos[i].s4())
		f.do("VTRN2", in[i+1].s4(), in[i].s4(), twos[i+1].s4())
	}
	for i := range 2 {
		f.do("VTRN1", twos[2+i].d2(), twos[i].d2(), out4[i].d2())
		f.do("VTRN2", twos[2+i].d2(), twos[i].d2(), out4[2+i].d2())
	}
	for _, column := range out4 {
		f.do("FMOVQ", column, at(dst, 0))
		f.do("ADD", ldd, dst)
	}
	f.do("ADD", imm(vectorBytes), a)
	f.do("SUBS", imm(1), squares, squares)
	f.do("BNE", "square")
	f.do("RET")
}
