package graph_test

import (
	"slices"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/weft-gnn/weft/graph"
	"github.com/weft-gnn/weft/internal/graphcase"
)

// checkIDs compares a block's edge identities with their definition, by the
// position in the graph that each edge came from.
func checkIDs(t failer, g *graph.Graph, b *graph.Block) {
	t.Helper()
	arcs := arcsOf(g)
	want := map[int64]int64{} // position in the graph to identity
	m := g.Counts.Arcs
	rank, extra := int64(0), m+int64(g.N)
	for i, a := range arcs {
		switch {
		case a.src != a.dst:
			want[int64(i)], rank = rank, rank+1
		case i > 0 && arcs[i-1].src == a.src && arcs[i-1].dst == a.dst:
			want[int64(i)], extra = extra, extra+1
		default:
			want[int64(i)] = m + int64(a.dst)
		}
	}
	seen := map[int64]bool{}
	for v := range b.Dst {
		for i := b.Ptr[v]; i < b.Ptr[v+1]; i++ {
			id, arc := i, i
			if ids := b.Identities(); ids != nil {
				id = ids[i]
			}
			if arcs := b.Arcs(); arcs != nil {
				arc = arcs[i]
			}
			expect := m + int64(v)
			if arc >= 0 {
				expect = want[arc]
				if arcs[arc].src != b.Col[i] || int(arcs[arc].dst) != v {
					t.Fatalf("edge %d→%d comes from arc %+v", b.Col[i], v, arcs[arc])
				}
			}
			if id != expect || seen[id] {
				t.Fatalf("edge %d→%d has identity %d (seen: %v), want %d", b.Col[i], v, id, seen[id], expect)
			}
			seen[id] = true
		}
	}
}

func TestBlockKeepsArcs(t *testing.T) {
	eachCase(t, func(t *testing.T, c graphcase.Case, p graph.Policy) {
		g := build(t, c, p)
		b := g.Block()
		if err := b.Validate(); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(b.Col, g.Src) || !slices.Equal(b.Ptr, g.Ptr) || !slices.Equal(b.Weight, g.Weight) {
			t.Fatal("the block's arcs are not the graph's")
		}
		if ids := b.Identities(); (ids == nil) != (g.Counts.Loops == 0) {
			t.Fatalf("%d loops, but identities are listed: %v", g.Counts.Loops, ids != nil)
		}
		checkIDs(t, g, b)
	})
}

func TestLoopBlockCases(t *testing.T) {
	eachCase(t, func(t *testing.T, c graphcase.Case, p graph.Policy) { checkLoopBlock(t, build(t, c, p)) })
}

func TestLoopBlockRandom(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := graphcase.Random(9, 40).Draw(t, "case")
		checkLoopBlock(t, build(t, c, rapid.SampledFrom(policies()).Draw(t, "policy")))
	})
}

// checkLoopBlock compares with the dense definition: A without its diagonal, plus I.
func checkLoopBlock(t failer, g *graph.Graph) {
	t.Helper()
	b := g.LoopBlock()
	if err := b.Validate(); err != nil {
		t.Fatalf("%v", err)
	}
	want := dense(g.Block())
	for v := range want {
		want[v][v] = 1
	}
	for v, row := range dense(b) {
		if !slices.Equal(row, want[v]) {
			t.Fatalf("row %d: got %v, want %v", v, row, want[v])
		}
	}
	checkIDs(t, g, b)
	for v := range b.Dst {
		for i := b.Ptr[v]; i < b.Ptr[v+1]; i++ {
			weight := float32(1)
			if loop := int(b.Col[i]) == v; loop != (b.Arcs()[i] == -1) {
				t.Fatalf("edge %d→%d has arc %d", b.Col[i], v, b.Arcs()[i])
			} else if !loop && g.Weight != nil {
				weight = g.Weight[b.Arcs()[i]]
			}
			if b.Weight != nil && b.Weight[i] != weight {
				t.Fatalf("edge %d→%d has weight %v, want %v", b.Col[i], v, b.Weight[i], weight)
			}
		}
	}
	if (b.Weight == nil) != (g.Weight == nil) {
		t.Fatalf("weights appeared or vanished")
	}
}

func TestDegrees(t *testing.T) {
	eachCase(t, func(t *testing.T, c graphcase.Case, p graph.Policy) {
		g := build(t, c, p)
		for _, b := range []*graph.Block{g.Block(), g.LoopBlock()} {
			in, out := 0, make([]int, b.Src+1)
			for v, row := range dense(b) {
				sum := 0
				for u, x := range row {
					sum += x
					out[u] += x
				}
				if b.InDegree(v) != sum {
					t.Fatalf("in-degree of %d is %d, want %d", v, b.InDegree(v), sum)
				}
				in = max(in, sum)
			}
			if b.MaxInDegree() != in || b.MaxOutDegree() != slices.Max(out) {
				t.Fatalf("largest degrees %d in, %d out, want %d and %d", b.MaxInDegree(), b.MaxOutDegree(), in, slices.Max(out))
			}
		}
	})
}

// Blocks and their indexes are built once, whoever asks first.
func TestBlocksAreShared(t *testing.T) {
	c := graphcase.All()[len(graphcase.All())-1]
	g := build(t, c, graph.Policy{})
	var wg sync.WaitGroup
	blocks, loops, transposed := make([]*graph.Block, 8), make([]*graph.Block, 8), make([]*graph.Transposed, 8)
	for i := range blocks {
		wg.Go(func() {
			blocks[i], loops[i] = g.Block(), g.LoopBlock()
			transposed[i] = loops[i].Transpose()
			if loops[i].MaxInDegree() < blocks[i].MaxInDegree() {
				t.Error("adding loops lowered a degree")
			}
		})
	}
	wg.Wait()
	for i := range blocks {
		if blocks[i] != blocks[0] || loops[i] != loops[0] || transposed[i] != transposed[0] {
			t.Fatal("built more than once")
		}
	}
}

func TestBytes(t *testing.T) {
	g := build(t, graphcase.Case{N: 3, Src: []int32{0, 1}, Dst: []int32{1, 1}, Weight: []float32{2, 3}}, graph.Policy{})
	// Block: 4 pointers; 2 columns, 2 weights; 2 identities, as there is a loop. With
	// loops: 4 pointers; 4 columns, 4 weights; 4 identities.
	for _, c := range []struct {
		name      string
		got, want int64
	}{
		{"block", g.Block().Bytes(), 8*4 + 4*(2+2)},
		{"with loops", g.LoopBlock().Bytes(), 8*4 + 4*(4+4)},
		{"identities", g.Block().IdentityBytes(), 8 * 2},
		{"identities with loops", g.LoopBlock().IdentityBytes(), 8 * 4},
	} {
		if c.got != c.want {
			t.Errorf("%s: %d bytes, want %d", c.name, c.got, c.want)
		}
	}
}
