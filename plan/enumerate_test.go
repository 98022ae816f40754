package plan_test

import (
	"slices"
	"testing"

	"github.com/weft-gnn/weft/plan"
)

// TestAll: the list has every algorithm, plans that can run on so many ranks,
// each once, written as they are read.
func TestAll(t *testing.T) {
	for ranks := range 13 {
		var texts []string
		seen := map[plan.Algorithm]bool{}
		for _, p := range plan.All(ranks) {
			again, err := plan.Parse(p.String())
			if err != nil || again.String() != p.String() || p.Ranks() != ranks {
				t.Errorf("%v is read as %v, %v", p, again, err)
			}
			texts, seen[p.Algorithm] = append(texts, p.String()), true
		}
		if len(seen) < len(plan.Algorithms()) && ranks > 0 {
			t.Errorf("%d ranks: %d of %d algorithms", ranks, len(seen), len(plan.Algorithms()))
		}
		slices.Sort(texts)
		if n := len(texts); len(slices.Compact(texts)) != n {
			t.Errorf("%d ranks: %d plans, some twice", ranks, n)
		}
	}
}

// TestAllGridsOf3D: every grid whose third number is more than one, which is that of
// ranks that share out columns.
func TestAllGridsOf3D(t *testing.T) {
	var got []string
	for _, p := range plan.All(8) {
		if p.Algorithm == plan.ThreeD {
			got = append(got, p.String())
		}
	}
	var want []string
	for _, mesh := range []string{"1x1x8", "1x2x4", "1x4x2", "2x1x4", "2x2x2", "4x1x2", "1x1x4,replica=2", "1x2x2,replica=2", "2x1x2,replica=2", "1x1x2,replica=4"} {
		want = append(want, "algorithm=3d,partition="+mesh+",partitioner=random")
	}
	if !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestAllGrids: a grid of ranks has every shape, of all ranks and of those of a replica
// and of a piece of the columns.
func TestAllGrids(t *testing.T) {
	var got []string
	for _, p := range plan.All(6) {
		if p.Algorithm == plan.TwoD && p.String() == p.Plain().String() {
			got = append(got, p.String())
		}
	}
	var want []string
	for _, mesh := range []string{"1x6", "2x3", "3x2", "6x1", "1x3,replica=2", "3x1,replica=2", "1x2,replica=3", "2x1,replica=3",
		"1x3,feature=2", "3x1,feature=2", "1x2,feature=3", "2x1,feature=3"} {
		want = append(want, "algorithm=2d,partition="+mesh+",partitioner=random")
	}
	if !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
