package cells

import (
	"bufio"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/weft-gnn/weft/dataset/budget"
	"github.com/weft-gnn/weft/dataset/internal/lines"
)

// Layout is what a user may state about a text table.
type Layout struct {
	Delimiter rune  // 0: the most frequent of comma, tab, semicolon and bar in the first line
	Header    *bool // whether the first line names the columns; nil: unless it is nothing but numbers
}

// maxRecord bounds one row of a text file: longer ones are an unclosed quote.
const maxRecord = 16 << 20

// textTable is a delimited text file, gzip'ed or not: RFC 4180 with any
// delimiter.
type textTable struct {
	path      string
	names     []string
	delimiter rune
	headless  bool // the first line is data
	guard     *budget.Guard
}

func (t *textTable) Columns() []string { return t.names }

func (t *textTable) At(line int64) string {
	if line == 0 {
		return t.path
	}
	return fmt.Sprintf("%s:%d", t.path, line)
}

func (t *textTable) Notes() []string {
	if !t.headless {
		return nil
	}
	return []string{fmt.Sprintf("%s: line 1 holds only numbers and is read as data; the columns are called 1 to %d", filepath.Base(t.path), len(t.names))}
}

// openText reads the first line of a text table.
func openText(path string, layout Layout, g *budget.Guard) (Table, error) {
	t := &textTable{path: path, delimiter: layout.Delimiter, guard: g}
	if t.delimiter == 0 {
		d, err := t.detectDelimiter()
		if err != nil {
			return nil, err
		}
		t.delimiter = d
	}
	r, err := t.open()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	first, _, err := r.next()
	if err == io.EOF {
		return nil, fmt.Errorf("dataset: %s is empty: a table starts with a line that names its columns", path)
	}
	if err != nil {
		return nil, err
	}
	if t.headless = AllNumbers(first); layout.Header != nil {
		t.headless = !*layout.Header
	}
	t.names = slices.Clone(first)
	if t.headless {
		for i := range t.names {
			t.names[i] = fmt.Sprint(i + 1)
		}
	}
	for i, name := range t.names {
		if !utf8.ValidString(name) {
			return nil, fmt.Errorf("dataset: %s:1: the name of column %d is not UTF-8", path, i+1)
		}
	}
	return t, checkColumns(path, t.names)
}

// AllNumbers reports whether every field is a number, as those of a line are
// that names no columns.
func AllNumbers(fields []string) bool {
	for _, f := range fields {
		if _, ok := ParseNumber(strings.TrimSpace(f)); !ok {
			return false
		}
	}
	return true
}

// Delimiters are the candidates, in the order in which ties are broken.
const Delimiters = ",\t;|"

// detectDelimiter returns the candidate that stands most often in the first
// line, quoted fields left out; a comma where there is none.
func (t *textTable) detectDelimiter() (rune, error) {
	r, err := t.openBytes()
	if err != nil {
		return 0, err
	}
	defer r.Close()
	buffered := bufio.NewReaderSize(r, 64<<10)
	line, err := buffered.ReadSlice('\n')
	if err != nil && err != io.EOF && err != bufio.ErrBufferFull {
		return 0, fmt.Errorf("dataset: %s: %w", t.path, err)
	}
	counts := make(map[byte]int)
	quoted := false
	for _, c := range line {
		if c == '"' {
			quoted = !quoted
		} else if !quoted {
			counts[c]++
		}
	}
	best := Delimiters[0]
	for i := range len(Delimiters) {
		if counts[Delimiters[i]] > counts[best] {
			best = Delimiters[i]
		}
	}
	return rune(best), nil
}

func (t *textTable) Scan(ctx context.Context, wanted []int, visit func(line int64, row []Cell) error) error {
	r, err := t.open()
	if err != nil {
		return err
	}
	defer r.Close()
	if !t.headless {
		if _, _, err := r.next(); err != nil {
			return err
		}
	}
	row := make([]Cell, len(wanted))
	for n := 0; ; n++ {
		if n%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		fields, line, err := r.next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		for i, column := range wanted {
			row[i] = Untyped(fields[column])
		}
		if err := visit(line, row); err != nil {
			return err
		}
	}
}

// textReader reads the records of a text table.
type textReader struct {
	table *textTable
	bytes io.Closer
	limit *recordLimit
	csv   *csv.Reader
}

func (t *textTable) open() (*textReader, error) {
	if !ValidDelimiter(t.delimiter) {
		return nil, fmt.Errorf("dataset: %s: %q cannot delimit fields", t.path, t.delimiter)
	}
	b, err := t.openBytes()
	if err != nil {
		return nil, err
	}
	limit := &recordLimit{r: b}
	r := csv.NewReader(limit)
	r.Comma = t.delimiter
	r.ReuseRecord = true
	return &textReader{table: t, bytes: b, limit: limit, csv: r}, nil
}

// ValidDelimiter reports whether r can separate fields.
func ValidDelimiter(r rune) bool {
	return r != '"' && r != '\r' && r != '\n' && r != utf8.RuneError && utf8.ValidRune(r)
}

func (r *textReader) Close() error { return r.bytes.Close() }

// next returns the fields of the next record, valid until the next call, and
// the line it starts on. Errors: io.EOF after the last.
func (r *textReader) next() ([]string, int64, error) {
	r.limit.left = maxRecord
	fields, err := r.csv.Read()
	if err == nil {
		line, _ := r.csv.FieldPos(0)
		return fields, int64(line), nil
	}
	if err == io.EOF {
		return nil, 0, err
	}
	var bad *csv.ParseError
	switch {
	case errors.As(err, &bad) && errors.Is(err, csv.ErrFieldCount):
		return nil, 0, fmt.Errorf("dataset: %s: %d fields, but the first line has %d", r.table.At(int64(bad.StartLine)), len(fields), r.csv.FieldsPerRecord)
	case errors.As(err, &bad):
		return nil, 0, fmt.Errorf("dataset: %s: column %d: %w", r.table.At(int64(bad.Line)), bad.Column, bad.Err)
	}
	return nil, 0, fmt.Errorf("dataset: %s: before byte %d: %w", r.table.path, r.csv.InputOffset(), err)
}

// recordLimit ends the reading of a record that is longer than maxRecord.
type recordLimit struct {
	r    io.Reader
	left int
}

func (l *recordLimit) Read(p []byte) (int, error) {
	if l.left <= 0 {
		return 0, fmt.Errorf("a row is longer than %d MiB: is a quote left open?", maxRecord>>20)
	}
	n, err := l.r.Read(p)
	l.left -= n
	return n, err
}

// openBytes opens the file, decompressed and without its byte-order mark.
func (t *textTable) openBytes() (io.ReadCloser, error) {
	f, err := budget.Open(t.path)
	if err != nil {
		return nil, err
	}
	r, err := t.plain(f)
	if err != nil {
		f.Close()
		return nil, err
	}
	return struct {
		io.Reader
		io.Closer
	}{r, f}, nil
}

func (t *textTable) plain(f *os.File) (io.Reader, error) {
	fi, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("dataset: %w", err)
	}
	text, err := lines.Plain(f, func(r io.Reader, packed bool) io.Reader {
		if !packed {
			return r
		}
		return t.guard.Reader("decompressed text", r, fi.Size())
	})
	if err != nil {
		return nil, fmt.Errorf("dataset: %s: %w", t.path, err)
	}
	return text, nil
}
