package dataset

import (
	"fmt"
	"strconv"
	"strings"
)

// SplitKind says where a split comes from.
type SplitKind int

// The kinds of split.
const (
	OwnSplit      SplitKind = iota // the set's own
	RandomSplit                    // Fractions of the labelled items
	PerClassSplit                  // PerClass items of each class, then Val and Test others
	FileSplit                      // one word per item in File: train, val, test or none
	ColumnSplit                    // the same words in a column of a user's vertex table
	NoSplit                        // none is made or checked: for who reads all items
)

// SplitSpec asks for a split. Random ones shuffle the labelled items, in
// ascending order, by the seed alone, so that they are the same everywhere.
type SplitSpec struct {
	Kind SplitKind
	// Name picks one of the set's own splits ("fold 3"); "" is the first.
	Name string
	// Fractions are the shares of train, val and test; they sum to at most 1,
	// and items left over are in no part.
	Fractions [3]float64
	// PerClass is the number of training items of each class.
	PerClass int
	// Val and Test are the numbers of items of a PerClassSplit; Test 0 means
	// all that are left.
	Val, Test int
	Seed      uint64
	File      string
	Column    string // read by the format of user tables
}

// Validate checks the numbers that the kind reads.
func (s SplitSpec) Validate() error {
	switch s.Kind {
	case RandomSplit:
		sum := 0.0
		for _, f := range s.Fractions {
			if !(f >= 0 && f <= 1) {
				return fmt.Errorf("dataset: split: fraction %v, want 0 to 1", f)
			}
			sum += f
		}
		// Thirds and tenths do not sum to 1 exactly.
		if sum > 1+1e-9 {
			return fmt.Errorf("dataset: split: the fractions %v sum to %v, want at most 1", s.Fractions, sum)
		}
	case PerClassSplit:
		if s.PerClass < 1 || s.Val < 0 || s.Test < 0 {
			return fmt.Errorf("dataset: split: %d items per class, %d and %d for val and test: want at least 1, 0 and 0", s.PerClass, s.Val, s.Test)
		}
	case FileSplit:
		if s.File == "" {
			return fmt.Errorf("dataset: split: no file named")
		}
	case OwnSplit, ColumnSplit, NoSplit:
	default:
		return fmt.Errorf("dataset: split: unknown kind %d", s.Kind)
	}
	return nil
}

// splitForms are the texts of splits, for errors and help texts.
const splitForms = "random:TRAIN,VAL,TEST[:SEED] (shares), per-class:TRAIN,VAL,TEST[:SEED] (counts), column:NAME or file:PATH"

// MarshalText writes the split as the command line takes it, such as
// "random:0.6,0.2,0.2:1"; the set's first own split is the empty text.
func (s SplitSpec) MarshalText() ([]byte, error) {
	var text string
	switch s.Kind {
	case OwnSplit:
		text = s.Name
	case RandomSplit:
		text = fmt.Sprintf("random:%g,%g,%g:%d", s.Fractions[0], s.Fractions[1], s.Fractions[2], s.Seed)
	case PerClassSplit:
		text = fmt.Sprintf("per-class:%d,%d,%d:%d", s.PerClass, s.Val, s.Test, s.Seed)
	case ColumnSplit:
		text = "column:" + s.Column
	case FileSplit:
		text = "file:" + s.File
	default:
		return nil, fmt.Errorf("dataset: split: unknown kind %d", s.Kind)
	}
	return []byte(text), nil
}

// IsZero reports whether the split is the set's first own one: then files leave
// it out.
func (s SplitSpec) IsZero() bool { return s == SplitSpec{} }

// UnmarshalText reads a split:
//
//	random:0.6,0.2,0.2         shares of the labelled items
//	random:0.6,0.2,0.2:7       the same, drawn with seed 7 instead of 0
//	per-class:20,500,1000      20 of each class, then 500 and 1000 of the others
//	column:fold                what a column of the vertex table says
//	file:parts.csv             a word per item, or a table of ids and words
//	public                     one of the set's own splits, by its name
//
// Errors: numbers that are none, or that the kind refuses.
func (s *SplitSpec) UnmarshalText(text []byte) error {
	kind, rest, found := strings.Cut(string(text), ":")
	out := SplitSpec{}
	var err error
	switch {
	case found && kind == "random":
		out.Kind = RandomSplit
		out.Seed, err = splitNumbers(rest, func(w []string) (err error) {
			for i := 0; i < len(w) && err == nil; i++ {
				out.Fractions[i], err = strconv.ParseFloat(w[i], 64)
			}
			return err
		})
	case found && kind == "per-class":
		out.Kind = PerClassSplit
		out.Seed, err = splitNumbers(rest, func(w []string) (err error) {
			for i, to := range []*int{&out.PerClass, &out.Val, &out.Test} {
				if err == nil {
					*to, err = strconv.Atoi(w[i])
				}
			}
			return err
		})
	case found && kind == "column":
		out.Kind, out.Column = ColumnSplit, rest
	case found && kind == "file":
		out.Kind, out.File = FileSplit, rest
	default:
		out.Name = string(text)
	}
	if err != nil {
		return fmt.Errorf("dataset: split %q: want %s, or the name of one of the set's own splits", text, splitForms)
	}
	if err := out.Validate(); err != nil {
		return err
	}
	*s = out
	return nil
}

// splitNumbers reads "a,b,c" or "a,b,c:seed".
func splitNumbers(text string, read func(words []string) error) (seed uint64, err error) {
	numbers, last, found := strings.Cut(text, ":")
	if found {
		if seed, err = strconv.ParseUint(last, 10, 64); err != nil {
			return 0, err
		}
	}
	words := strings.Split(numbers, ",")
	if len(words) != 3 {
		return 0, fmt.Errorf("%d numbers, want 3", len(words))
	}
	return seed, read(words)
}
