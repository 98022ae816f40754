package table

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/dataset/budget"
	"github.com/weft-gnn/weft/dataset/internal/cells"
	"github.com/weft-gnn/weft/dataset/internal/idindex"
)

// keyIndex numbers the identifiers of a user's tables in the order in which
// they come. They are integers as long as all are, in canonical form; the first
// that is not makes text of them all, which loses nothing.
type keyIndex struct {
	ints   idindex.Index
	byText map[string]int32 // nil while ids are integers
	texts  []string
	lines  []int64 // where each was first seen
	guard  *budget.Guard
}

func (x *keyIndex) len() int { return len(x.lines) }

// keyBytes is what one identifier costs in memory, besides its text.
const keyBytes = 64

var errBlankID = errors.New("blank id")

// find returns the number of the identifier in c, false where it has none.
func (x *keyIndex) find(c cells.Cell) (int32, bool) {
	n, s, isInt := c.ID()
	if x.byText == nil {
		if !isInt {
			return 0, false
		}
		return x.ints.Find(n)
	}
	if isInt {
		s = strconv.FormatInt(n, 10)
	}
	v, ok := x.byText[s]
	return v, ok
}

// add numbers the identifier in c, seen at line, and reports whether it is new.
// Errors: a blank one, one that is not UTF-8, too many; they say not where.
func (x *keyIndex) add(c cells.Cell, line int64) (v int32, isNew bool, err error) {
	n, s, isInt := c.ID()
	if !isInt && s == "" {
		return 0, false, errBlankID
	}
	if !utf8.ValidString(s) {
		return 0, false, fmt.Errorf("id %q is not UTF-8", s)
	}
	if v, ok := x.find(c); ok {
		return v, false, nil
	}
	if most := x.guard.Limits.Vertices; int64(x.len()) >= most {
		return 0, false, &budget.LimitError{Path: x.guard.Path, What: "vertices", Want: most + 1, Max: most}
	}
	if err := x.guard.Need("vertices", 1, keyBytes+int64(len(s))); err != nil {
		return 0, false, err
	}
	v = int32(x.len())
	x.lines = append(x.lines, line)
	if x.byText == nil && isInt {
		_, err := x.ints.Number(n)
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
	x.byText = make(map[string]int32, len(x.ints.List))
	x.texts = make([]string, len(x.ints.List))
	for v, n := range x.ints.List {
		s := strconv.FormatInt(n, 10)
		x.texts[v] = s
		x.byText[s] = int32(v)
	}
	x.ints = idindex.Index{}
}

// ids returns the identifiers by number.
func (x *keyIndex) ids() dataset.IDs {
	if x.byText != nil {
		return dataset.IDs{Text: x.texts}
	}
	// Kept where each is its own number too: the user gave them.
	return dataset.IDs{Int: slices.Clip(x.ints.List)}
}
