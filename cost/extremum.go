package cost

import (
	"math/big"
	"slices"
)

// Max returns max(e, …), the depth of paths that run side by side; the maximum
// of nothing is 0, as depths are.
//
// It is simplified by these rules, symbols being at least 0:
//
//   - a drops out where b is plainly at least a: b − a has no negative
//     coefficient, once max, min and ⌈log₂ ·⌉ are compared by their arguments;
//   - max(a + c, b + c) is c + max(a, b), and max(f·a, f·b) is f·max(a, b);
//   - max(max(a, b) + c, e) is max(a + c, b + c, e), as long as few arguments result.
func Max(es ...Expr) Expr {
	if len(es) == 0 {
		return Expr{}
	}
	return extremum(maxAtom, es)
}

// Min returns min(e, es…), simplified by the mirror images of the rules of [Max].
func Min(e Expr, es ...Expr) Expr {
	return extremum(minAtom, append([]Expr{e}, es...))
}

// Flattening has a price: a sum of L maxima, one per layer, has 2ᴸ combinations,
// so that beyond fewArms arguments nested maxima stay nested. That has a price
// too: where paths cross again and again, each level repeats what is below it,
// so that from deepest levels on up to manyArms arguments are the smaller evil.
const (
	fewArms  = 16
	manyArms = 512
	deepest  = 2
)

func extremum(kind atomKind, args []Expr) Expr {
	addend, args := commonAddend(prune(kind, args))
	args = prune(kind, flatten(kind, args))
	if len(args) == 1 {
		return Add(addend, args[0])
	}
	// What nested arguments have in common shows only now.
	more, args := commonAddend(args)
	factor, args := commonFactor(args)
	slices.SortFunc(args, compareExprs)
	a := &atom{kind: kind, rank: maxRank, args: args, positive: slices.ContainsFunc(args, Expr.positive)}
	if kind == minAtom {
		a.rank, a.positive = minRank, !slices.ContainsFunc(args, func(e Expr) bool { return !e.positive() })
	}
	return Add(addend, more, Mul(factor, of(a)))
}

// commonAddend splits args into c and args − c, where c has of every monomial
// the smallest coefficient in args. No coefficient of args − c is negative, and
// of each monomial one is 0.
func commonAddend(args []Expr) (Expr, []Expr) {
	c := args[0]
	for _, arg := range args[1:] {
		c = lower(c, arg)
	}
	if c.IsZero() {
		return c, args
	}
	rest := make([]Expr, len(args))
	for i, arg := range args {
		rest[i] = Sub(arg, c)
	}
	return c, rest
}

// lower returns of every monomial the smaller of its coefficients in a and b.
func lower(a, b Expr) Expr {
	var excess []term
	for _, t := range Sub(a, b).terms {
		if t.coef.Sign() > 0 {
			excess = append(excess, t)
		}
	}
	return Sub(a, Expr{excess})
}

// commonFactor splits args, whose coefficients are positive, into f and args/f:
// f is the greatest common divisor of the coefficients times the powers that
// all terms share.
func commonFactor(args []Expr) (Expr, []Expr) {
	var coef *big.Rat
	var mono monomial
	for _, arg := range args {
		for _, t := range arg.terms {
			if coef == nil {
				coef, mono = t.coef, t.mono
				continue
			}
			coef, mono = gcd(coef, t.coef), mono.shared(t.mono)
		}
	}
	// A negative factor would turn a maximum into a minimum.
	mono = slices.DeleteFunc(slices.Clone(mono), func(f factor) bool { return !f.atom.positive })
	quotients := make([]Expr, len(args))
	for i, arg := range args {
		terms := make([]term, len(arg.terms))
		for j, t := range arg.terms {
			m, _ := t.mono.over(mono)
			terms[j] = term{new(big.Rat).Quo(t.coef, coef), m}
		}
		quotients[i] = Expr{terms} // the order of monomials survives division
	}
	return Expr{[]term{{coef, mono}}}, quotients
}

// gcd returns the largest g > 0 of which a and b, both positive, are multiples.
func gcd(a, b *big.Rat) *big.Rat {
	num := new(big.Int).GCD(nil, nil,
		new(big.Int).Mul(a.Num(), b.Denom()),
		new(big.Int).Mul(b.Num(), a.Denom()))
	return new(big.Rat).SetFrac(num, new(big.Int).Mul(a.Denom(), b.Denom()))
}

// shared returns the greatest common divisor of m and o.
func (m monomial) shared(o monomial) monomial {
	var s monomial
	for _, f := range m {
		if e := min(f.exp, o.exponent(f.atom)); e > 0 {
			s = append(s, factor{f.atom, e})
		}
	}
	return s
}

// flatten replaces arguments that contain the extremum itself by one argument
// per choice in it; it returns args where that gives too many.
func flatten(kind atomKind, args []Expr) []Expr {
	limit := fewArms
	if nesting(args) >= deepest {
		limit = manyArms
	}
	flat := slices.Clone(args)
	for i := 0; i < len(flat); {
		a := nested(kind, flat[i])
		if a == nil {
			i++
			continue
		}
		if len(flat)+len(a.args)-1 > limit {
			pruned := prune(kind, flat)
			if len(pruned) == len(flat) {
				return args
			}
			flat, i = pruned, 0
			continue
		}
		flat = slices.Replace(flat, i, i+1, flat[i].choices(a)...)
	}
	return flat
}

// choices returns e with a replaced by each of its arguments.
func (e Expr) choices(a *atom) []Expr {
	out := make([]Expr, len(a.args))
	for i, arg := range a.args {
		out[i] = e.replace(a, arg)
	}
	return out
}

// nesting returns how many levels of max and min args contain.
func nesting(args []Expr) int {
	levels := 0
	for _, e := range args {
		for a := range e.extrema() {
			levels = max(levels, 1+nesting(a.args))
		}
	}
	return levels
}

// nested returns an extremum of the given kind in which e is increasing, so
// that e of the extremum is the extremum of e; nil where there is none.
func nested(kind atomKind, e Expr) *atom {
	for a := range e.extrema() {
		if a.kind == kind && e.slope(a) > 0 {
			return a
		}
	}
	return nil
}

// prune drops arguments that are plainly not the extremum, and duplicates.
func prune(kind atomKind, args []Expr) []Expr {
	kept := make([]Expr, 0, len(args))
	for _, e := range args {
		if slices.ContainsFunc(kept, func(k Expr) bool { return beats(kind, k, e) }) {
			continue
		}
		kept = append(slices.DeleteFunc(kept, func(k Expr) bool { return beats(kind, e, k) }), e)
	}
	return kept
}

// beats reports whether the extremum of a and b is plainly a.
func beats(kind atomKind, a, b Expr) bool {
	if kind == minAtom {
		return atMost(a, b)
	}
	return atMost(b, a)
}
