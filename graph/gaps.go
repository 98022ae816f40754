package graph

// Gaps describe how far apart the ends of arcs are numbered: |u − v| of every arc
// u→v that is not a loop. All are 0 where there is none.
type Gaps struct {
	Mean      float64 `json:"mean"`
	Median    int     `json:"median"`    // at least half of the arcs have no larger gap
	Bandwidth int     `json:"bandwidth"` // the largest
}

// Gaps measures the graph's order: where gaps are small, a vertex's neighbours
// are near it, and near those of the vertices beside it.
//
// Cost: O(n + m) time, 8n bytes.
func (g *Graph) Gaps() Gaps {
	count := make([]int64, g.N)
	for v := range g.N {
		for _, u := range g.Src[g.Ptr[v]:g.Ptr[v+1]] {
			count[max(int(u)-v, v-int(u))]++
		}
	}
	var s Gaps
	var arcs, seen int64
	for gap, c := range count {
		if gap > 0 && c > 0 {
			arcs += c
			s.Mean += float64(gap) * float64(c)
			s.Bandwidth = gap
		}
	}
	if arcs == 0 {
		return s
	}
	s.Mean /= float64(arcs)
	for s.Median = 0; 2*seen < arcs; {
		s.Median++
		seen += count[s.Median]
	}
	return s
}
