package analysis

import (
	"testing"

	"github.com/weft-gnn/weft/graph"
	"github.com/weft-gnn/weft/internal/graphcase"
	"github.com/weft-gnn/weft/program"
)

// TestSizesAreTheExtents: the sizes of any graph are those that programs run at,
// though no block with loops is built for them.
func TestSizesAreTheExtents(t *testing.T) {
	for _, c := range graphcase.All() {
		if c.N == 0 {
			continue
		}
		g, err := graph.FromCOO(c.N, c.Src, c.Dst, c.Weight, graph.Policy{})
		if err != nil {
			t.Fatal(err)
		}
		got := sizesOf(g)
		for name, want := range (program.Extent{N: g.Block(), NHat: g.LoopBlock()}).Env() {
			if got[name] != want {
				t.Errorf("%s: %s is %d, want %d", c.Name, name, got[name], want)
			}
		}
	}
}
