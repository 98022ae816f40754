// Package idindex numbers identifiers.
package idindex

import (
	"cmp"
	"errors"
	"math"
	"slices"
)

// Index numbers integer identifiers in the order in which they come up. Small
// ones are looked up in a table, which grows with the number of identifiers and
// never with their size alone; the others in a map.
type Index struct {
	List  []int64         // the identifier of each number
	table []int32         // number + 1 of an identifier below len(table), 0 where there is none
	other map[int64]int32 // number of any other identifier
}

var errTooManyIDs = errors.New("more than 2³¹−1 different ids")

// Number returns the number of id, a new one where id has none.
func (x *Index) Number(id int64) (int32, error) {
	if id >= 0 && id < int64(len(x.table)) {
		if k := x.table[id]; k != 0 {
			return k - 1, nil
		}
	} else if k, ok := x.other[id]; ok {
		return k, nil
	}
	return x.add(id)
}

// Find returns the number of id, false where it has none.
func (x *Index) Find(id int64) (int32, bool) {
	if id >= 0 && id < int64(len(x.table)) {
		return x.table[id] - 1, x.table[id] != 0
	}
	k, ok := x.other[id]
	return k, ok
}

func (x *Index) add(id int64) (int32, error) {
	if len(x.List) >= math.MaxInt32 {
		return 0, errTooManyIDs
	}
	if reach := x.reach(); id >= int64(len(x.table)) && id < reach && reach >= 2*int64(len(x.table)) {
		x.grow(reach)
	}
	k := int32(len(x.List))
	x.List = append(x.List, id)
	if id >= 0 && id < int64(len(x.table)) {
		x.table[id] = k + 1
		return k, nil
	}
	if x.other == nil {
		x.other = make(map[int64]int32)
	}
	x.other[id] = k
	return k, nil
}

// reach is how long a table pays for itself: a map costs more than four times
// the memory of the table's entry per identifier.
func (x *Index) reach() int64 { return 1<<10 + 4*int64(len(x.List)) }

// grow makes the table reach entries long, at least twice as long as before, and
// moves identifiers of the map that it now covers into it.
func (x *Index) grow(reach int64) {
	x.table = slices.Grow(x.table, int(reach)-len(x.table))
	x.table = x.table[:reach]
	for id, k := range x.other {
		if id >= 0 && id < reach {
			x.table[id] = k + 1
			delete(x.other, id)
		}
	}
}

// Sort renumbers the identifiers in ascending order and returns the new number
// of each old one; nil where the order was ascending already.
func (x *Index) Sort() []int32 {
	if slices.IsSorted(x.List) {
		return nil
	}
	order := make([]int32, len(x.List))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(a, b int32) int { return cmp.Compare(x.List[a], x.List[b]) })
	renumber := make([]int32, len(order))
	sorted := make([]int64, len(order))
	for k, old := range order {
		renumber[old], sorted[k] = int32(k), x.List[old]
	}
	x.List = sorted
	for i, k := range x.table {
		if k != 0 {
			x.table[i] = renumber[k-1] + 1
		}
	}
	for id, k := range x.other {
		x.other[id] = renumber[k]
	}
	return renumber
}

// IDs returns the identifiers by number; nil where each is its own number.
func (x *Index) IDs() []int64 {
	for k, id := range x.List {
		if id != int64(k) {
			return x.List
		}
	}
	return nil
}
