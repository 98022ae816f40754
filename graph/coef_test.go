package graph_test

import (
	"errors"
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/weft-gnn/weft/graph"
	"github.com/weft-gnn/weft/internal/graphcase"
)

// Weights are multiples of 1/8, so that the dense row sums are exact in any
// order; float32 rounds s once, hence half a unit in the last place, 2⁻²⁴.
func TestSymNormIsInverseRootOfRowSums(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := graphcase.Random(9, 40).Draw(t, "case")
		p := rapid.SampledFrom(policies()).Draw(t, "policy")
		g := build(t, c, p)
		sum := make([]float64, g.N)
		for _, a := range arcsOf(g) {
			if a.src != a.dst {
				sum[a.dst] += float64(a.weight)
			}
		}
		s, err := g.LoopBlock().SymNorm()
		if err != nil {
			t.Fatal(err)
		}
		for v, got := range s {
			want := math.Pow(sum[v]+1, -0.5)
			if math.Abs(float64(got)-want) > 0x1p-24*want*1.0001 {
				t.Fatalf("vertex %d: got %v, want %v", v, got, want)
			}
		}
	})
}

func TestSymNormErrors(t *testing.T) {
	for _, c := range []struct {
		weight []float32
		sum    float64
	}{
		{[]float32{1, -3}, -1}, // with the loop's 1
		{[]float32{1, -2}, 0},
	} {
		g := build(t, graphcase.Case{N: 3, Src: []int32{0, 1}, Dst: []int32{2, 2}, Weight: c.weight}, graph.Policy{})
		var sum *graph.DegreeError
		if _, err := g.LoopBlock().SymNorm(); !errors.As(err, &sum) || sum.Vertex != 2 || sum.Sum != c.sum {
			t.Errorf("weights %v: got %v", c.weight, err)
		}
	}
}

// Without loops a vertex that receives nothing cannot be normalised.
func TestSymNormWithoutLoops(t *testing.T) {
	g := build(t, graphcase.Case{N: 3, Src: []int32{0, 1, 0}, Dst: []int32{2, 2, 1}}, graph.Policy{})
	var sum *graph.DegreeError
	if _, err := g.Block().SymNorm(); !errors.As(err, &sum) || sum.Vertex != 0 || sum.Sum != 0 {
		t.Fatalf("got %v", err)
	}
}

// The error names the vertex as the whole graph does.
func TestSymNormNamesTheOriginalVertex(t *testing.T) {
	g := build(t, graphcase.Case{N: 3, Src: []int32{0, 1}, Dst: []int32{2, 2}, Weight: []float32{1, -3}}, graph.Policy{})
	p, err := g.Permute([]int32{2, 1, 0})
	if err != nil {
		t.Fatal(err)
	}
	var sum *graph.DegreeError
	if _, err := p.LoopBlock().SymNorm(); !errors.As(err, &sum) || sum.Vertex != 2 {
		t.Fatalf("got %v", err)
	}
}

func TestSymNormRefusesNaN(t *testing.T) {
	for _, w := range []float64{math.NaN(), math.Inf(1)} {
		b := &graph.Block{Dst: 1, Src: 1, Ptr: []int64{0, 1}, Col: []int32{0}, Weight: []float32{float32(w)}}
		if _, err := b.SymNorm(); err == nil {
			t.Errorf("weight %v: no error", w)
		}
	}
}

func TestInvDegree(t *testing.T) {
	eachCase(t, func(t *testing.T, c graphcase.Case, p graph.Policy) {
		b := build(t, c, p).Block()
		for v, row := range dense(b) {
			d, want := 0, float32(0)
			for _, x := range row {
				d += x
			}
			if d > 0 {
				want = 1 / float32(d)
			}
			if got := b.InvDegree()[v]; got != want {
				t.Fatalf("vertex %d of degree %d: got %v, want %v", v, d, got, want)
			}
		}
	})
}
