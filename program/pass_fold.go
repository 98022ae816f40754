package program

import "slices"

// Fold moves what depends on neither parameters nor randomness nor the step
// out of the loop: it runs once per run and its results are kept. Values that
// only move data are recomputed instead of kept, and results that do not fit
// Facts.FoldBytes stay in the step, the largest first.
func Fold(p *Program, f Facts) *Program {
	fixed := invariant(p)
	for i := len(p.Nodes) - 1; i >= 0; i-- {
		if fixed[i] && movesOnly(p, Value(i)) && usedByStep(p, fixed, Value(i)) {
			fixed[i] = false
		}
	}
	fit(p, f, fixed)
	w := rewrite(p)
	for i := range p.Nodes {
		w.copy(Value(i))
		if fixed[i] {
			w.b.p.Nodes[w.new[i]].Stage = Pre
		}
	}
	return w.finish()
}

// invariant marks the operations that give the same result in every step.
// Leaves are stored, not computed: they are in no stage.
func invariant(p *Program) []bool {
	fixed, steady := make([]bool, len(p.Nodes)), make([]bool, len(p.Nodes))
	for i, n := range p.Nodes {
		if in, ok := n.Op.(Input); ok {
			steady[i] = !in.Varies
			continue
		}
		if !computesAlike(n.Op) || n.Backward {
			continue
		}
		steady[i] = true
		for _, v := range n.In {
			steady[i] = steady[i] && steady[v]
		}
		fixed[i] = steady[i]
	}
	return fixed
}

// computesAlike reports whether equal operands give an equal result at any step.
func computesAlike(op Op) bool {
	switch op.(type) {
	case Leaf, Random, Effect, CrossEntropy, ValueLoss:
		return false
	}
	return true
}

func movesOnly(p *Program, v Value) bool {
	n := p.Nodes[v]
	return n.Op.Cost(p.types(n.In), n.Type).Work.IsZero() && len(n.In) > 0
}

// usedByStep reports whether a value is read outside what runs once.
func usedByStep(p *Program, fixed []bool, v Value) bool {
	for _, o := range p.Outputs {
		if o.Value == v {
			return true
		}
	}
	for i, n := range p.Nodes {
		if !fixed[i] && slices.Contains(n.In, v) {
			return true
		}
	}
	return false
}

// fit takes values out of the prelude until what is kept fits the bound.
// Coefficients, one column each, always stay.
func fit(p *Program, f Facts, fixed []bool) {
	for f.FoldBytes >= 0 {
		var sum int64
		largest, size := None, int64(0)
		for i, n := range p.Nodes {
			if _, coef := n.Op.(GraphCoef); coef || !fixed[i] || !usedByStep(p, fixed, Value(i)) {
				continue
			}
			b := f.bytesOf(n.Type)
			sum += b
			if b >= size {
				largest, size = Value(i), b
			}
		}
		if sum <= f.FoldBytes || largest == None {
			return
		}
		fixed[largest] = false
	}
}
