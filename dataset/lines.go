package dataset

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
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
	text, err := plain(r, func(r io.Reader, _ bool) io.Reader { return metered(ctx, name, r, g) })
	if err != nil {
		return nil, l.wrap(err)
	}
	l.in, l.number = text, 0
	return l, nil
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

// pair reads a line of two vertices, separated by blanks or a comma.
func (l *lineReader) pair(line []byte) (ends [2]int64, err error) {
	w := words{rest: line, comma: true}
	for i := range ends {
		field, ok := w.next()
		if !ok || len(field) == 0 {
			return ends, l.errorf("an id is blank: want two vertices")
		}
		if ends[i], ok = parseInt(field); !ok {
			return ends, l.errorf("vertex %s is not an integer", show(field))
		}
	}
	if extra, ok := w.next(); ok {
		return ends, l.errorf("%s after two vertices: want nothing more on the line", show(extra))
	}
	return ends, nil
}
