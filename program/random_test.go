package program_test

import (
	"fmt"
	"slices"

	"pgregory.net/rapid"

	"github.com/weft-gnn/weft/internal/graphcase"
	. "github.com/weft-gnn/weft/program"
)

// author declares a random program: layers as models have them, and mixtures
// that no model has. Every parameter reaches the loss.
type author struct {
	*Builder
	t      *rapid.T
	values []Value // over vertices
	used   map[Value]bool
	params int
	wide   int // columns that every value has more
	kinds  []func() Value
}

// randomProgram draws a program with the outputs "loss", "logits" and, at times,
// "hidden", of the input "x".
func randomProgram(t *rapid.T, steps int) *Program {
	a := newAuthor(t)
	a.kinds = []func() Value{
		a.dense, a.convolve, a.sumNeighbours, a.meanNeighbours, a.edgeLinear, a.attend, a.isomorphic, a.drop,
		a.add, a.concat, a.edgeNetwork, a.dotAttend, a.pool, a.scaleRows, a.activate, a.sliceOff,
	}
	return a.program(steps)
}

func newAuthor(t *rapid.T) *author {
	return &author{Builder: NewBuilder("random"), t: t, used: map[Value]bool{}}
}

func (a *author) program(steps int) *Program {
	a.values = []Value{a.Input("x", Vertices, featureCols)}
	n := rapid.IntRange(1, steps).Draw(a.t, "steps")
	for i := range n {
		a.Layer(i)
		a.values = append(a.values, a.step())
	}
	a.EndLayers()
	a.finish()
	p, err := a.Build()
	if err != nil {
		a.t.Fatal(err)
	}
	return p
}

// finish sums projections of all values that nothing reads yet.
func (a *author) finish() {
	logits := None
	for _, v := range a.values {
		if a.used[v] && len(a.values) > 1 {
			continue
		}
		if y := a.linear(v, 3); logits == None {
			logits = y
		} else {
			logits = a.AddValues(logits, y)
		}
	}
	a.Output("logits", logits)
	loss := a.CrossEntropy(logits)
	if a.flip("penalty") {
		loss = a.AddValues(loss, a.Penalty(a.Decayed(false)[0], 0.1))
	}
	a.Output("loss", loss)
	if a.flip("hidden") {
		a.Output("hidden", a.values[a.intn(len(a.values), "output")])
	}
}

func (a *author) flip(what string) bool { return rapid.Bool().Draw(a.t, what) }

func (a *author) intn(n int, what string) int { return rapid.IntRange(0, n-1).Draw(a.t, what) }

// pick returns a value, the latest more often than others.
func (a *author) pick() Value {
	v := a.values[len(a.values)-1]
	if a.flip("earlier") {
		v = a.values[a.intn(len(a.values), "value")]
	}
	a.used[v] = true
	return v
}

// columns draws the number of a value's columns.
func (a *author) columns(n int) int { return a.wide + 1 + a.intn(n, "columns") }

func (a *author) cols(v Value) int { return a.Type(v).Cols.N }

func (a *author) param(rows, cols int) Value {
	a.params++
	return a.Param(fmt.Sprintf("p%d", a.params), Cols(rows), Cols(cols), Glorot)
}

func (a *author) linear(v Value, cols int) Value { return a.MatMul(v, a.param(a.cols(v), cols)) }

// affine shifts rows, which keeps them from being zero.
func (a *author) affine(v Value, cols int) Value {
	return a.AddBias(a.linear(v, cols), a.param(1, cols))
}

func (a *author) space() Space { return []Space{Edges, LoopEdges}[a.intn(2, "space")] }

// end returns an end of edges and the other one.
func (a *author) end() (at, other Map) {
	if a.flip("by source") {
		return Src, Dst
	}
	return Dst, Src
}

// step declares one more value over vertices.
func (a *author) step() Value { return a.kinds[a.intn(len(a.kinds), "kind")]() }

func (a *author) dense() Value {
	y := a.affine(a.pick(), a.columns(4))
	if a.flip("normalise") {
		return a.L2Normalize(y)
	}
	return a.ReLU(y)
}

// convolve is a graph convolution, the product before or after.
func (a *author) convolve() Value {
	v := a.pick()
	first := a.flip("product first")
	if first {
		v = a.linear(v, a.columns(4))
	}
	y := a.Sum(a.HeadScale(a.Scatter(v, Src, LoopEdges), a.EdgeCoef(SymNorm, LoopEdges)), Dst)
	if first {
		return y
	}
	return a.linear(y, a.columns(4))
}

func (a *author) sumNeighbours() Value {
	at, other := a.end()
	return a.Sum(a.Scatter(a.pick(), other, a.space()), at)
}

func (a *author) meanNeighbours() Value { return a.Mean(a.Scatter(a.pick(), Src, Edges)) }

// edgeLinear has a product on the edges, of rows scattered from either end.
func (a *author) edgeLinear() Value {
	at, other := a.end()
	if a.flip("same end") {
		other = at
	}
	e := a.linear(a.Scatter(a.pick(), other, a.space()), a.columns(3))
	if a.flip("activation") {
		e = a.LeakyReLU(e, 0.2)
	}
	return a.Sum(e, at)
}

// attend is additive attention of two heads.
func (a *author) attend() Value {
	z, s, h := a.linear(a.pick(), 4), a.space(), Cols(2)
	e := a.AddValues(
		a.Scatter(a.HeadProject(z, a.param(1, 4), h), Src, s),
		a.Scatter(a.HeadProject(z, a.param(1, 4), h), Dst, s))
	α := a.EdgeSoftmax(a.LeakyReLU(e, 0.2))
	if a.flip("edge dropout") {
		α = a.Dropout(α, 0.4)
	}
	y := a.Sum(a.HeadScale(a.Scatter(z, Src, s), α), Dst)
	if a.flip("mean of heads") {
		return a.HeadMean(y, h)
	}
	return y
}

// isomorphic is (1+ε)h + Σh.
func (a *author) isomorphic() Value {
	v := a.pick()
	own := a.AddValues(v, a.ScaleBy(v, a.param(1, 1)))
	y := a.AddValues(own, a.Sum(a.Scatter(v, Src, Edges), Dst))
	return a.affine(y, a.columns(4))
}

func (a *author) drop() Value { return a.Dropout(a.pick(), 0.3) }

// add sums two values, projected to one width.
func (a *author) add() Value {
	k := 1 + a.intn(3, "columns")
	return a.AddValues(a.linear(a.pick(), k), a.linear(a.pick(), k))
}

func (a *author) concat() Value { return a.Concat(a.pick(), a.pick()) }

// edgeNetwork is σ(W₁h_u + W₂h_v), reduced by sum, maximum or minimum.
func (a *author) edgeNetwork() Value {
	s, k := a.space(), a.columns(3)
	e := a.AddValues(a.Scatter(a.affine(a.pick(), k), Dst, s), a.Scatter(a.linear(a.pick(), k), Src, s))
	e = a.ELU(e)
	if a.flip("select") {
		return a.Select(e, []Reduction{Max, Min}[a.intn(2, "reduction")], Dst)
	}
	return a.Sum(e, Dst)
}

// dotAttend weighs neighbours by the dot of both ends.
func (a *author) dotAttend() Value {
	v, s := a.pick(), a.space()
	w := a.HeadDot(a.Scatter(v, Src, s), a.Scatter(v, Dst, s), Cols(1))
	return a.Sum(a.HeadScale(a.Scatter(v, Src, s), w), Dst)
}

// pool adds to every vertex what its graph has on average.
func (a *author) pool() Value {
	v := a.pick()
	return a.AddValues(v, a.Broadcast(a.MeanPool(v)))
}

func (a *author) scaleRows() Value {
	return a.HeadScale(a.pick(), a.VertexCoef([]Coef{InvSqrt, InvDegree}[a.intn(2, "coefficient")]))
}

func (a *author) activate() Value {
	v := a.pick()
	switch a.intn(3, "function") {
	case 0:
		return a.ELU(v)
	case 1:
		return a.Scale(v, -0.5)
	}
	return a.LeakyReLU(v, 0.1)
}

func (a *author) sliceOff() Value {
	v := a.pick()
	return a.Add(Slice{From: Cols(a.cols(v) - 1), Width: Cols(1)}, v)
}

// randomWorld draws a small multigraph, weighted or not.
func randomWorld(t *rapid.T) world {
	c := graphcase.Random(6, 14).Draw(t, "graph")
	if c.N == 0 {
		c.N = 1
	}
	return newWorld(t, c)
}

// facts are what passes are told of a world.
func (w world) facts(x RefTarget) Facts {
	return Facts{Env: w.env(x), Weighted: w.g.Weight != nil, Steps: 10, FoldBytes: -1}
}

// randomExec draws the leaves of p, features and targets.
func randomExec(w world, p *Program, seed uint64) RefExec {
	s := source(seed)
	x := w.exec(target(s, w.g.N, 3))
	values := drawDense(s, w.X.Edges(), 1, awayFromZero)
	x.Leaves["input."+SparseEntries] = values
	x.Leaves["input."+SparseInput] = Densify{featureCols}.Reference(&x, []Dense{values})
	x.Leaves["input.lr"] = Dense{Rows: 1, Cols: 1, Data: []float64{0.1}}
	for _, n := range p.Nodes {
		if o, ok := n.Op.(Param); ok {
			x.Leaves[o.Slot()] = w.draw(s, o.Of, anything)
		}
	}
	return x
}

// optional are the names of the passes that may be skipped.
func optional() []string {
	var out []string
	for _, p := range Passes() {
		if !p.Needed && !slices.Contains(out, p.Name) {
			out = append(out, p.Name)
		}
	}
	return out
}
