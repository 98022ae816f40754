package cells

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/weft-gnn/weft/dataset/budget"
)

// Table is a file of rows under named columns. It is read in passes, never
// held: one learns what the columns contain, the next turns them into numbers.
type Table interface {
	// Columns returns the names of the columns, distinct and not empty.
	Columns() []string
	// Scan visits the rows in order with the cells of the wanted columns, which
	// are valid only during the visit, and the line or row they stand on. An
	// error of visit ends the scan and is returned as it is.
	Scan(ctx context.Context, wanted []int, visit func(line int64, row []Cell) error) error
	// At says where a line or row is, for errors: "people.csv:7".
	At(line int64) string
	// Notes are facts about the file that a user should hear.
	Notes() []string
}

// maxColumns bounds the columns of a table: more are a wrong delimiter, or
// features that should be an array.
const maxColumns = 1 << 16

// Open finds out whether path is a Parquet or a text file and reads its
// header. Layout is what is known of a text file.
func Open(path string, layout Layout, g *budget.Guard) (Table, error) {
	if IsURL(path) {
		return nil, fmt.Errorf("dataset: %s: tables are read from files: export the query or page to CSV or Parquet", path)
	}
	f, err := budget.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var magic [4]byte
	if _, err := io.ReadFull(f, magic[:]); err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return nil, fmt.Errorf("dataset: %s: %w", path, err)
	}
	if string(magic[:]) == ParquetMagic {
		return openParquet(path, g)
	}
	return openText(path, layout, g)
}

// IsURL reports whether path is an address, such as postgres://host/base.
func IsURL(path string) bool { return strings.Contains(path, "://") }

// checkColumns checks the names of a table's columns; blank ones are called by
// their position.
func checkColumns(path string, names []string) error {
	if len(names) > maxColumns {
		return &budget.LimitError{Path: path, What: "columns", Want: int64(len(names)), Max: maxColumns}
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
