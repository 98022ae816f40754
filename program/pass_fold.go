package program

import "slices"

// Fold moves what depends on neither parameters nor randomness nor the step
// out of the loop: it runs once per run, and what the step reads of it is kept.
// Values that only move data are computed again in the step instead of kept, and
// so are wide values of edges that do not fit a chunk, for they cost no more than
// to be read, and, the largest first, values that do not fit Facts.FoldBytes.
func Fold(p *Program, f Facts) *Program {
	fixed := invariant(p)
	again := make([]bool, len(p.Nodes))
	for i := range p.Nodes {
		again[i] = fixed[i] && (movesOnly(p, Value(i)) || f.chunks(p.Type(Value(i))))
	}
	u := foldUses(p, fixed, again)
	for f.FoldBytes >= 0 {
		largest, sum := u.kept(p, f)
		if sum <= f.FoldBytes {
			break
		}
		again[largest] = true
		u = foldUses(p, fixed, again)
	}
	return u.split(p)
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
	switch o := op.(type) {
	case Leaf, Random, Effect, CrossEntropy, ValueLoss:
		return false
	case Attention:
		return o.Mask.P == 0
	}
	return true
}

func movesOnly(p *Program, v Value) bool {
	n := p.Nodes[v]
	return n.Op.Cost(p.types(n.In), n.Type).Work.IsZero() && len(n.In) > 0
}

// folding says, for each operation, in which stages it runs. An invariant one
// runs before the steps where the step reads it or where another that runs then
// does, and in the step where it is not kept.
type folding struct{ pre, step []bool }

// foldUses decides from the last operation to the first, readers before what
// they read.
func foldUses(p *Program, fixed, again []bool) folding {
	u := folding{make([]bool, len(p.Nodes)), make([]bool, len(p.Nodes))}
	read := folding{make([]bool, len(p.Nodes)), make([]bool, len(p.Nodes))}
	for _, o := range p.Outputs {
		read.step[o.Value] = true
	}
	for i := len(p.Nodes) - 1; i >= 0; i-- {
		u.step[i] = !fixed[i] || again[i] && read.step[i]
		u.pre[i] = fixed[i] && (read.pre[i] || read.step[i] && !again[i])
		for _, v := range p.Nodes[i].In {
			read.step[v] = read.step[v] || u.step[i]
			read.pre[v] = read.pre[v] || u.pre[i]
		}
	}
	return u
}

// kept returns the largest of the values that outlive the prelude, and the sum
// of their sizes. Coefficients, one column each, count nothing.
func (u folding) kept(p *Program, f Facts) (largest Value, sum int64) {
	largest, size := None, int64(-1)
	for i, n := range p.Nodes {
		if _, coef := n.Op.(GraphCoef); coef || !u.pre[i] || u.step[i] || !u.readByStep(p, Value(i)) {
			continue
		}
		b := f.bytesOf(n.Type)
		sum += b
		if b >= size {
			largest, size = Value(i), b
		}
	}
	return largest, sum
}

func (u folding) readByStep(p *Program, v Value) bool {
	for _, o := range p.Outputs {
		if o.Value == v {
			return true
		}
	}
	for i, n := range p.Nodes {
		if u.step[i] && slices.Contains(n.In, v) {
			return true
		}
	}
	return false
}

// split makes the program: an operation of both stages becomes two. Those of
// neither are dropped.
func (u folding) split(p *Program) *Program {
	w := rewrite(p)
	once := make([]Value, len(p.Nodes)) // what stands for a value before the steps
	for i, n := range p.Nodes {
		w.at(Value(i))
		if u.pre[i] {
			w.b.stage = Pre
			in := make([]Value, len(n.In))
			for j, v := range n.In {
				in[j] = once[v]
			}
			w.new[i] = w.b.Add(n.Op, in...)
		}
		once[i] = w.new[i]
		if u.step[i] {
			w.b.stage = Step
			w.new[i] = w.b.Add(n.Op, w.in(Value(i))...)
		}
		if !u.pre[i] {
			once[i] = w.new[i] // a leaf
		}
	}
	return w.finish()
}
