package cost

import (
	"iter"
	"math/big"
	"slices"
)

// proofSteps bounds the case distinctions of one comparison. Depths of real
// programs need a handful; what is not decided stays an argument of its max.
const proofSteps = 64

// atMost reports whether a ≤ b is plain for all values of the symbols. False
// means undecided.
func atMost(a, b Expr) bool {
	steps := proofSteps
	return Sub(b, a).atLeastZero(&steps)
}

// atLeastZero tries to show e ≥ 0: no coefficient is negative after max and min
// are replaced by their arguments, and logarithms are set against larger ones.
func (e Expr) atLeastZero(steps *int) bool {
	if e.positive() {
		return true
	}
	if *steps == 0 {
		return false
	}
	*steps--
	for a := range e.extrema() {
		slope := e.slope(a)
		if slope == 0 {
			continue
		}
		choices := e.choices(a)
		holds := func(c Expr) bool { return c.atLeastZero(steps) }
		// A maximum that helps is at least any one of its arguments; one that
		// hurts may be any of them. Minima the other way round.
		if (a.kind == maxAtom) == (slope > 0) {
			return slices.ContainsFunc(choices, holds)
		}
		return !slices.ContainsFunc(choices, func(c Expr) bool { return !holds(c) })
	}
	return e.cancelLogs(steps)
}

// cancelLogs sets a term −c·r·⌈log₂ x⌉ against a term +c′·r·⌈log₂ y⌉ with x ≤ y,
// and tries again with what is left of the two.
func (e Expr) cancelLogs(steps *int) bool {
	for _, neg := range e.terms {
		if neg.coef.Sign() > 0 {
			continue
		}
		for _, pos := range e.terms {
			if pos.coef.Sign() > 0 && neg.mono.logsBelow(pos.mono, steps) {
				c := new(big.Rat).Neg(neg.coef)
				if c.Cmp(pos.coef) > 0 {
					c = pos.coef
				}
				left := Add(e, Expr{[]term{{c, neg.mono}}}, Expr{[]term{{new(big.Rat).Neg(c), pos.mono}}})
				return left.atLeastZero(steps)
			}
		}
	}
	return false
}

// logsBelow reports whether m and o are r·⌈log₂ x⌉ and r·⌈log₂ y⌉ with r ≥ 0 and
// plainly x ≤ y.
func (m monomial) logsBelow(o monomial, steps *int) bool {
	for _, f := range m {
		for _, g := range o {
			if f.atom.kind != log2Atom || g.atom.kind != log2Atom {
				continue
			}
			r := m.without(f.atom, 1)
			if r.positive() && compareMonomials(r, o.without(g.atom, 1)) == 0 {
				return Sub(g.atom.args[0], f.atom.args[0]).atLeastZero(steps)
			}
		}
	}
	return false
}

// extrema yields the max and min atoms that are factors of e's terms.
func (e Expr) extrema() iter.Seq[*atom] {
	return func(yield func(*atom) bool) {
		for _, t := range e.terms {
			for _, f := range t.mono {
				if f.atom.extremal() && !yield(f.atom) {
					return
				}
			}
		}
	}
}

// slope is the direction in which e moves as a grows: 1, −1, or 0 where terms
// disagree or their other factors have no sign.
func (e Expr) slope(a *atom) int {
	slope := 0
	for _, t := range e.terms {
		if p := t.mono.exponent(a); p > 0 {
			// Even powers of a number without a sign are not monotone.
			if !t.mono.without(a, p).positive() || p > 1 && !a.positive || slope == -t.coef.Sign() {
				return 0
			}
			slope = t.coef.Sign()
		}
	}
	return slope
}

// replace returns e with the atom a replaced by v.
func (e Expr) replace(a *atom, v Expr) Expr {
	parts := make([]Expr, len(e.terms))
	for i, t := range e.terms {
		p := t.mono.exponent(a)
		parts[i] = Expr{[]term{{t.coef, t.mono.without(a, p)}}}
		if p > 0 {
			parts[i] = Mul(parts[i], Pow(v, p))
		}
	}
	return Add(parts...)
}
