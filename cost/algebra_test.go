package cost

import (
	"math/big"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

var testSymbols = []string{"n", "m", "m̂", "d", "k", "L", "x"}

// polynomials draws sums of a few terms with small rational coefficients.
func polynomials(t *rapid.T, label string) Expr {
	var sum Expr
	for range rapid.IntRange(0, 4).Draw(t, label+" terms") {
		p := Rat(rapid.Int64Range(-6, 6).Draw(t, "p"), rapid.Int64Range(1, 3).Draw(t, "q"))
		for range rapid.IntRange(0, 3).Draw(t, "degree") {
			p = Mul(p, Sym(rapid.SampledFrom(testSymbols).Draw(t, "symbol")))
		}
		sum = Add(sum, p)
	}
	return sum
}

// expressions draws polynomials in polynomials and functions of them, nested to depth.
func expressions(t *rapid.T, label string, depth int) Expr {
	if depth == 0 {
		return polynomials(t, label)
	}
	a, b := expressions(t, label, depth-1), expressions(t, label, depth-1)
	switch rapid.SampledFrom([]string{"+", "·", "log", "max", "min", "ceil", "floor"}).Draw(t, label) {
	case "+":
		return Add(a, b)
	case "·":
		return Mul(a, b)
	case "log":
		return Add(Log2(a), b)
	case "max":
		return Max(a, b, expressions(t, label, depth-1))
	case "min":
		return Min(a, b, expressions(t, label, depth-1))
	case "ceil":
		return CeilDiv(a, Add(Sym("n"), Int(1)))
	default:
		return FloorDiv(a, Int(rapid.Int64Range(1, 5).Draw(t, "divisor")))
	}
}

func environments(t *rapid.T) Env {
	env := Env{}
	for _, s := range testSymbols {
		env[s] = rapid.Int64Range(0, 50).Draw(t, s)
	}
	return env
}

func value(t *rapid.T, e Expr, env Env) *big.Rat {
	v, err := e.EvalRat(env)
	if err != nil {
		t.Fatalf("%v in %v: %v", e, env, err)
	}
	return v
}

func same(t *rapid.T, law string, a, b Expr) {
	if !a.Equal(b) || a.String() != b.String() {
		t.Fatalf("%s: %v and %v differ", law, a, b)
	}
}

// TestLaws checks that expressions over any atoms form a commutative ring, and
// that max and min of polynomials are commutative, associative, idempotent,
// and distribute over addition.
func TestLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b, c := expressions(t, "a", 1), expressions(t, "b", 1), expressions(t, "c", 1)
		same(t, "a+b = b+a", Add(a, b), Add(b, a))
		same(t, "(a+b)+c = a+(b+c)", Add(Add(a, b), c), Add(a, Add(b, c)))
		same(t, "a·b = b·a", Mul(a, b), Mul(b, a))
		same(t, "(a·b)·c = a·(b·c)", Mul(Mul(a, b), c), Mul(a, Mul(b, c)))
		same(t, "a·(b+c) = a·b + a·c", Mul(a, Add(b, c)), Add(Mul(a, b), Mul(a, c)))
		same(t, "a−a = 0", Sub(a, a), Int(0))
		same(t, "a²·a = a³", Mul(Pow(a, 2), a), Pow(a, 3))

		p, q, r := polynomials(t, "p"), polynomials(t, "q"), polynomials(t, "r")
		for _, max := range []func(a, b Expr) Expr{
			func(a, b Expr) Expr { return Max(a, b) },
			func(a, b Expr) Expr { return Min(a, b) },
		} {
			same(t, "max(p,q) = max(q,p)", max(p, q), max(q, p))
			same(t, "max(p,p) = p", max(p, p), p)
			same(t, "max(p,max(q,r)) = max(max(p,q),r)", max(p, max(q, r)), max(max(p, q), r))
			same(t, "max(p+r,q+r) = max(p,q)+r", max(Add(p, r), Add(q, r)), Add(max(p, q), r))
			same(t, "max(3p,3q) = 3max(p,q)", max(Scale(3, p), Scale(3, q)), Scale(3, max(p, q)))
		}
	})
}

// TestEvaluationIsAHomomorphism evaluates the parts of an expression by the
// arithmetic of numbers and the whole by Eval.
func TestEvaluationIsAHomomorphism(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := expressions(t, "a", 2), expressions(t, "b", 2)
		env := environments(t)
		x, y := value(t, a, env), value(t, b, env)
		larger, smaller := x, y
		if x.Cmp(y) < 0 {
			larger, smaller = y, x
		}
		divisor := new(big.Rat).Add(big.NewRat(env["d"], 1), big.NewRat(1, 1))
		up, down := ceilByHand(new(big.Rat).Quo(x, divisor)), ceilByHand(new(big.Rat).Quo(new(big.Rat).Neg(x), divisor))
		for _, c := range []struct {
			law  string
			e    Expr
			want *big.Rat
		}{
			{"sum", Add(a, b), new(big.Rat).Add(x, y)},
			{"difference", Sub(a, b), new(big.Rat).Sub(x, y)},
			{"product", Mul(a, b), new(big.Rat).Mul(x, y)},
			{"square", Pow(a, 2), new(big.Rat).Mul(x, x)},
			{"multiple", Scale(-3, a), new(big.Rat).Mul(big.NewRat(-3, 1), x)},
			{"max", Max(a, b), larger},
			{"min", Min(a, b), smaller},
			{"log", Log2(a), big.NewRat(logByHand(x), 1)},
			{"log of max", Log2(Max(a, b)), big.NewRat(logByHand(larger), 1)},
			{"ceil", CeilDiv(a, Add(Sym("d"), Int(1))), up},
			{"floor", FloorDiv(a, Add(Sym("d"), Int(1))), new(big.Rat).Neg(down)},
		} {
			if got := value(t, c.e, env); got.Cmp(c.want) != 0 {
				t.Fatalf("%s of %v and %v: %v is %v, want %v", c.law, a, b, c.e, got, c.want)
			}
		}
	})
}

// logByHand doubles until it reaches v.
func logByHand(v *big.Rat) int64 {
	steps := int64(0)
	for reach := big.NewRat(1, 1); reach.Cmp(v) < 0; reach.Add(reach, reach) {
		steps++
	}
	return steps
}

// ceilByHand truncates towards 0 and corrects.
func ceilByHand(v *big.Rat) *big.Rat {
	c := new(big.Rat).SetInt(new(big.Int).Quo(v.Num(), v.Denom()))
	if c.Cmp(v) < 0 {
		c.Add(c, big.NewRat(1, 1))
	}
	return c
}

// TestSubstThenEval replaces a symbol by an expression, and binds it to the
// expression's value: both must give the same number.
func TestSubstThenEval(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := expressions(t, "e", 2)
		by := Add(Scale(3, Sym("y")), Mul(Sym("n"), Sym("y")), Int(rapid.Int64Range(0, 3).Draw(t, "constant")))
		symbol := rapid.SampledFrom(testSymbols[1:]).Draw(t, "replaced")
		env := environments(t)
		env["y"] = rapid.Int64Range(0, 20).Draw(t, "y")

		got := value(t, e.Subst(map[string]Expr{symbol: by}), env)
		env[symbol] = by.MustEval(env)
		if want := value(t, e, env); got.Cmp(want) != 0 {
			t.Fatalf("%v with %s = %v is %v, want %v", e, symbol, by, got, want)
		}
		if slices.Contains(e.Subst(map[string]Expr{symbol: by}).Symbols(), symbol) {
			t.Fatalf("%s is still in %v", symbol, e)
		}
	})
}

// TestMaxIsExact compares maxima of many nested paths, which simplification
// prunes, with the numbers' maxima.
func TestMaxIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		env := environments(t)
		steps := []Expr{Log2(Sym("d")), Log2(Sym("k")), Int(1), Log2(Scale(2, Sym("k"))), Sym("L")}
		depths, values := []Expr{{}}, []*big.Rat{new(big.Rat)}
		for range rapid.IntRange(1, 25).Draw(t, "ops") {
			i := rapid.IntRange(0, len(depths)-1).Draw(t, "first operand")
			j := rapid.IntRange(0, len(depths)-1).Draw(t, "second operand")
			step := rapid.SampledFrom(steps).Draw(t, "step")
			depths = append(depths, Add(Max(depths[i], depths[j]), step))
			longer := values[i]
			if longer.Cmp(values[j]) < 0 {
				longer = values[j]
			}
			values = append(values, new(big.Rat).Add(longer, value(t, step, env)))
		}
		for i, e := range depths {
			if got := value(t, e, env); got.Cmp(values[i]) != 0 {
				t.Fatalf("depth %v is %v in %v, want %v", e, got, env, values[i])
			}
		}
	})
}
