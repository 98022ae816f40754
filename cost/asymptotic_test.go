package cost

import (
	"reflect"
	"testing"

	"pgregory.net/rapid"
)

// TestBigO prints the forms in which the literature states its bounds: Tables
// 2, 6 and 7 of arXiv 2205.09702, and what exact counts of those models become.
func TestBigO(t *testing.T) {
	T, K, J, s := Sym("T"), Sym("K"), Sym("J"), Sym("s")
	layer := Add(Scale(2, Mul(m, k)), Scale(2, Mul(n, Pow(k, 2))), Scale(3, Mul(n, k)), Mul(m, Int(7)), n)
	for _, c := range []struct {
		name string
		e    Expr
		want string
	}{
		{"nothing", Expr{}, "O(0)"},
		{"constant", Int(12), "O(1)"},
		{"gcn, full batch", Mul(L, layer), "O(L·m·k + L·n·k²)"},
		{"gcn with loops", layer.Subst(map[string]Expr{"m": mHat}), "O(m̂·k + n·k²)"},
		{"gcn, arcs and loops apart", Mul(Add(mHat, m, n), k), "O(m̂·k)"},
		{"depth", Add(Int(2), Log2(d), Log2(k)), "O(log d + log k)"},
		{"depth of L layers", Mul(L, Add(Int(2), Log2(d), Log2(k))), "O(L·log d + L·log k)"},
		{"depth with loops", Add(Log2(d), Log2(dHat)), "O(log d̂)"},
		{"depth in training", Add(Log2(d), Log2(k), Log2(n), Log2(loops)), "O(log n + log d + log k)"},
		{"side by side", Max(Add(Int(3), Log2(d)), Scale(2, Log2(k))), "O(log d + log k)"},
		{"log of a product", Log2(Mul(Int(8), n, Pow(k, 3))), "O(log n + log k)"},
		{"log of a sum", Log2(Add(d, Int(1))), "O(log d)"},
		{"log of m̂", Log2(Add(mHat, n)), "O(log m̂)"},
		{"log of a log", Log2(Log2(n)), "O(log(log n))"},
		{"log below any power", Add(Mul(n, k), Mul(n, Pow(Log2(k), 3)), Mul(Log2(n), k)), "O(n·k)"},
		{"log of less than the power", Add(mHat, Mul(Log2(n), Log2(m))), "O(m̂)"},
		{"gat as printed", Add(Mul(m, d, Pow(k, 2)), Mul(n, Pow(k, 2))), "O(m·d·k² + n·k²)"},
		{"gin, K layers", Add(Mul(m, k), Mul(K, n, Pow(k, 2))), "O(m·k + K·n·k²)"},
		{"monet, J kernels", Mul(J, Add(Mul(m, k), Mul(n, Pow(k, 2)))), "O(J·m·k + J·n·k²)"},
		{"chebnet", Mul(T, layer), "O(T·m·k + T·n·k²)"},
		{"powers", Add(Mul(m, n, Log2(s)), Mul(n, Pow(k, 2))), "O(m·n·log s + n·k²)"},
		{"inverse, work", Add(Pow(n, 3), Mul(n, Pow(k, 2))), "O(n³ + n·k²)"},
		{"inverse, depth", Add(Pow(Log2(n), 2), Log2(n), Log2(k)), "O(log² n + log k)"},
		{"negative terms", Mul(Sub(P, Int(1)), n, k), "O(n·k·P)"},
		{"constant divisors", Add(CeilDiv(Mul(n, k), Int(4)), FloorDiv(m, Int(2))), "O(m + n·k)"},
		{"divided by a symbol", Add(CeilDiv(n, P), Int(1)), "O(⌈n/P⌉)"},
		{"min is opaque", Mul(Min(n, Sym("c")), k), "O(k·min(n, c))"},
		{"power of a max", Pow(Max(n, k), 2), "O(n² + k²)"},
	} {
		if got := c.e.BigO(); got != c.want {
			t.Errorf("%s: got %s, want %s", c.name, got, c.want)
		}
	}
}

func TestBoundWithin(t *testing.T) {
	paper := Add(Mul(m, k), Mul(n, Pow(k, 2)))
	for _, c := range []struct {
		name string
		a, b Expr
		want Relation
	}{
		{"constants", Int(5), Int(1), Same},
		{"nothing", Expr{}, Int(1), Smaller},
		{"weft's gcn", Add(Scale(2, Mul(mHat, k)), Scale(2, Mul(n, Pow(k, 2))), Mul(n, k)), paper, Same},
		{"depth over N̂", Add(Int(4), Log2(dHat), Log2(k)), Add(Log2(d), Log2(k)), Same},
		{"depth in training", Add(Log2(d), Log2(k), Log2(n)), Add(Log2(d), Log2(k)), Larger},
		{"gat against the paper", Add(Mul(m, k), Mul(n, Pow(k, 2))), Add(Mul(m, d, Pow(k, 2)), Mul(n, Pow(k, 2))), Smaller},
		{"agnn without W", Mul(m, k), paper, Smaller},
		{"iterated powers", Mul(Sym("T"), m, k), Mul(m, n, Log2(Sym("T"))), Incomparable},
		{"m may be below n", Mul(n, k), Mul(m, k), Incomparable},
		{"loops are vertices", Mul(loops, k), Mul(n, k), Smaller},
		{"max and sum", Max(n, k), Add(n, k), Same},
		{"a mean of terms", Mul(n, k), Add(Pow(n, 2), Pow(k, 2)), Incomparable},
	} {
		if got := BoundWithin(c.a, c.b); got != c.want {
			t.Errorf("%s: %v is %v, want %v", c.name, c.a, got, c.want)
		}
	}
}

func TestRelationPrints(t *testing.T) {
	if got := Incomparable.String() + " " + Relation(9).String(); got != "incomparable Relation(9)" {
		t.Errorf("got %s", got)
	}
}

// TestBoundsHold grows all symbols together: where a is said to be within b, a/b
// must stay below the bound that the coefficients give.
func TestBoundsHold(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := bounds(t, "a"), bounds(t, "b")
		if r := BoundWithin(a, b); r == Larger || r == Incomparable {
			t.Skip("nothing is claimed")
		}
		env := Env{}
		for _, s := range []string{"n", "m", "d", "k"} {
			env[s] = 1 << rapid.IntRange(1, 40).Draw(t, s)
		}
		env["m̂"], env["d̂"], env["ℓ"] = env["m"]+env["n"], env["d"]+1, env["n"]/2
		x, y := value(t, a, env), value(t, b, env)
		ratio, _ := x.Quo(x, y).Float64()
		// b is at least its term that a term of a is within. a has at most 5 terms
		// with coefficients up to 4 and two powers, in each of which m̂ ≤ 2 max(m, n)
		// and d̂ ≤ 2d lose 2; a logarithm loses 3 by log₂ m̂ ≤ 1 + log₂ m + log₂ n.
		if limit := 5 * 4 * 2 * 2 * 3.0; ratio > limit {
			t.Fatalf("%v is said to be within %v, but is %g times as much in %v", a, b, ratio, env)
		}
	})
}

// bounds draws sums of one to five products of up to three symbols or logarithms.
func bounds(t *rapid.T, label string) Expr {
	var sum Expr
	for range rapid.IntRange(1, 5).Draw(t, label) {
		p := Int(rapid.Int64Range(1, 4).Draw(t, "coefficient"))
		for range rapid.IntRange(0, 2).Draw(t, "powers") {
			p = Mul(p, Sym(rapid.SampledFrom([]string{"n", "m", "m̂", "ℓ", "d", "d̂", "k"}).Draw(t, "symbol")))
		}
		if rapid.Bool().Draw(t, "has a logarithm") {
			p = Mul(p, Log2(Sym(rapid.SampledFrom([]string{"n", "m̂", "d̂", "k"}).Draw(t, "logarithm"))))
		}
		sum = Add(sum, p)
	}
	return sum
}

// TestLeadingIsStable: the leading terms of the leading terms are the same, and
// of the same order as the expression.
func TestLeadingIsStable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := bounds(t, "e")
		if got := e.Leading().Leading(); !got.Equal(e.Leading()) {
			t.Fatalf("%v: got %v, want %v", e, got, e.Leading())
		}
		if got := BoundWithin(e, e.Leading()); got != Same {
			t.Fatalf("%v against %v: %v", e, e.Leading(), got)
		}
	})
}

func TestDegree(t *testing.T) {
	e := Add(Mul(Pow(n, 2), k, Log2(k)), Mul(Pow(Max(k, Mul(n, k)), 3), d), CeilDiv(Pow(L, 4), P))
	for symbol, want := range map[string]int{"n": 3, "k": 3, "d": 1, "L": 4, "P": 0, "m": 0} {
		if got := e.Degree(symbol); got != want {
			t.Errorf("degree in %s of %v: got %d, want %d", symbol, e, got, want)
		}
	}
}

func TestLeadingExponents(t *testing.T) {
	e := Mul(L, Add(Scale(2, Mul(m, k)), Mul(n, Pow(k, 2)), Mul(n, k)))
	if got, want := e.LeadingExponents("n", "m", "k"), [][]int{{0, 1, 1}, {1, 0, 2}}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
