package cost

import "math/big"

// Log2 returns ⌈log₂ e⌉, the depth of reducing e values by a balanced tree; it
// is 0 where e ≤ 1. It is computed for constants, and taken inside max and min.
func Log2(e Expr) Expr {
	if v, ok := e.value(); ok {
		return Int(ceilLog2(v))
	}
	if a := e.single(); a != nil && a.extremal() {
		logs := make([]Expr, len(a.args))
		for i, arg := range a.args {
			logs[i] = Log2(arg)
		}
		return extremum(a.kind, logs)
	}
	return of(&atom{kind: log2Atom, rank: log2Rank, args: []Expr{e}, positive: true})
}

// ceilLog2 uses ⌈log₂ v⌉ = ⌈log₂ ⌈v⌉⌉, which is the length in bits of ⌈v⌉ − 1.
func ceilLog2(v *big.Rat) int64 {
	if v.Cmp(one) <= 0 {
		return 0
	}
	c := ceil(v)
	return int64(c.Sub(c, big.NewInt(1)).BitLen())
}

// floor returns ⌊v⌋ as a new integer.
func floor(v *big.Rat) *big.Int {
	// Euclidean division rounds down, denominators being positive.
	return new(big.Int).Div(v.Num(), v.Denom())
}

// ceil returns ⌈v⌉ = −⌊−v⌋ as a new integer.
func ceil(v *big.Rat) *big.Int {
	f := floor(new(big.Rat).Neg(v))
	return f.Neg(f)
}
