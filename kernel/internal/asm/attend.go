package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// attend builds the passes of attention that gather rows and take exponentials in
// one loop: while rows are on their way there is time for what edges compute.
func attend() {
	for _, most := range []int{exactlyEight, underEight, overEight} {
		attendScores(zmm, most)
		attendMoments(zmm, most)
		for n := 1; n <= attendVectors; n++ {
			attendSum(zmm, n, most)
		}
		for n := 1; n <= attendPairs; n++ {
			attendBack(zmm, n, most)
		}
	}
	for _, n := range productVectors {
		attendMomentsRows(zmm, n)
	}
	attendBackSquare(zmm)
}

// attendVectors and attendPairs are how many vectors of one sum and of two the
// registers hold beside what exponentials need.
const (
	attendVectors = 8
	attendPairs   = 4
)

// attendBack builds two sums of rows, one weighted by exponentials of scores and
// one by these times the slope, and the sums of the latter times a value of the
// other end's.
func attendBack(v vectors, n, most int) {
	a := &attending{most: most}
	a.begin(v, n, 2, "attendBack", "sums rows by the exponentials of scores, and by these times the slope", backArgs+", pull *float32")
	a.back(func([]vec, vec) {}, func(others []vec, pull vec) {
		a.store(others, pointer("t").Base)
		a.toRow(pull, pointer("pull"))
		a.nextHeads("pull")
	})
}

const (
	endArgs  = ", slope float32, far *float32, ldfar int, own *float32, ldown int"
	backArgs = endArgs + ", t *float32, ldt int"
)

// attendBackSquare builds the same for eight heads of eight columns, of which it
// multiplies the second sums with rows of their own.
func attendBackSquare(v vectors) {
	a := &attending{most: exactlyEight}
	a.begin(v, 4, 2, "attendBackSquare", "sums rows by the exponentials of scores; to t go the products of z with those times the slope, less their sums times the third value", backArgs+", z *float32, ldz int")
	result := v.register()
	a.back(func(others []vec, pull vec) {
		z := ownRow(v, "z", "ldz", len(others))
		for j, x := range others {
			VMULPS(v.at(z, j), x, x)
		}
		order := v.register()
		VMOVUPS(evenThenOdd(), order)
		foldEight(others, order)
		VSUBPS(pull, others[0], result)
	}, func([]vec, vec) {
		VMOVUPS(result.AsY(), pointer("t"))
		next("z", "ldz")
	}, result)
}

// back builds the loops of both. leave takes the second sums and those of products
// after the edges of a row, end at the end of any; there, zeros are 0 of a row
// without edges.
func (a *attending) back(leave, end func(others []vec, pull vec), zeros ...vec) {
	v := a.v
	a.askAgain()
	far := Load(Param("far"), GP64()).(reg.GPVirtual)
	c, slope, zero := newConstants(v, exp2Constants...), v.broadcast("slope"), v.register()
	v.zero(zero)
	own, pull := v.register(), v.register()
	var others []vec
	for range a.sums {
		others = append(others, v.register())
	}
	a.walk(rowSteps{start: func() {
		v.zero(append(zeros, pull)...)
		v.zero(others...)
		v.zero(a.sums...)
	}, enter: func() { a.ofRow(pointer("own"), own) }, position: func(at []reg.GPVirtual) {
		values := a.farValues(far, at, 3)
		x, logSum, mean := values[0], values[1], values[2]
		VADDPS(own, x, x)
		w := v.register()
		VMOVAPS(x, w)
		v.rectify(w, slope)
		VSUBPS(logSum, w, w)
		c.exponential(w)
		tilted := v.tilt(x, w, slope, zero)
		a.addProduct(pull, tilted, mean)
		a.mask(w, tilted)
		q := a.named(at)
		a.gather(q, []vec{w, tilted}, a.sums, others)
	}, leave: func() {
		a.foldEdges(pull)
		leave(others, pull)
	}, end: func() {
		a.store(a.sums, pointer("y").Base)
		end(others, pull)
		next("y", "ldy")
		next("t", "ldt")
		next("own", "ldown")
	}})
}

// farValues asks for what the other ends of edges have some positions ahead, and
// returns the values per head, so many, that those at some positions have.
func (a *attending) farValues(far reg.GPVirtual, at []reg.GPVirtual, n int) (values []vec) {
	apart := GP64()
	MOVQ(argument("apart"), apart)
	place := func(q reg.GPVirtual, i int) Mem {
		if i == 0 {
			return Mem{Base: q}
		}
		return Mem{Base: q, Index: apart, Scale: uint8(i)}
	}
	for range n {
		values = append(values, a.v.register())
	}
	for edge, p := range at {
		q := GP64()
		find := func(index reg.Register) {
			MOVL(Mem{Base: index, Index: p, Scale: 4}, q.As32())
			IMULQ(argument("ldfar"), q)
			ADDQ(far, q)
		}
		find(a.ahead)
		for i := range values {
			PREFETCHT0(place(q, i))
		}
		find(a.other)
		for i, x := range values {
			switch {
			case !a.two():
				a.load(place(q, i), x)
			case edge == 0:
				VMOVUPS(place(q, i), x.AsY())
			default:
				VINSERTF32X8(Imm(1), place(q, i), x, x)
			}
		}
	}
	return values
}
