// Package lines reads text files line by line: gzip'ed or not, from a folder or
// a zip archive, within a budget, with errors that name file and line.
package lines

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/weft-gnn/weft/dataset/budget"
)

const (
	// maxLine bounds a line that is read as a whole: one of a few fields.
	maxLine = 1 << 20
	// heldPerByte is what readers of text hold, at most, for a byte of it: the
	// two bytes "1\n" become a 64-bit integer, which is copied twice while its
	// distinct values are sought, the four of "1 2\n" two 32-bit ids and up to
	// 44 bytes while they become an arc.
	heldPerByte = 16
)

// Reader reads a text line by line. Lines end in \n or \r\n; a byte-order mark
// is skipped. What is read is taken from the guard's budget, so that readers
// may keep what they parse without asking for each value.
type Reader struct {
	Name   string // the file, for errors
	Number int64  // of the current line, from 1
	Max    int    // most bytes in a line
	Err    error  // what ended the reading; nil at the end of the file
	// Close closes the file.
	Close func() error

	in   *bufio.Reader
	long []byte // a line that is longer than the buffer of in
}

// New reads r, gzip'ed or not, under the name that errors give it.
func New(ctx context.Context, name string, r io.Reader, g *budget.Guard) (*Reader, error) {
	l := &Reader{Name: name, Max: maxLine, Number: 1, Close: func() error { return nil }}
	text, err := Plain(r, func(r io.Reader, _ bool) io.Reader { return Metered(ctx, name, r, g) })
	if err != nil {
		return nil, l.wrap(err)
	}
	l.in, l.Number = text, 0
	return l, nil
}

// Next returns the next line without its end, valid until the next call; false
// at the end of the file or on an error, which is then in Err.
func (l *Reader) Next() ([]byte, bool) {
	if l.Err != nil {
		return nil, false
	}
	l.Number++
	line, err := l.in.ReadSlice('\n')
	if err == bufio.ErrBufferFull {
		line, err = l.nextLong(line)
	}
	switch {
	case err == nil:
		line = line[:len(line)-1]
	case err == io.EOF && len(line) > 0:
	case err == io.EOF:
		l.Number--
		return nil, false
	default:
		l.Err = l.wrap(err)
		return nil, false
	}
	if n := len(line); n > 0 && line[n-1] == '\r' {
		line = line[:n-1]
	}
	return line, true
}

func (l *Reader) nextLong(head []byte) ([]byte, error) {
	l.long = append(l.long[:0], head...)
	for {
		part, err := l.in.ReadSlice('\n')
		l.long = append(l.long, part...)
		if len(l.long) > l.Max {
			return nil, fmt.Errorf("the line is longer than %d bytes", l.Max)
		}
		if err != bufio.ErrBufferFull {
			return l.long, err
		}
	}
}

// wrap says where an error of the underlying reader came up.
func (l *Reader) wrap(err error) error {
	var limit *budget.LimitError
	if errors.As(err, &limit) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = errors.New("the compressed file is cut short")
	}
	return fmt.Errorf("dataset: %s:%d: %w", l.Name, l.Number, err)
}

// Errorf returns an error at the current line, or what ended the reading there: a
// field that is lacking then is none of the file's faults.
func (l *Reader) Errorf(format string, args ...any) error {
	if l.Err != nil {
		return l.Err
	}
	return fmt.Errorf("dataset: %s:%d: %s", l.Name, l.Number, fmt.Sprintf(format, args...))
}

// At puts the current line into a limit's error.
func (l *Reader) At(err error) error {
	var limit *budget.LimitError
	if errors.As(err, &limit) {
		limit.Path = fmt.Sprintf("%s:%d", l.Name, l.Number)
	}
	return err
}

// Records returns the lines of a file in which a line's position has a meaning:
// empty lines may stand at its end only.
func (l *Reader) Records(visit func(line []byte) error) error {
	empty := int64(0)
	for line, ok := l.Next(); ok; line, ok = l.Next() {
		if IsBlank(line) {
			if empty == 0 {
				empty = l.Number
			}
			continue
		}
		if empty != 0 {
			l.Number = empty
			return l.Errorf("the line is blank, and more lines follow it")
		}
		if err := visit(line); err != nil {
			return err
		}
	}
	return l.Err
}

// Pair reads a line of two vertices, separated by blanks or a comma.
func (l *Reader) Pair(line []byte) (ends [2]int64, err error) {
	w := Words{Rest: line, Comma: true}
	for i := range ends {
		field, ok := w.Next()
		if !ok || len(field) == 0 {
			return ends, l.Errorf("an id is blank: want two vertices")
		}
		if ends[i], ok = Int(field); !ok {
			return ends, l.Errorf("vertex %s is not an integer", Quote(field))
		}
	}
	if extra, ok := w.Next(); ok {
		return ends, l.Errorf("%s after two vertices: want nothing more on the line", Quote(extra))
	}
	return ends, nil
}
