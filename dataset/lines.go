package dataset

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
)

const (
	// maxLine bounds a line of a layout whose lines have a few fields.
	maxLine = 1 << 20
	// maxAdjacencyLine bounds a line that lists all neighbours of a vertex.
	maxAdjacencyLine = 256 << 20
	// heldPerByte is what readers of text hold, at most, for a byte of it: the
	// two bytes "1\n" become a 64-bit integer, which is copied twice while its
	// distinct values are sought, the four of "1 2\n" two 32-bit ids and up to
	// 44 bytes while they become an arc.
	heldPerByte = 16
)

// lineReader reads a text line by line. Lines end in \n or \r\n; a byte-order mark
// is skipped. What is read is taken from the guard's budget, so that readers
// may keep what they parse without asking for each value.
type lineReader struct {
	name   string // the file, for errors
	number int64  // of the current line, from 1
	max    int    // most bytes in a line
	err    error  // what ended the reading; nil at the end of the file

	in    *bufio.Reader
	long  []byte // a line that is longer than the reader's buffer
	close func() error
}

// newLines reads r, gzip'ed or not, under the name that errors give it.
func newLines(ctx context.Context, name string, r io.Reader, g *guard) (*lineReader, error) {
	l := &lineReader{name: name, max: maxLine, number: 1, close: func() error { return nil }}
	packed := bufio.NewReaderSize(r, 64<<10)
	r = packed
	magic, err := packed.Peek(len(gzipMagic))
	if bytes.Equal(magic, gzipMagic) {
		r, err = gzip.NewReader(packed)
	}
	if err != nil && err != io.EOF {
		return nil, l.wrap(err)
	}
	l.in = bufio.NewReaderSize(metered(ctx, name, r, g), 64<<10)
	mark, err := l.in.Peek(3)
	switch {
	case err != nil && err != io.EOF:
		return nil, l.wrap(err)
	case bytes.Equal(mark, []byte{0xef, 0xbb, 0xbf}):
		if _, err := l.in.Discard(len(mark)); err != nil {
			return nil, l.wrap(err)
		}
	case bytes.HasPrefix(mark, []byte{0xff, 0xfe}), bytes.HasPrefix(mark, []byte{0xfe, 0xff}):
		return nil, l.errorf("the text is UTF-16: save it as UTF-8")
	}
	l.number = 0
	return l, nil
}

// meteredReader takes what it reads from a guard's budget and ends the reading
// when its context does.
type meteredReader struct {
	ctx   context.Context
	r     io.Reader
	guard *guard
	limit LimitError // what ends the reading when the budget is used up
}

func metered(ctx context.Context, name string, r io.Reader, g *guard) io.Reader {
	return &meteredReader{ctx, r, g, LimitError{Path: name, What: "text", Want: -1, Max: g.left / heldPerByte}}
}

func (m *meteredReader) Read(p []byte) (int, error) {
	if err := m.ctx.Err(); err != nil {
		return 0, err
	}
	most := m.guard.left / heldPerByte
	if most == 0 {
		return 0, &m.limit
	}
	n, err := m.r.Read(p[:min(int64(len(p)), most)])
	m.guard.left -= int64(n) * heldPerByte
	return n, err
}

// next returns the next line without its end, valid until the next call; false
// at the end of the file or on an error, which is then in l.err.
func (l *lineReader) next() ([]byte, bool) {
	if l.err != nil {
		return nil, false
	}
	l.number++
	line, err := l.in.ReadSlice('\n')
	if err == bufio.ErrBufferFull {
		line, err = l.nextLong(line)
	}
	switch {
	case err == nil:
		line = line[:len(line)-1]
	case err == io.EOF && len(line) > 0:
	case err == io.EOF:
		l.number--
		return nil, false
	default:
		l.err = l.wrap(err)
		return nil, false
	}
	if n := len(line); n > 0 && line[n-1] == '\r' {
		line = line[:n-1]
	}
	return line, true
}

func (l *lineReader) nextLong(head []byte) ([]byte, error) {
	l.long = append(l.long[:0], head...)
	for {
		part, err := l.in.ReadSlice('\n')
		l.long = append(l.long, part...)
		if len(l.long) > l.max {
			return nil, fmt.Errorf("the line is longer than %d bytes", l.max)
		}
		if err != bufio.ErrBufferFull {
			return l.long, err
		}
	}
}

// wrap says where an error of the underlying reader came up.
func (l *lineReader) wrap(err error) error {
	var limit *LimitError
	if errors.As(err, &limit) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = errors.New("the compressed file is cut short")
	}
	return fmt.Errorf("dataset: %s:%d: %w", l.name, l.number, err)
}

// errorf returns an error at the current line.
func (l *lineReader) errorf(format string, args ...any) error {
	return fmt.Errorf("dataset: %s:%d: %s", l.name, l.number, fmt.Sprintf(format, args...))
}

// at puts the current line into a limit's error.
func (l *lineReader) at(err error) error {
	var limit *LimitError
	if errors.As(err, &limit) {
		limit.Path = fmt.Sprintf("%s:%d", l.name, l.number)
	}
	return err
}

// records returns the lines of a file in which a line's position has a meaning:
// empty lines may stand at its end only.
func (l *lineReader) records(visit func(line []byte) error) error {
	empty := int64(0)
	for line, ok := l.next(); ok; line, ok = l.next() {
		if isBlank(line) {
			if empty == 0 {
				empty = l.number
			}
			continue
		}
		if empty != 0 {
			l.number = empty
			return l.errorf("the line is blank, and more lines follow it")
		}
		if err := visit(line); err != nil {
			return err
		}
	}
	return l.err
}

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
