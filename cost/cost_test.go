package cost

import (
	"fmt"
	"testing"
)

func TestThenAndBeside(t *testing.T) {
	a := Cost{Work: Mul(n, k), Depth: Log2(d), Bytes: Mul(Int(4), n)}
	b := Cost{Work: m, Depth: Log2(k), Bytes: Mul(Int(4), m)}
	for _, c := range []struct {
		got  Cost
		want string
	}{
		{a.Then(b), "work m + n·k, depth ⌈log₂ d⌉ + ⌈log₂ k⌉, bytes 4·m + 4·n"},
		{a.Beside(b), "work m + n·k, depth max(⌈log₂ d⌉, ⌈log₂ k⌉), bytes 4·m + 4·n"},
		{a.Then(Cost{}), a.String()},
		{Cost{}.Beside(a), a.String()},
	} {
		if c.got.String() != c.want {
			t.Errorf("got %v, want %s", c.got, c.want)
		}
	}
}

// program returns the cost of ops operators on layers of different widths, with
// two branches that join every ten operators.
func program(ops int) Cost {
	var main, branch Cost
	for i := range ops {
		width := Sym(fmt.Sprintf("k_%d", i/100))
		op := Cost{
			Work:  Add(Mul(Int(2), mHat, width), Mul(n, width, kOut)),
			Depth: Add(Int(1), Log2(dHat), Log2(width)),
			Bytes: Add(Mul(Int(4), mHat, width), Mul(Int(8), n, kOut), Mul(Int(8), Add(n, Int(1)))),
		}
		switch {
		case i%10 == 9:
			main, branch = main.Beside(branch).Then(op), Cost{}
		case i%2 == 0:
			main = main.Then(op)
		default:
			branch = branch.Then(Cost{Work: op.Work, Depth: Scale(2, Log2(width)), Bytes: op.Bytes})
		}
	}
	return main
}

func BenchmarkProgram(b *testing.B) {
	for _, ops := range []int{100, 500} {
		b.Run(fmt.Sprintf("ops=%d", ops), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				program(ops)
			}
		})
	}
}

func BenchmarkEval(b *testing.B) {
	work := program(500).Work
	env := Env{"m̂": 13264, "n": 2708, "k_out": 7}
	for i := range 5 {
		env[fmt.Sprintf("k_%d", i)] = 16
	}
	b.ReportAllocs()
	for b.Loop() {
		work.MustEval(env)
	}
}

func BenchmarkBigO(b *testing.B) {
	work := program(500).Work
	b.ReportAllocs()
	for b.Loop() {
		work.BigO()
	}
}
