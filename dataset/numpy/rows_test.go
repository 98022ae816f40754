package numpy

import (
	"slices"
	"testing"

	"github.com/weft-gnn/weft/dataset/internal/datatest"
)

func TestJoinedText(t *testing.T) {
	bytes := &Array{Name: "b", Shape: []int{3}, dtype: dtype{kind: 'u', size: 1}, data: []byte("abc")}
	for _, starts := range [][]int64{{}, {1, 3}, {0, 2}, {0, 2, 1, 3}, {0, 4}, {0, -1, 3}} {
		at := &Array{Name: "at", Shape: []int{len(starts)}, dtype: dtype{kind: 'i', size: 8}, data: datatest.LE(starts)}
		if _, err := JoinedText(bytes, at, freeGuard()); err == nil {
			t.Errorf("the starts %v are taken", starts)
		}
	}
	at := &Array{Name: "at", Shape: []int{4}, dtype: dtype{kind: 'i', size: 8}, data: datatest.LE([]int64{0, 0, 2, 3})}
	if got, err := JoinedText(bytes, at, freeGuard()); err != nil || !slices.Equal(got, []string{"", "ab", "c"}) {
		t.Errorf("%q, %v", got, err)
	}
}
