package cost

import "testing"

// TestLine: linear expressions are recovered from two values, also inside max.
func TestLine(t *testing.T) {
	n, m, k, l := Sym("n"), Sym("m"), Sym("k"), Sym("L")
	for _, e := range []Expr{
		Int(7),
		n,
		Add(Mul(l, m, k), Scale(-2, n)),
		Mul(Rat(1, 2), l, n),
		Add(Mul(l, Max(m, k)), n),
		Max(Mul(l, n), Mul(l, m), k),
		Add(Scale(3, Max(Add(Mul(l, n), Int(1)), Add(Mul(l, m), k))), Mul(l, Log2(k))),
		Mul(n, Max(Mul(l, k), m)),
	} {
		at := func(v int64) Expr { return e.Subst(map[string]Expr{"L": Int(v)}) }
		got, ok := Line(l, 3, at(3), 4, at(4))
		if !ok || !got.Equal(e) {
			t.Errorf("the line through %v and %v is %v (%v), want %v", at(3), at(4), got, ok, e)
		}
	}
}

// TestLineOnly: what is not linear is interpolated, and differs elsewhere; what
// does not correspond is refused.
func TestLineOnly(t *testing.T) {
	n, m, k, l := Sym("n"), Sym("m"), Sym("k"), Sym("L")
	square := func(v int64) Expr { return Mul(Int(v*v), n) }
	got, ok := Line(l, 2, square(2), 4, square(4))
	if want := Sub(Mul(Int(6), l, n), Scale(8, n)); !ok || !got.Equal(want) {
		t.Errorf("got %v (%v), want %v", got, ok, want)
	}
	if at := got.Subst(map[string]Expr{"L": Int(3)}); at.Equal(square(3)) {
		t.Errorf("%v holds at 3", got)
	}
	for _, c := range [][2]Expr{
		{n, Max(n, m)},                         // an extremum on one side only
		{Max(n, m), Max(n, m, k)},              // of different lengths
		{Scale(2, Max(n, m)), Max(n, k)},       // of different factors
		{Mul(k, Max(n, m)), Mul(l, Max(n, k))}, // beside different factors
		{Max(n, m), Min(n, m)},
	} {
		if e, ok := Line(Sym("x"), 0, c[0], 1, c[1]); ok {
			t.Errorf("the line from %v to %v is %v, want none", c[0], c[1], e)
		}
	}
}
