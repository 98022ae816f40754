package idindex

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// A map is the oracle: numbers in order of first appearance and, once sorted,
// in ascending order of ids.
func TestIDIndex(t *testing.T) {
	id := rapid.OneOf(rapid.Int64Range(-3, 40), rapid.Int64Range(0, 20_000), rapid.Int64())
	rapid.Check(t, func(t *rapid.T) {
		ids := rapid.SliceOfN(id, 0, 3000).Draw(t, "ids")
		var x Index
		first := map[int64]int32{}
		for _, id := range ids {
			k, err := x.Number(id)
			if err != nil {
				t.Fatal(err)
			}
			want, known := first[id]
			if !known {
				want = int32(len(first))
				first[id] = want
			}
			if k != want {
				t.Fatalf("id %d has number %d, want %d", id, k, want)
			}
		}
		before := slices.Clone(x.List)
		renumber := x.Sort()
		if !slices.IsSorted(x.List) || len(x.List) != len(first) {
			t.Fatalf("%d of %d ids in order %v", len(x.List), len(first), x.List)
		}
		for old, id := range before {
			k, ok := x.Find(id)
			if !ok || x.List[k] != id {
				t.Fatalf("id %d is found as %d, %v", id, k, ok)
			}
			if renumber != nil && renumber[old] != k {
				t.Fatalf("id %d is renumbered to %d, want %d", id, renumber[old], k)
			}
		}
		_, known := first[-4]
		if _, ok := x.Find(-4); ok != known {
			t.Fatal("an id that never came up is found")
		}
	})
}

// The table may not grow with the size of an id.
func TestIDIndexMemory(t *testing.T) {
	var x Index
	for i := range int64(1000) {
		for _, id := range []int64{i, math.MaxInt64 - i, i << 40} {
			if _, err := x.Number(id); err != nil {
				t.Fatal(err)
			}
		}
	}
	if int64(len(x.table)) > x.reach() {
		t.Errorf("a table of %d entries for %d ids", len(x.table), len(x.List))
	}
}

func TestIDIndexIdentity(t *testing.T) {
	var x Index
	for _, id := range []int64{2, 0, 1} {
		if _, err := x.Number(id); err != nil {
			t.Fatal(err)
		}
	}
	x.Sort()
	if x.IDs() != nil {
		t.Errorf("ids 0, 1, 2 are kept as %v", x.IDs())
	}
}
