package numpy

import (
	"slices"

	"github.com/weft-gnn/weft/dataset/budget"
	"github.com/weft-gnn/weft/tensor"
)

// RowsFor is Matrix, checked to have one row for each of n items, which what
// names.
func (a *Array) RowsFor(n int, what string, g *budget.Guard) (tensor.Matrix, error) {
	m, err := a.Matrix(g)
	if err == nil && m.Rows != n {
		err = a.Errorf("%d rows for %d %s", m.Rows, n, what)
	}
	return m, err
}

// Classes returns the elements as classes, −1 or counted from 0, and one more
// than the largest, which is at most as many as there are elements plus a margin
// for classes that none has.
func (a *Array) Classes(g *budget.Guard) (class []int32, count int, err error) {
	v, err := a.Ints(g)
	if err != nil {
		return nil, 0, err
	}
	top := int64(-1)
	for i, c := range v {
		if c < -1 {
			return nil, 0, a.Errorf("item %d has the class %d, want −1 (missing) or more", i, c)
		}
		top = max(top, c)
	}
	if top > int64(len(v))+1<<16 {
		return nil, 0, a.Errorf("the class %d for %d items", top, len(v))
	}
	class = make([]int32, len(v))
	for i, c := range v {
		class[i] = int32(c)
	}
	return class, int(top + 1), g.Need(a.Name+": class names", top+1, 32)
}

// MaskRows returns, for each row of a mask of n columns, where it is true.
func (a *Array) MaskRows(n int, g *budget.Guard) ([][]int32, error) {
	if err := a.WantShape(-1, n); err != nil {
		return nil, err
	}
	v, err := a.Ints(g)
	if err != nil {
		return nil, err
	}
	if err := g.NeedMatrix(a.Name, int64(a.Shape[0]), 1, 32); err != nil {
		return nil, err
	}
	rows := make([][]int32, a.Shape[0])
	for r := range rows {
		for i, set := range v[r*n : (r+1)*n] {
			if set != 0 {
				rows[r] = append(rows[r], int32(i))
			}
		}
	}
	return rows, nil
}

// Items returns the elements, which are indices of n items.
func (a *Array) Items(n int, g *budget.Guard) ([]int32, error) {
	if err := a.WantShape(-1); err != nil {
		return nil, err
	}
	v, err := a.Ints(g)
	if err != nil {
		return nil, err
	}
	out := make([]int32, len(v))
	for i, id := range v {
		if id < 0 || id >= int64(n) {
			return nil, a.Errorf("entry %d: item %d is outside 0…%d", i, id, n-1)
		}
		out[i] = int32(id)
	}
	return out, nil
}

// JoinedText cuts bytes into texts at the given starts, the last being the end.
func JoinedText(text, at *Array, g *budget.Guard) ([]string, error) {
	if text.dtype.size != 1 {
		return nil, text.Errorf("elements of type %v, want bytes", text.dtype)
	}
	start, err := at.Ints(g)
	if err != nil {
		return nil, err
	}
	if len(start) == 0 || start[0] != 0 || start[len(start)-1] != int64(len(text.data)) || !slices.IsSorted(start) {
		return nil, at.Errorf("the starts do not ascend from 0 to %d", len(text.data))
	}
	if err := g.Need(text.Name, int64(len(start)), 16); err != nil {
		return nil, err
	}
	if err := g.Need(text.Name, int64(len(text.data)), 1); err != nil {
		return nil, err
	}
	all := string(text.data)
	out := make([]string, len(start)-1)
	for i := range out {
		out[i] = all[start[i]:start[i+1]]
	}
	return out, nil
}
