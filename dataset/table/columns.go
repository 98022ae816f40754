package table

import (
	"fmt"
	"slices"
	"strings"

	"github.com/weft-gnn/weft/dataset/internal/cells"
	"github.com/weft-gnn/weft/internal/nearest"
)

// columnNamed returns the position of a column that role needs.
func columnNamed(t cells.Table, name, role string) (int, error) {
	names := t.Columns()
	if i := slices.Index(names, name); i >= 0 {
		return i, nil
	}
	return 0, fmt.Errorf("dataset: %s has no column %q for the %s%s (it has %s)",
		t.At(0), name, role, nearest.DidYouMean(name, names), someOf(names))
}

// columnOr is columnNamed, or the column at position where name is empty.
func columnOr(t cells.Table, name string, position int, role string) (int, error) {
	if name != "" {
		return columnNamed(t, name, role)
	}
	if position >= len(t.Columns()) {
		return 0, fmt.Errorf("dataset: %s has no column %d for the %s: it has %s", t.At(0), position+1, role, someOf(t.Columns()))
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

// columnsNamed finds several columns, each named once.
func columnsNamed(t cells.Table, names []string, role string) ([]int, error) {
	columns := make([]int, len(names))
	for i, name := range names {
		c, err := columnNamed(t, name, role)
		if err != nil {
			return nil, err
		}
		if slices.Contains(columns[:i], c) {
			return nil, fmt.Errorf("dataset: %s: %s column %q is named twice", t.At(0), role, name)
		}
		columns[i] = c
	}
	return columns, nil
}
