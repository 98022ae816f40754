// Package lint checks the project's own rules: what may import what, what has
// a comment, and what must not stand in the tree.
package lint

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/weft-gnn/weft/"

// layers is the import order of ARCHITECTURE.md: a package imports only from
// lines above its own. A folder stands for itself and its sub-packages.
var layers = [][]string{
	{"graph", "tensor", "cost", "internal/cpu", "internal/rng", "internal/nearest", "internal/place", "internal/memory"},
	{"kernel", "comm", "partition", "sample", "dataset"},
	{"program"},
	{"model", "machine"},
	{"plan"},
	{"analysis"},
	{"runtime"},
	{"train", "infer"},
	{"serve", "report", "perf", "launch"},
	{"cmd", "bench"},
}

// forTests are packages that only tests import; severalHosts, measurements too.
var forTests = []string{"internal/ref", "internal/graphcase", "internal/gradcheck", "internal/lint", "internal/netns", "dataset/internal/datatest", "dataset/internal/realdata"}

const severalHosts = "internal/netns"

const root = "../.."

// file is a parsed Go file of the project, by its path from the root.
type file struct {
	path string
	ast  *ast.File
	set  *token.FileSet
}

func (f file) test() bool { return strings.HasSuffix(f.path, "_test.go") }

// files parses every Go file of the project.
func files(t *testing.T) []file {
	t.Helper()
	var out []file
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (strings.HasPrefix(d.Name(), ".") && name != root || d.Name() == "testdata") {
			return filepath.SkipDir
		}
		if filepath.Ext(name) != ".go" {
			return nil
		}
		set := token.NewFileSet()
		f, err := parser.ParseFile(set, name, nil, parser.ParseComments)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, name)
		out = append(out, file{filepath.ToSlash(rel), f, set})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// layerOf returns the line of the import order that a folder is on, or −1.
func layerOf(folder string) int {
	return slices.IndexFunc(layers, func(line []string) bool {
		return slices.ContainsFunc(line, func(p string) bool { return folder == p || strings.HasPrefix(folder, p+"/") })
	})
}

// roomOf returns the entry of the import order that a folder belongs to.
func roomOf(folder string) string {
	for _, line := range layers {
		for _, p := range line {
			if folder == p || strings.HasPrefix(folder, p+"/") {
				return p
			}
		}
	}
	return folder
}

func TestImportOrder(t *testing.T) {
	for _, f := range files(t) {
		folder := path.Dir(f.path)
		if slices.Contains(forTests, folder) {
			continue
		}
		own := layerOf(folder)
		if own < 0 {
			t.Errorf("%s: the folder %s is on no line of the import order", f.path, folder)
			continue
		}
		for _, imp := range f.ast.Imports {
			to, ours := strings.CutPrefix(strings.Trim(imp.Path.Value, `"`), module)
			if !ours || f.test() {
				continue
			}
			if slices.Contains(forTests, to) && (to != severalHosts || roomOf(folder) != "bench") {
				t.Errorf("%s imports %s, which is for tests only", f.path, to)
			} else if layerOf(to) >= own && roomOf(to) != roomOf(folder) {
				t.Errorf("%s imports %s, which is not on a line above its own", f.path, to)
			}
		}
	}
}

func TestNoDrawerPackages(t *testing.T) {
	for _, f := range files(t) {
		for _, part := range strings.Split(path.Dir(f.path), "/") {
			switch part {
			case "util", "utils", "common", "helpers", "helper", "misc", "shared":
				t.Errorf("%s: the folder %q names no concept: say what the code is about", f.path, part)
			}
		}
	}
}

// TestExportedHaveComments: an exported name of a package that others import
// says what it is, starting with its name.
func TestExportedHaveComments(t *testing.T) {
	for _, f := range files(t) {
		if f.test() || strings.HasPrefix(f.path, "cmd/") || strings.HasPrefix(f.path, "bench/") {
			continue
		}
		for _, d := range f.ast.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if ok && fn.Name.IsExported() && exportedReceiver(fn) && fn.Doc == nil && !plain(fn.Name.Name) {
				t.Errorf("%s: %s has no comment", f.set.Position(fn.Pos()), fn.Name.Name)
			}
			if gen, ok := d.(*ast.GenDecl); ok && gen.Tok == token.TYPE {
				commentedTypes(t, f, gen)
			}
		}
	}
}

// plain reports whether a method's meaning is fixed by a standard interface.
func plain(name string) bool { return slices.Contains([]string{"String", "Error", "Unwrap"}, name) }

func exportedReceiver(fn *ast.FuncDecl) bool {
	if fn.Recv == nil {
		return true
	}
	x := fn.Recv.List[0].Type
	if star, ok := x.(*ast.StarExpr); ok {
		x = star.X
	}
	id, ok := x.(*ast.Ident)
	return ok && id.IsExported()
}

func commentedTypes(t *testing.T, f file, gen *ast.GenDecl) {
	for _, s := range gen.Specs {
		spec := s.(*ast.TypeSpec)
		if spec.Name.IsExported() && spec.Doc == nil && gen.Doc == nil {
			t.Errorf("%s: type %s has no comment", f.set.Position(spec.Pos()), spec.Name.Name)
		}
	}
}

// maxFunction and maxFile are lengths in lines over which code is more than
// one concept. Generated files are exempt.
const (
	maxFunction = 100
	maxFile     = 400
)

func TestLengths(t *testing.T) {
	for _, f := range files(t) {
		if ast.IsGenerated(f.ast) || f.test() {
			continue
		}
		if n := f.set.Position(f.ast.End()).Line; n > maxFile {
			t.Errorf("%s has %d lines, want at most %d", f.path, n, maxFile)
		}
		for _, d := range f.ast.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok {
				if n := f.set.Position(fn.End()).Line - f.set.Position(fn.Pos()).Line; n > maxFunction {
					t.Errorf("%s: %s has %d lines, want at most %d", f.set.Position(fn.Pos()), fn.Name.Name, n, maxFunction)
				}
			}
		}
	}
}

// foreign finds what belongs to a machine, not to the project.
var foreign = []*regexp.Regexp{
	regexp.MustCompile(`(^|[^A-Za-z0-9_./-])/(work|root|farm|home)/`),
	regexp.MustCompile(`(?i)\b(TODO|FIXME|XXX)\b`),
}

// TestNothingForeign reads every tracked text file but this one.
func TestNothingForeign(t *testing.T) {
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (strings.HasPrefix(d.Name(), ".git") || d.Name() == "runs" || d.Name() == "bin") {
			return filepath.SkipDir
		}
		if d.IsDir() || strings.HasSuffix(name, "lint_test.go") || strings.HasSuffix(name, "go.sum") {
			return nil
		}
		switch filepath.Ext(name) {
		case ".go", ".md", ".yaml", ".txt", ".s", ".py", ".sh", "":
		default:
			return nil
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		for i, line := range strings.Split(string(text), "\n") {
			for _, re := range foreign {
				if m := re.FindString(line); m != "" {
					t.Errorf("%s:%d: %q does not belong in the project", name, i+1, m)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
