package cost

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// node is an operator of a program whose depth is wanted: its operands, its own
// depth, and the depth of the gradient for each operand.
type node struct {
	operands []int
	forward  Expr
	backward []Expr
	weights  bool
}

// attention returns the operators of attention layers with batch norm and a
// residual, the width of layer l being width(l); node 0 is the input.
func attention(layers int, width func(l int) Expr) []node {
	nodes := []node{{}}
	add := func(forward Expr, weights bool, backward Expr, operands ...int) int {
		back := make([]Expr, len(operands))
		for i := range back {
			back[i] = backward
		}
		nodes = append(nodes, node{operands, forward, back, weights})
		return len(nodes) - 1
	}
	in, out := Log2(dHat), Log2(Sym(OutWithLoops))
	h := 0
	for l := range layers {
		dense := Add(Int(1), Log2(width(l)))
		z := add(dense, true, dense, h)
		src := add(Expr{}, false, out, add(dense, true, Int(1), z))
		dst := add(Expr{}, false, in, add(dense, true, Int(1), z))
		score := add(Int(2), false, Int(2), src, dst)
		softmax := add(Add(Int(3), Scale(2, in)), false, Add(Int(3), in), score)
		sum := add(Add(Int(1), in), false, Add(dense, out), z, softmax)
		joined := add(Int(1), false, Expr{}, sum, add(dense, true, dense, h))
		mean := add(Log2(n), false, Int(1), joined)
		h = add(Int(2), false, Log2(n), joined, mean)
	}
	return nodes
}

// training returns the longest path through nodes and their gradients to the
// last update of a weight.
func training(nodes []node) Expr {
	depth := make([]Expr, len(nodes))
	for i, v := range nodes {
		var before []Expr
		for _, j := range v.operands {
			before = append(before, depth[j])
		}
		depth[i] = Add(Max(before...), v.forward)
	}
	last := len(nodes) - 1
	contributions := make([][]Expr, len(nodes))
	contributions[last] = []Expr{Add(depth[last], Log2(n))}
	var updates []Expr
	for i := last; i > 0; i-- {
		gradient := Add(Max(contributions[i]...), Log2(Int(int64(len(contributions[i])))))
		for x, j := range nodes[i].operands {
			ready := Max(gradient, depth[j])
			contributions[j] = append(contributions[j], Add(ready, nodes[i].backward[x]))
			if nodes[i].weights {
				updates = append(updates, Add(ready, Log2(n), Int(2)))
			}
		}
	}
	return Max(updates...)
}

// TestDepthStaysSmall: of the many paths through a deep network and its
// gradient, those that cannot be longest must go, whether the layers have one
// width or each its own symbol.
func TestDepthStaysSmall(t *testing.T) {
	// Forward, a layer is 11 + 2 log k + 3 log d̂ + log n long; backward 13 + 2 log k
	// + log n + log d̂ + log d̂_out + max(log d̂, log d̂_out), in the first layer
	// 2 + log k shorter; loss and update add 2 + 2 log n.
	oneWidth := training(attention(8, func(int) Expr { return k }))
	want := "192 + 18·⌈log₂ n⌉ + 32·⌈log₂ d̂⌉ + 8·⌈log₂ d̂_out⌉ + 31·⌈log₂ k⌉ + 8·max(⌈log₂ d̂⌉, ⌈log₂ d̂_out⌉)"
	if got := oneWidth.String(); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	all := map[string]Expr{}
	ownWidths := training(attention(8, func(l int) Expr {
		name := fmt.Sprintf("k_%d", l)
		all[name] = k
		return Sym(name)
	}))
	if got := ownWidths.Subst(all); !got.Equal(oneWidth) {
		t.Errorf("widths set equal: got %v, want %v", got, oneWidth)
	}
	if got := len(ownWidths.terms); got > 13 {
		t.Errorf("%d terms for 8 widths: %v", got, ownWidths)
	}
}

// TestCrossingPaths wires 100 operators at random, so that paths cross at every
// level: depths must not repeat themselves from level to level.
func TestCrossingPaths(t *testing.T) {
	for seed := range uint64(6) {
		r := rand.New(rand.NewPCG(seed, 0))
		steps := []Expr{Log2(n), Add(Int(1), Log2(d)), Add(Int(1), Log2(k)), Int(1)}
		depths := []Expr{{}}
		for range 100 {
			recent := depths[max(0, len(depths)-6):]
			a, b := recent[r.IntN(len(recent))], recent[r.IntN(len(recent))]
			depths = append(depths, Add(Max(a, b), steps[r.IntN(len(steps))]))
		}
		// Depths that are not below each other have at most as many arguments as
		// there are ways to split some 30 steps over three logarithms.
		if got := len(depths[100].String()); got > 5000 {
			t.Errorf("seed %d: %d bytes: %v", seed, got, depths[100])
		}
	}
}

func BenchmarkTrainingDepth(b *testing.B) {
	nodes := attention(12, func(l int) Expr { return Sym(fmt.Sprintf("k_%d", l)) })
	b.ReportAllocs()
	for b.Loop() {
		training(nodes)
	}
}
