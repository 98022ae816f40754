package cost

import (
	"fmt"
	"testing"
)

// TestCanonicalForm lists pairs of equal expressions that must print equally.
func TestCanonicalForm(t *testing.T) {
	for _, c := range []struct {
		name string
		e    Expr
		want string
	}{
		{"cancel", Sub(Mul(n, k), Mul(k, n)), "0"},
		{"expand", Mul(Add(n, m), Sub(n, m)), "−m² + n²"},
		{"fractions", Add(Mul(Rat(1, 3), n), Mul(Rat(2, 3), n)), "n"},
		{"times 0", Scale(0, n), "0"},
		{"power 0", Pow(Add(n, k), 0), "1"},
		{"log of 0", Log2(Int(0)), "0"},
		{"log of 1", Log2(Int(1)), "0"},
		{"log of 2", Log2(Int(2)), "1"},
		{"log of 9", Log2(Int(9)), "4"},
		{"log of 2⁶²", Log2(Int(1 << 62)), "62"},
		{"log of 2⁶²+1", Log2(Int(1<<62 + 1)), "63"},
		{"log of 9/8", Log2(Rat(9, 8)), "1"},
		{"log of max", Log2(Max(n, k)), "max(⌈log₂ n⌉, ⌈log₂ k⌉)"},
		{"max of nothing", Max(), "0"},
		{"max of constants", Max(Int(3), Int(5), Rat(9, 2)), "5"},
		{"min of constants", Min(Int(3), Int(5)), "3"},
		{"max of one", Max(n, n), "n"},
		{"max drops the smaller", Max(n, Add(n, k), Scale(2, n)), "n + max(n, k)"},
		{"max with 0", Max(Int(0), Log2(d)), "⌈log₂ d⌉"},
		{"min with 0", Min(Log2(d), Int(0)), "0"},
		{"min drops the larger", Min(n, Add(n, k)), "n"},
		{"common addend", Max(Add(Int(3), Log2(d), n), Add(Int(2), Log2(d), k)), "2 + ⌈log₂ d⌉ + max(1 + n, k)"},
		{"negative addend", Max(Sub(P, Int(1)), k), "max(1 + k, P) − 1"},
		{"common factor", Max(Mul(Int(6), L, n, k), Mul(Int(4), L, m, k)), "2·L·k·max(2·m, 3·n)"},
		{"nested", Max(Max(n, m), Max(k, n)), "max(m, n, k)"},
		{"nested with addend", Max(Add(Max(n, k), Int(1)), n), "1 + max(n, k)"},
		{"nested, one arm beaten", Max(Add(Max(n, k), Int(1)), Add(n, Int(5))), "1 + max(4 + n, k)"},
		{"residual", Max(Add(Max(n, k), d), Max(n, k)), "d + max(n, k)"},
		{"log of double", Max(Add(Int(1), Log2(Scale(2, k))), Log2(k)), "1 + ⌈log₂(2·k)⌉"},
		{"max of min", Max(Min(n, k), n), "n"},
		{"min of max", Min(Max(n, k), n), "n"},
		{"product of max", Max(Mul(L, Max(n, k)), Mul(L, n)), "L·max(n, k)"},
		{"divided", CeilDiv(Add(Mul(n, P), k), P), "n + ⌈k/P⌉"},
		{"divided by 1", FloorDiv(n, Int(1)), "n"},
		{"divided constants", Add(CeilDiv(Int(7), Int(2)), FloorDiv(Int(-7), Int(2))), "0"},
		{"a fraction is no integer", CeilDiv(Mul(Rat(1, 2), n), Int(1)), "⌈(1/2·n)/1⌉"},
		{"divided by a fraction", CeilDiv(Max(n, Mul(Rat(2, 3), k)), Rat(1, 3)), "max(3·n, 2·k)"},
		{"a fraction of a max is none", CeilDiv(Max(Mul(Rat(1, 2), n), k), Int(1)), "⌈(1/2·max(n, 2·k))/1⌉"},
	} {
		if got := c.e.String(); got != c.want {
			t.Errorf("%s: got %s, want %s", c.name, got, c.want)
		}
	}
}

func TestSubst(t *testing.T) {
	e := Add(Mul(Int(2), Add(m, loops), kIn), Mul(n, kIn, kOut), Log2(kIn), Max(kIn, kOut), CeilDiv(Mul(kOut, k), kIn))
	got := e.Subst(map[string]Expr{"ℓ": Int(0), "k_in": k, "k_out": k})
	if want := "2·m·k + n·k² + 2·k + ⌈log₂ k⌉"; got.String() != want {
		t.Errorf("got %v, want %s", got, want)
	}
	if got := Mul(n, k).Subst(map[string]Expr{"n": k, "k": n}); !got.Equal(Mul(n, k)) {
		t.Errorf("symbols are replaced at once: got %v, want n·k", got)
	}
}

// TestManyMaximaStayExact compares sums of maxima over distinct symbols, which
// have too many combinations to decide: the maximum must stay small and right.
func TestManyMaximaStayExact(t *testing.T) {
	var a, b Expr
	env := Env{}
	var x, y int64
	for i := range int64(12) {
		names := []string{fmt.Sprint("p_", i), fmt.Sprint("q_", i), fmt.Sprint("r_", i)}
		env[names[0]], env[names[1]], env[names[2]] = i*i%7, i*5%11, i*3%8
		a = Add(a, Max(Sym(names[0]), Sym(names[1])))
		b = Add(b, Max(Sym(names[1]), Sym(names[2])))
		x += max(env[names[0]], env[names[1]])
		y += max(env[names[1]], env[names[2]])
	}
	e := Max(a, b)
	if got, want := e.MustEval(env), max(x, y); got != want {
		t.Errorf("got %d, want %d", got, want)
	}
	if got, limit := len(e.String()), len(a.String())+len(b.String())+len("max(, )"); got > limit {
		t.Errorf("%d bytes, want at most the %d of the arguments: %v", got, limit, e)
	}
}
