package program_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/weft-gnn/weft/kernel"
	. "github.com/weft-gnn/weft/program"
)

// opMethods are the methods of Op. A type that has them, some by embedding, is
// an op.
var opMethods = []string{"String", "Shape", "Cost", "Grad", "Split", "Reference", "Run"}

// declaredOps returns the names of the types of this package that implement Op,
// read from its source.
func declaredOps(t *testing.T) []string {
	t.Helper()
	methods, embeds := map[string][]string{}, map[string][]string{}
	for _, f := range sources(t) {
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Recv != nil {
					r := typeName(d.Recv.List[0].Type)
					methods[r] = append(methods[r], d.Name.Name)
				}
			case *ast.GenDecl:
				for _, s := range d.Specs {
					noteEmbedded(s, embeds)
				}
			}
		}
	}
	var ops []string
	for name := range methods {
		has := methods[name]
		for _, e := range embeds[name] {
			has = append(has, methods[e]...)
		}
		if !slices.ContainsFunc(opMethods, func(m string) bool { return !slices.Contains(has, m) }) {
			ops = append(ops, name)
		}
	}
	slices.Sort(ops)
	return ops
}

func sources(t *testing.T) []*ast.File {
	t.Helper()
	names, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	var files []*ast.File
	for _, n := range names {
		if strings.HasSuffix(n, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), n, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	return files
}

func typeName(e ast.Expr) string {
	if star, ok := e.(*ast.StarExpr); ok {
		e = star.X
	}
	if id, ok := e.(*ast.Ident); ok {
		return id.Name
	}
	return "" // a type of another package
}

// noteEmbedded records the embedded fields of a struct.
func noteEmbedded(s ast.Spec, embeds map[string][]string) {
	ts, ok := s.(*ast.TypeSpec)
	if !ok {
		return
	}
	st, ok := ts.Type.(*ast.StructType)
	if !ok {
		return
	}
	for _, f := range st.Fields.List {
		if len(f.Names) == 0 {
			embeds[ts.Name.Name] = append(embeds[ts.Name.Name], typeName(f.Type))
		}
	}
}

func opName(op Op) string { return strings.TrimPrefix(fmt.Sprintf("%T", op), "program.") }

// ofRanks are ops of programs that have been distributed. TestRanksEqualOne of package
// runtime holds what they compute, cost and send against one rank and against what
// is predicted.
func ofRanks(name string) bool {
	return slices.Contains([]string{"AddTiles", "AllGather", "AllReduce", "Await", "Begin", "BySource", "Bundle", "Candidates", "Collect", "Combine", "GatherTiles", "Merge", "OwnEnds", "OwnRows", "Reshard", "Swap", "SwapTiles", "Tile", "Unbundle", "Untile", "Won"}, name)
}

// TestEveryOpHasCases: the gradient, cost, kernel and split tests all run over
// opCases, so that an op that is missing there is tested nowhere.
func TestEveryOpHasCases(t *testing.T) {
	in := map[string]bool{}
	for _, c := range opCases() {
		in[opName(c.op)] = true
	}
	ops := declaredOps(t)
	if len(ops) < 30 {
		t.Fatalf("found only %v: the source was not read right", ops)
	}
	for _, name := range ops {
		if !in[name] && !ofRanks(name) {
			t.Errorf("the op %s has no case: no gradient, cost, kernel and split test", name)
		}
	}
	for name := range in {
		if !slices.Contains(ops, name) {
			t.Errorf("cases of %s, which is no op of this package", name)
		}
	}
}

// ofExchanges reports whether a value is a space that only programs of ranks have.
func ofExchanges(value string) bool {
	space, ok := strings.CutPrefix(value, "Space ")
	return ok && (space == "all vertices" || space == "range" || strings.HasPrefix(space, "source") || strings.HasPrefix(space, "destination"))
}

// TestEveryEnumValueHasCases: an op that has an enum has a case for each value.
func TestEveryEnumValueHasCases(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range opCases() {
		seen[fmt.Sprintf("%T %v", c.op, c.op)] = true
		switch o := c.op.(type) {
		case GraphCoef:
			seen["Coef "+o.Coef.String()] = true
		case Aggregate:
			seen["Map "+o.Along.String()] = true
		case ArgSelect:
			seen["Reduction "+o.Of.String()] = true
		case Param:
			seen["Init "+o.Init.String()] = true
		}
		for _, x := range c.in {
			seen["Space "+x.Space.String()] = true
		}
	}
	var want []string
	for _, f := range funcs() {
		want = append(want, fmt.Sprintf("program.Unary %v", Unary{f}))
		switch f.GradFrom() {
		case kernel.Output:
			want = append(want, fmt.Sprintf("program.UnaryGrad %v", UnaryGrad{f}), fmt.Sprintf("program.Affine %v", Affine{Func: f}))
		case kernel.Input:
			want = append(want, fmt.Sprintf("program.UnaryGrad %v", UnaryGrad{f}))
		}
	}
	want = append(want, names(t, "Coef", "coefNames")...)
	want = append(want, names(t, "Map", "mapNames")...)
	want = append(want, names(t, "Space", "spaceNames")...)
	for k := Plus; k <= Quotient; k++ {
		want = append(want, fmt.Sprintf("program.Binary %v", Binary{k}))
	}
	for k := SquaredError; k <= BinaryCrossEntropy; k++ {
		want = append(want, fmt.Sprintf("program.ValueLoss %v", ValueLoss{k}), fmt.Sprintf("program.ValueLossGrad %v", ValueLossGrad{k}))
	}
	want = append(want, "Reduction max", "Reduction min")
	for _, w := range want {
		if !seen[w] && !ofExchanges(w) {
			t.Errorf("no case of %s", w)
		}
	}
}

// names returns the names that a table of the source gives an enum's values.
func names(t *testing.T, enum, table string) []string {
	t.Helper()
	var out []string
	for _, f := range sources(t) {
		ast.Inspect(f, func(n ast.Node) bool {
			v, ok := n.(*ast.ValueSpec)
			if !ok || v.Names[0].Name != table {
				return true
			}
			for _, e := range v.Values[0].(*ast.CompositeLit).Elts {
				if kv, ok := e.(*ast.KeyValueExpr); ok {
					e = kv.Value
				}
				out = append(out, enum+" "+strings.Trim(e.(*ast.BasicLit).Value, `"`))
			}
			return false
		})
	}
	if len(out) == 0 {
		t.Fatalf("no table %s in the source", table)
	}
	return out
}
