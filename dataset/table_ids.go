package dataset

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// keyIndex numbers the identifiers of a user's tables in the order in which
// they come. They are integers as long as all are, in canonical form; the first
// that is not makes text of them all, which loses nothing.
type keyIndex struct {
	ints   idIndex
	byText map[string]int32 // nil while ids are integers
	texts  []string
	lines  []int64 // where each was first seen
	guard  *guard
}

func (x *keyIndex) len() int { return len(x.lines) }

// keyBytes is what one identifier costs in memory, besides its text.
const keyBytes = 64

var errBlankID = errors.New("blank id")

// find returns the number of the identifier in c, false where it has none.
func (x *keyIndex) find(c cell) (int32, bool) {
	n, s, isInt := c.id()
	if x.byText == nil {
		if !isInt {
			return 0, false
		}
		return x.ints.find(n)
	}
	if isInt {
		s = strconv.FormatInt(n, 10)
	}
	v, ok := x.byText[s]
	return v, ok
}

// add numbers the identifier in c, seen at line, and reports whether it is new.
// Errors: a blank one, one that is not UTF-8, too many; they say not where.
func (x *keyIndex) add(c cell, line int64) (v int32, isNew bool, err error) {
	n, s, isInt := c.id()
	if !isInt && s == "" {
		return 0, false, errBlankID
	}
	if !utf8.ValidString(s) {
		return 0, false, fmt.Errorf("id %q is not UTF-8", s)
	}
	if v, ok := x.find(c); ok {
		return v, false, nil
	}
	if most := x.guard.limits.Vertices; int64(x.len()) >= most {
		return 0, false, &LimitError{Path: x.guard.path, What: "vertices", Want: most + 1, Max: most}
	}
	if err := x.guard.need("vertices", 1, keyBytes+int64(len(s))); err != nil {
		return 0, false, err
	}
	v = int32(x.len())
	x.lines = append(x.lines, line)
	if x.byText == nil && isInt {
		_, err := x.ints.number(n)
		return v, true, err
	}
	x.toText()
	if isInt {
		s = strconv.FormatInt(n, 10)
	}
	s = strings.Clone(s) // a text table's cells share their row's memory
	x.byText[s] = v
	x.texts = append(x.texts, s)
	return v, true, nil
}

// toText makes text of the integers that came so far.
func (x *keyIndex) toText() {
	if x.byText != nil {
		return
	}
	x.byText = make(map[string]int32, len(x.ints.list))
	x.texts = make([]string, len(x.ints.list))
	for v, n := range x.ints.list {
		s := strconv.FormatInt(n, 10)
		x.texts[v] = s
		x.byText[s] = int32(v)
	}
	x.ints = idIndex{}
}

// ids returns the identifiers by number.
func (x *keyIndex) ids() IDs {
	if x.byText != nil {
		return IDs{Text: x.texts}
	}
	// Kept where each is its own number too: the user gave them.
	return IDs{Int: slices.Clip(x.ints.list)}
}
