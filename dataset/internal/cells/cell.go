// Package cells reads tables as rows of cells: delimited text, gzip'ed or not,
// and Parquet. What a file states is checked before it is believed, so that a
// damaged or hostile one is an error and takes no more memory than its size
// allows.
package cells

import (
	"errors"
	"math"
	"strconv"
	"strings"
)

// Cell is one field of a table's row. Text of a CSV file may stand for a
// number; text of a typed column does not.
type Cell struct {
	kind kind
	text string  // cellUntyped, cellText
	num  float64 // cellReal
	int  int64   // cellInt
}

type kind uint8

const (
	cellNull    kind = iota
	cellUntyped      // what a text file holds: a number if it reads as one
	cellText
	cellInt
	cellReal
)

// Untyped is a cell of a text file.
func Untyped(text string) Cell { return Cell{kind: cellUntyped, text: text} }

// Missing reports whether nothing was recorded: null, NaN, or a text that is
// blank or one of NA, N/A, NaN and null in any case.
func (c Cell) Missing() bool {
	switch c.kind {
	case cellNull:
		return true
	case cellReal:
		return math.IsNaN(c.num)
	case cellInt:
		return false
	}
	s := strings.TrimSpace(c.text)
	switch len(s) {
	case 0:
		return true
	case 2, 3, 4:
		return strings.EqualFold(s, "na") || strings.EqualFold(s, "n/a") ||
			strings.EqualFold(s, "nan") || strings.EqualFold(s, "null")
	}
	return false
}

// Number returns the finite number that the cell holds, if it does.
func (c Cell) Number() (float64, bool) {
	switch c.kind {
	case cellInt:
		return float64(c.int), true
	case cellReal:
		return c.num, math.Abs(c.num) <= math.MaxFloat64
	case cellUntyped:
		return ParseNumber(strings.TrimSpace(c.text))
	}
	return 0, false
}

// Unfit reports whether the cell was meant for a number and holds none that is
// finite and decimal: an infinity, one beyond float64 such as 1e400, or a number in
// a notation of programming languages such as 0x10 or 1_000, which may be a code.
func (c Cell) Unfit() (unfit, code bool) {
	switch c.kind {
	case cellReal:
		return math.IsInf(c.num, 0), false
	case cellUntyped:
		s := strings.TrimSpace(c.text)
		if _, ok := ParseNumber(s); ok || c.Missing() {
			return false, false
		}
		x, errReal := strconv.ParseFloat(s, 64)
		_, errInt := strconv.ParseInt(s, 0, 64)
		infinite := math.IsInf(x, 0) && (errReal == nil || errors.Is(errReal, strconv.ErrRange))
		code = errReal == nil || errInt == nil || errors.Is(errInt, strconv.ErrRange)
		return infinite || code, code && !infinite
	}
	return false, false
}

// ParseNumber reads a decimal number. Unlike strconv it takes neither
// hexadecimal nor underscores nor the names of infinity.
func ParseNumber(s string) (float64, bool) {
	for i := range len(s) {
		switch c := s[i]; {
		case c >= '0' && c <= '9', c == '.', c == '-', c == '+', c == 'e', c == 'E':
		default:
			return 0, false
		}
	}
	x, err := strconv.ParseFloat(s, 64)
	return x, err == nil
}

// ID returns the identifier in the cell as an integer where it is one in
// canonical form ("7", not "007" or "+7"), or else as text; blank cells have
// neither. A real number that is whole is an integer, since tools that write
// tables turn integer columns with gaps into reals.
func (c Cell) ID() (n int64, s string, isInt bool) {
	switch c.kind {
	case cellInt:
		return c.int, "", true
	case cellReal:
		if n := int64(c.num); math.Abs(c.num) < 1<<53 && float64(n) == c.num {
			return n, "", true
		}
		if math.IsNaN(c.num) {
			return 0, "", false
		}
		return 0, c.String(), false
	case cellNull:
		return 0, "", false
	}
	s = strings.TrimSpace(c.text)
	n, isInt = CanonicalInt(s)
	return n, s, isInt
}

// CanonicalInt reads an integer that strconv would write in the same way.
func CanonicalInt(s string) (int64, bool) {
	if s == "" || len(s) > 20 || s == "-0" {
		return 0, false
	}
	digits := strings.TrimPrefix(s, "-")
	if digits == "" || digits[0] == '+' || digits[0] == '0' && len(digits) > 1 {
		return 0, false
	}
	n, err := strconv.ParseInt(s, 10, 64)
	return n, err == nil
}

// String returns the cell as a category or class would be called.
func (c Cell) String() string {
	switch c.kind {
	case cellInt:
		return strconv.FormatInt(c.int, 10)
	case cellReal:
		return strconv.FormatFloat(c.num, 'g', -1, 64)
	case cellNull:
		return ""
	}
	return strings.TrimSpace(c.text)
}
