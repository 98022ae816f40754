package dataset

import (
	"fmt"
	"slices"
	"strings"

	"github.com/weft-gnn/weft/internal/nearest"
)

// Option is a choice that users have.
type Option int

// The options that errors are about.
const (
	LabelOption    Option = iota // the column that is learnt
	FeaturesOption               // the columns that are learnt from
	VerticesOption               // the table of vertices
	TaskOption                   // what is learnt
	UnknownOption                // what becomes of edges to unknown ids
	SplitOption                  // what is trained and tested on
)

// OptionError is a fault that another choice of an option would mend: a program
// that knows how its users choose can say so.
type OptionError struct {
	Option Option
	Err    error
}

func (e *OptionError) Error() string { return e.Err.Error() }
func (e *OptionError) Unwrap() error { return e.Err }

// Lacking is the OptionError with the formatted text.
func Lacking(o Option, format string, args ...any) error {
	return &OptionError{o, fmt.Errorf(format, args...)}
}

// NoSplitError says that a set has no split of the name that was asked for.
type NoSplitError struct {
	Set, Name string
	Names     []string // of the set's own
}

// splitExamples are the kinds of splits that any set can be given, as users write
// them.
var splitExamples = []struct{ kind, text string }{
	{"random", "random:0.6,0.2,0.2"}, {"per-class", "per-class:20,500,1000"}, {"column", "column:NAME"}, {"file", "file:PATH"},
}

func (e *NoSplitError) Error() string {
	own := "none of its own"
	if len(e.Names) > 0 {
		own = strings.Join(e.Names, ", ")
	}
	return fmt.Sprintf("dataset: %s has no split %q%s (it has %s; any set takes %s)", e.Set, e.Name, e.didYouMean(), own, splitForms)
}

// didYouMean proposes one of the set's own splits, or a kind as it is written.
func (e *NoSplitError) didYouMean() string {
	word, _, _ := strings.Cut(e.Name, ":")
	names := e.Names
	for _, s := range splitExamples {
		if s.kind == word {
			return fmt.Sprintf(", did you mean %q?", s.text)
		}
		names = append(slices.Clip(names), s.kind)
	}
	near := nearest.Names(word, names)
	if len(near) == 0 {
		return ""
	}
	for _, s := range splitExamples {
		if s.kind == near[0] {
			return fmt.Sprintf(", did you mean %q?", s.text)
		}
	}
	return fmt.Sprintf(", did you mean %q?", near[0])
}
