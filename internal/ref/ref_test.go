package ref

import (
	"math"
	"slices"
	"testing"

	"github.com/weft-gnn/weft/graph"
	"github.com/weft-gnn/weft/tensor"
)

// triangleWithTail is 0→1, 2→1, 1→0, drawn by hand below.
func triangleWithTail() *graph.Block {
	return &graph.Block{Dst: 2, Src: 3, Ptr: []int64{0, 1, 3}, Col: []int32{1, 0, 2}}
}

func TestMulByHand(t *testing.T) {
	a := Of(tensor.Of(2, 3, []float32{1, 2, 3, 4, 5, 6}))
	b := Of(tensor.Of(3, 1, []float32{1, 0, -1}))
	if got := a.Mul(b); !slices.Equal(got.V, []float64{-2, -2}) {
		t.Errorf("product %v", got)
	}
	if got := a.T().Row(1); !slices.Equal(got, []float64{2, 5}) {
		t.Errorf("transpose's row 1 is %v", got)
	}
}

func TestIncidence(t *testing.T) {
	b := triangleWithTail()
	x := Of(tensor.Of(3, 1, []float32{1, 10, 100}))
	if got := Destinations(b).T().Mul(Sources(b)).Mul(x).V; !slices.Equal(got, []float64{10, 101}) {
		t.Errorf("A·x = %v, want 10 101", got)
	}
	b.Graphs = []int64{0, 0, 2}
	if got := Members(b).V; !slices.Equal(got, []float64{0, 1, 0, 1}) {
		t.Errorf("members %v", got)
	}
}

// The rows of the edge cases: a maximum over all groups would break the second.
func TestSegmentSoftmaxOfFarApartGroups(t *testing.T) {
	in := Of(tensor.Of(5, 2, []float32{1, 0, 1, 0, 1, 0, 0, 1, 0, 1}))
	x := Of(tensor.Of(5, 1, []float32{1000, 1001, -2000, -500, -501}))
	want := []float64{.268941, .731059, 0, .731059, .268941}
	for i, v := range SegmentSoftmax(in, x).V {
		if math.Abs(v-want[i]) > 1e-6 {
			t.Errorf("row %d: %v, want %v", i, v, want[i])
		}
	}
}

func TestSegmentArgMax(t *testing.T) {
	nan := float32(math.NaN())
	in := Full(4, 1, 1).Beside(New(4, 1))
	x := Of(tensor.Of(4, 3, []float32{1, 1, 7, 3, nan, 7, 3, 9, 2, 0, nan, 1}))
	if got := SegmentArgMax(in, x).V; !slices.Equal(got, []float64{1, 1, 0, -1, -1, -1}) {
		t.Errorf("winners %v, want 1 1 0 and none", got)
	}
}

func TestDerivative(t *testing.T) {
	x := Of(tensor.Of(1, 2, []float32{2, 3}))
	d := Of(tensor.Of(1, 2, []float32{1, -1}))
	square := func(m Matrix) float64 { return m.Dot(m) }
	if got := Derivative(square, x, d); math.Abs(got-(-2)) > 1e-6 {
		t.Errorf("derivative %v, want −2", got)
	}
}
