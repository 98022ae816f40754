package yamldoc

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"

	"github.com/weft-gnn/weft/dataset/internal/datatest"
)

func TestDecode(t *testing.T) {
	dir := datatest.Files(t, map[string]string{"a.yaml": "x: 1\nother: [2]\n"})
	var v struct{ X int }
	if err := Decode(filepath.Join(dir, "a.yaml"), 100, &v); err != nil || v.X != 1 {
		t.Errorf("%+v, %v", v, err)
	}
	datatest.WantError(t, Unmarshal("a.yaml", []byte("y: 1\nx: one\n"), &v), "a.yaml:2:4")
	datatest.WantError(t, Unmarshal("a.yaml", []byte("x: 1\ny: 1\n"), &v, yaml.Strict()), "a.yaml:2:1", `"y"`)
	datatest.WantError(t, Unmarshal("a.yaml", []byte("x: 1\nx: 2\n"), &v), "a.yaml:2:1", `"x"`)
	datatest.WantError(t, Decode(filepath.Join(dir, "a.yaml"), 10, &v), "a.yaml", "more than the limit of 10 bytes")
	datatest.WantError(t, Decode(filepath.Join(dir, "b.yaml"), 10, &v), "b.yaml")
}

func TestVisitFaults(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"syntax":           {"a: 1\nb: [", []string{"x.yaml:2:"}},
		"empty":            {"", []string{"want one YAML document"}},
		"two":              {"a: 1\n---\nb: 2\n", []string{"want one YAML document"}},
		"alias":            {"a: &x 1\nb: *x\n", []string{"x.yaml:1", "aliases"}},
		"brackets":         {"a: " + strings.Repeat("[", 100), []string{"x.yaml:1", "nested"}},
		"items":            {"a:\n" + strings.Repeat("- ", 100), []string{"x.yaml:2", "nested"}},
		"a panicking walk": {"a: 1", []string{"malformed", "oh"}},
	} {
		t.Run(name, func(t *testing.T) {
			err := Visit("x.yaml", []byte(c.text), func(ast.Node) error { panic("oh") })
			datatest.WantError(t, err, append(c.want, "x.yaml")...)
		})
	}
}
