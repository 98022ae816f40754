package program_test

import (
	"testing"

	"github.com/weft-gnn/weft/model"
	. "github.com/weft-gnn/weft/program"
)

// TestSides: the columns that a training step sends forward and backward, of features of
// 5, a hidden layer of 7 and 3 classes, wherever ranks exchange. In words for each row:
//
//	             features  hidden  classes
//	x ─dropout─ W ─ sum ─ relu ─ W ─ sum
//	    5    5     7   7       7    3   3
func TestSides(t *testing.T) {
	layers := func(b *Builder, x Value) Value {
		for i, k := range []int{7, 3} {
			b.Layer(i)
			if i == 0 {
				x = b.Dropout(x, 0.5)
			} else {
				x = b.ReLU(x)
			}
			x = b.Sum(b.Scatter(b.Linear(x, Cols(k)), Src, Edges), Dst)
		}
		b.EndLayers()
		return x
	}
	for _, c := range []struct {
		side              Side
		recompute         bool
		forward, backward int
		why               string
	}{
		{AfterProducts, false, 7 + 3, 3 + 7, "the products of both layers and their gradients"},
		{AfterProducts, true, 7 + 3, 3 + 7, "nothing stands between a product and its edges"},
		{BeforeProducts, false, 5 + 7, 7, "what products read; the features' gradient is nobody's"},
		{BeforeProducts, true, 7, 7, "features never change, and their dropout is drawn again"},
		{FewerWords, false, 5 + 3, 3, "before the first product 5, after it 7 + 7; of the second 7 + 7, 3 + 3"},
		{FewerWords, true, 3, 3, "nothing before the first, and as before of the second"},
	} {
		b := NewBuilder("two products")
		y := layers(b, b.Input("x", Vertices, Cols(5)))
		b.Output("loss", b.CrossEntropy(y))
		p, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		if p, err = Backward(p, Optimizer{Kind: SGDKind}); err != nil {
			t.Fatal(err)
		}
		for _, edges := range []Owner{ByDst, BySrc} {
			q, err := Distribute(Dead(p), Facts{Distribution: &Distribution{Mesh: Mesh{Parts: 2}, Edges: edges, Exchange: c.side, Recompute: c.recompute}})
			if err != nil {
				t.Fatal(err)
			}
			got := [2]int{}
			for _, n := range q.Nodes {
				if _, ok := n.Op.(Swap); ok && n.Stage == Step {
					got[map[bool]int{true: 1, false: 0}[n.Backward]] += n.Type.Cols.N
				}
			}
			if want := [2]int{c.forward, c.backward}; edges == ByDst && got != want {
				t.Errorf("side %v, recompute %v: %v columns are sent forward and backward, want %v: %s", c.side, c.recompute, got, want, c.why)
			}
			if edges == BySrc && got != [2]int{7 + 3, 3 + 7} {
				t.Errorf("side %v, recompute %v: %v columns are sent, though edges lie with their sources", c.side, c.recompute, got)
			}
		}
	}
}

// TestSidesOfModels: a step of every model sends no more where the fewest words decide,
// and rows may be computed again, than it sends otherwise.
func TestSidesOfModels(t *testing.T) {
	for _, m := range model.All() {
		p, err := Backward(objective(t, m, 3), Optimizer{Kind: SGDKind})
		if err != nil {
			t.Fatal(err)
		}
		sent := func(side Side, recompute bool) (cols int) {
			q, err := Distribute(Common(p, Facts{}), Facts{Distribution: &Distribution{Mesh: Mesh{Parts: 2}, Edges: ByDst, Exchange: side, Recompute: recompute}})
			if err != nil {
				t.Fatal(err)
			}
			for _, n := range q.Nodes {
				if _, ok := n.Op.(Swap); ok && n.Stage == Step {
					cols += n.Type.Cols.N
				}
			}
			return cols
		}
		fewest := sent(FewerWords, true)
		for side := AfterProducts; side <= FewerWords; side++ {
			for _, recompute := range []bool{false, true} {
				if n := sent(side, recompute); n < fewest {
					t.Errorf("%s: side %v, recompute %v sends %d columns a step, the fewest words %d", m.Name, side, recompute, n, fewest)
				}
			}
		}
	}
}
