// Package yamldoc parses YAML files that are not trusted: their size and nesting
// are bounded, and faults point at file, line and column.
package yamldoc

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"

	"github.com/weft-gnn/weft/dataset/budget"
)

// maxNesting bounds how deep values nest: the parser takes time quadratic in it.
const maxNesting = 64

// Read returns the content of the file at path. Errors: more than most bytes.
func Read(path string, most int64) ([]byte, error) {
	f, err := budget.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, most+1))
	if err != nil {
		return nil, fmt.Errorf("dataset: %s: %w", path, err)
	}
	if int64(len(data)) > most {
		return nil, &budget.LimitError{Path: path, What: "YAML", Want: -1, Max: most, Unit: "bytes"}
	}
	return data, nil
}

// Decode reads the file at path into v, as Unmarshal does.
func Decode(path string, most int64, v any) error {
	data, err := Read(path, most)
	if err != nil {
		return err
	}
	return Unmarshal(path, data, v)
}

// Unmarshal reads data, the content of the file at path, into v: values of the wrong
// type are errors that point at line and column, keys that v lacks are skipped unless
// the options say otherwise.
func Unmarshal(path string, data []byte, v any, options ...yaml.DecodeOption) error {
	return Visit(path, data, func(body ast.Node) error {
		if err := yaml.NodeToValue(body, v, options...); err != nil {
			return placed(path, err)
		}
		return nil
	})
}

// Visit parses data, the content of the file at path, and calls visit with
// the one document in it. A panic, the parser's own fault, is an error.
func Visit(path string, data []byte, visit func(body ast.Node) error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("dataset: %s: malformed YAML: %v", path, r)
		}
	}()
	if line := tooDeep(data); line > 0 {
		return fmt.Errorf("dataset: %s:%d: nested more than %d deep", path, line, maxNesting)
	}
	file, err := parser.ParseBytes(data, 0)
	if err != nil {
		return placed(path, err)
	}
	if len(file.Docs) != 1 || file.Docs[0].Body == nil {
		return fmt.Errorf("dataset: %s: want one YAML document", path)
	}
	var a aliases
	ast.Walk(&a, file.Docs[0].Body)
	if a.line > 0 {
		// Aliases of aliases make a small file large.
		return fmt.Errorf("dataset: %s:%d: anchors and aliases are not read", path, a.line)
	}
	return visit(file.Docs[0].Body)
}

// placed gives a parser's error its place on one line; its own text shows the lines around.
func placed(path string, err error) error {
	var bad yaml.Error
	if errors.As(err, &bad) && bad.GetToken() != nil {
		at := bad.GetToken().Position
		return fmt.Errorf("dataset: %s:%d:%d: %s", path, at.Line, at.Column, bad.GetMessage())
	}
	return fmt.Errorf("dataset: %s: %w", path, err)
}

// tooDeep returns the line on which the text may nest too deep, or 0: more
// brackets open than close, or a line starts with many list items in one.
// Brackets within texts count too, which errs on the safe side.
func tooDeep(data []byte) int {
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
		if depth > maxNesting || items > maxNesting {
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
