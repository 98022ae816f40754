package partition

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/weft-gnn/weft/graph"
	"github.com/weft-gnn/weft/internal/graphcase"
)

func build(t interface {
	Helper()
	Fatal(...any)
}, c graphcase.Case, p graph.Policy) *graph.Graph {
	t.Helper()
	g, err := graph.FromCOO(c.N, c.Src, c.Dst, c.Weight, p)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// naive counts by the definitions, with sets.
func naive(b *graph.Block, a graph.Assignment) *Stats {
	type pair struct{ part, vertex int32 }
	type channel struct {
		from, to int32
		sums     bool
	}
	s := &Stats{Parts: a.Parts, Vertices: make([]int64, a.Parts), Arcs: make([]int64, a.Parts)}
	present, halo, partial := map[pair]bool{}, map[pair]bool{}, map[pair]bool{}
	channels := map[channel]bool{}
	for v := range int32(b.Dst) {
		s.Vertices[a.Vertex[v]]++
		present[pair{a.Vertex[v], v}] = true
		for i := b.Ptr[v]; i < b.Ptr[v+1]; i++ {
			u, p := b.Col[i], a.Vertex[v]
			if a.Arc != nil {
				p = a.Arc[i]
			}
			s.Arcs[p]++
			present[pair{p, u}], present[pair{p, v}] = true, true
			if a.Vertex[u] != p {
				halo[pair{p, u}] = true
				channels[channel{a.Vertex[u], p, false}] = true
			}
			if a.Vertex[v] != p {
				partial[pair{p, v}] = true
				channels[channel{p, a.Vertex[v], true}] = true
			}
			if a.Vertex[u] != p || a.Vertex[v] != p {
				s.CutArcs++
			}
		}
	}
	s.Replication = 1
	if b.Dst > 0 {
		s.Replication = float64(len(present)) / float64(b.Dst)
	}
	halos, partials := make([]int64, a.Parts), make([]int64, a.Parts)
	sent, messages := make([]int64, a.Parts), make([]int64, a.Parts)
	for p := range maps.Keys(halo) {
		halos[p.part]++
		sent[a.Vertex[p.vertex]]++
	}
	for p := range maps.Keys(partial) {
		partials[p.part]++
		sent[p.part]++
	}
	for c := range maps.Keys(channels) {
		messages[c.from]++
	}
	sum := func(counts []int64) (s Spread) {
		for _, c := range counts {
			s.Total += c
			s.Max = max(s.Max, c)
		}
		return s
	}
	s.Halo, s.Partial, s.Words, s.Messages = sum(halos), sum(partials), sum(sent), sum(messages)
	return s
}

func equalStats(a, b *Stats) bool {
	return a.Parts == b.Parts && slices.Equal(a.Vertices, b.Vertices) && slices.Equal(a.Arcs, b.Arcs) && a.CutArcs == b.CutArcs &&
		a.Replication == b.Replication && a.Halo == b.Halo && a.Partial == b.Partial && a.Words == b.Words && a.Messages == b.Messages
}

// TestMeasureIsTheDefinition: counts of any assignment, of vertices or of arcs,
// are those of sets of pairs.
func TestMeasureIsTheDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := graphcase.Random(12, 60).Draw(t, "case")
		g := build(t, c, graph.Policy{Duplicates: graph.Keep})
		b := g.Block()
		if rapid.Bool().Draw(t, "loops") {
			b = g.LoopBlock()
		}
		a := graph.Assignment{Parts: rapid.IntRange(1, 15).Draw(t, "parts")}
		part := rapid.Int32Range(0, int32(a.Parts-1))
		a.Vertex = rapid.SliceOfN(part, b.Dst, b.Dst).Draw(t, "vertices")
		if rapid.Bool().Draw(t, "arcs") {
			a.Arc = rapid.SliceOfN(part, len(b.Col), len(b.Col)).Draw(t, "arc")
		}
		got, err := Measure(b, a)
		if err != nil {
			t.Fatal(err)
		}
		if want := naive(b, a); !equalStats(got, want) {
			t.Fatalf("got %+v, want %+v", got, want)
		}
	})
}

// TestMeasureByHand: a path of six in halves, and a star whose centre is cut.
func TestMeasureByHand(t *testing.T) {
	var path, star graphcase.Case
	for _, c := range graphcase.All() {
		switch c.Name {
		case "path":
			path = c
		case "hub in":
			star = c
		}
	}
	b := build(t, path, graph.Policy{}).Block()
	s, err := Measure(b, graph.Assignment{Parts: 2, Vertex: []int32{0, 0, 0, 1, 1, 1}})
	if err != nil {
		t.Fatal(err)
	}
	want := &Stats{
		Parts: 2, Vertices: []int64{3, 3}, Arcs: []int64{5, 5}, CutArcs: 2, Replication: 8.0 / 6,
		Halo: Spread{2, 1}, Words: Spread{2, 1}, Messages: Spread{2, 1},
	}
	if !equalStats(s, want) {
		t.Errorf("path: got %+v, want %+v", s, want)
	}
	// 69 leaves send to the centre: leaves and their arcs in turn in three parts.
	b = build(t, star, graph.Policy{}).Block()
	a := graph.Assignment{Parts: 3, Vertex: make([]int32, 70), Arc: make([]int32, 69)}
	for leaf := 1; leaf < 70; leaf++ {
		a.Vertex[leaf], a.Arc[leaf-1] = int32(leaf%3), int32(leaf%3)
	}
	if s, err = Measure(b, a); err != nil {
		t.Fatal(err)
	}
	want = &Stats{
		Parts: 3, Vertices: []int64{24, 23, 23}, Arcs: []int64{23, 23, 23}, CutArcs: 46, Replication: 72.0 / 70,
		Partial: Spread{2, 1}, Words: Spread{2, 1}, Messages: Spread{2, 1},
	}
	if !equalStats(s, want) {
		t.Errorf("star: got %+v, want %+v", s, want)
	}
	if s.VertexBalance() != 24*3.0/70 || s.ArcBalance() != 1 {
		t.Errorf("star: balance of vertices %v, of arcs %v", s.VertexBalance(), s.ArcBalance())
	}
}

func TestMeasureRefuses(t *testing.T) {
	b := build(t, graphcase.Case{N: 2, Src: []int32{0}, Dst: []int32{1}}, graph.Policy{}).Block()
	for want, a := range map[string]graph.Assignment{
		"0 parts":                                  {Vertex: []int32{0, 0}},
		"parts of 1 vertices, there are 2":         {Parts: 1, Vertex: []int32{0}},
		"parts of 2 arcs, there are 1":             {Parts: 1, Vertex: []int32{0, 0}, Arc: []int32{0, 0}},
		"vertex 1 is in part 2, want 0 ≤ part < 2": {Parts: 2, Vertex: []int32{0, 2}},
		"arc 0 is in part -1, want 0 ≤ part < 2":   {Parts: 2, Vertex: []int32{0, 1}, Arc: []int32{-1}},
	} {
		if _, err := Measure(b, a); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want an error that says %q", err, want)
		}
	}
	if _, err := Measure(b.Cut(0, 1), graph.Assignment{Parts: 1, Vertex: []int32{0}}); err == nil {
		t.Error("a block of fewer destinations than sources was measured")
	}
}
