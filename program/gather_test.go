package program_test

import (
	"slices"
	"testing"

	"github.com/weft-gnn/weft/cost"
	. "github.com/weft-gnn/weft/program"
)

// gathering lists, for the ops that read rows as edges name them, what they
// read: the operand, the end by which edges are visited, and whether the row is
// the edge's own.
func gathering(op Op) []Gather {
	switch o := BaseOf(op).(type) {
	case SpMM:
		if o.Along == Src && o.Weighted {
			return []Gather{{0, o.Over, Src, false, AllSources}, {1, o.Over, Src, true, AllSources}}
		}
		return []Gather{{0, o.Over, o.Along, false, AllSources}}
	case Scatter:
		if o.Along == Src {
			return []Gather{{0, o.To, Dst, false, AllSources}}
		}
	case Aggregate:
		if o.Along == Src {
			return []Gather{{0, o.Over, Src, true, AllSources}}
		}
	case ArgSelect:
		if o.Along == Src {
			return []Gather{{0, o.Over, Src, true, AllSources}}
		}
	case Extreme:
		if o.Along == Src {
			return []Gather{{0, o.Over, Src, true, AllSources}}
		}
	case EdgeDot:
		return []Gather{{0, o.Over, Dst, false, AllSources}}
	case EdgeAdd:
		return []Gather{{0, o.Over, Dst, false, AllSources}}
	case Attention:
		return []Gather{{0, o.Over, Dst, false, AllSources}, {1, o.Over, Dst, false, AllSources}}
	case AttentionGradDst:
		return []Gather{{0, o.Over, Dst, false, AllSources}, {1, o.Over, Dst, false, AllSources}}
	case AttentionGradSrc:
		return []Gather{{2, o.Over, Src, false, AllSources}, {3, o.Over, Src, false, AllSources}}
	case SparseMatMul:
		return []Gather{{1, Entries, Dst, false, AllSources}}
	case SparseMatMulT:
		return []Gather{{1, Entries, Src, false, AllSources}, {0, Entries, Src, true, AllSources}}
	}
	return nil
}

// TestGathers: what ops gather is what the table says, and part of the bytes
// that they state: without it and the result nothing negative is left.
func TestGathers(t *testing.T) {
	rows := map[Space]cost.Expr{Edges: nE, LoopEdges: nL, Entries: nX}
	env := cost.Env{}
	for _, c := range opCases() {
		gathers := GathersOf(c.op)
		if want := gathering(c.op); !slices.Equal(gathers, want) {
			t.Errorf("%v gathers %v, want %v", c, gathers, want)
		}
		if len(gathers) == 0 {
			continue
		}
		in := c.types()
		out, err := c.op.Shape(in)
		if err != nil {
			t.Fatal(err)
		}
		rest := c.op.Cost(in, out).Bytes
		for _, g := range gathers {
			rest = cost.Sub(rest, words(times(rows[g.Over], in[g.Operand].Cols.Expr)))
		}
		for _, name := range rest.Symbols() {
			env[name] = 3
		}
		if v, err := rest.Eval(env); err != nil || v < 0 {
			t.Errorf("%v gathers more than it moves: %v is left, %d: %v", c, rest, v, err)
		}
	}
}
