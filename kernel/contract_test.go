package kernel

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/weft-gnn/weft/tensor"
)

// kernels calls every kernel once, on operands of several pieces and a block
// with rows that are cut.
func kernels() map[string]func(ctx *Ctx) {
	b := hubs(false).Block
	b.Graphs = []int64{0, 3, 8}
	const r, k, h = 3000, 24, 3
	src := newSource(1)
	x, y, z := src.uniform(r, k), src.uniform(r, k), src.empty(r, k)
	w, w2, bias, s := src.uniform(k, k), src.empty(k, k), src.uniform(1, k), src.uniform(r, h)
	scalar, slim, score := src.scalar(1), src.empty(r, k/h), src.empty(r, h)
	u, v := src.uniform(b.Src, k), src.uniform(b.Dst, k)
	e, e2, d, d2 := src.uniform(b.Edges(), k), src.uniform(b.Edges(), k), src.uniform(b.Edges(), h), src.uniform(b.Edges(), h)
	entry, entry2, dense := src.uniform(b.Edges(), 1), src.uniform(b.Edges(), 1), src.empty(b.Dst, b.Src)
	arg, p, parg := src.empty(b.Dst, k), src.uniform(2, k), src.empty(2, k)
	ArgMax(contexts[0], b, Dst, e, arg)
	least := src.empty(b.Src, k)
	place, own, won, best := make([]uint32, b.Edges()), arg.Clone(), src.empty(b.Dst, k), src.empty(b.Dst, 2*k)
	class, rows := make([]int32, r), []int32{1, 5, 2}
	items := Items{Rows: rows, Total: 3}
	index, ptr := make([]int32, r), make([]int64, r+1)
	for i := range index {
		index[i], ptr[i+1] = int32(i/2), int64(i+1)
	}
	concat := []tensor.Matrix{x.Columns(0, 5), x.Columns(5, k)}
	tanh, adam := Func{Kind: Tanh}, Adam{Rate: 0.1, Beta1: 0.9, Beta2: 0.99, Epsilon: 1}
	m2, v2 := src.uniform(r, k), src.within(0, 1, r, k)
	heads := Attention{Heads: h, Slope: 0.2, Mask: testMask(0.5)}
	half := src.halves(r, k)
	left, right, moments, pull := src.uniform(b.Dst, h), src.uniform(b.Src, h), src.uniform(b.Dst, 4*h), src.empty(b.Src, k+h)
	long, long2 := src.uniform(r, k+h), src.empty(r, k+h)
	return map[string]func(ctx *Ctx){
		"MatMul":           func(ctx *Ctx) { MatMul(ctx, x, w, z) },
		"MatMulNT":         func(ctx *Ctx) { MatMulNT(ctx, x, w, z) },
		"MatMulTN":         func(ctx *Ctx) { MatMulTN(ctx, x, y, w2) },
		"MatMulTNOnto":     func(ctx *Ctx) { MatMulTNOnto(ctx, x, y, w2) },
		"Decide":           func(ctx *Ctx) { Decide(ctx, x, rows, index[:3]) },
		"Dense":            func(ctx *Ctx) { Dense(ctx, x, w, bias, tanh, z) },
		"SpMM":             func(ctx *Ctx) { SpMM(ctx, b, Src, d, v, u) },
		"Aggregate":        func(ctx *Ctx) { Aggregate(ctx, b, Dst, e, v) },
		"AggregateOnto":    func(ctx *Ctx) { AggregateOnto(ctx, b, e, u) },
		"Scatter":          func(ctx *Ctx) { Scatter(ctx, b, Dst, v, e2) },
		"EdgeAdd":          func(ctx *Ctx) { EdgeAdd(ctx, b, u, v, e2) },
		"EdgeDot":          func(ctx *Ctx) { EdgeDot(ctx, b, u, v, d2) },
		"EdgeSoftmax":      func(ctx *Ctx) { EdgeSoftmax(ctx, b, d, d2) },
		"EdgeSoftmaxGrad":  func(ctx *Ctx) { EdgeSoftmaxGrad(ctx, b, d, d, d2) },
		"Attend":           func(ctx *Ctx) { Attend(ctx, b, heads, u, right, left, v) },
		"AttendGradDst":    func(ctx *Ctx) { AttendGradDst(ctx, b, heads, u, right, left, v, moments) },
		"AttendGradSrc":    func(ctx *Ctx) { AttendGradSrc(ctx, b, heads, u, right, v, moments, pull) },
		"ArgMax":           func(ctx *Ctx) { ArgMax(ctx, b, Dst, e, arg) },
		"ArgMaxPlaced":     func(ctx *Ctx) { ArgMaxPlaced(ctx, b, Dst, place, e, arg) },
		"ArgMinPlaced":     func(ctx *Ctx) { ArgMinPlaced(ctx, b, Src, place, e, least) },
		"ArgMin":           func(ctx *Ctx) { ArgMin(ctx, b, Dst, e, arg) },
		"Max":              func(ctx *Ctx) { Max(ctx, b, Dst, 0, e, v) },
		"Min":              func(ctx *Ctx) { Min(ctx, b, Src, 0, e, u) },
		"CollectRows":      func(ctx *Ctx) { CollectRows(ctx, index, y, x) },
		"FoldRows":         func(ctx *Ctx) { FoldRows(ctx, FoldMax, index, []int{0, len(index)}, y, x) },
		"Pick":             func(ctx *Ctx) { Pick(ctx, arg, e, v) },
		"Route":            func(ctx *Ctx) { Route(ctx, arg, v, e2) },
		"Candidates":       func(ctx *Ctx) { Candidates(ctx, own, e, place, 0, best) },
		"Won":              func(ctx *Ctx) { Won(ctx, own, v, place, 0, won) },
		"GraphSum":         func(ctx *Ctx) { GraphSum(ctx, b, v, p) },
		"GraphBroadcast":   func(ctx *Ctx) { GraphBroadcast(ctx, b, p, v) },
		"GraphArgMax":      func(ctx *Ctx) { GraphArgMax(ctx, b, v, parg) },
		"GraphArgMin":      func(ctx *Ctx) { GraphArgMin(ctx, b, v, parg) },
		"Add":              func(ctx *Ctx) { Add(ctx, x, y, z) },
		"Sub":              func(ctx *Ctx) { Sub(ctx, x, y, z) },
		"Mul":              func(ctx *Ctx) { Mul(ctx, x, y, z) },
		"Div":              func(ctx *Ctx) { Div(ctx, x, y, z) },
		"Accumulate":       func(ctx *Ctx) { Accumulate(ctx, x, y) },
		"Copy":             func(ctx *Ctx) { Copy(ctx, x, z) },
		"Narrow":           func(ctx *Ctx) { Narrow(ctx, x, half) },
		"Widen":            func(ctx *Ctx) { Widen(ctx, half, z) },
		"Slice":            func(ctx *Ctx) { Slice(ctx, x, 2, slim) },
		"View":             func(ctx *Ctx) { View(ctx, x, 2, slim) },
		"Concat":           func(ctx *Ctx) { Concat(ctx, concat, z) },
		"Unslice":          func(ctx *Ctx) { Unslice(ctx, slim, 2, z) },
		"Fill":             func(ctx *Ctx) { Fill(ctx, 1, z) },
		"Expand":           func(ctx *Ctx) { Expand(ctx, bias, z) },
		"ScaleBy":          func(ctx *Ctx) { ScaleBy(ctx, 1, scalar, x, z) },
		"AddScaled":        func(ctx *Ctx) { AddScaled(ctx, 1, scalar, x, y, z) },
		"AddOuter":         func(ctx *Ctx) { AddOuter(ctx, x, s, bias, z) },
		"AddOwnOuter":      func(ctx *Ctx) { AddOwnOuter(ctx, long, bias, long2) },
		"AddBias":          func(ctx *Ctx) { AddBias(ctx, x, bias, z) },
		"Apply":            func(ctx *Ctx) { Apply(ctx, tanh, x, z) },
		"ApplyGrad":        func(ctx *Ctx) { ApplyGrad(ctx, tanh, x, y, z) },
		"ColumnSum":        func(ctx *Ctx) { ColumnSum(ctx, x, bias) },
		"ColumnSumOnto":    func(ctx *Ctx) { ColumnSumOnto(ctx, x, bias) },
		"Dot":              func(ctx *Ctx) { Dot(ctx, x, y, scalar) },
		"DotOnto":          func(ctx *Ctx) { DotOnto(ctx, x, y, scalar) },
		"Sum":              func(ctx *Ctx) { Sum(ctx, x, scalar) },
		"HeadScale":        func(ctx *Ctx) { HeadScale(ctx, x, s, z) },
		"HeadDot":          func(ctx *Ctx) { HeadDot(ctx, x, y, score) },
		"HeadDotVec":       func(ctx *Ctx) { HeadDotVec(ctx, x, bias, score) },
		"HeadOuter":        func(ctx *Ctx) { HeadOuter(ctx, s, bias, z) },
		"HeadSumVec":       func(ctx *Ctx) { HeadSumVec(ctx, x, s, bias) },
		"HeadSumVecOnto":   func(ctx *Ctx) { HeadSumVecOnto(ctx, x, s, bias) },
		"HeadSum":          func(ctx *Ctx) { HeadSum(ctx, x, slim) },
		"HeadRepeat":       func(ctx *Ctx) { HeadRepeat(ctx, slim, z) },
		"Normalize":        func(ctx *Ctx) { Normalize(ctx, 0.1, x, z) },
		"NormalizeGrad":    func(ctx *Ctx) { NormalizeGrad(ctx, 0.1, x, y, z) },
		"Softmax":          func(ctx *Ctx) { Softmax(ctx, x, z) },
		"SoftmaxGrad":      func(ctx *Ctx) { SoftmaxGrad(ctx, x, y, z) },
		"LogSoftmax":       func(ctx *Ctx) { LogSoftmax(ctx, x, z) },
		"LogSoftmaxGrad":   func(ctx *Ctx) { LogSoftmaxGrad(ctx, x, y, z) },
		"Dropout":          func(ctx *Ctx) { Dropout(ctx, testMask(0.5), nil, x, z) },
		"DropoutEntries":   func(ctx *Ctx) { DropoutEntries(ctx, testMask(0.5), b, nil, entry, entry2) },
		"Densify":          func(ctx *Ctx) { Densify(ctx, b, entry, dense) },
		"CrossEntropy":     func(ctx *Ctx) { CrossEntropy(ctx, x, class, items, scalar) },
		"SumCrossEntropy":  func(ctx *Ctx) { SumCrossEntropy(ctx, x, class, items) },
		"CrossEntropyGrad": func(ctx *Ctx) { CrossEntropyGrad(ctx, x, class, items, scalar, z) },
		"ValueLoss":        func(ctx *Ctx) { ValueLoss(ctx, LogisticError, x, y, items, scalar) },
		"ValueLossGrad":    func(ctx *Ctx) { ValueLossGrad(ctx, LogisticError, x, y, items, scalar, z) },
		"StepSGD":          func(ctx *Ctx) { StepSGD(ctx, SGD{Rate: 0.1, Momentum: 0.9}, x, y, m2) },
		"StepAdam":         func(ctx *Ctx) { StepAdam(ctx, adam, 1, x, y, m2, v2) },
	}
}

// exported lists the functions of this package that take a context first, with
// their comments.
func exported(t *testing.T) map[string]string {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || !f.Name.IsExported() || f.Recv != nil || f.Type.Params.NumFields() == 0 {
				continue
			}
			if star, ok := f.Type.Params.List[0].Type.(*ast.StarExpr); ok && star.X.(*ast.Ident).Name == "Ctx" {
				found[f.Name.Name] = f.Doc.Text()
			}
		}
	}
	return found
}

func TestEveryKernelIsListed(t *testing.T) {
	doc, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	listed := kernels()
	found := exported(t)
	if got, want := slices.Sorted(maps.Keys(listed)), slices.Sorted(maps.Keys(found)); !slices.Equal(got, want) {
		t.Errorf("this file calls %v, the package exports %v", got, want)
	}
	for name, comment := range found {
		if !regexp.MustCompile(`(?m)^//\t(.*, ?)?`+name+`\b`).Match(doc) && !strings.HasSuffix(name, "ArgMin") {
			t.Errorf("%s is not in the table of costs", name)
		}
		if !strings.Contains(comment, "Cost:") && !regexp.MustCompile(`as \[\w+\]`).MatchString(comment) {
			t.Errorf("%s states no cost, nor whose cost it has", name)
		}
	}
}

func TestKernelsAllocateNothing(t *testing.T) {
	pool := NewPool(2)
	defer pool.Close()
	ctx := &Ctx{Pool: pool}
	for name, run := range kernels() {
		if n := testing.AllocsPerRun(3, func() { run(ctx) }); n != 0 {
			t.Errorf("%s allocates %v times per call", name, n)
		}
	}
}

// Two goroutines with a context each share a pool.
func TestContextsShareAPool(t *testing.T) {
	pool := NewPool(3)
	defer pool.Close()
	src := newSource(1)
	x, w := src.uniform(2000, 16), src.uniform(16, 16)
	want := tensor.New(2000, 16)
	MatMul(&Ctx{}, x, w, want)
	results := make(chan tensor.Matrix)
	for range 4 {
		go func() {
			y := tensor.New(2000, 16)
			ctx := &Ctx{Pool: pool}
			for range 20 {
				MatMul(ctx, x, w, y)
			}
			results <- y
		}()
	}
	for range 4 {
		if y := <-results; !slices.Equal(y.Data, want.Data) {
			t.Error("a product differs when the pool is shared")
		}
	}
}

func TestMisshapenOperandsPanic(t *testing.T) {
	ctx := contexts[0]
	b := blockOf(2, 3, []int32{0, 2, 1}, []int32{0, 0, 1})
	m := tensor.New
	var none tensor.Matrix
	for want, run := range map[string]func(){
		"kernel.MatMul: w":           func() { MatMul(ctx, m(2, 3), m(2, 2), m(2, 2)) },
		"kernel.MatMul: y":           func() { MatMul(ctx, m(2, 3), m(3, 2), m(3, 2)) },
		"kernel.MatMulNT: w":         func() { MatMulNT(ctx, m(2, 3), m(3, 2), m(2, 2)) },
		"kernel.MatMulTN: g":         func() { MatMulTN(ctx, m(2, 3), m(3, 2), m(3, 2)) },
		"kernel.MatMulTN: w":         func() { MatMulTN(ctx, m(2, 3), m(2, 2), m(2, 2)) },
		"kernel.Dense: bias":         func() { Dense(ctx, m(2, 3), m(3, 2), m(1, 3), Func{}, m(2, 2)) },
		"kernel.SpMM: x":             func() { SpMM(ctx, b, Dst, none, m(2, 4), m(2, 4)) },
		"kernel.SpMM: y":             func() { SpMM(ctx, b, Src, none, m(2, 4), m(2, 4)) },
		"kernel.SpMM: weight":        func() { SpMM(ctx, b, Dst, m(3, 3), m(3, 4), m(2, 4)) },
		"kernel.Aggregate: x":        func() { Aggregate(ctx, b, Dst, m(2, 4), m(2, 4)) },
		"kernel.Scatter: x":          func() { Scatter(ctx, b, Src, m(2, 4), m(3, 4)) },
		"kernel.EdgeAdd: y":          func() { EdgeAdd(ctx, b, m(3, 1), m(3, 1), m(3, 1)) },
		"kernel.EdgeDot: z":          func() { EdgeDot(ctx, b, m(3, 5), m(2, 5), m(3, 2)) },
		"kernel.EdgeSoftmax: x":      func() { EdgeSoftmax(ctx, b, m(3, 1), m(3, 2)) },
		"kernel.EdgeSoftmaxGrad: g":  func() { EdgeSoftmaxGrad(ctx, b, m(3, 1), m(2, 1), m(3, 1)) },
		"kernel.Attention: z":        func() { Attend(ctx, b, Attention{Heads: 2}, m(3, 3), m(3, 2), m(2, 2), m(2, 3)) },
		"kernel.Attention: r":        func() { Attend(ctx, b, Attention{Heads: 2}, m(3, 4), m(3, 1), m(2, 2), m(2, 4)) },
		"kernel.Attention: ids":      func() { Attend(ctx, b, Attention{Heads: 1, IDs: []int64{1}}, m(3, 1), m(3, 1), m(2, 1), m(2, 1)) },
		"kernel.AttendGradDst: s":    func() { AttendGradDst(ctx, b, Attention{Heads: 1}, m(3, 1), m(3, 1), m(2, 1), m(2, 1), m(2, 3)) },
		"kernel.AttendGradSrc: d":    func() { AttendGradSrc(ctx, b, Attention{Heads: 1}, m(3, 1), m(3, 1), m(2, 1), m(2, 4), m(3, 1)) },
		"kernel.ArgMaxPlaced: x":     func() { ArgMaxPlaced(ctx, b, Src, make([]uint32, 3), m(2, 1), m(3, 1)) },
		"kernel.ArgMinPlaced: arg":   func() { ArgMinPlaced(ctx, b, Src, make([]uint32, 3), m(3, 1), m(2, 1)) },
		"kernel.ArgMin: arg":         func() { ArgMin(ctx, b, Src, m(3, 1), m(2, 1)) },
		"kernel.Pick: x":             func() { Pick(ctx, m(2, 1), m(3, 2), m(2, 1)) },
		"kernel.Candidates: y":       func() { Candidates(ctx, m(2, 1), m(3, 1), nil, 0, m(2, 1)) },
		"kernel.Won: at":             func() { Won(ctx, m(2, 1), m(3, 1), nil, 0, m(2, 1)) },
		"kernel.Route: arg":          func() { Route(ctx, m(3, 1), m(2, 1), m(3, 1)) },
		"kernel.GraphSum: y":         func() { GraphSum(ctx, b, m(2, 1), m(2, 1)) },
		"kernel.GraphBroadcast: y":   func() { GraphBroadcast(ctx, b, m(1, 1), m(3, 1)) },
		"kernel.GraphArgMax: x":      func() { GraphArgMax(ctx, b, m(3, 1), m(1, 1)) },
		"kernel.Add":                 func() { Add(ctx, m(2, 1), m(1, 1), m(2, 1)) },
		"kernel.Copy":                func() { Copy(ctx, m(2, 1), m(1, 1)) },
		"kernel.Concat: y":           func() { Concat(ctx, []tensor.Matrix{m(2, 1)}, m(2, 2)) },
		"kernel.Slice":               func() { Slice(ctx, m(2, 3), 2, m(2, 2)) },
		"kernel.Unslice":             func() { Unslice(ctx, m(2, 3), -1, m(2, 3)) },
		"kernel.Expand: x":           func() { Expand(ctx, m(2, 3), m(2, 3)) },
		"kernel.ScaleBy: s":          func() { ScaleBy(ctx, 0, m(1, 2), m(2, 2), m(2, 2)) },
		"kernel.AddOwnOuter: a":      func() { AddOwnOuter(ctx, m(2, 2), m(1, 3), m(2, 2)) },
		"kernel.View":                func() { View(ctx, m(2, 3), 2, m(2, 2)) },
		"kernel.AddOuter: g":         func() { AddOuter(ctx, m(2, 2), m(1, 1), m(1, 2), m(2, 2)) },
		"kernel.AddScaled: z":        func() { AddScaled(ctx, 0, m(1, 1), m(2, 2), m(2, 1), m(2, 2)) },
		"kernel.AddBias: b":          func() { AddBias(ctx, m(2, 2), m(2, 1), m(2, 2)) },
		"kernel.Apply: x":            func() { Apply(ctx, Func{}, m(2, 2), m(2, 1)) },
		"kernel.ApplyGrad: a":        func() { ApplyGrad(ctx, Func{Kind: Tanh}, none, m(2, 1), m(2, 1)) },
		"kernel.ColumnSum: s":        func() { ColumnSum(ctx, m(2, 3), m(1, 2)) },
		"kernel.Dot: y":              func() { Dot(ctx, m(2, 3), m(2, 2), m(1, 1)) },
		"kernel.Sum: z":              func() { Sum(ctx, m(2, 3), m(1, 2)) },
		"kernel.HeadScale: s":        func() { HeadScale(ctx, m(2, 3), m(2, 2), m(2, 3)) },
		"kernel.HeadDot: y":          func() { HeadDot(ctx, m(2, 3), m(2, 2), m(2, 1)) },
		"kernel.HeadDotVec: a":       func() { HeadDotVec(ctx, m(2, 3), m(2, 3), m(2, 1)) },
		"kernel.HeadOuter: g":        func() { HeadOuter(ctx, m(3, 1), m(1, 2), m(2, 2)) },
		"kernel.HeadSumVec: g":       func() { HeadSumVec(ctx, m(2, 2), m(2, 0), m(1, 2)) },
		"kernel.HeadSum: y":          func() { HeadSum(ctx, m(2, 3), m(2, 2)) },
		"kernel.HeadRepeat: x":       func() { HeadRepeat(ctx, m(2, 2), m(2, 3)) },
		"kernel.Normalize: x":        func() { Normalize(ctx, 1, m(2, 2), m(2, 3)) },
		"kernel.NormalizeGrad: g":    func() { NormalizeGrad(ctx, 1, m(2, 2), m(2, 3), m(2, 2)) },
		"kernel.Softmax: x":          func() { Softmax(ctx, m(2, 2), m(2, 3)) },
		"kernel.LogSoftmaxGrad: y":   func() { LogSoftmaxGrad(ctx, m(2, 2), m(2, 3), m(2, 3)) },
		"kernel.Dropout: ids":        func() { Dropout(ctx, testMask(0), []int64{1}, m(2, 2), m(2, 2)) },
		"kernel.DropoutEntries: y":   func() { DropoutEntries(ctx, testMask(0), b, nil, m(3, 1), m(2, 1)) },
		"kernel.Densify: y":          func() { Densify(ctx, b, m(3, 1), m(3, 3)) },
		"kernel.CrossEntropy: class": func() { CrossEntropy(ctx, m(2, 2), []int32{1}, Items{}, m(1, 1)) },
		"kernel.CrossEntropy: loss":  func() { CrossEntropy(ctx, m(1, 2), []int32{1}, Items{}, m(1, 2)) },
		"kernel.CrossEntropyGrad: g": func() { CrossEntropyGrad(ctx, m(1, 2), []int32{1}, Items{}, none, m(1, 2)) },
		"kernel.ValueLoss: target":   func() { ValueLoss(ctx, SquaredError, m(1, 2), m(1, 1), Items{}, m(1, 1)) },
		"kernel.ValueLossGrad: d":    func() { ValueLossGrad(ctx, SquaredError, m(1, 1), m(1, 1), Items{}, m(1, 1), none) },
		"kernel.StepSGD: v":          func() { StepSGD(ctx, SGD{Momentum: 0.5}, m(1, 1), m(1, 1), none) },
		"kernel.StepAdam: m":         func() { StepAdam(ctx, Adam{}, 1, m(1, 1), m(1, 1), none, m(1, 1)) },
	} {
		var shape tensor.ShapeError
		if err := panicOf(run); !errors.As(err, &shape) || shape.Op != want {
			t.Errorf("%s: panicked with %v", want, err)
		}
	}
}
