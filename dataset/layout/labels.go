package layout

import (
	"slices"
	"strconv"

	"github.com/weft-gnn/weft/dataset"
)

// classLabels turns the integers that a file uses for classes into class
// numbers, in ascending order of the integers, which become the names.
func classLabels(values []int64) dataset.Labels {
	distinct := distinctInts(values)
	l := dataset.Labels{Class: make([]int32, len(values)), Names: make([]string, len(distinct))}
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

// countFrom returns first, first+1, …, n numbers in all.
func countFrom(first int64, n int) []int64 {
	ids := make([]int64, n)
	for i := range ids {
		ids[i] = first + int64(i)
	}
	return ids
}
