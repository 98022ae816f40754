package cost

import (
	"fmt"
	"maps"
	"math/big"
	"slices"
)

// Env gives symbols their values, each at least 0.
type Env map[string]int64

// Eval returns the value of e in env. *Errors*: a symbol that env does not bind
// or binds to a negative number, a divisor below 1, a value that is not an
// integer or does not fit in 64 bits.
func (e Expr) Eval(env Env) (int64, error) {
	if v, ok := e.evalInt(env); ok {
		return v, nil
	}
	v, err := e.EvalRat(env)
	switch {
	case err != nil:
		return 0, err
	case !v.IsInt():
		return 0, fmt.Errorf("cost: %v is %v, want an integer", e, v)
	case !v.Num().IsInt64():
		return 0, fmt.Errorf("cost: %v is %v, which overflows 64 bits", e, v.Num())
	}
	return v.Num().Int64(), nil
}

// MustEval is [Expr.Eval] that panics with its error.
func (e Expr) MustEval(env Env) int64 {
	v, err := e.Eval(env)
	if err != nil {
		panic(err)
	}
	return v
}

// EvalRat returns the exact value of e in env, which the caller owns. *Errors*:
// as [Expr.Eval], less the last two.
func (e Expr) EvalRat(env Env) (*big.Rat, error) {
	sum, product := new(big.Rat), new(big.Rat)
	for _, t := range e.terms {
		product.Set(t.coef)
		for _, f := range t.mono {
			v, err := f.atom.eval(env)
			if err != nil {
				return nil, err
			}
			for range f.exp {
				product.Mul(product, v)
			}
		}
		sum.Add(sum, product)
	}
	return sum, nil
}

func (a *atom) eval(env Env) (*big.Rat, error) {
	if a.kind == symbolAtom {
		return env.value(a.name)
	}
	args := make([]*big.Rat, len(a.args))
	for i, arg := range a.args {
		var err error
		if args[i], err = arg.EvalRat(env); err != nil {
			return nil, err
		}
	}
	switch a.kind {
	case log2Atom:
		return big.NewRat(ceilLog2(args[0]), 1), nil
	case maxAtom:
		return slices.MaxFunc(args, (*big.Rat).Cmp), nil
	case minAtom:
		return slices.MinFunc(args, (*big.Rat).Cmp), nil
	}
	if args[1].Cmp(one) < 0 {
		return nil, fmt.Errorf("cost: divisor %v is %s, want at least 1", a.args[1], args[1].RatString())
	}
	return rounded(a.kind, args[0], args[1]), nil
}

func (env Env) value(name string) (*big.Rat, error) {
	v, ok := env[name]
	switch {
	case !ok:
		return nil, fmt.Errorf("cost: symbol %s has no value", name)
	case v < 0:
		return nil, fmt.Errorf("cost: symbol %s is %d, want at least 0", name, v)
	}
	return big.NewRat(v, 1), nil
}

// Subst returns e with symbols replaced by expressions, all at once: ℓ by 0, or
// k_in and k_out by k. The expressions must not be negative, as symbols are not.
func (e Expr) Subst(by map[string]Expr) Expr {
	if !slices.ContainsFunc(e.Symbols(), func(s string) bool { _, ok := by[s]; return ok }) {
		return e
	}
	sum := make([]Expr, len(e.terms))
	for i, t := range e.terms {
		product := constant(t.coef)
		for _, f := range t.mono {
			product = Mul(product, Pow(f.atom.subst(by), f.exp))
		}
		sum[i] = product
	}
	return Add(sum...)
}

func (a *atom) subst(by map[string]Expr) Expr {
	if a.kind == symbolAtom {
		if e, ok := by[a.name]; ok {
			return e
		}
		return of(a)
	}
	args := make([]Expr, len(a.args))
	for i, arg := range a.args {
		args[i] = arg.Subst(by)
	}
	switch a.kind {
	case log2Atom:
		return Log2(args[0])
	case maxAtom, minAtom:
		return extremum(a.kind, args)
	}
	return quotient(a.kind, args[0], args[1])
}

// Symbols returns the names of the symbols in e, each once, in the order of
// terms: graph sizes, degrees, widths, others, counts of layers.
func (e Expr) Symbols() []string {
	found := map[string]*atom{}
	e.symbols(found)
	atoms := slices.SortedFunc(maps.Values(found), compareAtoms)
	names := make([]string, len(atoms))
	for i, a := range atoms {
		names[i] = a.name
	}
	return names
}

func (e Expr) symbols(found map[string]*atom) {
	for _, t := range e.terms {
		for _, f := range t.mono {
			if f.atom.kind == symbolAtom {
				found[f.atom.name] = f.atom
			}
			for _, arg := range f.atom.args {
				arg.symbols(found)
			}
		}
	}
}
