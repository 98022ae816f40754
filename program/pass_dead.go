package program

import (
	"fmt"
)

// Dead drops the operations that no output and no update needs.
func Dead(p *Program) *Program {
	live := make([]bool, len(p.Nodes))
	for _, o := range p.Outputs {
		live[o.Value] = true
	}
	for i := len(p.Nodes) - 1; i >= 0; i-- {
		if _, ok := p.Nodes[i].Op.(Effect); ok {
			live[i] = true
		}
		if live[i] {
			for _, v := range p.Nodes[i].In {
				live[v] = true
			}
		}
	}
	w := rewrite(p)
	for i := range p.Nodes {
		if live[i] {
			w.copy(Value(i))
		}
	}
	return w.finish()
}

// Common merges equal operations on equal operands. Random ops are functions
// of their site, so that equal ones draw equal masks and merge too.
func Common(p *Program, _ Facts) *Program {
	w := rewrite(p)
	seen := map[string]Value{}
	for i, n := range p.Nodes {
		key := fmt.Sprint(identity(n.Op), w.in(Value(i)))
		if v, ok := seen[key]; ok && !isEffect(n.Op) {
			w.new[i] = v
			continue
		}
		w.copy(Value(i))
		seen[key] = w.new[i]
	}
	return w.finish()
}

func isEffect(op Op) bool { _, ok := op.(Effect); return ok }

// Infer replaces random ops by their operands: dropout acts in training only.
func Infer(p *Program) *Program {
	w := rewrite(p)
	for i, n := range p.Nodes {
		if _, ok := n.Op.(Random); ok {
			w.new[i] = w.new[n.In[0]]
			continue
		}
		w.copy(Value(i))
	}
	return w.finish()
}
