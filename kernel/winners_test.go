package kernel

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/weft-gnn/weft/graph"
	"github.com/weft-gnn/weft/internal/ref"
	"github.com/weft-gnn/weft/tensor"
)

// dealt is what one of several ranks has of a block's edges.
type dealt struct {
	block *graph.Block
	edges []int    // their positions in the whole
	place []uint32 // of each, among the edges of its vertex
	x     tensor.Matrix
	arg   tensor.Matrix
}

// deal gives every rank the edges that the first words of random numbers say.
func deal(b *graph.Block, end End, ranks int, src *source, x tensor.Matrix) []dealt {
	all := make([]dealt, ranks)
	for r := range all {
		all[r].block = &graph.Block{Dst: b.Dst, Src: b.Src, Ptr: make([]int64, 1, b.Dst+1)}
	}
	out := make([]uint32, b.Src)
	for v := range b.Dst {
		for e := b.Ptr[v]; e < b.Ptr[v+1]; e++ {
			u, place := b.Col[e], uint32(e-b.Ptr[v])
			if end == Src {
				place = out[u]
			}
			out[u]++
			d := &all[src.Uint32n(uint32(ranks))]
			d.block.Col, d.edges, d.place = append(d.block.Col, u), append(d.edges, int(e)), append(d.place, place)
		}
		for r := range all {
			all[r].block.Ptr = append(all[r].block.Ptr, int64(len(all[r].edges)))
		}
	}
	for r := range all {
		d := &all[r]
		d.x = tensor.New(len(d.edges), x.Cols)
		for i, e := range d.edges {
			copy(d.x.Row(i), x.Row(e))
		}
		d.arg = tensor.New(vertices(b, end), x.Cols)
	}
	return all
}

// TestWinnersOfRanks: of edges that are dealt to ranks, the winners that the ranks
// agree on are those of one rank, bit for bit, among ties, zeros of both signs, NaN
// and infinities, and one rank alone has each.
func TestWinnersOfRanks(t *testing.T) {
	inf := float32(math.Inf(1))
	odd := []float32{0, float32(math.Copysign(0, -1)), nan32, inf, -inf, 1, -1}
	for i, b := range blocks() {
		for _, end := range []End{Dst, Src} {
			for _, f := range []Folding{FoldArgMax, FoldArgMin} {
				n, k := vertices(b.Block, end), 5
				src := newSource(uint64(i))
				x := tensor.New(b.Edges(), k)
				for j := range x.Data {
					x.Data[j] = odd[src.Uint32n(uint32(len(odd)))]
				}
				find := map[Folding]func(*Ctx, *graph.Block, End, tensor.Matrix, tensor.Matrix){FoldArgMax: ArgMax, FoldArgMin: ArgMin}[f]
				want, value := tensor.New(n, k), tensor.New(n, k)
				find(contexts[0], b.Block, end, x, want)
				Pick(contexts[0], want, x, value)
				for _, ctx := range contexts {
					got, index := compared(ctx, f, find, deal(b.Block, end, 3, src, x), end)
					if !slices.Equal(bitsOf(got), bitsOf(value)) {
						t.Fatalf("%s, %v, folding %d: values %v, want %v", b.name, end, f, got, value)
					}
					if !slices.Equal(index, bitsOf(want)) {
						t.Fatalf("%s, %v, folding %d: edges %v, want %v", b.name, end, f, index, bitsOf(want))
					}
				}
			}
		}
	}
}

// compared returns the values of the winners that ranks agree on, and the positions in
// the whole of those that they keep.
func compared(ctx *Ctx, f Folding, find func(*Ctx, *graph.Block, End, tensor.Matrix, tensor.Matrix), ranks []dealt, end End) (tensor.Matrix, []uint32) {
	n, k := ranks[0].arg.Rows, ranks[0].arg.Cols
	all, best := tensor.New(len(ranks)*n, 2*k), tensor.New(n, 2*k)
	var ptr []int // of what ranks but the first say of every vertex
	var rows []int32
	for r := range ranks {
		ptr = append(ptr, r*n)
		for v := range int32(n) {
			rows = append(rows, v)
		}
	}
	for r, d := range ranks {
		find(ctx, d.block, end, d.x, d.arg)
		Candidates(ctx, d.arg, d.x, d.place, 0, tensor.Of(n, 2*k, all.Data[r*n*2*k:][:n*2*k]))
	}
	Copy(ctx, all.Between(0, n), best)
	FoldRows(ctx, f, rows[n:], ptr, all.Between(n, all.Rows), best)
	index := slices.Repeat([]uint32{None}, n*k)
	for _, d := range ranks {
		Won(ctx, d.arg, best.Columns(k, 2*k).Clone(), d.place, 0, d.arg)
		for i, e := range bitsOf(d.arg) {
			if e != None && index[i] != None {
				panic(fmt.Sprintf("two ranks have won element %d", i))
			}
			if e != None {
				index[i] = uint32(d.edges[e])
			}
		}
	}
	return best.Columns(0, k).Clone(), index
}

func bitsOf(m tensor.Matrix) (all []uint32) {
	for i := range m.Rows {
		for _, v := range m.Row(i) {
			all = append(all, Bits(v))
		}
	}
	return all
}

// TestCandidatesOfChunks: places of edges that begin within those of all; what is moved
// and compared is counted.
func TestCandidatesOfChunks(t *testing.T) {
	arg, x := tensor.New(2, 1), mat(2, 1, 5, 7)
	SetBits(&arg.Data[0], 1)
	SetBits(&arg.Data[1], None)
	ctx, y, at := &Ctx{}, tensor.New(2, 2), tensor.New(2, 1)
	Candidates(ctx, arg, x, []uint32{9, 8, 4, 3}, 2, y)
	if got := bitsOf(y); !slices.Equal(got, []uint32{Bits(7), 3, 0, None}) {
		t.Errorf("candidates %#x", got)
	}
	if work, bytes := ctx.Count.Read(); work != 0 || bytes != 40 {
		t.Errorf("%d operations, %d bytes", work, bytes)
	}
	SetBits(&at.Data[0], 3)
	SetBits(&at.Data[1], 3)
	Won(ctx, arg, at, []uint32{9, 8, 4, 3}, 2, arg)
	if got := bitsOf(arg); !slices.Equal(got, []uint32{1, None}) {
		t.Errorf("won %#x", got)
	}
	if work, bytes := ctx.Count.Read(); work != 2 || bytes != 72 {
		t.Errorf("%d operations, %d bytes", work, bytes)
	}
}

// TestArgMaxPlaced: where places run against positions, ties go to the last position:
// the winners of a value whose edges are counted from behind.
func TestArgMaxPlaced(t *testing.T) {
	for i, b := range blocks() {
		for end, in := range ends(b.Block) {
			for sign, find := range map[float64]func(*Ctx, *graph.Block, End, []uint32, tensor.Matrix, tensor.Matrix){1: ArgMaxPlaced, -1: ArgMinPlaced} {
				m, n, k := b.Edges(), vertices(b.Block, end), 3
				src := newSource(uint64(i))
				x, arg, place := src.coarse(m, k), src.empty(n, k), make([]uint32, m)
				for e := range place {
					place[e] = uint32(m - 1 - e)
				}
				want := ref.New(n, k)
				for v := range n {
					for j := range k {
						want.Set(v, j, -1)
						for e := m - 1; e >= 0; e-- {
							if best := int(want.At(v, j)); in.At(e, v) != 0 && (best < 0 || beats(float32(sign)*x.Row(e)[j], float32(sign)*x.Row(best)[j])) {
								want.Set(v, j, float64(e))
							}
						}
					}
				}
				trial{name: fmt.Sprintf("%s/%v/%v", b.name, end, sign), in: []tensor.Matrix{x}, out: []tensor.Matrix{arg}, want: []ref.Matrix{positions(want)},
					run:  func(ctx *Ctx) { find(ctx, b.Block, end, place, x, arg) },
					work: int64(m * k), bytes: structure(b.Block, end) + int64(4*m*k+4*n*k) + ifSrc(end, 4*m)}.check(t)
			}
		}
	}
}
