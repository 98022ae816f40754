package partition

import (
	"context"
	"slices"
	"testing"

	"github.com/weft-gnn/weft/graph"
)

// countdown is a context that ends after it was asked so many times.
type countdown struct {
	context.Context
	left *int
}

func (c countdown) Err() error {
	if *c.left--; *c.left < 0 {
		return context.Canceled
	}
	return nil
}

// TestStopsAnywhere: whenever the context ends, the division is an error; it is
// what it would be if it ends too late.
func TestStopsAnywhere(t *testing.T) {
	g := build(t, planted(8, 60), graph.Policy{Symmetrise: true})
	for _, m := range Methods() {
		o := Options{Parts: 4, Method: m, Balance: ByVertices}
		want, err := Divide(t.Context(), g, o)
		if err != nil {
			t.Fatal(err)
		}
		for k := 0; ; k += 1 + k/4 {
			left := k
			got, err := Divide(countdown{t.Context(), &left}, g, o)
			if left >= 0 { // it was asked k times at most, and said no
				if err != nil || !slices.Equal(got.Vertex, want.Vertex) || !slices.Equal(got.Arc, want.Arc) {
					t.Errorf("%v: asked %d times and not ended, it gave other parts, or %v", m, k-left, err)
				}
				break
			}
			if err == nil {
				t.Fatalf("%v: ended when it was asked for the time %d, and no error", m, k+1)
			}
		}
	}
}
