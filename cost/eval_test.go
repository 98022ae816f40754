package cost

import (
	"slices"
	"strings"
	"testing"
)

func TestEval(t *testing.T) {
	e := Add(Mul(Int(2), mHat, k), Mul(n, Pow(k, 2)), Log2(d), Max(n, k))
	env := Env{"m̂": 13264, "n": 2708, "k": 16, "d": 169}
	if got, want := e.MustEval(env), int64(2*13264*16+2708*256+8+2708); got != want {
		t.Errorf("got %d, want %d", got, want)
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

func TestSymbols(t *testing.T) {
	e := Add(Mul(L, n, k), Log2(Max(dHat, kIn)), CeilDiv(k, P), Min(mHat, n))
	if got, want := e.Symbols(), []string{"m̂", "n", "d̂", "k", "k_in", "P", "L"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
