package cost

import (
	"math/big"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestEval(t *testing.T) {
	e := Add(Mul(Int(2), mHat, k), Mul(n, Pow(k, 2)), Log2(d), Max(n, k))
	env := Env{"m̂": 13264, "n": 2708, "k": 16, "d": 169}
	if got, want := e.MustEval(env), int64(2*13264*16+2708*256+8+2708); got != want {
		t.Errorf("got %d, want %d", got, want)
	}
	if _, ok := e.evalInt(env); !ok {
		t.Error("64 bits do not")
	}
}

func TestEvalErrors(t *testing.T) {
	for _, c := range []struct {
		e    Expr
		env  Env
		want string
	}{
		{Mul(n, Log2(dHat)), Env{"n": 1}, "cost: symbol d̂ has no value"},
		{Max(n, k), Env{"n": 1, "k": -1}, "cost: symbol k is -1, want at least 0"},
		{Mul(Rat(1, 2), n), Env{"n": 3}, "cost: 1/2·n is 3/2, want an integer"},
		{Pow(n, 3), Env{"n": 2449029}, "cost: n³ is 14688646646465851389, which overflows 64 bits"},
		{CeilDiv(n, P), Env{"n": 3, "P": 0}, "cost: divisor P is 0, want at least 1"},
	} {
		if got, err := c.e.Eval(c.env); err == nil || err.Error() != c.want {
			t.Errorf("%v: got %d, %v; want error %q", c.e, got, err, c.want)
		}
	}
}

func TestMustEvalPanicsWithTheError(t *testing.T) {
	defer func() {
		if err, ok := recover().(error); !ok || !strings.Contains(err.Error(), "symbol n") {
			t.Errorf("got %v, want the error about n", err)
		}
	}()
	n.MustEval(nil)
}

// TestEvalIsExact passes through 2¹⁹² on the way to a small number.
func TestEvalIsExact(t *testing.T) {
	e := Sub(Pow(Add(n, Int(1)), 3), Add(Pow(n, 3), Scale(3, Pow(n, 2)), Scale(3, n)))
	if got := e.MustEval(Env{"n": 1 << 62}); got != 1 {
		t.Errorf("(n+1)³ − n³ − 3n² − 3n: got %d, want 1", got)
	}
	f := FloorDiv(Mul(n, Add(n, Int(1))), Add(n, Int(2)))
	if got, want := f.MustEval(Env{"n": 1 << 62}), int64(1<<62-1); got != want {
		t.Errorf("⌊n(n+1)/(n+2)⌋: got %d, want %d", got, want)
	}
}

// TestEvalInt: where integers of 64 bits do, they give what fractions give, and they know
// where they do not.
func TestEvalInt(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.OneOf(rapid.Int64Range(-9, 9), rapid.Int64Range(-1<<62, 1<<62))
		var expr func(depth int) Expr
		expr = func(depth int) Expr {
			if depth == 0 {
				return rapid.SampledFrom([]Expr{n, k, P, Int(rapid.Int64Range(-3, 5).Draw(t, "constant")), Rat(1, 2)}).Draw(t, "leaf")
			}
			a, b := expr(depth-1), expr(rapid.IntRange(0, depth-1).Draw(t, "depth"))
			switch rapid.IntRange(0, 6).Draw(t, "op") {
			case 0:
				return Add(a, b)
			case 1:
				return Sub(a, b)
			case 2:
				return Mul(a, b)
			case 3:
				return Max(a, b)
			case 4:
				return Min(a, b)
			case 5:
				return Log2(a)
			}
			return rapid.SampledFrom([]func(a, b Expr) Expr{CeilDiv, FloorDiv}).Draw(t, "quotient")(a, Max(b, Int(1)))
		}
		e, env := expr(3), Env{}
		for _, s := range []string{"n", "k", "P"} {
			env[s] = value.Draw(t, s)
		}
		got, ok := e.evalInt(env)
		want, err := e.EvalRat(env)
		if ok && (err != nil || want.Cmp(big.NewRat(got, 1)) != 0) {
			t.Fatalf("%v in %v is %v, %v; got %d", e, env, want, err, got)
		}
	})
}

func TestSymbols(t *testing.T) {
	e := Add(Mul(L, n, k), Log2(Max(dHat, kIn)), CeilDiv(k, P), Min(mHat, n))
	if got, want := e.Symbols(), []string{"m̂", "n", "d̂", "k", "k_in", "P", "L"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
