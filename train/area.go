package train

import (
	"cmp"
	"math"
	"slices"

	"github.com/weft-gnn/weft/kernel"
)

// meanArea is the mean area over targets, or over classes each against the rest.
// Targets that have one kind of item only have no curve and are left out.
func meanArea(pool *kernel.Pool, curves [][]scored) float64 {
	each := areas{curves, make([]float64, len(curves))}
	pool.Run(len(curves), each)
	sum, n := 0.0, 0.0
	for _, a := range each.area {
		if !math.IsNaN(a) {
			sum += a
			n++
		}
	}
	return sum / n
}

// areas computes the area of each curve.
type areas struct {
	curves [][]scored
	area   []float64
}

// Piece computes one.
func (a areas) Piece(_, curve int) { a.area[curve] = areaUnderROC(a.curves[curve]) }

// areaUnderROC is the share of pairs of an item of the class and one that is not in
// which the former has the higher score, equal ones counting one half, which is the area
// under the ROC curve (Hanley and McNeil, 1982); NaN where there is no pair. Plain
// numbers are sorted three times as fast as items with their scores.
func areaUnderROC(s []scored) float64 {
	y, first, last := make([]float64, len(s)), 0, len(s)
	for _, v := range s {
		if v.is {
			y[first] = v.y
			first++
		} else {
			last--
			y[last] = v.y
		}
	}
	in, out := y[:first], y[last:]
	slices.Sort(in)
	slices.Sort(out)
	below, upTo, won := 0, 0, 0.0
	for _, y := range in {
		for below < len(out) && cmp.Less(out[below], y) {
			below++
		}
		for upTo < len(out) && cmp.Compare(out[upTo], y) <= 0 {
			upTo++
		}
		won += float64(below+upTo) / 2
	}
	return won / (float64(len(in)) * float64(len(out)))
}
