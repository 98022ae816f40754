package cost

import (
	"fmt"
	"slices"
)

// Relation says how one bound grows relative to another.
type Relation uint8

const (
	Same         Relation = iota // each is O of the other
	Smaller                      // a = O(b) only
	Larger                       // b = O(a) only
	Incomparable                 // neither is shown
)

var relationNames = [...]string{Same: "same", Smaller: "smaller", Larger: "larger", Incomparable: "incomparable"}

func (r Relation) String() string {
	if int(r) >= len(relationNames) {
		return fmt.Sprintf("Relation(%d)", r)
	}
	return relationNames[r]
}

// BoundWithin compares a with b up to constants, as all symbols grow. Before
// that m̂ becomes m + n, and d̂ becomes d + 1, so that a bound over N̂ compares
// with one over N.
//
// It compares term by term, by the rule of [Expr.Leading]: a = O(b) is shown
// where every leading term of a is within one of b. So x·y against x² + y² is
// Incomparable although it is smaller.
func BoundWithin(a, b Expr) Relation {
	as, bs := a.Subst(withoutHats()).leadingTerms(), b.Subst(withoutHats()).leadingTerms()
	switch below, above := within(as, bs), within(bs, as); {
	case below && above:
		return Same
	case below:
		return Smaller
	case above:
		return Larger
	}
	return Incomparable
}

// within reports whether every monomial of as is within one of bs.
func within(as, bs []monomial) bool {
	return !slices.ContainsFunc(as, func(a monomial) bool {
		return !slices.ContainsFunc(bs, func(b monomial) bool { return a.rates().within(b.rates()) })
	})
}

func withoutHats() map[string]Expr {
	return map[string]Expr{
		ArcsWithLoops:   Add(Sym(Arcs), Sym(Vertices)),
		DegreeWithLoops: Add(Sym(Degree), Int(1)),
		OutWithLoops:    Add(Sym(OutDegree), Int(1)),
	}
}
