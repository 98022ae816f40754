// Package cost is the algebra of the cost model: exact symbolic expressions
// for work, depth and bytes, and the O(·) forms that papers print.
//
// An [Expr] is a polynomial with rational coefficients over atoms. An atom is a
// symbol (n, m̂, k_in, …), or one of the functions that bounds need:
//
//	⌈log₂ e⌉      0 where e ≤ 1: the depth of a balanced reduction of e values
//	max(e, …)     the depth of paths that run side by side
//	min(e, …)     a length that is capped, such as a sampler's fan-out
//	⌈a/b⌉, ⌊a/b⌋  the sizes of pieces, b ≥ 1
//
// Every symbol stands for a size, an integer that is at least 0. The
// simplifications rely on it and [Expr.Eval] checks it.
//
// # Canonical form
//
// Expressions are kept multiplied out, sorted, without zero terms, so that two
// polynomials over the same atoms are equal exactly when [Expr.Equal] says so,
// and equal expressions print equally. Atoms are simplified by the rules that
// their constructors state; two different max or min atoms may still be equal
// as functions.
//
// What is counted, and what counts as 0, is stated at [Cost].
package cost
