package table

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml/ast"

	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/dataset/internal/cells"
	"github.com/weft-gnn/weft/dataset/yamldoc"
	"github.com/weft-gnn/weft/internal/nearest"
)

// ReadSpec reads the description of a user's tables from a YAML file. Paths
// are relative to the file:
//
//	vertices: {file: people.csv, id: id, features: [age, score], label: team}
//	edges:    {file: knows.csv, source: from, target: to, directed: false}
//	task:     vertex-classification
//	split:    {random: [0.6, 0.2, 0.2], seed: 1}  # or {column: fold}, {file: parts.csv}
//	unknown:  error                               # or add, drop
//	scale:    standardise                         # or none
//
// edges also takes weight and features, and both take delimiter and header
// (true or false). All but file have the defaults that [Spec] states.
//
// Errors: syntax, unknown keys and unsuitable values, with file, line and
// column; what [Spec.Validate] finds.
func ReadSpec(path string) (Spec, error) {
	data, err := yamldoc.Read(path, maxSpec)
	if err != nil {
		return Spec{}, err
	}
	s, err := parseSpec(path, data)
	if err != nil {
		return Spec{}, err
	}
	s.resolve(filepath.Dir(path))
	if err := s.Validate(); err != nil {
		return Spec{}, fmt.Errorf("dataset: %s: %s", path, bare(err))
	}
	return s, nil
}

// maxSpec bounds a description, which is written by hand.
const maxSpec = 64 << 10

// bare is an error's text without the package's name, to be put after a place.
func bare(err error) string {
	return strings.TrimPrefix(err.Error(), "dataset: ")
}

// specReader turns the nodes of a YAML file into a Spec.
type specReader struct{ path string }

func parseSpec(path string, data []byte) (s Spec, err error) {
	r := specReader{path}
	err = yamldoc.Visit(path, data, func(body ast.Node) error {
		return r.keys(body, "a description of tables", map[string]set{
			"vertices": func(n ast.Node) error { return r.vertices(n, &s.Vertices) },
			"edges":    func(n ast.Node) error { return r.edges(n, &s.Edges) },
			"task":     func(n ast.Node) error { return r.task(n, &s.Task) },
			"split":    func(n ast.Node) error { return r.split(n, &s.Split) },
			"unknown": func(n ast.Node) error {
				return choice(r, n, &s.Unknown, map[string]Unknown{"error": RefuseUnknown, "add": AddUnknown, "drop": DropUnknown})
			},
			"scale": func(n ast.Node) error {
				return choice(r, n, &s.Scale, map[string]Scaling{"standardise": Standardise, "none": Unscaled})
			},
		})
	})
	return s, err
}

// fault is an error at a node.
func (r specReader) fault(n ast.Node, format string, args ...any) error {
	where := r.path
	if t := n.GetToken(); t != nil && t.Position != nil {
		where = fmt.Sprintf("%s:%d:%d", r.path, t.Position.Line, t.Position.Column)
	}
	return fmt.Errorf("dataset: %s: %s", where, fmt.Sprintf(format, args...))
}

// set takes the value of a key.
type set func(ast.Node) error

// keys calls the known key's function for each entry of a mapping.
func (r specReader) keys(n ast.Node, what string, known map[string]set) error {
	names := slices.Sorted(maps.Keys(known))
	var entries []*ast.MappingValueNode
	switch m := n.(type) {
	case *ast.MappingNode:
		entries = m.Values
	case *ast.MappingValueNode:
		entries = []*ast.MappingValueNode{m}
	default:
		return r.fault(n, "%s is a mapping with the keys %s", what, strings.Join(names, ", "))
	}
	for _, e := range entries {
		key, err := r.text(e.Key)
		if err != nil {
			return err
		}
		take, ok := known[key]
		if !ok {
			return r.fault(e.Key, "unknown key %q of %s%s: it has %s", key, what, nearest.DidYouMean(key, names), strings.Join(names, ", "))
		}
		if err := take(e.Value); err != nil {
			return err
		}
	}
	return nil
}

func (r specReader) vertices(n ast.Node, v *Vertices) error {
	return r.keys(n, "vertices (of one kind)", map[string]set{
		"file":      r.setText(&v.File),
		"id":        r.setText(&v.ID),
		"features":  r.setTexts(&v.Features),
		"label":     r.setText(&v.Label),
		"delimiter": r.setDelimiter(&v.Delimiter),
		"header":    r.setHeader(&v.Header),
	})
}

func (r specReader) edges(n ast.Node, e *Edges) error {
	return r.keys(n, "edges (of one kind)", map[string]set{
		"file":      r.setText(&e.File),
		"source":    r.setText(&e.Source),
		"target":    r.setText(&e.Target),
		"weight":    r.setText(&e.Weight),
		"features":  r.setTexts(&e.Features),
		"delimiter": r.setDelimiter(&e.Delimiter),
		"header":    r.setHeader(&e.Header),
		"directed": func(n ast.Node) error {
			directed, err := r.boolean(n)
			e.Direction = dataset.Undirected
			if directed {
				e.Direction = dataset.Directed
			}
			return err
		},
	})
}

func (r specReader) task(n ast.Node, t *dataset.Task) error {
	text, err := r.text(n)
	if err != nil {
		return err
	}
	if err := t.UnmarshalText([]byte(text)); err != nil {
		return r.fault(n, "%s", bare(err))
	}
	return nil
}

func (r specReader) split(n ast.Node, s *dataset.SplitSpec) error {
	kinds := 0
	kind := func(k dataset.SplitKind, then set) set {
		return func(n ast.Node) error {
			s.Kind = k
			kinds++
			return then(n)
		}
	}
	err := r.keys(n, "split", map[string]set{
		"random": kind(dataset.RandomSplit, func(n ast.Node) error { return r.fractions(n, &s.Fractions) }),
		"column": kind(dataset.ColumnSplit, r.setText(&s.Column)),
		"file":   kind(dataset.FileSplit, r.setText(&s.File)),
		"seed":   func(n ast.Node) error { return r.seed(n, &s.Seed) },
	})
	if err != nil {
		return err
	}
	if kinds > 1 {
		return r.fault(n, "a split is one of random, column and file")
	}
	if err := s.Validate(); err != nil {
		return r.fault(n, "%s", bare(err))
	}
	return nil
}

func (r specReader) fractions(n ast.Node, f *[3]float64) error {
	list, ok := n.(*ast.SequenceNode)
	if !ok || len(list.Values) != len(f) {
		return r.fault(n, "want the shares of train, val and test, such as [0.6, 0.2, 0.2]")
	}
	for i, v := range list.Values {
		text, err := r.text(v)
		if err != nil {
			return err
		}
		x, ok := cells.ParseNumber(text)
		if !ok {
			return r.fault(v, "%q is not a number", text)
		}
		f[i] = x
	}
	return nil
}

func (r specReader) seed(n ast.Node, seed *uint64) error {
	text, err := r.text(n)
	if err != nil {
		return err
	}
	if *seed, err = strconv.ParseUint(text, 10, 64); err != nil {
		return r.fault(n, "seed %q is not an integer from 0 to 2⁶⁴−1", text)
	}
	return nil
}

// choice sets a field to one of few named values.
func choice[T any](r specReader, n ast.Node, to *T, values map[string]T) error {
	text, err := r.text(n)
	if err != nil {
		return err
	}
	v, ok := values[text]
	if !ok {
		names := slices.Sorted(maps.Keys(values))
		return r.fault(n, "%q is not one of %s%s", text, strings.Join(names, ", "), nearest.DidYouMean(text, names))
	}
	*to = v
	return nil
}

// text returns a scalar as it is written, without quotes: a column may be
// called 1 or true.
func (r specReader) text(n ast.Node) (string, error) {
	switch v := n.(type) {
	case *ast.StringNode:
		return v.Value, nil
	case *ast.LiteralNode:
		return v.Value.Value, nil
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.InfinityNode, *ast.NanNode:
		return n.GetToken().Value, nil
	}
	return "", r.fault(n, "want a text or a number")
}

func (r specReader) boolean(n ast.Node) (bool, error) {
	if b, ok := n.(*ast.BoolNode); ok {
		return b.Value, nil
	}
	return false, r.fault(n, "want true or false")
}

func (r specReader) setText(to *string) set {
	return func(n ast.Node) error {
		text, err := r.text(n)
		if err == nil && text == "" {
			err = r.fault(n, "want a name, not an empty text")
		}
		*to = text
		return err
	}
}

func (r specReader) setTexts(to *[]string) set {
	return func(n ast.Node) error {
		list, ok := n.(*ast.SequenceNode)
		if !ok {
			return r.fault(n, "want a list of columns, such as [age, score]")
		}
		*to = []string{}
		for _, v := range list.Values {
			text, err := r.text(v)
			if err != nil {
				return err
			}
			*to = append(*to, text)
		}
		return nil
	}
}

func (r specReader) setDelimiter(to *rune) set {
	return func(n ast.Node) error {
		text, err := r.text(n)
		if err != nil {
			return err
		}
		c, size := utf8.DecodeRuneInString(text)
		if size == 0 || size != len(text) || !cells.ValidDelimiter(c) {
			return r.fault(n, "delimiter %q is not one character other than a quote or line end", text)
		}
		*to = c
		return nil
	}
}

func (r specReader) setHeader(to *Header) set {
	return func(n ast.Node) error {
		has, err := r.boolean(n)
		*to = WithoutHeader
		if has {
			*to = WithHeader
		}
		return err
	}
}
