package graph

import (
	"math"
	"testing"
)

// Positions are 32 bits, also after a loop was added at every vertex.
func TestCheckSize(t *testing.T) {
	for _, c := range []struct {
		n, arcs int64
		ok      bool
	}{
		{0, 0, true},
		{0, math.MaxUint32, true},
		{0, math.MaxUint32 + 1, false},
		{1, math.MaxUint32, false},
		{1, math.MaxUint32 - 1, true},
		{math.MaxInt32, math.MaxUint32 - math.MaxInt32, true},
		{math.MaxInt32 + 1, 0, false},
	} {
		if err := checkSize(c.n, c.arcs); (err == nil) != c.ok {
			t.Errorf("n=%d arcs=%d: %v", c.n, c.arcs, err)
		}
	}
}
