package dataset

import (
	"fmt"
	"math"
)

// Fingerprint sums up what models learn from: the arcs with their weights, and the
// features and labels of vertices, in sixteen hexadecimal digits.
//
//	Σ_v hash(id(v), x(v), y(v)) + Σ_{(u, v)} hash(id(u), id(v), w)   mod 2⁶⁴
//
// Vertices go by their identities and sums know no order, so that a set in another order
// has that of the set. It tells sets apart that were mixed up, not ones that somebody
// made alike.
//
// Cost: O(n·k + m) time for k features, which are all read.
func (d *Dataset) Fingerprint() string {
	id := d.identities()
	var sum uint64
	for v := range d.Graph.N {
		h := mixed(mixed(0, 1), id(int32(v)))
		for _, x := range d.X.Row(v) {
			h = mixed(h, uint64(math.Float32bits(x)))
		}
		sum += d.labelled(h, v)
		for e := d.Graph.Ptr[v]; e < d.Graph.Ptr[v+1]; e++ {
			w := float32(1)
			if d.Graph.Weight != nil {
				w = d.Graph.Weight[e]
			}
			arc := mixed(mixed(mixed(0, 2), id(d.Graph.Src[e])), id(int32(v)))
			sum += mixed(arc, uint64(math.Float32bits(w)))
		}
	}
	return fmt.Sprintf("%016x", sum)
}

// labelled adds to the hash of a vertex its labels, where they are of vertices.
func (d *Dataset) labelled(h uint64, v int) uint64 {
	if len(d.Labels.Class) == d.Graph.N {
		h = mixed(h, uint64(d.Labels.Class[v]))
	}
	if d.Labels.Value.Rows == d.Graph.N {
		for _, y := range d.Labels.Value.Row(v) {
			h = mixed(h, uint64(math.Float32bits(y)))
		}
	}
	return h
}

// FingerprintOf sums up which items are in which part of a split, as Fingerprint does:
// vertices by their identities, all else by its number.
func (d *Dataset) FingerprintOf(s Split) string {
	id := d.identities()
	if d.Task == LinkPrediction || d.Items() != d.Graph.N {
		id = func(i int32) uint64 { return uint64(i) }
	}
	var sum uint64
	for part, items := range [3][]int32{s.Train, s.Val, s.Test} {
		for _, i := range items {
			sum += mixed(mixed(0, uint64(3+part)), id(i))
		}
	}
	return fmt.Sprintf("%016x", sum)
}

// identities returns what vertices are called in the whole set.
func (d *Dataset) identities() func(int32) uint64 {
	if o := d.Graph.Origin; o != nil {
		return func(v int32) uint64 { return uint64(o.Vertex[v]) }
	}
	return func(v int32) uint64 { return uint64(v) }
}

// mixed adds a word to a hash.
func mixed(h, word uint64) uint64 {
	h = (h ^ word) * 0x9e3779b97f4a7c15 // 2⁶⁴ by the golden ratio: odd, its bits uneven
	return h ^ h>>32
}
