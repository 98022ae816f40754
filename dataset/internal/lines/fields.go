package lines

import (
	"bufio"
	"fmt"
	"io"
)

// Fields are the fields of one line, separated by blanks and read one by one:
// a line that lists the neighbours of a hub is never held as a whole.
type Fields struct{ l *Reader } // nil once the line has ended

// Fields begins the next line; false at the end of the file or on an error, which
// is then in Err. The fields of the line before must all have been read.
func (l *Reader) Fields() (*Fields, bool) {
	if l.Err != nil {
		return &Fields{}, false
	}
	if _, err := l.in.Peek(1); err != nil {
		if err != io.EOF {
			l.Number++
			l.Err = l.wrap(err)
		}
		return &Fields{}, false
	}
	l.Number++
	return &Fields{l}, true
}

// Starts reports whether the line's first byte is c; no field may have been read.
func (f *Fields) Starts(c byte) bool {
	first, err := f.l.in.Peek(1)
	return err == nil && first[0] == c
}

// Next returns the next field, valid until the following call; false at the end
// of the line or on an error, which is then in the reader's Err.
func (f *Fields) Next() ([]byte, bool) {
	if f.l == nil || !f.skipBlanks() {
		return nil, false
	}
	in := f.l.in
	for n := 0; ; {
		text, _ := in.Peek(in.Buffered()) // what is buffered is there
		for n < len(text) && !isSpace(text[n]) && text[n] != '\n' {
			n++
		}
		err := error(nil)
		if n == len(text) {
			_, err = in.Peek(n + 1)
		}
		switch {
		case n < len(text), err == io.EOF:
			field, _ := in.Peek(n)
			in.Discard(n) // of what is buffered
			return field, true
		case err == bufio.ErrBufferFull:
			err = fmt.Errorf("a field is longer than %d bytes", textBuffer)
		}
		if err != nil {
			return nil, f.end(err)
		}
	}
}

// Skip ends the line.
func (f *Fields) Skip() {
	for f.l != nil {
		if _, err := f.l.in.ReadSlice('\n'); err != bufio.ErrBufferFull {
			if err == nil {
				err = io.EOF
			}
			f.end(err)
		}
	}
}

// skipBlanks goes to the next field; false at the end of the line.
func (f *Fields) skipBlanks() bool {
	in := f.l.in
	for {
		if _, err := in.Peek(1); err != nil {
			return f.end(err)
		}
		text, _ := in.Peek(in.Buffered())
		n := 0
		for n < len(text) && isSpace(text[n]) {
			n++
		}
		if n < len(text) && text[n] == '\n' {
			in.Discard(n + 1)
			return f.end(io.EOF)
		}
		in.Discard(n)
		if n < len(text) {
			return true
		}
	}
}

// end ends the line; err is io.EOF, or what is wrong.
func (f *Fields) end(err error) bool {
	if err != io.EOF {
		f.l.Err = f.l.wrap(err)
	}
	f.l = nil
	return false
}

// Int returns the next field as an integer, false where it is none.
func (f *Fields) Int() (int64, bool) {
	field, ok := f.Next()
	if !ok {
		return 0, false
	}
	return Int(field)
}
