package cost

import (
	"cmp"
	"fmt"
	"math/big"
	"slices"
)

// Expr is an exact expression in canonical form. It is immutable; the zero Expr
// is 0.
type Expr struct {
	terms []term // sorted by compareMonomials, no coefficient 0
}

// term is coef · mono. Coefficients are shared and never written to.
type term struct {
	coef *big.Rat
	mono monomial
}

// monomial is a product of powers, sorted by compareAtoms; the empty one is 1.
type monomial []factor

// factor is atom^exp, exp ≥ 1.
type factor struct {
	atom *atom
	exp  int
}

var one = big.NewRat(1, 1)

// Int returns the constant v.
func Int(v int64) Expr { return constant(big.NewRat(v, 1)) }

// Rat returns the constant p/q. It panics where q is 0.
func Rat(p, q int64) Expr { return constant(big.NewRat(p, q)) }

func constant(c *big.Rat) Expr {
	if c.Sign() == 0 {
		return Expr{}
	}
	return Expr{[]term{{c, nil}}}
}

// Add returns the sum Σ e; the empty sum is 0.
func Add(es ...Expr) Expr {
	var terms []term
	for _, e := range es {
		terms = append(terms, e.terms...)
	}
	return collect(terms)
}

// Sub returns a − b.
func Sub(a, b Expr) Expr { return Add(a, Scale(-1, b)) }

// Scale returns c·e.
func Scale(c int64, e Expr) Expr { return e.scale(big.NewRat(c, 1)) }

func (e Expr) scale(c *big.Rat) Expr {
	if c.Sign() == 0 {
		return Expr{}
	}
	terms := make([]term, len(e.terms))
	for i, t := range e.terms {
		terms[i] = term{new(big.Rat).Mul(c, t.coef), t.mono}
	}
	return Expr{terms}
}

// Mul returns the product Π e, multiplied out; the empty product is 1. It has up
// to as many terms as the factors' numbers of terms multiply to.
func Mul(es ...Expr) Expr {
	p := Int(1)
	for _, e := range es {
		p = p.times(e)
	}
	return p
}

func (e Expr) times(f Expr) Expr {
	terms := make([]term, 0, len(e.terms)*len(f.terms))
	for _, s := range e.terms {
		for _, t := range f.terms {
			terms = append(terms, term{new(big.Rat).Mul(s.coef, t.coef), s.mono.times(t.mono)})
		}
	}
	return collect(terms)
}

// Pow returns eᵖ. It panics where p < 0: bounds are polynomials, and quotients
// of sizes are [CeilDiv] and [FloorDiv].
func Pow(e Expr, p int) Expr {
	if p < 0 {
		panic(fmt.Sprintf("cost: power %d of %v: want at least 0", p, e))
	}
	r := Int(1)
	for range p {
		r = r.times(e)
	}
	return r
}

// collect sorts terms, which it may overwrite, and adds up those of one monomial.
func collect(terms []term) Expr {
	slices.SortStableFunc(terms, func(s, t term) int { return compareMonomials(s.mono, t.mono) })
	out := terms[:0]
	for i := 0; i < len(terms); {
		sum, j := terms[i].coef, i+1
		for ; j < len(terms) && compareMonomials(terms[i].mono, terms[j].mono) == 0; j++ {
			sum = new(big.Rat).Add(sum, terms[j].coef)
		}
		if sum.Sign() != 0 {
			out = append(out, term{sum, terms[i].mono})
		}
		i = j
	}
	return Expr{slices.Clip(out)}
}

// compareMonomials is lexicographic: the earlier atom first, and of one atom
// the higher power. The constant comes last.
func compareMonomials(a, b monomial) int {
	for i := range min(len(a), len(b)) {
		if c := cmp.Or(compareAtoms(a[i].atom, b[i].atom), cmp.Compare(b[i].exp, a[i].exp)); c != 0 {
			return c
		}
	}
	return cmp.Compare(len(b), len(a))
}

func (m monomial) times(o monomial) monomial {
	if len(m) == 0 || len(o) == 0 {
		return append(m[:len(m):len(m)], o...)
	}
	p := make(monomial, 0, len(m)+len(o))
	for len(m) > 0 && len(o) > 0 {
		switch c := compareAtoms(m[0].atom, o[0].atom); {
		case c < 0:
			p, m = append(p, m[0]), m[1:]
		case c > 0:
			p, o = append(p, o[0]), o[1:]
		default:
			p = append(p, factor{m[0].atom, m[0].exp + o[0].exp})
			m, o = m[1:], o[1:]
		}
	}
	return append(append(p, m...), o...)
}

// exponent returns the power of a in m.
func (m monomial) exponent(a *atom) int {
	for _, f := range m {
		if compareAtoms(f.atom, a) == 0 {
			return f.exp
		}
	}
	return 0
}

// without returns m with the power of a lowered by p, which m has.
func (m monomial) without(a *atom, p int) monomial {
	out := make(monomial, 0, len(m))
	for _, f := range m {
		if compareAtoms(f.atom, a) == 0 {
			f.exp -= p
		}
		if f.exp > 0 {
			out = append(out, f)
		}
	}
	return out
}

// IsZero reports whether e is 0.
func (e Expr) IsZero() bool { return len(e.terms) == 0 }

// Equal reports whether a and b have one canonical form; see the package
// comment for what that decides.
func (e Expr) Equal(f Expr) bool { return compareExprs(e, f) == 0 }

// value returns the constant that e is, and whether it is one.
func (e Expr) value() (*big.Rat, bool) {
	switch {
	case len(e.terms) == 0:
		return new(big.Rat), true
	case len(e.terms) == 1 && len(e.terms[0].mono) == 0:
		return e.terms[0].coef, true
	}
	return nil, false
}

// positive reports whether e is plainly at least 0: no coefficient and no atom
// of it is negative.
func (e Expr) positive() bool {
	return !slices.ContainsFunc(e.terms, func(t term) bool { return t.coef.Sign() < 0 || !t.mono.positive() })
}

func (m monomial) positive() bool {
	return !slices.ContainsFunc(m, func(f factor) bool { return !f.atom.positive && f.exp%2 == 1 })
}
