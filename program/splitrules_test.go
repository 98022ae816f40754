package program_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/weft-gnn/weft/kernel"
	. "github.com/weft-gnn/weft/program"
)

// TestSplitRulesTable writes the rules out: for one case of every op, on two
// ranks, what each placement of the operands gives, and for which owners of the
// edges where not for all. Placements that are not listed are refused. Rules for
// graphs are those for vertices, rules for edges+loops those for edges.
func TestSplitRulesTable(t *testing.T) {
	var s strings.Builder
	seen := map[string]bool{}
	for _, c := range splitCases() {
		name := ruleName(c)
		other := slices.ContainsFunc(c.in, func(o operand) bool { return o.Space == LoopEdges || o.Space == Graphs && c.in[0].Space == Graphs })
		if seen[name] || other && !alongMember(c.op) {
			continue
		}
		seen[name] = true
		fmt.Fprintf(&s, "%s\n", name)
		for _, line := range c.rules() {
			fmt.Fprintf(&s, "  %s\n", line)
		}
	}
	golden(t, "splits.txt", s.String())
}

func alongMember(op Op) bool {
	switch o := op.(type) {
	case Scatter:
		return o.Along == Member
	case Route:
		return o.To == Vertices
	}
	return false
}

// ruleName names the op and the spaces of its operands. Functions that are not
// linear have one rule.
func ruleName(c opCase) string {
	name := c.op.String()
	switch o := c.op.(type) {
	case Unary:
		if o.Func.Kind != kernel.Scale {
			name = "any other function"
		}
	case UnaryGrad:
		name = "any function'"
	case Affine:
		name = fmt.Sprintf("Affine, bias %v, function %v", o.Bias, o.Func.Kind != kernel.Identity)
	case Dropout:
		name = "Dropout"
	case ValueLoss, ValueLossGrad:
		name = "ValueLoss" + strings.TrimLeft(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
	}
	if _, ok := c.op.(Walker); ok { // one rule for all heads and masks
		return opName(c.op)
	}
	for i, o := range c.in {
		sep := ", "
		if i == 0 {
			sep = " of "
		}
		name += sep + o.Space.String()
		if h := o.Cols.N; h > 1 && h < 5 && o.Space != One && c.in[0].Cols.N == dimK.N {
			name += fmt.Sprintf("[%d heads]", h)
		}
	}
	return name
}

// rules lists the placements that the case's op accepts on two ranks.
func (c opCase) rules() []string {
	out, err := c.op.Shape(c.types())
	if err != nil {
		return []string{err.Error()}
	}
	var keys []string
	accepted := map[string][]string{} // by placements and result, the owners
	possible := map[string]int{}      // by placements, for how many owners they exist
	for _, owner := range owners {
		c.eachPlacement(owner, func(in []Placement) {
			operands := strings.Trim(strings.ReplaceAll(fmt.Sprint(in), " ", ", "), "[]")
			possible[operands]++
			p, err := c.op.Split(Split{Ranks: 2, Edges: owner, In: in, Types: c.types(), Out: out})
			if err != nil {
				return
			}
			key := operands + " → " + p.String()
			if accepted[key] == nil {
				keys = append(keys, key)
			}
			accepted[key] = append(accepted[key], owner.String())
		})
	}
	var lines []string
	for _, k := range keys {
		operands, _, _ := strings.Cut(k, " → ")
		line := strings.TrimSpace(k)
		if len(accepted[k]) < possible[operands] {
			line += "  (edges " + strings.Join(accepted[k], ", ") + ")"
		}
		lines = append(lines, line)
	}
	return lines
}

// TestSplitAcceptsWholeAndRows: whole operands always compute, and every op
// over rows computes on rows, some with their halo.
func TestSplitAcceptsWholeAndRows(t *testing.T) {
	for _, c := range splitCases() {
		out, err := c.op.Shape(c.types())
		if err != nil {
			t.Fatal(err)
		}
		ask := func(owner Owner, rows Kind) bool {
			in := make([]Placement, len(c.in))
			for i, o := range c.in {
				switch {
				case rows == Whole || o.Space == One:
				case o.arg != nil && o.arg.Along == Member:
					in[i] = Placement{Partial, Sum}
				case o.Space == Graphs && len(c.in) > 0 && out.Space == Vertices:
					// a graph's row is read whole
				case rows == Halo && numbered(o.Space) || o.Index:
					in[i].Kind = Rows
				default:
					in[i].Kind = rows
				}
			}
			_, err := c.op.Split(Split{Ranks: 2, Edges: owner, In: in, Types: c.types(), Out: out})
			return err == nil
		}
		if !ask(AllEdges, Whole) {
			t.Errorf("%v: refuses whole operands", c)
		}
		spread := []Owner{ByDst, BySrc, Free}
		if !slices.ContainsFunc(spread, func(o Owner) bool { return ask(o, Rows) || ask(o, Halo) }) {
			t.Errorf("%v: refuses rows", c)
		}
	}
}

// TestSplitOfUpdates: operands that lie alike are updated where they lie.
func TestSplitOfUpdates(t *testing.T) {
	for _, c := range updateCases() {
		for _, p := range placements {
			in := slices.Repeat([]Placement{p}, len(c.in))
			in[2] = Placement{}
			s := Split{Ranks: 2, In: in, Types: c.types()}
			got, err := c.op.Split(s)
			if p.Kind == Halo {
				continue // there is none in One
			}
			if ok := p.Kind != Partial; ok != (err == nil) || ok && got != p {
				t.Errorf("%v: operands that are %v give %v, %v", c.op, p, got, err)
			}
			if p.Kind == Whole {
				continue
			}
			in[2] = p
			if _, err := c.op.Split(s); err == nil || !namesOperand(err.Error(), in) {
				t.Errorf("%v: a learning rate that is %v gives %v", c.op, p, err)
			}
			in[2], in[1] = Placement{}, Placement{}
			if _, err := c.op.Split(s); err == nil || !namesOperand(err.Error(), in) {
				t.Errorf("%v: %v with a whole gradient gives %v", c.op, p, err)
			}
		}
	}
}

// TestSplitOfLeaves: a plan places what is stored; by itself it is whole.
func TestSplitOfLeaves(t *testing.T) {
	for _, c := range sourceCases() {
		if _, ok := c.op.(Leaf); !ok {
			continue
		}
		if p, err := c.op.Split(Split{Ranks: 2}); err != nil || p.Kind != Whole {
			t.Errorf("%v: %v, %v", c.op, p, err)
		}
	}
}

// TestEndsAreNamed: an op whose rule asks for the halo of vertices that edges read
// says at which end it reads them, so that distribute can bring them there.
func TestEndsAreNamed(t *testing.T) {
	asked := 0
	for _, c := range splitCases() {
		out, err := c.op.Shape(c.types())
		if err != nil {
			t.Fatal(err)
		}
		for _, owner := range []Owner{ByDst, BySrc} {
			c.eachPlacement(owner, func(in []Placement) {
				_, err := c.op.Split(Split{Ranks: 2, Edges: owner, In: in, Types: c.types(), Out: out})
				if err == nil || !strings.Contains(err.Error(), "local edges name rows of other ranks") {
					return
				}
				asked++
				_, reads := BaseOf(c.op).(EndReader)
				_, walks := BaseOf(c.op).(Walker)
				if !reads && !walks {
					t.Errorf("%v asks for a halo and does not say of which end", c)
				}
			})
		}
	}
	if asked == 0 {
		t.Error("no rule asks for a halo")
	}
}
