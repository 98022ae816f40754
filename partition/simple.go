package partition

import (
	"cmp"
	"slices"

	"github.com/weft-gnn/weft/graph"
	"github.com/weft-gnn/weft/internal/rng"
)

// hashed puts each vertex where the hash of its identity says.
func hashed(b *graph.Block, o Options) []int32 {
	part := make([]int32, b.Dst)
	for v := range part {
		part[v] = hash(o.key(), identity(b, int32(v)), none, o.Parts)
	}
	return part
}

// ranges cuts the vertices where the sum of their weights passes p/P of the
// total: part p has the vertices whose middle lies in its P-th of the weight.
func ranges(b *graph.Block, o Options) []int32 {
	part := make([]int32, b.Dst)
	total := int64(0)
	for v := range part {
		total += weight(b, v, o.Balance)
	}
	if total == 0 { // no arcs to count
		o.Balance, total = ByVertices, int64(b.Dst)
	}
	parts, before := int64(o.Parts), int64(0)
	for v := range part {
		w := weight(b, v, o.Balance)
		part[v] = int32(min((2*before+w)*parts/(2*total), parts-1))
		before += w
	}
	return part
}

// dealt deals the vertices out in random order, those of each combination of
// masks after those of another: each goes to the part that has least of what it
// is counted by, of those that have fewest of its combination.
func dealt(b *graph.Block, o Options) []int32 {
	part := make([]int32, b.Dst)
	load := make([]int64, o.Parts)
	for _, group := range combinations(b, o) {
		t := newTable(load, len(o.Masks) > 0)
		for _, v := range group {
			part[v] = t.next(weight(b, int(v), o.Balance))
		}
	}
	return part
}

// combinations returns the vertices of each combination of masks, in random order
// by identity.
func combinations(b *graph.Block, o Options) [][]int32 {
	of := map[string]int{}
	var groups [][]int32
	masks := make([]byte, len(o.Masks))
	for _, v := range shuffled(b, o) {
		for i, mask := range o.Masks {
			masks[i] = 0
			if mask[v] {
				masks[i] = 1
			}
		}
		g, ok := of[string(masks)]
		if !ok {
			g = len(groups)
			of[string(masks)] = g
			groups = append(groups, nil)
		}
		groups[g] = append(groups[g], v)
	}
	return groups
}

// shuffled returns the vertices in an order that depends on their identities and
// the seed, not on how they are numbered.
func shuffled(b *graph.Block, o Options) []int32 {
	key := make([]uint64, b.Dst)
	order := make([]int32, b.Dst)
	k := o.key()
	for v := range order {
		w := k.Block(rng.Counter{Site: ofOrder, ID: uint64(identity(b, int32(v)))})
		key[v], order[v] = uint64(w[0])<<32|uint64(w[1]), int32(v)
	}
	slices.SortFunc(order, func(u, v int32) int {
		return cmp.Or(cmp.Compare(key[u], key[v]), cmp.Compare(identity(b, u), identity(b, v)))
	})
	return order
}

// table is where vertices are dealt out: a heap of parts, the one that gets the
// next vertex first.
type table struct {
	load  []int64
	count []int64 // vertices dealt at this table; nil where it is loads alone that count
	heap  []int32
}

func newTable(load []int64, counted bool) *table {
	t := &table{load: load, heap: make([]int32, len(load))}
	if counted {
		t.count = make([]int64, len(load))
	}
	for p := range t.heap {
		t.heap[p] = int32(p)
	}
	slices.SortFunc(t.heap, t.compare)
	return t
}

// compare orders parts by how soon they get a vertex.
func (t *table) compare(p, q int32) int {
	if t.count != nil && t.count[p] != t.count[q] {
		return cmp.Compare(t.count[p], t.count[q])
	}
	return cmp.Or(cmp.Compare(t.load[p], t.load[q]), cmp.Compare(p, q))
}

// next returns the part that gets a vertex of weight w.
func (t *table) next(w int64) int32 {
	p := t.heap[0]
	t.load[p] += w
	if t.count != nil {
		t.count[p]++
	}
	for i := 0; ; {
		child := 2*i + 1
		if child+1 < len(t.heap) && t.compare(t.heap[child+1], t.heap[child]) < 0 {
			child++
		}
		if child >= len(t.heap) || t.compare(t.heap[i], t.heap[child]) < 0 {
			return p
		}
		t.heap[i], t.heap[child] = t.heap[child], t.heap[i]
		i = child
	}
}
