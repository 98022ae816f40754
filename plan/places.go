package plan

import (
	"github.com/weft-gnn/weft/graph"
	"github.com/weft-gnn/weft/program"
)

// findPlaces numbers edges at the ends at which programs compare winners.
func (d *division) findPlaces(programs []*program.Program) {
	d.among = map[program.EdgeEnd][]uint32{}
	for _, p := range programs {
		for _, at := range p.Compares() {
			if d.among[at] == nil {
				d.among[at] = placesIn(d.over(at.Over), at.End)
			}
		}
	}
}

// over returns the whole block of an edge space.
func (d *division) over(s program.Space) *graph.Block {
	if s == program.LoopEdges {
		return d.whole.NHat
	}
	return d.whole.N
}

// placesIn numbers the edges of a block among those of the same vertex at one end.
func placesIn(b *graph.Block, end program.Map) []uint32 {
	all := make([]uint32, b.Edges())
	if end == program.Src {
		next := make([]uint32, b.Src)
		for e, u := range b.Col {
			all[e] = next[u]
			next[u]++
		}
		return all
	}
	for v := range b.Dst {
		for e := b.Ptr[v]; e < b.Ptr[v+1]; e++ {
			all[e] = uint32(e - b.Ptr[v])
		}
	}
	return all
}

// placesOf returns the places of a rank's edges, given by their numbers in the whole
// blocks; nil where no winners are compared.
func (d *division) placesOf(n, loops []int64) map[program.EdgeEnd][]uint32 {
	var out map[program.EdgeEnd][]uint32
	for at, all := range d.among {
		edges := n
		if at.Over == program.LoopEdges {
			edges = loops
		}
		mine := make([]uint32, len(edges))
		for i, e := range edges {
			mine[i] = all[e]
		}
		if out == nil {
			out = map[program.EdgeEnd][]uint32{}
		}
		out[at] = mine
	}
	return out
}
