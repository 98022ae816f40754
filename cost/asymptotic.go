package cost

import (
	"maps"
	"slices"
)

// BigO prints the asymptotic form of e, such as "O(L·m·k + L·n·k²)": the terms
// of [Expr.Leading], logarithms without base and rounding.
func (e Expr) BigO() string { return "O(" + growth.expr(e.Leading()) + ")" }

// Leading returns the sum of the terms that e grows by, as all symbols grow,
// each with coefficient 1:
//
//   - negative terms are dropped, max becomes a sum, a constant divisor goes away;
//   - ⌈log₂ e⌉ becomes the sum of the logarithms of the symbols in the leading
//     terms of e, so that log(n·k²) is log n + log k;
//   - a term is dropped where another grows at least as fast: where it has every
//     power, n counting as at most m̂, m as at most m̂, ℓ as at most n, d as at
//     most d̂, and log x as less than any power of x.
//
// Nothing else is assumed of the symbols: not d ≤ n, nor n ≤ m. Min and divisions
// by symbols are opaque: they are compared with themselves only.
func (e Expr) Leading() Expr {
	leading := e.leadingTerms()
	terms := make([]term, len(leading))
	for i, m := range leading {
		terms[i] = term{one, m}
	}
	return collect(terms)
}

// leadingTerms returns distinct monomials, none of which dominates another.
func (e Expr) leadingTerms() []monomial {
	var kept []monomial
	for _, m := range e.growthTerms() {
		r := m.rates()
		if slices.ContainsFunc(kept, func(k monomial) bool { return r.within(k.rates()) }) {
			continue
		}
		kept = append(slices.DeleteFunc(kept, func(k monomial) bool { return k.rates().within(r) }), m)
	}
	return kept
}

// growthTerms returns monomials whose sum is, up to constants, e without its
// negative terms.
func (e Expr) growthTerms() []monomial {
	var all []monomial
	for _, t := range e.terms {
		if t.coef.Sign() < 0 {
			continue
		}
		products := []monomial{nil}
		for _, f := range t.mono {
			var next []monomial
			for _, m := range f.atom.growthTerms() {
				// (Σ x)ᵖ grows as Σ xᵖ.
				for _, p := range products {
					next = append(next, p.times(m.power(f.exp)))
				}
			}
			products = next
		}
		all = append(all, products...)
	}
	return all
}

func (m monomial) power(p int) monomial {
	out := slices.Clone(m)
	for i := range out {
		out[i].exp *= p
	}
	return out
}

// growthTerms returns monomials whose sum is a up to constants.
func (a *atom) growthTerms() []monomial {
	switch _, constant := a.divisor(); {
	case a.kind == maxAtom:
		return Add(a.args...).growthTerms()
	case a.kind == log2Atom:
		return logTerms(a.args[0])
	case constant && a.kind == ceilAtom:
		return append(a.args[0].growthTerms(), nil)
	case constant:
		return a.args[0].growthTerms()
	}
	return []monomial{{{a, 1}}}
}

// divisor returns the divisor of a quotient, and whether it is a constant.
func (a *atom) divisor() (Expr, bool) {
	if a.kind != ceilAtom && a.kind != floorAtom {
		return Expr{}, false
	}
	_, ok := a.args[1].value()
	return a.args[1], ok
}

// logTerms returns the logarithms of the atoms of e's leading terms, by
// log(x + y) = Θ(log x + log y) and log(xᵃ·y) = a·log x + log y.
func logTerms(e Expr) []monomial {
	var logs []monomial
	for _, m := range e.leadingTerms() {
		for _, f := range m {
			logs = append(logs, Log2(of(f.atom)).terms[0].mono)
		}
	}
	return logs
}

// rates says how fast a monomial grows: the powers of atoms and of their
// logarithms, by what they print as.
type rates struct{ power, log map[string]int }

func (m monomial) rates() rates {
	r := rates{map[string]int{}, map[string]int{}}
	for _, f := range m {
		if f.atom.kind == log2Atom {
			r.log[f.atom.args[0].String()] += f.exp
		} else {
			r.power[plain.atom(f.atom)] += f.exp
		}
	}
	return r
}

// atMostSymbol lists pairs x ≤ y of symbols, so that chains come in order.
var atMostSymbol = [...][2]string{
	{Loops, Vertices},
	{Vertices, ArcsWithLoops},
	{Arcs, ArcsWithLoops},
	{Degree, DegreeWithLoops},
	{OutDegree, OutWithLoops},
}

// within reports whether r grows at most as fast as s, up to a constant: every
// power of r is covered by a power in s of the same symbol or of one that is at
// least as large, every logarithm likewise or by a power left over.
func (r rates) within(s rates) bool {
	r = rates{maps.Clone(r.power), maps.Clone(r.log)}
	for _, pair := range atMostSymbol {
		x, y := pair[0], pair[1]
		power, log := r.uncovered(x, s)
		r.power[y] += power
		r.log[y] += log
		delete(r.power, x)
		delete(r.log, x)
	}
	for _, names := range []map[string]int{r.power, r.log} {
		for x := range names {
			if power, log := r.uncovered(x, s); power > 0 || log > 0 {
				return false
			}
		}
	}
	return true
}

// uncovered returns the powers of x and log x in r that s does not have.
func (r rates) uncovered(x string, s rates) (power, log int) {
	power = max(0, r.power[x]-s.power[x])
	if s.power[x] > r.power[x] {
		return power, 0 // a whole power of x is left, which exceeds any power of log x
	}
	return power, max(0, r.log[x]-s.log[x])
}

// Degree returns the highest power of the symbol in a term of e, counting
// logarithms as 0, max and min as their highest argument, quotients as what is
// divided.
func (e Expr) Degree(symbol string) int {
	degree := 0
	for _, t := range e.terms {
		sum := 0
		for _, f := range t.mono {
			sum += f.exp * f.atom.degree(symbol)
		}
		degree = max(degree, sum)
	}
	return degree
}

func (a *atom) degree(symbol string) int {
	degree := 0
	switch a.kind {
	case symbolAtom:
		if a.name == symbol {
			return 1
		}
	case maxAtom, minAtom:
		for _, arg := range a.args {
			degree = max(degree, arg.Degree(symbol))
		}
	case ceilAtom, floorAtom:
		return a.args[0].Degree(symbol)
	}
	return degree
}

// LeadingExponents returns one row per term of [Expr.Leading], in its order:
// the powers of the symbols in that term. Logarithms count 0.
func (e Expr) LeadingExponents(symbols ...string) [][]int {
	leading := e.Leading()
	rows := make([][]int, len(leading.terms))
	for i, t := range leading.terms {
		rows[i] = make([]int, len(symbols))
		for j, s := range symbols {
			rows[i][j] = Expr{[]term{t}}.Degree(s)
		}
	}
	return rows
}
