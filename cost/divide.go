package cost

import "math/big"

// CeilDiv returns ⌈a/b⌉, the largest of b near-equal pieces of a, for b ≥ 1.
// Terms that b divides leave the brackets: ⌈(n·P + k)/P⌉ is n + ⌈k/P⌉. It
// panics where b is a constant that is not positive.
func CeilDiv(a, b Expr) Expr { return quotient(ceilAtom, a, b) }

// FloorDiv returns ⌊a/b⌋, the smallest of b near-equal pieces of a, for b ≥ 1.
// It is simplified as [CeilDiv] is, and panics where that does.
func FloorDiv(a, b Expr) Expr { return quotient(floorAtom, a, b) }

func quotient(kind atomKind, a, b Expr) Expr {
	if v, ok := b.value(); ok && v.Sign() <= 0 {
		panic("cost: division by " + b.String() + ": want a positive divisor")
	}
	var whole, rest []term
	for _, t := range a.terms {
		if q, ok := t.dividedBy(b); ok {
			whole = append(whole, q)
		} else {
			rest = append(rest, t)
		}
	}
	return Add(Expr{whole}, round(kind, Expr{rest}, b))
}

// dividedBy returns t/b where that is an integer for all values of the symbols.
// Atoms have integer values only: a max or min has no fractions inside, since
// commonFactor takes them out.
func (t term) dividedBy(b Expr) (term, bool) {
	if len(b.terms) != 1 {
		return term{}, false
	}
	coef := new(big.Rat).Quo(t.coef, b.terms[0].coef)
	mono, ok := t.mono.over(b.terms[0].mono)
	return term{coef, mono}, ok && coef.IsInt()
}

// over returns m/o where o divides m.
func (m monomial) over(o monomial) (monomial, bool) {
	for _, f := range o {
		if m.exponent(f.atom) < f.exp {
			return nil, false
		}
		m = m.without(f.atom, f.exp)
	}
	return m, true
}

// round returns a/b rounded up or down, folding constants.
func round(kind atomKind, a, b Expr) Expr {
	if a.IsZero() {
		return a
	}
	if v, ok := a.value(); ok {
		if w, ok := b.value(); ok {
			return constant(rounded(kind, v, w))
		}
	}
	rank := ceilRank
	if kind == floorAtom {
		rank = floorRank
	}
	return of(&atom{kind: kind, rank: rank, args: []Expr{a, b}, positive: a.positive()})
}

// rounded returns ⌈v/w⌉ or ⌊v/w⌋.
func rounded(kind atomKind, v, w *big.Rat) *big.Rat {
	q := new(big.Rat).Quo(v, w)
	if kind == ceilAtom {
		return q.SetInt(ceil(q))
	}
	return q.SetInt(floor(q))
}
