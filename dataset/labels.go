package dataset

import (
	"slices"
	"strconv"

	"github.com/weft-gnn/weft/tensor"
)

// classLabels turns the integers that a file uses for classes into class
// numbers, in ascending order of the integers, which become the names.
func classLabels(values []int64) Labels {
	distinct := distinctInts(values)
	l := Labels{Class: make([]int32, len(values)), Names: make([]string, len(distinct))}
	for i, x := range values {
		k, _ := slices.BinarySearch(distinct, x)
		l.Class[i] = int32(k)
	}
	for k, x := range distinct {
		l.Names[k] = strconv.FormatInt(x, 10)
	}
	return l
}

func distinctInts(values []int64) []int64 {
	d := slices.Clone(values)
	slices.Sort(d)
	return slices.Clip(slices.Compact(d))
}

// appendOneHot appends to x the columns of integers t as indicators: one column for
// each value that a column of t has, ascending, 1 where the row has the value.
func appendOneHot(x tensor.Matrix, t *numberTable[int64], g *guard) (tensor.Matrix, error) {
	values := make([][]int64, t.cols)
	wide := x.Cols
	for c := range values {
		values[c] = distinctInts(t.column(c))
		wide += len(values[c])
	}
	if err := g.needMatrix("one-hot features", int64(x.Rows), int64(wide), 4); err != nil {
		return x, err
	}
	out := tensor.New(x.Rows, wide)
	for i := range x.Rows {
		row := out.Row(i)
		at := copy(row, x.Row(i))
		for c, known := range values {
			k, _ := slices.BinarySearch(known, t.data[i*t.cols+c])
			row[at+k] = 1
			at += len(known)
		}
	}
	return out, nil
}
