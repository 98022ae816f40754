package dataset

import (
	"fmt"
	"slices"
	"strings"
)

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
