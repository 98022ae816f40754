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
	p := twoProducts(t)
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
		for _, edges := range []Owner{ByDst, BySrc} {
			got := columnsSent(t, p, Distribution{Edges: edges, Exchange: c.side, Recompute: c.recompute})
			if want := [2]int{c.forward, c.backward}; edges == ByDst && got != want {
				t.Errorf("side %v, recompute %v: %v columns are sent forward and backward, want %v: %s", c.side, c.recompute, got, want, c.why)
			}
			if edges == BySrc && got != [2]int{7 + 3, 3 + 7} {
				t.Errorf("side %v, recompute %v: %v columns are sent, though edges lie with their sources", c.side, c.recompute, got)
			}
		}
	}
}

// TestReturns: the columns of the same step where rows of gradients go back.
func TestReturns(t *testing.T) {
	p := twoProducts(t)
	for _, c := range []struct {
		side              Side
		recompute         bool
		back              Return
		forward, backward int
		why               string
	}{
		{AfterProducts, false, ReturnRows, 7 + 3, 3 + 7, "rows of as many columns as the sums"},
		{AfterProducts, true, ReturnFewer, 7 + 3, 3 + 7, "the same"},
		{BeforeProducts, false, ReturnRows, 5 + 7, 3 + 7, "what is summed to has a gradient, whatever reads the features"},
		{FewerWords, false, ReturnRows, 5 + 3, 3 + 7, "forward alone: before the first product 5, after it 7"},
		{FewerWords, false, ReturnFewer, 5 + 3, 3, "sums of the first layer go on to its weight"},
		{FewerWords, true, ReturnFewer, 3, 3, "the same"},
	} {
		got := columnsSent(t, p, Distribution{Edges: ByDst, Exchange: c.side, Recompute: c.recompute, Backward: c.back})
		if want := [2]int{c.forward, c.backward}; got != want {
			t.Errorf("side %v, recompute %v, return %v: %v columns are sent forward and backward, want %v: %s", c.side, c.recompute, c.back, got, want, c.why)
		}
	}
	// Of 9 features, 7 are fewer: no gradient is sent back from where these are exchanged.
	got := columnsSent(t, twoProductsOf(t, 9), Distribution{Edges: ByDst, Exchange: FewerWords, Backward: ReturnRows})
	if want := [2]int{7 + 3, 3 + 7}; got != want {
		t.Errorf("of 9 features %v columns are sent forward and backward, want %v", got, want)
	}
}

func twoProducts(t *testing.T) *Program { return twoProductsOf(t, 5) }

// twoProductsOf is a training step of the layers above.
func twoProductsOf(t *testing.T, features int) *Program {
	t.Helper()
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
	b := NewBuilder("two products")
	b.Output("loss", b.CrossEntropy(layers(b, b.Input("x", Vertices, Cols(features)))))
	p, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	if p, err = Backward(p, Optimizer{Kind: SGDKind}); err != nil {
		t.Fatal(err)
	}
	return Dead(p)
}

// columnsSent are those that are sent in a step forward and backward, over edges that
// have reverses.
func columnsSent(t *testing.T, p *Program, d Distribution) (cols [2]int) {
	t.Helper()
	d.Mesh = Mesh{Parts: 2}
	q, err := Distribute(p, Facts{Distribution: &d, Symmetric: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range q.Nodes {
		if _, ok := n.Op.(Swap); ok && n.Stage == Step {
			cols[map[bool]int{true: 1, false: 0}[n.Backward]] += n.Type.Cols.N
		}
	}
	return cols
}

// TestSidesOfModels: a step of every model sends no more where the fewest words decide,
// and rows may be computed again, than it sends otherwise.
func TestSidesOfModels(t *testing.T) {
	for _, m := range model.All() {
		p, err := Backward(objective(t, m, 3), Optimizer{Kind: SGDKind})
		if err != nil {
			t.Fatal(err)
		}
		p = Dead(Common(p, Facts{}))
		sent := func(side Side, recompute bool, back Return) int {
			cols := columnsSent(t, p, Distribution{Edges: ByDst, Exchange: side, Recompute: recompute, Backward: back})
			return cols[0] + cols[1]
		}
		fewest := sent(FewerWords, true, ReturnSums)
		for side := AfterProducts; side <= FewerWords; side++ {
			for _, recompute := range []bool{false, true} {
				n := sent(side, recompute, ReturnSums)
				if n < fewest {
					t.Errorf("%s: side %v, recompute %v sends %d columns a step, the fewest words %d", m.Name, side, recompute, n, fewest)
				}
				if got := sent(side, recompute, ReturnFewer); got > n {
					t.Errorf("%s: side %v, recompute %v sends %d columns a step with rows back where these are fewer, %d with sums", m.Name, side, recompute, got, n)
				}
			}
		}
	}
}
