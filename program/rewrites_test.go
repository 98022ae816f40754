package program_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/weft-gnn/weft/kernel"
	. "github.com/weft-gnn/weft/program"
)

// rewriting is what a pass makes of a small program.
type rewriting struct {
	pass, name string
	declare    func(b *Builder, x Value) Value
	// want are the ops that are left in order, leaves and coefficients apart;
	// those that run once are in brackets.
	want string
	set  func(f *Facts) // nil: nothing is special
}

// ops lists a program's operations.
func ops(p *Program) string {
	var s []string
	for _, n := range p.Nodes {
		_, leaf := n.Op.(Leaf)
		_, coef := n.Op.(GraphCoef)
		switch {
		case leaf || coef:
		case n.Stage == Pre:
			s = append(s, fmt.Sprintf("[%v]", n.Op))
		default:
			s = append(s, n.Op.String())
		}
	}
	return strings.Join(s, "; ")
}

// weight declares a parameter that multiplies v.
func weight(b *Builder, v Value, cols int) Value {
	rows := b.Type(v).Cols
	return b.Param(fmt.Sprintf("w%d", len(b.Decayed(false))), rows, Cols(cols), Glorot)
}

func product(b *Builder, v Value) Value { return b.MatMul(v, weight(b, v, 5)) }

func atSource(b *Builder, x Value) Value { return b.Scatter(x, Src, Edges) }

// mixed are edge values that no pass moves.
func mixed(b *Builder, x Value) Value {
	return b.ReLU(b.AddValues(atSource(b, x), b.Scatter(x, Dst, Edges)))
}

func sumOf(b *Builder, x Value) Value { return b.Sum(atSource(b, x), Dst) }

func hoists() []rewriting {
	return []rewriting{
		{"hoist", "rows of sources", func(b *Builder, x Value) Value { return b.ReLU(product(b, atSource(b, x))) },
			"MatMul(xW); relu; Scatter(src)", nil},
		{"hoist", "rows of destinations", func(b *Builder, x Value) Value { return b.L2Normalize(b.Scatter(x, Dst, LoopEdges)) },
			"L2Normalize; Scatter(dst)", nil},
		{"hoist", "two values of one end", func(b *Builder, x Value) Value { return b.AddValues(atSource(b, x), atSource(b, b.Scale(x, 2))) },
			"scale(2); Add; Scatter(src)", nil},
		{"hoist", "values of both ends", func(b *Builder, x Value) Value { return mixed(b, x) },
			"Scatter(src); Scatter(dst); Add; relu", nil},
		{"hoist", "a mask per edge", func(b *Builder, x Value) Value { return b.Dropout(atSource(b, x), 0.5) },
			"Scatter(src); Dropout(0.5, site 0)", nil},
		{"hoist", "heads", func(b *Builder, x Value) Value {
			return b.HeadProject(atSource(b, x), b.HeadVector("a", featureCols, Cols(1)), Cols(3))
		}, "HeadProject(3); Scatter(src)", nil},
		{"hoist", "fewer edges than vertices", func(b *Builder, x Value) Value { return product(b, atSource(b, x)) },
			"Scatter(src); MatMul(xW)", func(f *Facts) { f.Env["n"] = 1000 }},
		{"hoist", "a product before a sum", func(b *Builder, x Value) Value { return b.Sum(product(b, mixed(b, x)), Dst) },
			"Scatter(src); Scatter(dst); Add; relu; Aggregate(sum, dst); MatMul(xW)", nil},
		{"hoist", "a product before a maximum", func(b *Builder, x Value) Value { return b.Select(product(b, mixed(b, x)), Max, Dst) },
			"Scatter(src); Scatter(dst); Add; relu; MatMul(xW); ArgSelect(max, dst); Pick", nil},
		{"hoist", "a product that is a result", func(b *Builder, x Value) Value {
			z := product(b, mixed(b, x))
			b.Output("z", z)
			return b.Sum(z, Dst)
		}, "Scatter(src); Scatter(dst); Add; relu; MatMul(xW); Aggregate(sum, dst)", nil},
		{"hoist", "a product that is read twice", func(b *Builder, x Value) Value {
			z := product(b, mixed(b, x))
			return b.Concat(b.Sum(z, Dst), b.Sum(b.ReLU(z), Dst))
		}, "Scatter(src); Scatter(dst); Add; relu; MatMul(xW); Aggregate(sum, dst); relu; Aggregate(sum, dst); Concat", nil},
	}
}

func factors() []rewriting {
	scaled := func(b *Builder, x Value, c Coef) Value {
		return b.HeadScale(b.Scatter(x, Src, LoopEdges), b.EdgeCoef(c, LoopEdges))
	}
	gcn := func(b *Builder, x Value) Value { return b.Sum(scaled(b, x, SymNorm), Dst) }
	return []rewriting{
		{"factor", "normalised sum", gcn, "HeadScale; Scatter(src); Aggregate(sum, dst); HeadScale", nil},
		{"factor", "weighted sum", gcn, "HeadScale; Scatter(src); HeadScale; Aggregate(sum, dst); HeadScale", func(f *Facts) { f.Weighted = true }},
		{"factor", "other coefficients", func(b *Builder, x Value) Value { return b.Sum(scaled(b, x, EdgeWeight), Dst) },
			"Scatter(src); HeadScale; Aggregate(sum, dst)", nil},
		{"factor", "sum at sources", func(b *Builder, x Value) Value { return b.Sum(scaled(b, x, SymNorm), Src) },
			"Scatter(src); HeadScale; Aggregate(sum, src)", nil},
		{"factor", "messages that are a result", func(b *Builder, x Value) Value {
			m := scaled(b, x, SymNorm)
			b.Output("m", m)
			return b.Sum(m, Dst)
		}, "Scatter(src); HeadScale; Aggregate(sum, dst)", nil},
		{"factor", "messages that are read twice", func(b *Builder, x Value) Value {
			m := scaled(b, x, SymNorm)
			return b.Concat(b.Sum(m, Dst), b.Sum(m, Src))
		}, "Scatter(src); HeadScale; Aggregate(sum, dst); Aggregate(sum, src); Concat", nil},
	}
}

func merges() []rewriting {
	return []rewriting{
		{"common", "equal operations", func(b *Builder, x Value) Value { return b.Concat(b.ReLU(x), b.ReLU(x)) }, "relu; Concat", nil},
		{"common", "equal chains", func(b *Builder, x Value) Value { return b.Concat(sumOf(b, x), sumOf(b, x)) },
			"Scatter(src); Aggregate(sum, dst); Concat", nil},
		{"common", "two edge spaces", func(b *Builder, x Value) Value {
			return b.Concat(sumOf(b, x), b.Sum(b.Scatter(x, Src, LoopEdges), Dst))
		}, "Scatter(src); Aggregate(sum, dst); Scatter(src); Aggregate(sum, dst); Concat", nil},
		{"common", "two slopes", func(b *Builder, x Value) Value { return b.Concat(b.LeakyReLU(x, 0.1), b.LeakyReLU(x, 0.2)) },
			"leaky-relu(0.1); leaky-relu(0.2); Concat", nil},
		{"common", "two sites", func(b *Builder, x Value) Value { return b.Concat(b.Dropout(x, 0.5), b.Dropout(x, 0.5)) },
			"Dropout(0.5, site 0); Dropout(0.5, site 1); Concat", nil},
		{"common", "two parameters", func(b *Builder, x Value) Value { return b.Concat(product(b, x), product(b, x)) },
			"MatMul(xW); MatMul(xW); Concat", nil},
		{"dead", "what nothing reads", func(b *Builder, x Value) Value { b.ReLU(product(b, x)); return b.Scale(x, 2) }, "scale(2)", nil},
		{"dead", "everything", func(b *Builder, x Value) Value { b.ReLU(x); return None }, "", nil},
		{"infer", "dropout", func(b *Builder, x Value) Value { return b.Dropout(product(b, b.Dropout(x, 0.5)), 0.1) }, "MatMul(xW)", nil},
		{"infer", "dropout while training", func(b *Builder, x Value) Value { return b.Dropout(x, 0.5) }, "Dropout(0.5, site 0)",
			func(f *Facts) { f.Optimizer = &Optimizer{} }},
	}
}

func folds() []rewriting {
	bound := func(bytes int64) func(*Facts) { return func(f *Facts) { f.FoldBytes = bytes } }
	oneColumn := func(b *Builder, x Value) Value { return b.Add(Slice{From: Cols(0), Width: Cols(1)}, x) }
	two := func(b *Builder, x Value) Value {
		return b.Concat(product(b, sumOf(b, x)), product(b, sumOf(b, oneColumn(b, x))))
	}
	return []rewriting{
		{"fold", "a sum of features", func(b *Builder, x Value) Value { return product(b, sumOf(b, x)) },
			"[Scatter(src)]; [Aggregate(sum, dst)]; MatMul(xW)", nil},
		{"fold", "a sum of dropped features", func(b *Builder, x Value) Value { return product(b, sumOf(b, b.Dropout(x, 0.5))) },
			"Dropout(0.5, site 0); Scatter(src); Aggregate(sum, dst); MatMul(xW)", nil},
		{"fold", "an input that varies", func(b *Builder, x Value) Value {
			return b.ScaleBy(x, b.Add(Input{Name: "lr", Of: scalar().Type, Varies: true}))
		}, "ScaleBy", nil},
		{"fold", "a loss", func(b *Builder, x Value) Value { return b.CrossEntropy(b.Scale(x, 2)) }, "[scale(2)]; CrossEntropy", nil},
		{"fold", "a loss against values", func(b *Builder, x Value) Value { return b.ValueLoss(SquaredError, x) }, "SquaredError", nil},
		{"fold", "moves alone", func(b *Builder, x Value) Value { return product(b, b.Concat(x, x)) }, "Concat; MatMul(xW)", nil},
		{"fold", "moves for both stages", func(b *Builder, x Value) Value {
			s := oneColumn(b, x)
			return b.Concat(product(b, s), product(b, sumOf(b, s)))
		}, "[Slice(0, 1)]; Slice(0, 1); MatMul(xW); [Scatter(src)]; [Aggregate(sum, dst)]; MatMul(xW); Concat", nil},
		{"fold", "nothing fits", func(b *Builder, x Value) Value { return product(b, sumOf(b, x)) },
			"Scatter(src); Aggregate(sum, dst); MatMul(xW)", bound(0)},
		{"fold", "both fit", two,
			"[Scatter(src)]; [Aggregate(sum, dst)]; MatMul(xW); [Slice(0, 1)]; [Scatter(src)]; [Aggregate(sum, dst)]; MatMul(xW); Concat", bound(4 * 4 * 17)},
		{"fold", "the smaller fits", two,
			"Scatter(src); Aggregate(sum, dst); MatMul(xW); [Slice(0, 1)]; [Scatter(src)]; [Aggregate(sum, dst)]; MatMul(xW); Concat", bound(4*4*17 - 1)},
		{"fold", "what it is computed from fits no more", func(b *Builder, x Value) Value {
			y := sumOf(b, x) // three columns, read by the step and by what fits
			return b.Concat(product(b, y), product(b, b.HeadDot(y, y, Cols(1))))
		}, "[Scatter(src)]; Scatter(src); [Aggregate(sum, dst)]; Aggregate(sum, dst); MatMul(xW); [HeadDot(1)]; MatMul(xW); Concat", bound(4 * 17)},
	}
}

func fusions() []rewriting {
	mul := func(b *Builder, x Value) Value { return b.HeadScale(atSource(b, x), b.EdgeCoef(EdgeWeight, Edges)) }
	return []rewriting{
		{"fuse", "a sum", sumOf, "SpMM(dst, edges)", nil},
		{"fuse", "a sum at sources", func(b *Builder, x Value) Value { return b.Sum(b.Scatter(x, Dst, LoopEdges), Src) }, "SpMM(src, edges+loops)", nil},
		{"fuse", "a weighted sum", func(b *Builder, x Value) Value { return b.Sum(mul(b, x), Dst) }, "SpMM(dst, edges, weighted)", nil},
		{"fuse", "a sum where it was read", func(b *Builder, x Value) Value { return b.Sum(atSource(b, x), Src) }, "Scatter(src); Aggregate(sum, src)", nil},
		{"fuse", "a sum over graphs", func(b *Builder, x Value) Value { return b.SumPool(b.Broadcast(b.SumPool(x))) },
			"Aggregate(sum, member); Scatter(member); Aggregate(sum, member)", nil},
		{"fuse", "messages that are read twice", func(b *Builder, x Value) Value {
			m := mul(b, x)
			return b.Concat(b.Sum(m, Dst), b.Sum(m, Src))
		}, "Scatter(src); HeadScale; Aggregate(sum, dst); Aggregate(sum, src); Concat", nil},
		{"fuse", "messages that are a result", func(b *Builder, x Value) Value {
			m := mul(b, x)
			b.Output("messages", m)
			return b.Sum(m, Dst)
		}, "Scatter(src); HeadScale; Aggregate(sum, dst)", nil},
		{"fuse", "a gather that two sums read", func(b *Builder, x Value) Value {
			e := atSource(b, x)
			return b.Concat(b.Sum(e, Dst), b.Sum(b.HeadScale(e, b.EdgeCoef(EdgeWeight, Edges)), Dst))
		}, "SpMM(dst, edges); SpMM(dst, edges, weighted); Concat", nil},
		{"fuse", "a dot of both ends", func(b *Builder, x Value) Value {
			return b.HeadDot(b.Scatter(x, Dst, Edges), atSource(b, x), Cols(3))
		}, "EdgeDot(3)", nil},
		{"fuse", "a sum of both ends", mixed, "EdgeAdd; relu", nil},
		{"fuse", "a difference of both ends", func(b *Builder, x Value) Value { return b.Sub(atSource(b, x), b.Scatter(x, Dst, Edges)) },
			"Scatter(src); Scatter(dst); Sub", nil},
		{"fuse", "a layer", func(b *Builder, x Value) Value { return b.ReLU(b.Affine(x, dimB)) }, "Affine(relu(xW + b))", nil},
		{"fuse", "a layer without bias", func(b *Builder, x Value) Value { return b.ELU(product(b, x)) }, "Affine(elu(1)(xW))", nil},
		{"fuse", "two functions", func(b *Builder, x Value) Value { return b.Scale(b.ReLU(b.Affine(x, dimB)), 2) }, "Affine(relu(xW + b)); scale(2)", nil},
		{"fuse", "a function whose derivative reads the product", func(b *Builder, x Value) Value { return b.Apply(kernel.Square, 0, product(b, x)) },
			"MatMul(xW); square", nil},
		{"fuse", "a product that is read twice", func(b *Builder, x Value) Value {
			z := product(b, x)
			return b.AddValues(b.ReLU(z), z)
		}, "MatMul(xW); relu; Add", nil},
		{"fuse", "a transposed product", func(b *Builder, x Value) Value {
			return b.ReLU(b.Add(MatMul{Transposed: true}, x, b.Param("w", Cols(5), featureCols, Ones)))
		}, "MatMul(xWᵀ); relu", nil},
	}
}

func tails() []rewriting {
	return []rewriting{
		{"tail", "a layer and its mask", func(b *Builder, x Value) Value {
			return b.Dropout(b.ReLU(b.AddBias(product(b, x), b.Bias("bias", Cols(5)))), 0.5)
		}, "MatMul(xW) → AddBias → relu → Dropout(0.5, site 0)", nil},
		{"tail", "a multiple", func(b *Builder, x Value) Value {
			return b.AddValues(b.ScaleByOnePlus(x, b.Bias("eps", Cols(1))), b.Add(SpMM{Along: Dst, Over: Edges}, x))
		}, "SpMM(dst, edges) → Add ScaleBy(1 + s)", nil},
		{"tail", "an outer product", func(b *Builder, x Value) Value {
			return b.AddValues(product(b, x), b.Add(HeadOuter{}, b.HeadDot(x, x, Cols(1)), b.Bias("a", Cols(5))))
		}, "HeadDot(1); MatMul(xW) → Add HeadOuter", nil},
		{"tail", "the gradient of scores", func(b *Builder, x Value) Value { return gradOfScores(b, x, None) },
			"Attention'(src, 1) → Add own HeadOuter → Add HeadOuter; Slice(0, a)", nil},
		{"tail", "the gradient of scores, of which something else is read", func(b *Builder, x Value) Value {
			return gradOfScores(b, x, b.Param("w", Cols(4), Cols(3), Ones))
		}, "Attention'(src, 1); Slice(a, 1); MatMul(xW); Slice(0, a) → Add HeadOuter → Add HeadOuter → Add", nil},
		{"tail", "two masks", func(b *Builder, x Value) Value { return b.Dropout(b.Dropout(product(b, x), 0.5), 0.5) },
			"MatMul(xW) → Dropout(0.5, site 0); Dropout(0.5, site 1)", nil},
		{"tail", "a mask of edges", func(b *Builder, x Value) Value { return b.Dropout(b.ReLU(atSource(b, x)), 0.5) },
			"Scatter(src); relu; Dropout(0.5, site 0)", nil},
	}
}

// gradOfScores adds to the gradient of rows x those of two scores, and the product of
// all with w, if that is a value.
func gradOfScores(b *Builder, x, w Value) Value {
	h := Cols(1)
	s, t, a := b.Input("s", Vertices, Cols(4)), b.Input("t", Vertices, h), b.Bias("a", featureCols)
	d := b.Add(AttentionGradSrc{Over: Edges, Heads: h, Slope: 0.2}, x, b.Input("r", Vertices, h), x, s)
	y := b.Add(Slice{From: Cols(0), Width: featureCols}, d)
	own := b.Add(Slice{From: featureCols, Width: h}, d)
	y = b.AddValues(b.Add(HeadOuter{}, own, a), y)
	y = b.AddValues(y, b.Add(HeadOuter{}, t, a))
	if w != None {
		y = b.AddValues(y, b.MatMul(d, w))
	}
	return y
}

func views() []rewriting {
	some := Slice{From: Cols(1), Width: Cols(3)}
	return []rewriting{
		{"view", "columns", func(b *Builder, x Value) Value { return b.ReLU(b.Add(some, product(b, x))) }, "MatMul(xW); View(1, 3); relu", nil},
		{"view", "columns of columns", func(b *Builder, x Value) Value {
			return b.ReLU(b.Add(Slice{From: Cols(1), Width: Cols(2)}, b.Add(some, product(b, x))))
		}, "MatMul(xW); View(1, 3); View(1, 2); relu", nil},
		{"view", "columns that edges gather", func(b *Builder, x Value) Value {
			return b.Add(SpMM{Along: Dst, Over: Edges}, b.Add(some, product(b, x)))
		}, "MatMul(xW); Slice(1, 3); SpMM(dst, edges)", nil},
		{"view", "a result", func(b *Builder, x Value) Value { return b.Add(some, product(b, x)) }, "MatMul(xW); Slice(1, 3)", nil},
		{"view", "columns of an input", func(b *Builder, x Value) Value { return b.ReLU(b.Add(Slice{From: Cols(1), Width: Cols(2)}, x)) }, "Slice(1, 2); relu", nil},
	}
}

// redraws are gradients of y = relu(x) beside z = dropout(y).
func redraws() []rewriting {
	slope := func(f kernel.FuncKind, site int) func(b *Builder, x Value) Value {
		return func(b *Builder, x Value) Value {
			y := b.Apply(f, 0, x)
			b.Output("z", b.Dropout(y, 0.5))
			return b.Add(UnaryGrad{kernel.Func{Kind: f}}, y, b.Add(Dropout{P: 0.5, Site: site, Over: Vertices}, x))
		}
	}
	return []rewriting{
		{"redraw", "the same mask", slope(kernel.ReLU, 0), "relu; Dropout(0.5, site 0); scale(2); relu'", nil},
		{"redraw", "another mask", slope(kernel.ReLU, 1), "relu; Dropout(0.5, site 0); Dropout(0.5, site 1); relu'", nil},
		{"redraw", "another function", slope(kernel.Tanh, 0), "tanh; Dropout(0.5, site 0); Dropout(0.5, site 0); tanh'", nil},
		{"redraw", "a masked gradient that is a result", func(b *Builder, x Value) Value {
			y := b.ReLU(x)
			g := b.Add(Dropout{P: 0.5, Site: 0, Over: Vertices}, x)
			b.Output("z", b.Dropout(y, 0.5))
			b.Output("g", g)
			return b.Add(UnaryGrad{kernel.Func{Kind: kernel.ReLU}}, y, g)
		}, "relu; Dropout(0.5, site 0); Dropout(0.5, site 0); relu'", nil},
	}
}

func sparsifications() []rewriting {
	entries := func(n int64) func(*Facts) { return func(f *Facts) { f.Env["nnz"] = n } }
	dropped := func(b *Builder, x Value) Value { return product(b, b.Dropout(x, 0.5)) }
	return []rewriting{
		{"sparse", "few entries", dropped, "Dropout(0.5, site 0); SparseMatMul", entries(3)},
		{"sparse", "all entries", dropped, "Dropout(0.5, site 0); MatMul(xW)", entries(3 * 17)},
		{"sparse", "unknown entries", dropped, "Dropout(0.5, site 0); MatMul(xW)", func(f *Facts) { delete(f.Env, "nnz") }},
		{"sparse", "rows that are scaled", func(b *Builder, x Value) Value { return product(b, b.HeadScale(x, b.VertexCoef(InvSqrt))) },
			"Scatter(dst); Mul; SparseMatMul", entries(3)},
		{"sparse", "rows scaled by their own first column", func(b *Builder, x Value) Value {
			s := b.Add(Slice{From: Cols(0), Width: Cols(1)}, x)
			return b.Concat(product(b, b.Dropout(x, 0.5)), product(b, b.HeadScale(x, s)))
		}, "Densify; Slice(0, 1); Dropout(0.5, site 0); SparseMatMul; Scatter(dst); Mul; SparseMatMul; Concat", entries(0)},
	}
}

// TestRewritings: each pass does what it says, and only where it may. The edges
// at hand are more than the vertices, of which there are 17.
func TestRewritings(t *testing.T) {
	world := fewWorlds(t)[4]
	for _, family := range [][]rewriting{hoists(), factors(), merges(), folds(), attendings(), fusions(), tails(), views(), redraws(), sparsifications()} {
		for _, r := range family {
			p := r.program(t)
			f := world.facts(RefTarget{})
			f.Weighted = false
			if r.set != nil {
				r.set(&f)
			}
			q, err := pass(t, r.pass).Run(p, f)
			if err != nil {
				t.Fatal(err)
			}
			if got := ops(q); got != r.want {
				t.Errorf("%s, %s: got\n  %s\nwant\n  %s\n%v", r.pass, r.name, got, r.want, q)
			}
			wellFormed(t, q)
			again, err := pass(t, r.pass).Run(q, f)
			if err != nil || again.String() != q.String() {
				t.Errorf("%s, %s: the second time it makes\n%v, %v", r.pass, r.name, again, err)
			}
		}
	}
}

func (r rewriting) program(t *testing.T) *Program {
	t.Helper()
	b := NewBuilder(r.name)
	if y := r.declare(b, b.Input("x", Vertices, featureCols)); y != None {
		b.Output("y", y)
	}
	p, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestCoefficientsRunOnce: the structure does not change, and a column is kept
// whatever the bound.
func TestCoefficientsRunOnce(t *testing.T) {
	for _, c := range sourceCases() {
		o, ok := c.op.(GraphCoef)
		if !ok {
			continue
		}
		b := NewBuilder("coefficient")
		v := b.Add(o)
		b.Output("y", b.ScaleBy(v, b.Param("s", Cols(1), Cols(1), Ones)))
		p, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		if q := Fold(p, Facts{}); q.Nodes[v].Stage != Pre {
			t.Errorf("%v is computed in every step\n%v", o, q)
		}
	}
}

// TestSparseRowsScaledByThemselves: a column of features may be both operands.
func TestSparseRowsScaledByThemselves(t *testing.T) {
	b := NewBuilder("square")
	x := b.Input("x", Vertices, Cols(1))
	b.Output("y", b.MatMul(b.HeadScale(x, x), b.Param("w", Cols(1), dimK, Glorot)))
	p, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	f := fewWorlds(t)[4].facts(RefTarget{})
	f.Env["nnz"] = 0
	q, err := pass(t, "sparse").Run(p, f)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := ops(q), "Densify; Scatter(dst); Mul; SparseMatMul"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestFuseKeepsStagesApart: what runs once is not drawn into the step.
func TestFuseKeepsStagesApart(t *testing.T) {
	r := rewriting{name: "stages", declare: func(b *Builder, x Value) Value {
		once := b.MatMul(x, b.Add(Input{Name: "fixed", Of: one(featureCols, dimB).Type}))
		return b.AddBias(once, b.Bias("bias", dimB))
	}}
	f := fewWorlds(t)[4].facts(RefTarget{})
	p := r.program(t)
	for _, name := range []string{"fold", "fuse"} {
		var err error
		if p, err = pass(t, name).Run(p, f); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := ops(p), "[MatMul(xW)]; AddBias"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
