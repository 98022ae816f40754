package dataset

import (
	"slices"
	"testing"
)

func TestJoinedText(t *testing.T) {
	bytes := &array{name: "b", shape: []int{3}, dtype: dtype{kind: 'u', size: 1}, data: []byte("abc")}
	for _, starts := range [][]int64{{}, {1, 3}, {0, 2}, {0, 2, 1, 3}, {0, 4}, {0, -1, 3}} {
		at := &array{name: "at", shape: []int{len(starts)}, dtype: dtype{kind: 'i', size: 8}, data: le(starts)}
		if _, err := joinedText(bytes, at, freeGuard()); err == nil {
			t.Errorf("the starts %v are taken", starts)
		}
	}
	at := &array{name: "at", shape: []int{4}, dtype: dtype{kind: 'i', size: 8}, data: le([]int64{0, 0, 2, 3})}
	if got, err := joinedText(bytes, at, freeGuard()); err != nil || !slices.Equal(got, []string{"", "ab", "c"}) {
		t.Errorf("%q, %v", got, err)
	}
}
