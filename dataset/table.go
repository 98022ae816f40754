package dataset

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
)

// table is a file of rows under named columns. It is read in passes, never
// held: one learns what the columns contain, the next turns them into numbers.
type table interface {
	// columns returns the names of the columns, distinct and not empty.
	columns() []string
	// scan visits the rows in order with the cells of the wanted columns, which
	// are valid only during the visit, and the line or row they stand on. An
	// error of visit ends the scan and is returned as it is.
	scan(ctx context.Context, wanted []int, visit func(line int64, row []cell) error) error
	// at says where a line or row is, for errors: "people.csv:7".
	at(line int64) string
	// notes are facts about the file that a user should hear.
	notes() []string
}

// maxColumns bounds the columns of a table: more are a wrong delimiter, or
// features that should be an array.
const maxColumns = 1 << 16

// openTable finds out whether path is a Parquet or a text file and reads its
// header.
func openTable(path string, text textLayout, g *guard) (table, error) {
	if isURL(path) {
		return nil, fmt.Errorf("dataset: %s: tables are read from files: export the query or page to CSV or Parquet", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("dataset: %w", err)
	}
	defer f.Close()
	var magic [4]byte
	if _, err := io.ReadFull(f, magic[:]); err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return nil, fmt.Errorf("dataset: %s: %w", path, err)
	}
	if string(magic[:]) == parquetMagic {
		return openParquet(path, g)
	}
	return openText(path, text, g)
}

// isURL reports whether path is an address, such as postgres://host/base.
func isURL(path string) bool { return strings.Contains(path, "://") }

// columnNamed returns the position of a column that role needs.
func columnNamed(t table, name, role string) (int, error) {
	names := t.columns()
	if i := slices.Index(names, name); i >= 0 {
		return i, nil
	}
	return 0, fmt.Errorf("dataset: %s has no column %q for the %s%s: it has %s",
		t.at(0), name, role, didYouMean(name, names), someOf(names))
}

// columnOr is columnNamed, or the column at position where name is empty.
func columnOr(t table, name string, position int, role string) (int, error) {
	if name != "" {
		return columnNamed(t, name, role)
	}
	if position >= len(t.columns()) {
		return 0, fmt.Errorf("dataset: %s has no column %d for the %s: it has %s", t.at(0), position+1, role, someOf(t.columns()))
	}
	return position, nil
}

// someOf lists names for an error, the first ten at most.
func someOf(names []string) string {
	const most = 10
	if len(names) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
	}
	return strings.Join(names, ", ")
}

// checkColumns checks the names of a table's columns; blank ones are called by
// their position.
func checkColumns(path string, names []string) error {
	if len(names) > maxColumns {
		return &LimitError{Path: path, What: "columns", Want: int64(len(names)), Max: maxColumns}
	}
	seen := make(map[string]int, len(names))
	for i, name := range names {
		name = strings.TrimSpace(name)
		if name == "" {
			name = fmt.Sprintf("column %d", i+1)
		}
		if first, twice := seen[name]; twice {
			return fmt.Errorf("dataset: %s: columns %d and %d are both called %q", path, first+1, i+1, name)
		}
		seen[name] = i
		names[i] = name
	}
	return nil
}

// columnsNamed finds several columns, each named once.
func columnsNamed(t table, names []string, role string) ([]int, error) {
	columns := make([]int, len(names))
	for i, name := range names {
		c, err := columnNamed(t, name, role)
		if err != nil {
			return nil, err
		}
		if slices.Contains(columns[:i], c) {
			return nil, fmt.Errorf("dataset: %s: %s column %q is named twice", t.at(0), role, name)
		}
		columns[i] = c
	}
	return columns, nil
}
