package kernel

import (
	"math"
	"slices"
	"testing"

	"github.com/weft-gnn/weft/graph"
	"github.com/weft-gnn/weft/internal/graphcase"
	"github.com/weft-gnn/weft/internal/ref"
	"github.com/weft-gnn/weft/tensor"
)

// namedBlock is a block to test on.
type namedBlock struct {
	name string
	*graph.Block
}

// blocks returns the labelled graph cases, bipartite pieces such as samplers
// make, and rows on both sides of the length at which they are cut.
func blocks() (all []namedBlock) {
	for _, c := range graphcase.All() {
		all = append(all, namedBlock{c.Name, blockOf(c.N, c.N, c.Src, c.Dst)})
	}
	for _, s := range [][3]int{{0, 4, 0}, {3, 9, 20}, {40, 70, 500}} {
		all = append(all, namedBlock{"piece", scattered(newSource(uint64(s[2])), s[0], s[1], s[2])})
	}
	return append(all, hubs(false), hubs(true))
}

// scattered is a block of arcs at random.
func scattered(s *source, dst, src, arcs int) *graph.Block {
	from, to := make([]int32, arcs), make([]int32, arcs)
	for i := range from {
		from[i], to[i] = int32(s.Uint32n(uint32(src))), int32(s.Uint32n(uint32(dst)))
	}
	return blockOf(dst, src, from, to)
}

// blockOf builds a block of arcs by counting.
func blockOf(dst, src int, from, to []int32) *graph.Block {
	b := &graph.Block{Dst: dst, Src: src, Ptr: make([]int64, dst+1)}
	rows := make([][]int32, dst)
	for i, v := range to {
		rows[v] = append(rows[v], from[i])
	}
	for v, row := range rows {
		slices.Sort(row)
		b.Col = append(b.Col, row...)
		b.Ptr[v+1] = int64(len(b.Col))
	}
	return b
}

// hubs has rows, or columns, of many parallel edges around the cut's length.
func hubs(out bool) namedBlock {
	var from, to []int32
	for v, degree := range []int{3, chunkEdges, chunkEdges + 1, 0, 2*chunkEdges + 5, 1, chunkEdges - 1, 3 * chunkEdges} {
		for i := range degree {
			from, to = append(from, int32(i%11)), append(to, int32(v))
		}
	}
	if out {
		return namedBlock{"hubs out", blockOf(11, 11, to, from)}
	}
	return namedBlock{"hubs in", blockOf(8, 11, from, to)}
}

// ends are both ends with their incidence matrices.
func ends(b *graph.Block) map[End]ref.Matrix {
	return map[End]ref.Matrix{Dst: ref.Destinations(b), Src: ref.Sources(b)}
}

func TestChunksAreTheRowsThatAreCut(t *testing.T) {
	for _, b := range blocks() {
		for _, end := range []End{Dst, Src} {
			s := at(b.Block, end)
			var want []chunk
			for r := range s.rows() {
				for lo := s.ptr[r]; s.ptr[r+1]-s.ptr[r] > chunkEdges && lo < s.ptr[r+1]; lo += chunkEdges {
					want = append(want, chunk{r, [2]int64{lo, min(lo+chunkEdges, s.ptr[r+1])}})
				}
			}
			if got := s.appendChunks(nil); !slices.Equal(got, want) {
				t.Errorf("%s at %v: chunks %v, want %v", b.name, end, got, want)
			}
		}
	}
}

// Pieces begin at the first row before which rows and edges are their share.
func TestBoundsShareRowsAndEdges(t *testing.T) {
	for _, b := range blocks() {
		s := at(b.Block, Dst)
		for _, pieces := range []int{0, 1, 2, 3, 17, 100} {
			want := []int{}
			for i := range pieces {
				r := 0
				for int(s.ptr[r])+r < i*(b.Edges()+b.Dst)/pieces {
					r++
				}
				want = append(want, r)
			}
			if got := s.appendBounds(nil, pieces); !slices.Equal(got, append(want, b.Dst)) {
				t.Fatalf("%s: %d pieces begin at %v, want %v, and end at %d", b.name, pieces, got, want, b.Dst)
			}
		}
	}
}

func TestPositionsOwnTheirRow(t *testing.T) {
	for _, b := range blocks() {
		s := at(b.Block, Src)
		for r := range s.rows() {
			for p := s.ptr[r]; p < s.ptr[r+1]; p++ {
				if got := s.rowOf(p); got != r {
					t.Fatalf("%s: position %d is in row %d, want %d", b.name, p, got, r)
				}
				if int(b.Col[s.edge(p)]) != r || !(int64(s.edge(p)) < b.Ptr[s.other[p]+1] && int64(s.edge(p)) >= b.Ptr[s.other[p]]) {
					t.Fatalf("%s: position %d names edge %d of destination %d", b.name, p, s.edge(p), s.other[p])
				}
			}
		}
	}
}

// maxDegree is how many rows a result of an end sums at most.
func maxDegree(b *graph.Block, end End) (d int64) {
	s := at(b, end)
	for r := range s.rows() {
		d = max(d, s.ptr[r+1]-s.ptr[r])
	}
	return d
}

// sumRounds is the number of roundings of a sum over the edges of an end; the
// partial sums stay near the largest result.
func sumRounds(b *graph.Block, end End) float64 { return float64(maxDegree(b, end)) + 4 }

// structure is the bytes of a structure seen from an end, its vertex ids apart.
func structure(b *graph.Block, end End) int64 { return 8 * int64(vertices(b, end)+1) }

// ifSrc returns n at the sources and 0 at the destinations.
func ifSrc(end End, n int) int64 {
	if end == Src {
		return int64(n)
	}
	return 0
}

// dot64 is ⟨x, y⟩ in float64.
func dot64(x, y tensor.Matrix) float64 { return ref.Of(x).Dot(ref.Of(y)) }

func isNaN(v float32) bool { return math.IsNaN(float64(v)) }
