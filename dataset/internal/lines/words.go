package lines

import (
	"bytes"
	"math"
	"strconv"
)

// IsBlank reports whether a line has no fields.
func IsBlank(line []byte) bool {
	for _, c := range line {
		if !isSpace(c) {
			return false
		}
	}
	return true
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f' }

// Words are the fields of a line: separated by blanks or, where Comma is set,
// also by one comma, in which case a field may be empty.
type Words struct {
	Rest    []byte // of the line, not read yet
	Comma   bool
	another bool // a comma was read, so that a field follows, if only an empty one
}

// Next returns the next field, false at the end of the line.
func (w *Words) Next() ([]byte, bool) {
	s := w.Rest
	for len(s) > 0 && isSpace(s[0]) {
		s = s[1:]
	}
	if len(s) == 0 {
		another := w.another
		w.Rest, w.another = nil, false
		return nil, another
	}
	w.another = false
	end := 0
	for end < len(s) && !isSpace(s[end]) && (s[end] != ',' || !w.Comma) {
		end++
	}
	word := s[:end]
	s = s[end:]
	if w.Comma {
		for len(s) > 0 && isSpace(s[0]) {
			s = s[1:]
		}
		if len(s) > 0 && s[0] == ',' {
			s = s[1:]
			w.another = true
		}
	}
	w.Rest = s
	return word, true
}

// Int returns the next field as an integer, false where it is none.
func (w *Words) Int() (int64, bool) {
	field, ok := w.Next()
	if !ok {
		return 0, false
	}
	return Int(field)
}

// Int reads a decimal integer; false where s is none or exceeds 64 bits.
func Int(s []byte) (int64, bool) {
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

// Real reads a decimal number, "inf" and "nan" included; false where s is
// none or is finite and beyond float32.
func Real(s []byte) (float32, bool) {
	if bytes.ContainsAny(s, "xXpP_") { // Go's own notations
		return 0, false
	}
	x, err := strconv.ParseFloat(string(s), 32)
	return float32(x), err == nil
}

// Quote quotes a field for an error, cut to a readable length.
func Quote(field []byte) string {
	const most = 40
	if len(field) > most {
		return strconv.Quote(string(field[:most])) + "…"
	}
	return strconv.Quote(string(field))
}

// IsFinite reports whether x is neither infinite nor NaN.
func IsFinite(x float32) bool { return x-x == 0 }
