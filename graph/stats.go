package graph

import "math"

// Stats describe a graph's shape. Loops are left out of every number but Loops.
type Stats struct {
	Vertices int64
	Arcs     int64   // m
	Loops    int64   // ℓ where parallel loops were merged
	Density  float64 // m/n², of the adjacency matrix; 0 without vertices
	Isolated int64   // vertices without an arc in or out
	In, Out  Degrees
}

// Degrees describe a distribution of degrees over all vertices. A percentile is
// the least degree that at least so many of the vertices do not exceed.
type Degrees struct {
	Max, P50, P99 int
	Mean          float64
	CV            float64 // standard deviation over mean; 0 where the mean is 0
}

// Stats counts the graph's degrees: imbalance bounds graph parallelism, since
// the vertex of largest degree is one piece of work unless it is cut.
//
// Cost: O(n + m).
func (g *Graph) Stats() Stats {
	in, out := make([]uint32, g.N), make([]uint32, g.N)
	s := Stats{Vertices: int64(g.N), Loops: g.loopsIn()}
	s.Arcs = int64(len(g.Src)) - s.Loops
	for v := range g.N {
		for _, u := range g.Src[g.Ptr[v]:g.Ptr[v+1]] {
			if int(u) != v {
				in[v]++
				out[u]++
			}
		}
	}
	for v := range g.N {
		if in[v] == 0 && out[v] == 0 {
			s.Isolated++
		}
	}
	if g.N > 0 {
		s.Density = float64(s.Arcs) / (float64(g.N) * float64(g.N))
	}
	s.In, s.Out = describe(in), describe(out)
	return s
}

// describe summarises degrees by their histogram.
func describe(degree []uint32) (d Degrees) {
	if len(degree) == 0 {
		return d
	}
	sum := uint64(0)
	for _, x := range degree {
		d.Max = max(d.Max, int(x))
		sum += uint64(x)
	}
	n := float64(len(degree))
	d.Mean = float64(sum) / n
	count := make([]int, d.Max+1)
	variance := 0.0
	for _, x := range degree {
		count[x]++
		variance += (float64(x) - d.Mean) * (float64(x) - d.Mean) / n
	}
	if d.Mean > 0 {
		d.CV = math.Sqrt(variance) / d.Mean
	}
	d.P50, d.P99 = percentile(count, len(degree), 50), percentile(count, len(degree), 99)
	return d
}

// percentile returns the least degree at which the counts reach p percent of n.
func percentile(count []int, n, p int) int {
	seen := 0
	for d, c := range count {
		seen += c
		if 100*seen >= p*n {
			return d
		}
	}
	return len(count) - 1
}
