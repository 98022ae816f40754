package partition

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/weft-gnn/weft/graph"
	"github.com/weft-gnn/weft/internal/graphcase"
)

// edgeCuts are the methods that assign vertices.
func edgeCuts() []Method {
	return slices.DeleteFunc(Methods(), Method.VertexCut)
}

// TestEveryCaseInAnyNumberOfParts: every vertex is in a part that there is, one
// part has all, and a seed gives the same parts again.
func TestEveryCaseInAnyNumberOfParts(t *testing.T) {
	for _, c := range graphcase.All() {
		g := build(t, c, graph.Policy{Duplicates: graph.Keep})
		for _, m := range edgeCuts() {
			for _, parts := range []int{1, 2, 3, 6, 10, 100} {
				o := Options{Parts: parts, Method: m, Seed: 5}
				part, err := Vertices(t.Context(), g, o)
				if err != nil {
					t.Fatalf("%s, %v, %d parts: %v", c.Name, m, parts, err)
				}
				if s, err := Measure(g.Block(), graph.Assignment{Parts: parts, Vertex: part}); err != nil {
					t.Errorf("%s, %v, %d parts: %v", c.Name, m, parts, err)
				} else if parts == 1 && (s.CutArcs != 0 || s.Replication != 1 || s.Words.Total != 0) {
					t.Errorf("%s, %v: one part, and %+v", c.Name, m, s)
				}
				again, err := Vertices(t.Context(), g, o)
				if err != nil || !slices.Equal(part, again) {
					t.Errorf("%s, %v, %d parts: the same seed gave %v, then %v (%v)", c.Name, m, parts, part, again, err)
				}
			}
		}
	}
}

// limits are the most that a part may have, computed from the definition in
// another way than newLedger: by search.
func limits(weights []int64, parts int, slack float64) int64 {
	sum, most := 0.0, 0.0
	for _, w := range weights {
		sum, most = sum+float64(w), max(most, float64(w))
	}
	mean := sum / float64(parts)
	// Less than one vertex above the mean: the emptiest part is below the mean of
	// what the others leave.
	return int64(math.Floor(max((1+slack)*mean, mean+most*float64(parts-1)/float64(parts)) + 1e-9))
}

// TestLimit: the limit is the fullest part's load after adding the heaviest vertices
// first, each to the emptiest part, at its worst: as if loads were as equal as
// whole numbers can be before each; or the slack's.
func TestLimit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := demand{c: 2, of: rapid.SliceOfN(rapid.Int64Range(0, 40), 0, 60).Draw(t, "weights")}
		d.of = d.of[:len(d.of)/2*2]
		parts := rapid.IntRange(1, 9).Draw(t, "parts")
		slack := rapid.SampledFrom([]float64{0, 0.05, 0.5}).Draw(t, "slack")
		led := newLedger(d, parts, slack)
		for i := range 2 {
			var w []int64
			for k := i; k < len(d.of); k += 2 {
				w = append(w, d.of[k])
			}
			slices.Sort(w)
			slices.Reverse(w)
			want, sum := int64(0), int64(0)
			for _, x := range w {
				want = max(want, sum/int64(parts)+x)
				sum += x
			}
			want = max(want, int64((1+slack)*float64(sum)/float64(parts)))
			want = min(want, sum) // what there is
			for p := range parts {
				if got := led.limit[2*p+i]; got != want {
					t.Fatalf("limit %d of part %d, want %d: %d in %d parts, slack %v", got, p, want, w, parts, slack)
				}
			}
		}
	})
}

func weightsOf(g *graph.Graph, by Balance) []int64 {
	w := make([]int64, g.N)
	for v := range w {
		in := g.Ptr[v+1] - g.Ptr[v]
		w[v] = map[Balance]int64{ByVertices: 1, ByEdges: in, ByWork: in + VertexWork}[by]
	}
	return w
}

func loadsOf(part []int32, weights []int64, parts int) []int64 {
	load := make([]int64, parts)
	for v, p := range part {
		load[p] += weights[v]
	}
	return load
}

// TestBalance: no part has more than its limit of what is balanced, whichever of
// the balances; Range has at most one vertex more than the mean, and Hash is
// balanced in expectation.
func TestBalance(t *testing.T) {
	methods := slices.DeleteFunc(edgeCuts(), func(m Method) bool { return m == Hash })
	rapid.Check(t, func(t *rapid.T) {
		c := graphcase.Random(40, 200).Draw(t, "case")
		g := build(t, c, graph.Policy{Duplicates: graph.Keep})
		o := Options{
			Parts: rapid.IntRange(1, 12).Draw(t, "parts"), Method: rapid.SampledFrom(methods).Draw(t, "method"),
			Seed: rapid.Uint64().Draw(t, "seed"), Balance: rapid.SampledFrom(Balances()).Draw(t, "balance"),
			Slack: rapid.SampledFrom([]float64{0, 0.01, 0.3}).Draw(t, "slack"),
		}
		part, err := Vertices(context.Background(), g, o)
		if err != nil {
			t.Fatal(err)
		}
		weights := weightsOf(g, o.Balance)
		slack := o.Slack
		if slack == 0 {
			slack = DefaultSlack
		}
		limit := limits(weights, o.Parts, slack)
		if o.Method == Range { // cuts at middles: up to half a vertex at either end
			sum := int64(0)
			for _, w := range weights {
				sum += w
			}
			if sum == 0 {
				weights, sum = weightsOf(g, ByVertices), int64(g.N)
			}
			limit = sum/int64(o.Parts) + 1
			if g.N > 0 {
				limit += slices.Max(weights)
			}
		}
		if load := loadsOf(part, weights, o.Parts); slices.Max(load) > limit {
			t.Fatalf("%+v: loads %d, want at most %d", o, load, limit)
		}
	})
}

// TestMasksBalance: vertices of a mask are spread as evenly as all vertices are.
func TestMasksBalance(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 200).Draw(t, "n")
		c := graphcase.Random(n, 3*n).Draw(t, "case")
		g := build(t, c, graph.Policy{})
		mask := rapid.SliceOfN(rapid.Bool(), g.N, g.N).Draw(t, "mask")
		o := Options{
			Parts: rapid.IntRange(1, 6).Draw(t, "parts"), Seed: rapid.Uint64().Draw(t, "seed"), Masks: [][]bool{mask},
			Method: rapid.SampledFrom([]Method{Multilevel, Random, LDG, Fennel}).Draw(t, "method"),
		}
		part, err := Vertices(context.Background(), g, o)
		if err != nil {
			t.Fatal(err)
		}
		in := make([]int64, g.N)
		for v, m := range mask {
			if m {
				in[v] = 1
			}
		}
		for name, w := range map[string][]int64{"vertices": weightsOf(g, ByVertices), "the mask": in} {
			// Two limits at once may hold a vertex off every part.
			if load := loadsOf(part, w, o.Parts); slices.Max(load) > limits(w, o.Parts, DefaultSlack)+1 {
				t.Fatalf("%+v: %s: loads %d, want at most %d", o, name, load, limits(w, o.Parts, DefaultSlack)+1)
			}
		}
	})
}

// TestRangeIsConsecutive: parts ascend with the vertices, and sizes differ by one
// at most where vertices count.
func TestRangeIsConsecutive(t *testing.T) {
	for n := range 40 {
		g := build(t, graphcase.Case{N: n}, graph.Policy{})
		for parts := 1; parts < 12; parts++ {
			part, err := Vertices(t.Context(), g, Options{Parts: parts, Method: Range})
			if err != nil {
				t.Fatal(err)
			}
			load := loadsOf(part, weightsOf(g, ByVertices), parts)
			if !slices.IsSorted(part) || slices.Max(load)-slices.Min(load) > 1 {
				t.Errorf("%d vertices in %d parts: %v", n, parts, part)
			}
		}
	}
}

// TestIdentitiesDecide: Hash and Random put a vertex of the same identity into the
// same part in any order of vertices.
func TestIdentitiesDecide(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := graphcase.Random(30, 90).Draw(t, "case")
		g := build(t, c, graph.Policy{})
		order := rapid.Permutation(sequence(g.N)).Draw(t, "order")
		p, err := g.Permute(order)
		if err != nil {
			t.Fatal(err)
		}
		o := Options{Parts: 4, Seed: rapid.Uint64().Draw(t, "seed"), Method: rapid.SampledFrom([]Method{Hash, Random}).Draw(t, "method")}
		before, err := Vertices(context.Background(), g, o)
		if err != nil {
			t.Fatal(err)
		}
		after, err := Vertices(context.Background(), p, o)
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range order {
			if after[i] != before[v] {
				t.Fatalf("%v: vertex %d was in part %d, and is in part %d in another order", o.Method, v, before[v], after[i])
			}
		}
	})
}

func sequence(n int) []int32 {
	s := make([]int32, n)
	for i := range s {
		s[i] = int32(i)
	}
	return s
}

// TestHashSpreads: of 10,000 vertices in 8 parts, each part's share is within five
// standard deviations, √(n·p·(1−p)) = 33, of its mean, 1250.
func TestHashSpreads(t *testing.T) {
	g := build(t, graphcase.Case{N: 10000}, graph.Policy{})
	for seed := range uint64(5) {
		part, err := Vertices(t.Context(), g, Options{Parts: 8, Method: Hash, Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		for p, load := range loadsOf(part, weightsOf(g, ByVertices), 8) {
			if load < 1250-165 || load > 1250+165 {
				t.Errorf("seed %d: part %d has %d vertices", seed, p, load)
			}
		}
	}
}

// planted returns groups of vertices that have most of their edges within.
func planted(groups, each int) graphcase.Case {
	c := graphcase.Case{N: groups * each}
	for v := range c.N {
		for j := 1; j <= 4; j++ { // a circulant within, and an edge to the next group
			c.Src, c.Dst = append(c.Src, int32(v)), append(c.Dst, int32(v/each*each+(v%each+j*j)%each))
		}
		if v%each == 0 {
			c.Src, c.Dst = append(c.Src, int32(v)), append(c.Dst, int32((v+each)%c.N))
		}
	}
	return c
}

// TestStreamsFindNeighbours: where groups are planted, methods that look at
// neighbours cut less than those that don't.
func TestStreamsFindNeighbours(t *testing.T) {
	g := build(t, planted(8, 50), graph.Policy{Symmetrise: true})
	cut := map[Method]int64{}
	for _, m := range []Method{Random, LDG, Fennel} {
		part, err := Vertices(t.Context(), g, Options{Parts: 4, Method: m})
		if err != nil {
			t.Fatal(err)
		}
		s, err := Measure(g.Block(), graph.Assignment{Parts: 4, Vertex: part})
		if err != nil {
			t.Fatal(err)
		}
		cut[m] = s.CutArcs
	}
	if 4*cut[LDG] > 3*cut[Random] || 4*cut[Fennel] > 3*cut[Random] {
		t.Errorf("arcs cut: %v, want those of ldg and fennel a quarter below random", cut)
	}
}

// TestVerticesRefuses: what is wrong is said.
func TestVerticesRefuses(t *testing.T) {
	g := build(t, graphcase.Case{N: 3}, graph.Policy{})
	mask := [][]bool{make([]bool, 3)}
	for want, o := range map[string]Options{
		"0 parts":                             {},
		"no method has the number 99":         {Parts: 1, Method: 99},
		"no balance has the number -1":        {Parts: 1, Balance: -1},
		"slack -1":                            {Parts: 1, Slack: -1},
		"slack NaN":                           {Parts: 1, Slack: math.NaN()},
		"mask 0 has 2 entries for 3 vertices": {Parts: 1, Masks: [][]bool{make([]bool, 2)}},
		"range cannot balance sets":           {Parts: 1, Method: Range, Masks: mask},
		"hash balances vertices only":         {Parts: 1, Method: Hash, Balance: ByEdges},
		"grid assigns arcs, not vertices":     {Parts: 1, Method: Grid},
	} {
		if _, err := Vertices(t.Context(), g, o); err == nil || !strings.HasPrefix(err.Error(), "partition: ") || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want an error that says %q", err, want)
		}
	}
}

// TestVerticesStops: a context that has ended ends every method.
func TestVerticesStops(t *testing.T) {
	why := errors.New("told to")
	ctx, stop := context.WithCancelCause(t.Context())
	stop(why)
	g := build(t, planted(2, 30), graph.Policy{})
	for _, m := range edgeCuts() {
		if _, err := Vertices(ctx, g, Options{Parts: 2, Method: m}); !errors.Is(err, why) {
			t.Errorf("%v: got %v, want %v", m, err, why)
		}
	}
}

// TestNames: every method and balance is read as it is written; a misspelt one is
// an error that names the nearest.
func TestNames(t *testing.T) {
	for _, m := range Methods() {
		text, err := m.MarshalText()
		if got, perr := Parse(string(text)); err != nil || perr != nil || got != m || m.String() != string(text) {
			t.Errorf("%v: %v, %v; read as %v", m, err, perr, got)
		}
	}
	for _, b := range Balances() {
		text, err := b.MarshalText()
		var got Balance
		if perr := got.UnmarshalText(text); err != nil || perr != nil || got != b || b.String() != string(text) {
			t.Errorf("%v: %v, %v; read as %v", b, err, perr, got)
		}
	}
	if _, err := Parse("multilvel"); err == nil || !strings.Contains(err.Error(), `did you mean "multilevel"?`) {
		t.Errorf("got %v", err)
	}
	var b Balance
	if err := b.UnmarshalText([]byte("edge")); err == nil || !strings.Contains(err.Error(), `did you mean "edges"?`) {
		t.Errorf("got %v", err)
	}
	for _, bad := range []error{
		func() error { _, err := Method(-1).MarshalText(); return err }(),
		func() error { _, err := Balance(9).MarshalText(); return err }(),
	} {
		if bad == nil {
			t.Error("a number without a name was written")
		}
	}
	if Method(77).String() != "Method(77)" || Balance(77).String() != "Balance(77)" {
		t.Error(Method(77), Balance(77))
	}
}
