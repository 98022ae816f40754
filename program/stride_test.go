package program_test

import (
	"testing"

	. "github.com/weft-gnn/weft/program"
)

// TestStrides: rows that edges gather begin at a cache line each; what is
// written over them in place keeps them there; all else lies dense.
func TestStrides(t *testing.T) {
	for _, c := range []struct{ cols, want int }{{1, 1}, {4, 4}, {5, 16}, {8, 8}, {12, 16}, {16, 16}, {41, 48}, {64, 64}} {
		b := NewBuilder("strides")
		x := b.Input("x", Vertices, Cols(9))
		z := b.MatMul(x, b.Param("w", Cols(9), Cols(c.cols), Glorot))
		r := b.ReLU(z) // in place
		y := b.Sum(b.Scatter(r, Src, Edges), Dst)
		b.Output("y", y)
		p, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		p = Fuse(p, Facts{})
		e := fewWorlds(t)[0].Extent
		stride := Memory([]*Program{p}, e).Stride[0]
		for i, n := range p.Nodes {
			want := n.Type.Cols.N
			if n.Type.Space == Vertices && len(n.In) > 0 && len(GathersOf(n.Op)) == 0 {
				want = c.want
			}
			if stride[i] != want {
				t.Errorf("%d columns: the rows of %v are %d values apart, want %d", c.cols, n.Op, stride[i], want)
			}
		}
	}
}
