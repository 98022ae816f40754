package cost

import (
	"math/big"
	"slices"
)

// Line returns the expression that is a where x = x0 and b where x = x1, and
// linear in x elsewhere:
//
//	a + (b − a)·(x − x0)/(x1 − x0)
//
// A max or min that differs between the two is taken argument by argument, in
// order, so that the depth of a program whose layers repeat becomes one
// expression in their number. It reports false where the two do not correspond.
//
// Contract: x0 ≠ x1. The result interpolates; that it holds beyond is for the
// caller to check, by [Expr.Subst] at a third value of x.
func Line(x Expr, x0 int64, a Expr, x1 int64, b Expr) (Expr, bool) {
	return line{Sub(x, Int(x0)).scale(big.NewRat(1, x1-x0))}.through(a, b)
}

// line is the way from x0, where at is 0, to x1, where it is 1.
type line struct{ at Expr }

func (l line) through(a, b Expr) (Expr, bool) {
	as, bs := a.extremaNotIn(b), b.extremaNotIn(a)
	if len(as) != len(bs) {
		return Expr{}, false
	}
	a, b = Sub(a, Expr{as}), Sub(b, Expr{bs})
	parts := []Expr{a, Mul(l.at, Sub(b, a))}
	for i := range as {
		e, ok := l.term(as[i], bs[i])
		if !ok {
			return Expr{}, false
		}
		parts = append(parts, e)
	}
	return Add(parts...), true
}

// term is the way between r·max(e, …) and r·max(f, …).
func (l line) term(s, t term) (Expr, bool) {
	f, g := s.mono.extremum(), t.mono.extremum()
	r, q := s.mono.without(f.atom, f.exp), t.mono.without(g.atom, g.exp)
	if s.coef.Cmp(t.coef) != 0 || f.exp != g.exp || compareMonomials(r, q) != 0 ||
		f.atom.kind != g.atom.kind || len(f.atom.args) != len(g.atom.args) {
		return Expr{}, false
	}
	args := make([]Expr, len(f.atom.args))
	for i := range args {
		var ok bool
		if args[i], ok = l.through(f.atom.args[i], g.atom.args[i]); !ok {
			return Expr{}, false
		}
	}
	return Mul(Expr{[]term{{s.coef, r}}}, Pow(extremum(f.atom.kind, args), f.exp)), true
}

// extremaNotIn returns the terms of e with a max or min whose monomial b lacks.
func (e Expr) extremaNotIn(b Expr) []term {
	var out []term
	for _, t := range e.terms {
		shared := slices.ContainsFunc(b.terms, func(u term) bool { return compareMonomials(t.mono, u.mono) == 0 })
		if t.mono.extremum().atom != nil && !shared {
			out = append(out, t)
		}
	}
	return out
}

// extremum returns the first factor of m that is a max or min.
func (m monomial) extremum() factor {
	if i := slices.IndexFunc(m, func(f factor) bool { return f.atom.extremal() }); i >= 0 {
		return m[i]
	}
	return factor{}
}
