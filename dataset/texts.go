package dataset

import (
	"fmt"
	"slices"
	"strings"
)

// texts are what the values of an enumeration are called in files and on the
// command line.
type texts struct {
	what  string   // what a value is, for errors: "task"
	names []string // by value
}

func (t texts) has(v int) bool { return v >= 0 && v < len(t.names) }

// of returns the text of v, or its number where it has none.
func (t texts) of(v int) string {
	if !t.has(v) {
		return fmt.Sprintf("%s(%d)", t.what, v)
	}
	return t.names[v]
}

func (t texts) marshal(v int) ([]byte, error) {
	if !t.has(v) {
		return nil, fmt.Errorf("dataset: no %s has the number %d", t.what, v)
	}
	return []byte(t.names[v]), nil
}

func (t texts) unmarshal(text []byte) (int, error) {
	v := slices.Index(t.names, string(text))
	if v < 0 {
		return 0, fmt.Errorf("dataset: %s %q is not one of %s", t.what, text, strings.Join(t.names, ", "))
	}
	return v, nil
}
