package dataset

import (
	"bytes"
	"fmt"
	"os"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// Bounds of a YAML file that was not written by hand and is not trusted. The
// parser takes time quadratic in the nesting.
const (
	maxYAML        = 1 << 20
	maxYAMLNesting = 64
)

// decodeYAML reads the file at path into v: values of the wrong type are
// errors that point at line and column, keys that v lacks are skipped.
func decodeYAML(path string, v any) error {
	fi, err := os.Stat(path)
	if err != nil {
		return fmt.Errorf("dataset: %w", err)
	}
	if fi.Size() > maxYAML {
		return &LimitError{Path: path, What: "bytes", Want: fi.Size(), Max: maxYAML}
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("dataset: %w", err)
	}
	return unmarshalYAML(path, data, v)
}

func unmarshalYAML(path string, data []byte, v any) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("dataset: %s: malformed YAML: %v", path, r)
		}
	}()
	if line := deepYAML(data); line > 0 {
		return fmt.Errorf("dataset: %s:%d: nested more than %d deep", path, line, maxYAMLNesting)
	}
	file, err := parser.ParseBytes(data, 0)
	if err != nil {
		return fmt.Errorf("dataset: %s: %w", path, err)
	}
	if len(file.Docs) != 1 || file.Docs[0].Body == nil {
		return fmt.Errorf("dataset: %s: %d YAML documents, want one", path, len(file.Docs))
	}
	var a aliases
	ast.Walk(&a, file.Docs[0].Body)
	if a.line > 0 {
		// Aliases of aliases make a small file large.
		return fmt.Errorf("dataset: %s:%d: anchors and aliases are not read", path, a.line)
	}
	if err := yaml.NodeToValue(file.Docs[0].Body, v); err != nil {
		return fmt.Errorf("dataset: %s: %w", path, err)
	}
	return nil
}

// deepYAML returns the line on which the text may nest too deep, or 0: more
// brackets open than close, or a line starts with many list items in one.
// Brackets within texts count too, which errs on the safe side.
func deepYAML(data []byte) int {
	depth, line := 0, 0
	for text := range bytes.Lines(data) {
		line++
		items := 0
		for i, c := range text {
			switch c {
			case '[', '{':
				depth++
			case ']', '}':
				depth = max(0, depth-1)
			case '-', '?', '!', '&':
				if i+1 < len(text) && (text[i+1] == ' ' || text[i+1] == '\t' || c == '!' || c == '&') {
					items++
				}
			}
		}
		if depth > maxYAMLNesting || items > maxYAMLNesting {
			return line
		}
	}
	return 0
}

// aliases finds the first anchor, alias or merge key.
type aliases struct{ line int }

// Visit implements ast.Visitor.
func (a *aliases) Visit(n ast.Node) ast.Visitor {
	switch n.(type) {
	case *ast.AnchorNode, *ast.AliasNode, *ast.MergeKeyNode:
		if t := n.GetToken(); a.line == 0 && t != nil && t.Position != nil {
			a.line = t.Position.Line
		}
	}
	return a
}
