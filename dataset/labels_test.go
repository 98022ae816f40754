package dataset

import (
	"math"
	"slices"
	"testing"

	"github.com/weft-gnn/weft/tensor"
)

func TestLabelled(t *testing.T) {
	nan := float32(math.NaN())
	class := Labels{Class: []int32{-1, 1, 0, -1, 2}}
	value := Labels{Value: tensor.Of(5, 2, []float32{nan, nan, nan, 0, 1, 1, nan, nan, 2, nan})}
	for _, l := range []Labels{class, value} {
		for _, c := range []struct{ items, want []int32 }{
			{[]int32{4, 3, 1, 0, 4}, []int32{1, 4}},
			{[]int32{3, 0}, []int32{}},
			{nil, []int32{}},
		} {
			if got := l.Labelled(c.items); got == nil || !slices.Equal(got, c.want) {
				t.Errorf("of %v are labelled %#v, want %v", c.items, got, c.want)
			}
		}
	}
}
