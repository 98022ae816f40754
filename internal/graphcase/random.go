package graphcase

import (
	"fmt"
	"math/rand/v2"

	"pgregory.net/rapid"
)

// random returns directed multigraphs with loops, uniform ones and ones whose
// degrees are skewed, of fixed seeds.
func random() []Case {
	var cases []Case
	for _, shape := range []struct{ n, arcs int }{{17, 40}, {64, 64}, {200, 3000}} {
		cases = append(cases, draw(shape.n, shape.arcs, false), draw(shape.n, shape.arcs, true))
	}
	return cases
}

// draw lists arcs between random vertices; skewed takes the product of two
// uniform numbers, so that low ids become hubs.
func draw(n, arcs int, skewed bool) Case {
	r := rand.New(rand.NewPCG(uint64(n), uint64(arcs)))
	pick := func() int32 {
		x := r.Float64()
		if skewed {
			x *= r.Float64()
		}
		return int32(x * float64(n))
	}
	kind := "uniform"
	if skewed {
		kind = "skewed"
	}
	c := Case{Name: fmt.Sprintf("%s n=%d rows=%d", kind, n, arcs), N: n}
	for range arcs {
		c.add(pick(), pick())
		c.Weight = append(c.Weight, 0.5+r.Float32())
	}
	return c
}

// Random generates edge lists of up to n vertices and up to rows arcs, dense in
// loops and duplicates, every other one weighted. Weights are multiples of 1/8,
// so that sums of them are exact.
func Random(n, rows int) *rapid.Generator[Case] {
	return rapid.Custom(func(t *rapid.T) Case {
		c := Case{Name: "random", N: rapid.IntRange(0, n).Draw(t, "n"), Src: []int32{}, Dst: []int32{}}
		weighted := rapid.Bool().Draw(t, "weighted")
		if weighted {
			c.Weight = []float32{}
		}
		if c.N == 0 {
			return c
		}
		id := rapid.Int32Range(0, int32(c.N-1))
		for range rapid.IntRange(0, rows).Draw(t, "rows") {
			c.add(id.Draw(t, "src"), id.Draw(t, "dst"))
			if weighted {
				c.Weight = append(c.Weight, float32(rapid.IntRange(1, 64).Draw(t, "weight"))/8)
			}
		}
		return c
	})
}
