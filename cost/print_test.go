package cost

import (
	"encoding/json"
	"testing"
)

// Symbols that the tables below read like formulas with.
var (
	n, m, mHat  = Sym("n"), Sym("m"), Sym("m̂")
	d, dHat     = Sym("d"), Sym("d̂")
	k, kIn      = Sym("k"), Sym("k_in")
	kOut, L     = Sym("k_out"), Sym("L")
	H, P, loops = Sym("H"), Sym("P"), Sym("ℓ")
)

func TestPrinting(t *testing.T) {
	for _, c := range []struct {
		e           Expr
		text, latex string
	}{
		{Expr{}, "0", "0"},
		{Int(-7), "−7", "-7"},
		{Rat(6, 4), "3/2", `\frac{3}{2}`},
		{Add(Mul(n, Pow(k, 2)), Scale(2, Mul(k, mHat))), "2·m̂·k + n·k²", `2 \hat{m} k + n k^{2}`},
		{Add(Log2(d), Int(1)), "1 + ⌈log₂ d⌉", `1 + \lceil\log_2 d\rceil`},
		{Sub(P, Int(1)), "P − 1", "P - 1"},
		{Scale(-1, Mul(n, k)), "−n·k", "-n k"},
		{Mul(Sub(P, Int(1)), L, kOut, n), "L·n·k_out·P − L·n·k_out", `L n k_{\mathrm{out}} P - L n k_{\mathrm{out}}`},
		{Scale(5, Mul(H, mHat)), "5·m̂·H", `5 \hat{m} H`},
		{Add(Sym("k_10"), Sym("k_2"), kIn, k), "k + k_2 + k_10 + k_in", `k + k_{2} + k_{10} + k_{\mathrm{in}}`},
		{Mul(Sym("d̂_out"), loops, Sym("nnz(X)")), "ℓ·nnz(X)·d̂_out", `\ell \mathrm{nnz(X)} \hat{d}_{\mathrm{out}}`},
		{Mul(Rat(1, 2), n, Pow(Log2(n), 12)), "1/2·n·⌈log₂ n⌉¹²", `\frac{1}{2} n \lceil\log_2 n\rceil^{12}`},
		{Log2(Add(n, k)), "⌈log₂(n + k)⌉", `\lceil\log_2 (n + k)\rceil`},
		{Max(n, Mul(d, k)), "max(n, d·k)", `\max(n, d k)`},
		{Pow(Min(n, Sym("c")), 2), "min(n, c)²", `\min(n, c)^{2}`},
		{CeilDiv(Add(n, Int(1)), P), "⌈(1 + n)/P⌉", `\lceil (1 + n)/P\rceil`},
		{FloorDiv(n, Int(4)), "⌊n/4⌋", `\lfloor n/4\rfloor`},
	} {
		if got := c.e.String(); got != c.text {
			t.Errorf("String: got %q, want %q", got, c.text)
		}
		if got := c.e.Latex(); got != c.latex {
			t.Errorf("Latex of %s: got %q, want %q", c.text, got, c.latex)
		}
	}
}

func TestCostMarshalsAsStrings(t *testing.T) {
	c := Cost{Work: Mul(Int(2), m, k), Depth: Add(Int(1), Log2(d)), Bytes: Mul(Int(4), m, k)}
	got, err := json.Marshal(c)
	if want := `{"work":"2·m·k","depth":"1 + ⌈log₂ d⌉","bytes":"4·m·k"}`; err != nil || string(got) != want {
		t.Errorf("got %s, %v; want %s", got, err, want)
	}
}

func TestConstructorsRefuse(t *testing.T) {
	for name, build := range map[string]func(){
		"empty symbol":        func() { Sym("") },
		"operator in symbol":  func() { Sym("n·k") },
		"denominator 0":       func() { Rat(1, 0) },
		"negative power":      func() { Pow(n, -1) },
		"ceil division by 0":  func() { CeilDiv(n, Int(0)) },
		"floor division by −": func() { FloorDiv(n, Int(-2)) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: want a panic", name)
				}
			}()
			build()
		}()
	}
}
