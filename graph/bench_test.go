package graph_test

import (
	"math/rand/v2"
	"testing"

	"github.com/weft-gnn/weft/graph"
)

// benchArcs lists 2 million arcs between 2¹⁸ vertices, skewed towards low ids.
func benchArcs() (n int, src, dst []int32) {
	n = 1 << 18
	r := rand.New(rand.NewPCG(1, 2))
	src, dst = make([]int32, 2_000_000), make([]int32, 2_000_000)
	for i := range src {
		src[i] = int32(r.Float64() * r.Float64() * float64(n))
		dst[i] = int32(r.Float64() * r.Float64() * float64(n))
	}
	return n, src, dst
}

// perArc reports the rate of arcs.
func perArc(b *testing.B, arcs int) {
	b.ReportMetric(float64(arcs)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Marcs/s")
}

func BenchmarkFromCOO(b *testing.B) {
	n, src, dst := benchArcs()
	for _, c := range []struct {
		name   string
		policy graph.Policy
	}{
		{"policy=merge", graph.Policy{}},
		{"policy=keep", graph.Policy{Duplicates: graph.Keep}},
		{"policy=symmetrise", graph.Policy{Symmetrise: true}},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := graph.FromCOO(n, src, dst, nil, c.policy); err != nil {
					b.Fatal(err)
				}
			}
			perArc(b, len(src))
		})
	}
}

func benchGraph(b *testing.B) *graph.Graph {
	b.Helper()
	n, src, dst := benchArcs()
	g, err := graph.FromCOO(n, src, dst, nil, graph.Policy{Duplicates: graph.Keep})
	if err != nil {
		b.Fatal(err)
	}
	return g
}

func BenchmarkTranspose(b *testing.B) {
	g := benchGraph(b)
	b.ReportAllocs()
	for b.Loop() {
		block := &graph.Block{Dst: g.N, Src: g.N, Ptr: g.Ptr, Col: g.Src}
		if t := block.Transpose(); len(t.Row) != len(g.Src) {
			b.Fatal("edges were lost")
		}
	}
	perArc(b, len(g.Src))
}

func BenchmarkLoopBlock(b *testing.B) {
	g := benchGraph(b)
	b.ReportAllocs()
	for b.Loop() {
		fresh := &graph.Graph{N: g.N, Ptr: g.Ptr, Src: g.Src, Counts: g.Counts}
		if block := fresh.LoopBlock(); int64(block.Edges()) != g.Counts.Arcs+int64(g.N) {
			b.Fatal("edges were lost")
		}
	}
	perArc(b, len(g.Src))
}
