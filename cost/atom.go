package cost

import (
	"cmp"
	"slices"
	"strings"
)

type atomKind uint8

const (
	symbolAtom atomKind = iota
	log2Atom
	maxAtom
	minAtom
	ceilAtom
	floorAtom
)

// atom is an indeterminate of the polynomials: a symbol, or a function of
// expressions. Atoms are immutable and shared.
type atom struct {
	kind atomKind
	rank int
	name string // of a symbol
	args []Expr // of a function
	// positive says that the atom is at least 0 for all values of its symbols.
	positive bool
}

// extremal reports whether a is a max or a min.
func (a *atom) extremal() bool { return a.kind == maxAtom || a.kind == minAtom }

// Sym returns the symbol called name. It panics on a name that would not print
// as one: an empty one, or one with spaces or operators.
func Sym(name string) Expr {
	if name == "" || strings.ContainsAny(name, " \t\n·+-−*/^,⌈⌉⌊⌋") {
		panic("cost: symbol " + name + ": want a name without spaces and operators")
	}
	return of(&atom{kind: symbolAtom, rank: symbolRank(name), name: name, positive: true})
}

// of returns the expression that is the atom a.
func of(a *atom) Expr {
	return Expr{[]term{{one, monomial{{a, 1}}}}}
}

// compareAtoms orders atoms by rank, then name or arguments.
func compareAtoms(a, b *atom) int {
	if a == b {
		return 0
	}
	return cmp.Or(
		cmp.Compare(a.rank, b.rank),
		cmp.Compare(a.kind, b.kind),
		compareNames(a.name, b.name),
		slices.CompareFunc(a.args, b.args, compareExprs),
	)
}

// compareExprs is the order of canonical expressions, term by term.
func compareExprs(a, b Expr) int {
	return slices.CompareFunc(a.terms, b.terms, func(s, t term) int {
		return cmp.Or(compareMonomials(s.mono, t.mono), s.coef.Cmp(t.coef))
	})
}

// single returns the atom that e is, or nil where e is anything else.
func (e Expr) single() *atom {
	if len(e.terms) == 1 && e.terms[0].coef.Cmp(one) == 0 {
		if m := e.terms[0].mono; len(m) == 1 && m[0].exp == 1 {
			return m[0].atom
		}
	}
	return nil
}
