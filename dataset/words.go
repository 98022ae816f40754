package dataset

import (
	"bytes"
	"math"
	"strconv"
)

func isBlank(line []byte) bool {
	for _, c := range line {
		if !isSpace(c) {
			return false
		}
	}
	return true
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f' }

// words are the fields of a line: separated by blanks or, where comma is set,
// also by one comma, in which case a field may be empty.
type words struct {
	rest    []byte
	comma   bool
	another bool // a comma was read, so that a field follows, if only an empty one
}

// next returns the next field, false at the end of the line.
func (w *words) next() ([]byte, bool) {
	s := w.rest
	for len(s) > 0 && isSpace(s[0]) {
		s = s[1:]
	}
	if len(s) == 0 {
		another := w.another
		w.rest, w.another = nil, false
		return nil, another
	}
	w.another = false
	end := 0
	for end < len(s) && !isSpace(s[end]) && (s[end] != ',' || !w.comma) {
		end++
	}
	word := s[:end]
	s = s[end:]
	if w.comma {
		for len(s) > 0 && isSpace(s[0]) {
			s = s[1:]
		}
		if len(s) > 0 && s[0] == ',' {
			s = s[1:]
			w.another = true
		}
	}
	w.rest = s
	return word, true
}

// int returns the next field as an integer, false where it is none.
func (w *words) int() (int64, bool) {
	field, ok := w.next()
	if !ok {
		return 0, false
	}
	return parseInt(field)
}

// parseInt reads a decimal integer; false where s is none or exceeds 64 bits.
func parseInt(s []byte) (int64, bool) {
	negative := false
	if len(s) > 0 && (s[0] == '-' || s[0] == '+') {
		negative = s[0] == '-'
		s = s[1:]
	}
	if len(s) == 0 {
		return 0, false
	}
	most := uint64(math.MaxInt64)
	if negative {
		most++
	}
	x := uint64(0)
	for _, c := range s {
		d := uint64(c - '0') // beyond 9 for any other character
		if d > 9 || x > (most-d)/10 {
			return 0, false
		}
		x = 10*x + d
	}
	if negative {
		return -int64(x), true
	}
	return int64(x), true
}

// parseReal reads a decimal number, "inf" and "nan" included; false where s is
// none or is finite and beyond float32.
func parseReal(s []byte) (float32, bool) {
	if bytes.ContainsAny(s, "xXpP_") { // Go's own notations
		return 0, false
	}
	x, err := strconv.ParseFloat(string(s), 32)
	return float32(x), err == nil
}

// show quotes a field for an error, cut to a readable length.
func show(field []byte) string {
	const most = 40
	if len(field) > most {
		return strconv.Quote(string(field[:most])) + "…"
	}
	return strconv.Quote(string(field))
}
