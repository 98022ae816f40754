package parted

import (
	"context"
	"fmt"
	"os"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/dataset/internal/datatest"
	"github.com/weft-gnn/weft/dataset/internal/folder/foldertest"
)

// TestJoinIsTheSet: all parts together are the set that was divided: arcs in order,
// with identities, weights and features, and all that is about vertices.
func TestJoinIsTheSet(t *testing.T) {
	home := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		d := drawSet(t)
		div := drawDivision(t, d.Graph)
		dir, err := os.MkdirTemp(home, "set-")
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(dir)
		if err := write(context.Background(), dir, d, div, Options{}, foldertest.CreateUnsynced); err != nil {
			t.Fatal(err)
		}
		got, err := Join(context.Background(), dir, dataset.Options{})
		if err != nil {
			t.Fatal(err)
		}
		g, h := d.Graph, got.Graph
		if h.N != g.N || !slices.Equal(h.Ptr, g.Ptr) || !slices.Equal(h.Src, g.Src) || !slices.Equal(h.Weight, g.Weight) || !reflect.DeepEqual(h.Origin, g.Origin) ||
			!slices.Equal(h.LoopBlock().Identities(), g.LoopBlock().Identities()) {
			t.Fatalf("graph %+v, want %+v", h, g)
		}
		for i := range g.Src {
			if d.EdgeX.Cols > 0 && !slices.Equal(got.EdgeX.Row(i), d.EdgeX.Row(int(listed(g.Listing, int64(i))))) {
				t.Fatalf("features of arc %d: %v", i, got.EdgeX.Row(i))
			}
		}
		if !got.X.Equal(d.X) || !slices.Equal(got.Labels.Class, d.Labels.Class) || !slices.Equal(got.Labels.Value.Data, d.Labels.Value.Data) || got.Task != d.Task {
			t.Fatalf("got %+v, want %+v", got, d)
		}
		for v := range g.N {
			if got.IDs.Of(v) != d.IDs.Of(v) {
				t.Fatalf("vertex %d is called %q, want %q", v, got.IDs.Of(v), d.IDs.Of(v))
			}
		}
		if want := fmt.Sprint(d.Splits); d.Task != dataset.LinkPrediction && fmt.Sprint(got.Splits) != want {
			t.Fatalf("splits %v, want %v", got.Splits, want)
		}
		if err := got.Validate(); err != nil {
			t.Fatal(err)
		}
	})
}

// TestJoinLinks: of a set that is divided for link prediction, items are arcs.
func TestJoinLinks(t *testing.T) {
	dir := t.TempDir() + "/halves"
	if err := Write(t.Context(), dir, pathSet(t, dataset.LinkPrediction), inHalves(), Options{}); err != nil {
		t.Fatal(err)
	}
	d, err := Join(t.Context(), dir, dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	// Rows 0 (a–b) and 3 (d–e) are trained on: arcs b→a, a→b, e→d and d→e.
	if got := d.Splits[0].Train; !slices.Equal(got, []int32{0, 1, 6, 7}) {
		t.Errorf("arcs %v", got)
	}
	_, err = Join(t.Context(), dir, dataset.Options{Direction: dataset.Directed})
	datatest.WantError(t, err, "is divided", "direction")
}
