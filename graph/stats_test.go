package graph_test

import (
	"math"
	"slices"
	"testing"

	"github.com/weft-gnn/weft/graph"
	"github.com/weft-gnn/weft/internal/graphcase"
)

// describe summarises degrees by sorting them.
func describe(degree []int) graph.Degrees {
	if len(degree) == 0 {
		return graph.Degrees{}
	}
	slices.Sort(degree)
	n := float64(len(degree))
	rank := func(p float64) int { return degree[int(math.Ceil(p*n))-1] }
	d := graph.Degrees{Max: degree[len(degree)-1], P50: rank(0.5), P99: rank(0.99)}
	sum, squares := 0, 0
	for _, x := range degree {
		sum += x
		squares += x * x
	}
	d.Mean = float64(sum) / n
	if sum > 0 { // n²·variance is an integer
		d.CV = math.Sqrt(float64(len(degree)*squares-sum*sum)) / float64(sum)
	}
	return d
}

// closeTo allows the rounding of a sum of some hundred squares.
func closeTo(a, b float64) bool { return math.Abs(a-b) <= 1e-12*max(1, math.Abs(b)) }

func sameDegrees(a, b graph.Degrees) bool {
	return a.Max == b.Max && a.P50 == b.P50 && a.P99 == b.P99 && closeTo(a.Mean, b.Mean) && closeTo(a.CV, b.CV)
}

func TestStats(t *testing.T) {
	eachCase(t, func(t *testing.T, c graphcase.Case, p graph.Policy) {
		g := build(t, c, p)
		s := g.Stats()
		in, out := make([]int, g.N), make([]int, g.N)
		for v, row := range dense(g.Block()) {
			for u, x := range row {
				if u != v {
					in[v] += x
					out[u] += x
				}
			}
		}
		isolated := int64(0)
		for v := range in {
			if in[v]+out[v] == 0 {
				isolated++
			}
		}
		if s.Vertices != int64(g.N) || s.Arcs != g.Counts.Arcs || s.Loops != g.Counts.Loops || s.Isolated != isolated {
			t.Fatalf("got %+v, want %d isolated, counts %+v", s, isolated, g.Counts)
		}
		if g.N > 0 && !closeTo(s.Density*float64(g.N*g.N), float64(s.Arcs)) {
			t.Fatalf("density %v of %d arcs", s.Density, s.Arcs)
		}
		if want := describe(in); !sameDegrees(s.In, want) {
			t.Fatalf("in: got %+v, want %+v", s.In, want)
		}
		if want := describe(out); !sameDegrees(s.Out, want) {
			t.Fatalf("out: got %+v, want %+v", s.Out, want)
		}
	})
}

// A hub with 99 leaves: degree 99 once, 1 ninety-nine times.
func TestStatsOfStar(t *testing.T) {
	c := graphcase.Case{N: 100}
	for v := int32(1); v < 100; v++ {
		c.Src, c.Dst = append(c.Src, 0), append(c.Dst, v)
	}
	s := build(t, c, graph.Policy{Symmetrise: true}).Stats()
	// Variance E[d²] − E[d]² = (99² + 99)/100 − 1.98².
	want := graph.Degrees{Max: 99, P50: 1, P99: 1, Mean: 1.98, CV: math.Sqrt(99-1.98*1.98) / 1.98}
	if !sameDegrees(s.In, want) || !sameDegrees(s.Out, want) || s.Density != 0.0198 || s.Isolated != 0 {
		t.Fatalf("got %+v, want degrees %+v", s, want)
	}
}
