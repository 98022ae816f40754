package layout

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/weft-gnn/weft/dataset"
)

// TestKarate checks the embedded club against facts that are published about
// it: sizes, degrees of the two leaders, a symmetric graph, 45 triangles, and
// the 11 ties between the factions that give their modularity of 0.358.
func TestKarate(t *testing.T) {
	d, err := readKarate(dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	g := d.Graph
	if g.N != 34 || g.Counts.Arcs != 156 || g.Counts.Loops != 0 || g.Counts.Duplicates != 0 {
		t.Errorf("%d vertices, %+v", g.N, g.Counts)
	}
	degree := func(v int) int64 { return g.Ptr[v+1] - g.Ptr[v] }
	if degree(0) != 16 || degree(33) != 17 || degree(32) != 12 || degree(11) != 1 {
		t.Errorf("degrees %d %d %d %d, want 16 17 12 1", degree(0), degree(33), degree(32), degree(11))
	}
	triangles, between := 0, 0
	has := func(u, v int32) bool { return slices.Contains(g.Src[g.Ptr[v]:g.Ptr[v+1]], u) }
	for v := range int32(34) {
		for _, u := range g.Src[g.Ptr[v]:g.Ptr[v+1]] {
			if d.Labels.Class[u] != d.Labels.Class[v] {
				between++
			}
			for _, w := range g.Src[g.Ptr[u]:g.Ptr[u+1]] {
				if has(w, v) {
					triangles++
				}
			}
		}
	}
	if triangles != 6*45 || between != 2*11 {
		t.Errorf("%d triangles, %d ties between factions; want 45, 11", triangles/6, between/2)
	}
	var size [2]int
	for _, c := range d.Labels.Class {
		size[c]++
	}
	if size != [2]int{17, 17} || d.Labels.Class[0] != 0 || d.Labels.Class[33] != 1 {
		t.Errorf("factions of %v, leaders in %d and %d", size, d.Labels.Class[0], d.Labels.Class[33])
	}
	s := d.Splits[0]
	if len(s.Train) != 8 || len(s.Val) != 8 || len(s.Test) != 18 {
		t.Errorf("split of %d, %d, %d", len(s.Train), len(s.Val), len(s.Test))
	}
	for _, part := range [][]int32{s.Train, s.Val, s.Test} {
		ones := 0
		for _, i := range part {
			ones += int(d.Labels.Class[i])
		}
		if 2*ones != len(part) {
			t.Errorf("%d of %d are the officer's, want half", ones, len(part))
		}
	}
	for v := range 34 {
		for j, x := range d.X.Row(v) {
			if (x == 1) != (j == v) {
				t.Fatalf("X[%d][%d] = %v, want the identity", v, j, x)
			}
		}
	}
}

// TestKarateAgrees: the embedded edges are those of two published copies.
func TestKarateAgrees(t *testing.T) {
	d, err := readKarate(dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"snap/karate.txt", "mtx/karate.mtx"} {
		other := openReal(t, filepath.Dir(name), filepath.Base(name))
		if !slices.Equal(other.Graph.Ptr, d.Graph.Ptr) || !slices.Equal(other.Graph.Src, d.Graph.Src) {
			t.Errorf("%s has other edges", name)
		}
	}
}
