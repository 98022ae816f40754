package main

// rowLoop is the loop over the rows of y of a sum whose last vector has some
// columns.
type rowLoop struct {
	*rowSum
	last           some
	y, ldy, left   gp // the current row, and how many there are from it on
	row, end, next string
}

func (s *rowSum) newLoop(last some) rowLoop {
	return rowLoop{s, last, s.load("y"), s.load("ldy"), s.load("rows"), s.newLabel("row"), s.newLabel("end"), s.newLabel("next")}
}

// rows builds the loops over rows and positions around the body of one position,
// which gets a register to work with.
func (s *rowSum) rows(position func(q gp, last some)) {
	s.eachTail(func(last some) {
		ptr, end := s.load("ptr"), s.gp()
		l := s.newLoop(last)
		s.do("MOVD.P", at(ptr, 8), s.p)
		s.label(l.row)
		s.do("MOVD.P", at(ptr, 8), end)
		s.clear(s.sums...)
		s.do("CMP", end, s.p)
		s.do("BGE", l.end)
		l.positions(end, func(q gp) { position(q, last) })
		s.label(l.end)
		l.store()
	})
}

// positions builds the loop over the positions of a row that has some.
func (l rowLoop) positions(end gp, body func(q gp)) {
	again := l.newLabel("position")
	l.label(again)
	l.scope(func() { body(l.gp()) })
	l.do("ADD", imm(1), l.p)
	l.do("CMP", end, l.p)
	l.do("BLT", again)
}

// store writes the sums to the row of y, and goes on to the next.
func (l rowLoop) store() {
	l.eachOfY(l.y, l.last, func(j int, p gp, n some) { l.storeSome(n, l.sums[j], p) })
	l.label(l.next)
	l.do("ADD", l.ldy, l.y)
	l.do("SUBS", imm(1), l.left, l.left)
	l.do("BNE", l.row)
}

// eachOfY runs build with the address of each vector of a row of y.
func (s *rowSum) eachOfY(y gp, last some, build func(j int, p gp, n some)) {
	s.scope(func() {
		p := s.gp()
		s.do("MOVD", y, p)
		for j := range s.n - 1 {
			build(j, p, lanes)
			s.do("ADD", imm(vectorBytes), p)
		}
		if s.n > 1 {
			s.do("ADD", s.lastY, y, p)
		}
		build(s.n-1, p, last)
	})
}

// named sets q to the address of the row of x that an index names at the position.
func (s *rowSum) named(index, q gp) {
	s.do("MOVWU", word(index, s.p), q)
	s.do("MADD", s.ldx, s.x, q, q)
}

// fetchAhead asks for the row of x some positions ahead. It may begin within a
// cache line, and so have one line more than it fills.
func (s *rowSum) fetchAhead(q gp) {
	s.named(s.ahead, q)
	for line := 0; line < s.n*lanes<<s.valueShift(); line += 64 {
		s.fetch(q, line, toRead)
	}
	s.do("ADD", s.lastByte, q)
	s.fetch(q, 0, toRead)
}

// eachVector loads the vectors of the row of x at q and runs body with each, pairs
// of whole ones at a time.
func (s *rowSum) eachVector(q gp, last some, body func(j int, x vec)) {
	s.scope(func() {
		x := s.vec(2)
		load, size := "FLDPQ", vectorBytes
		if s.narrow {
			load, size = "FLDPD", vectorBytes/2
		}
		j := 0
		for ; j+2 < s.n; j += 2 {
			s.do(load, at(q, j*size), pair(x))
			body(j, s.wide(x[0]))
			body(j+1, s.wide(x[1]))
		}
		for ; j < s.n; j++ {
			s.loadVector(j, q, last, x[j%2])
			body(j, s.wide(x[j%2]))
		}
	})
}

// loadVector loads vector j of the row of x at q, which is lost with the last.
func (s *rowSum) loadVector(j int, q gp, last some, x vec) {
	switch {
	case j < s.n-1 && s.narrow:
		s.do("FMOVD", at(q, j*vectorBytes/2), x)
	case j < s.n-1:
		s.do("FMOVQ", at(q, j*vectorBytes), x)
	default:
		if s.n > 1 {
			s.do("ADD", s.lastX, q)
		}
		if s.narrow {
			s.loadHalves(last, q, x)
		} else {
			s.loadSome(last, q, x)
		}
	}
}

// wide makes a vector of x one of float32, of which bfloat16 is the upper half.
func (s *rowSum) wide(x vec) vec {
	if s.narrow {
		s.do("VZIP1", x.h8(), s.zero.h8(), x.h8())
	}
	return x
}

// addVector adds a vector of x to its sum.
func (s *rowSum) addVector(j int, x vec) { s.add(x, s.sums[j], s.sums[j]) }

// weights are the rows of weights of edges.
type weights struct {
	s                 *rowSum
	pos, ahead, w, ld gp
}

func newWeights(s *rowSum) weights {
	w := weights{s, s.load("pos"), s.load("ahead"), s.load("w"), s.load("ldw")}
	s.do("ADD", w.ahead.String()+"<<2", w.pos, w.ahead)
	return w
}

// row sets q to the address of the weights at the position. Those that pos names
// are asked for as rows of x are; others come in order, by themselves.
func (w weights) row(q gp) {
	inOrder := w.s.newLabel("inorder")
	w.s.do("MOVD", w.s.p, q)
	w.s.do("CBZ", w.pos, inOrder)
	w.s.do("MOVWU", word(w.ahead, w.s.p), q)
	w.s.do("MADD", w.ld, w.w, q, q)
	w.s.fetch(q, 0, toRead)
	w.s.do("MOVWU", word(w.pos, w.s.p), q)
	w.s.label(inOrder)
	w.s.do("MADD", w.ld, w.w, q, q)
}

// ownLanes returns, for each vector of sums, the bytes of a vector of weights
// that its lanes take: the four of the weight that the argument lane numbers.
func (s *rowSum) ownLanes() []vec {
	own := s.vec(s.n)
	s.scope(func() {
		p, four := s.load("lane"), s.gp()
		within, copied := s.vec(1)[0], s.vec(1)[0]
		s.do("MOVD", "$0x03020100", four)
		s.do("VDUP", four, within.s4())
		for j, v := range own {
			if j == s.n-1 && j > 0 {
				s.do("MOVD", s.argument("lane"), p)
				s.do("ADD", s.lastX, p)
			}
			s.do("FMOVQ.P", at(p, vectorBytes), v)
			s.do("VSHL", imm(2), v.s4(), v.s4()) // the weight's first byte
			for _, bits := range []int{8, 16} {  // in all four
				s.do("VSHL", imm(bits), v.s4(), copied.s4())
				s.do("VORR", copied.b16(), v.b16(), v.b16())
			}
			s.do("VADD", within.b16(), v.b16(), v.b16())
		}
	})
	return own
}
