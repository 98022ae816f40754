package program_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/weft-gnn/weft/model"
	. "github.com/weft-gnn/weft/program"
)

// cheapest returns the lowest price among all orders that any sequence of moves
// reaches from p, and how many there are, up to MaxOrders.
func cheapest(t failer, p *Program, f Facts) (best float64, orders int) {
	t.Helper()
	seen := map[string]bool{p.String(): true}
	queue := []*Program{p}
	for len(queue) > 0 && len(seen) <= MaxOrders {
		q := queue[0]
		queue = queue[1:]
		price, err := Outcome(q, f)
		if err != nil {
			t.Fatal(err)
		}
		if orders++; orders == 1 || price < best {
			best = price
		}
		for _, site := range ProductsOf(q) {
			for _, move := range []func(*Program, Value) (*Program, bool){ProductFirst, ProductLast} {
				if r, ok := move(q, site); ok && !seen[r.String()] {
					seen[r.String()] = true
					queue = append(queue, r)
				}
			}
		}
	}
	return best, orders
}

// linearProgram draws layers of sums, scalings and products, at times with
// an activation between them.
func linearProgram(t *rapid.T) *Program {
	a := &author{Builder: NewBuilder("linear"), t: t, used: map[Value]bool{}}
	v := a.Dropout(a.Input("x", Vertices, Cols(1+a.intn(8, "features"))), []float64{0, 0.5}[a.intn(2, "dropout")])
	for range 1 + a.intn(2, "layers") {
		a.values = []Value{v}
		switch a.intn(5, "layer") {
		case 0:
			v = a.linear(a.Sum(a.Scatter(v, Src, Edges), Dst), 1+a.intn(8, "columns"))
		case 1:
			v = a.convolve()
		case 2:
			v = a.isomorphic()
		case 3:
			v = a.linear(a.HeadScale(a.meanNeighbours(), a.VertexCoef(InvSqrt)), 1+a.intn(8, "columns"))
		case 4:
			own := a.linear(v, 2)
			v = a.AddValues(own, a.linear(a.Mean(a.Scatter(v, Src, Edges)), 2))
		}
		if a.flip("activation") {
			v = a.ReLU(v)
		}
	}
	a.Output("logits", v)
	a.Output("loss", a.CrossEntropy(v))
	p, err := a.Build()
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestReorderFindsTheCheapest compares Reorder's choice with all orders, for
// training and inference, on dense and sparse graphs.
func TestReorderFindsTheCheapest(t *testing.T) {
	most := 0
	rapid.Check(t, func(t *rapid.T) {
		w := randomWorld(t)
		p := linearProgram(t)
		f := w.facts(RefTarget{})
		delete(f.Env, "nnz")
		f.Steps = rapid.SampledFrom([]int64{1, 3, 200}).Draw(t, "steps")
		f.Skip = map[string]bool{"fold": rapid.Bool().Draw(t, "skip fold"), "fuse": rapid.Bool().Draw(t, "skip fuse")}
		if rapid.Bool().Draw(t, "train") {
			f.Optimizer = &Optimizer{}
		}
		q, err := Reorder(p, f)
		if err != nil {
			t.Fatal(err)
		}
		got, err := Outcome(q, f)
		if err != nil {
			t.Fatal(err)
		}
		want, orders := cheapest(t, p, f)
		most = max(most, orders)
		if got > want && orders < MaxOrders {
			t.Fatal(fmt.Sprintf("the price is %v, of %d orders the cheapest costs %v\n%v", got, orders, want, q))
		}
	})
	if most < 4 {
		t.Errorf("no program had more than %d orders", most)
	}
}

// TestReorderChoosesTheNarrowSide: one GCN layer sums the narrower of H and HW,
// and ÂX is computed once where that pays.
func TestReorderChoosesTheNarrowSide(t *testing.T) {
	gcn, err := model.ByName("gcn")
	if err != nil {
		t.Fatal(err)
	}
	w := fewWorlds(t)[4]
	for _, c := range []struct {
		in, out int
		train   bool
		steps   int64
		want    string
	}{
		{in: 2, out: 9, steps: 1, want: "sum first"},
		{in: 9, out: 2, steps: 1, want: "product first"},
		{in: 9, out: 2, steps: 1000, train: true, want: "sum first"}, // ÂX once, and no backward sum
		{in: 2, out: 9, steps: 1000, train: true, want: "sum first"},
		{in: 9, out: 2, steps: 1, train: true, want: "product first"},
	} {
		b := NewBuilder("gcn")
		x := b.Input("x", Vertices, Cols(c.in))
		h := gcn.Layer(b, x, model.Layer{Out: Cols(c.out)})
		b.Output("logits", h)
		b.Output("loss", b.CrossEntropy(h))
		p, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		f := w.facts(RefTarget{})
		delete(f.Env, "nnz")
		f.Steps = c.steps
		if c.train {
			f.Optimizer = &Optimizer{}
		}
		q, err := Compile(p, f, nil)
		if err != nil {
			t.Fatal(err)
		}
		got := "product first"
		if sums := strings.Index(q.String(), "SpMM(dst"); sums < strings.Index(q.String(), "xW") {
			got = "sum first"
		}
		if got != c.want {
			t.Errorf("%d to %d columns, train %v, %d steps: %s, want %s\n%v", c.in, c.out, c.train, c.steps, got, c.want, q)
		}
	}
}

// TestReorderMovesGINsProduct: W of an MLP moves before the sum of the own row
// and the neighbours', through the scaling by 1+ε, and back.
func TestReorderMovesGINsProduct(t *testing.T) {
	gin, err := model.ByName("gin")
	if err != nil {
		t.Fatal(err)
	}
	for _, out := range []int{1, 20} {
		b := NewBuilder("gin")
		x := b.Dropout(b.Input("x", Vertices, Cols(6)), 0.5) // not folded
		b.Output("y", gin.Layer(b, x, model.Layer{Out: Cols(out), Options: model.Options{Depth: 1, LearnEps: true}}))
		p, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		f := fewWorlds(t)[4].facts(RefTarget{})
		delete(f.Env, "nnz") // dense
		for range 2 {        // the second time there is nothing left to do
			q, err := Reorder(p, f)
			if err != nil {
				t.Fatal(err)
			}
			var order []string
			for _, n := range q.Nodes {
				switch n.Op.(type) {
				case MatMul:
					order = append(order, "product")
				case Aggregate:
					order = append(order, "sum")
				}
			}
			want := []string{"sum", "product"}
			if out < 6 {
				want = []string{"product", "sum"}
			}
			if !slices.Equal(order, want) {
				t.Errorf("6 to %d columns: %v, want %v\n%v", out, order, want, q)
			}
			p = q
		}
	}
}
