package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// headProducts multiplies the rows of two edges with their own one: eight heads whose
// columns fill n vectors.
type headProducts struct {
	n     int
	own   []vec         // of few vectors, in registers
	row   reg.GPVirtual // of more, where it lies
	order vec           // of heads, where a vector has some of them
}

// productVectors are the numbers of vectors that there are functions for, of 2 to 32
// columns a head.
var productVectors = []int{1, 2, 4, 8, 16}

// ownVectors is how many vectors of the own row registers hold.
const ownVectors = 4

func newProducts(n int) *headProducts {
	p := &headProducts{n: n, row: GP64()}
	if n > ownVectors {
		return p
	}
	for range n {
		p.own = append(p.own, ZMM())
	}
	p.order = ZMM()
	VMOVUPS(headOrder(n), p.order)
	return p
}

// enter takes the own row.
func (p *headProducts) enter(row Mem) {
	if p.own == nil {
		MOVQ(row.Base, p.row)
	}
	for j, r := range p.own {
		VMOVUPS(zmm.at(row, j), r)
	}
}

// of returns the products with two rows of x, those of the first in the lower half.
func (p *headProducts) of(x0, x1 Mem) vec {
	var sum, other vec
	switch p.n {
	case 1:
		sum, other = p.vector(x0, 0), p.vector(x1, 0)
		addPairs(sum, other)
	case 2:
		four := []vec{p.vector(x0, 0), p.vector(x0, 1), p.vector(x1, 0), p.vector(x1, 1)}
		foldQuarters(four)
		sum = four[0]
	case 4:
		sum, other = p.four(x0, 0), p.four(x1, 0)
		addQuarters(sum, other)
	default:
		sum, other = p.eight(x0), p.eight(x1)
		addQuarters(sum, other)
	}
	if p.order != nil {
		VPERMPS(sum, p.order, sum)
	}
	return sum
}

// eight returns the products of eight heads of whole vectors: those of four in two
// quarters, which are to be added.
func (p *headProducts) eight(x Mem) vec {
	lower, upper := p.four(x, 0), p.four(x, 4)
	addQuarters(lower, upper)
	return lower
}

// four returns, quarter by quarter, the sums of four vectors of products.
func (p *headProducts) four(x Mem, from int) vec {
	var four []vec
	for j := range 4 {
		four = append(four, p.vector(x, from+j))
	}
	foldQuarters(four)
	return four[0]
}

// vector returns vector j of the products; where heads have several, their sum.
func (p *headProducts) vector(x Mem, j int) vec {
	r := ZMM()
	if p.own != nil {
		VMULPS(zmm.at(x, j), p.own[j], r)
		return r
	}
	each := max(1, p.n/8)
	VMOVUPS(zmm.at(x, j*each), r)
	VMULPS(zmm.at(Mem{Base: p.row}, j*each), r, r)
	for i := 1; i < each; i++ {
		y := ZMM()
		VMOVUPS(zmm.at(x, j*each+i), y)
		VFMADD231PS(zmm.at(Mem{Base: p.row}, j*each+i), y, r)
	}
	return r
}

// addQuarters adds neighbouring quarters of x and y, and leaves two sums of x and two
// of y, in x.
func addQuarters(x, y vec) {
	t := ZMM()
	VSHUFF32X4(Imm(0xdd), y, x, t)
	VSHUFF32X4(Imm(0x88), y, x, x)
	VADDPS(t, x, x)
}

// headOrder are the lanes that bring the heads of two edges into order, as the sums
// of n vectors leave them.
func headOrder(n int) Mem {
	m := GLOBL(fmt.Sprintf("headOrder%d", n), 8|16) // RODATA and NOPTR
	for i := range 16 {
		edge, head := i/8, i%8
		DATA(4*i, U32(map[int]int{
			1: 4*(head/2) + 2*edge + head%2,
			2: 4*(head%4) + 2*edge + head/4,
			4: 8*edge + 4*(head%2) + head/2,
		}[n]))
	}
	return m
}
