package analysis_test

import (
	"strings"
	"testing"

	"github.com/weft-gnn/weft/analysis"
	"github.com/weft-gnn/weft/graph"
	"github.com/weft-gnn/weft/model"
	"github.com/weft-gnn/weft/plan"
	"github.com/weft-gnn/weft/program"
	"github.com/weft-gnn/weft/tensor"
)

// TestRefused: a request that makes no sense is refused with what was wrong.
func TestRefused(t *testing.T) {
	for _, c := range []struct {
		wrong string
		spoil func(*analysis.Request)
		want  string
	}{
		{"no model", func(r *analysis.Request) { r.Model = model.Model{} }, "no model"},
		{"options", func(r *analysis.Request) { r.Options.Layers = 0 }, "0 layers"},
		{"heads", func(r *analysis.Request) { r.Options.Heads = 7 }, "7 heads"},
		{"steps", func(r *analysis.Request) { r.Steps = -1 }, "-1 steps"},
		{"sizes", func(r *analysis.Request) { r.Data.Targets = -3 }, "-3 targets"},
		{"a pass", func(r *analysis.Request) { r.Skip = map[string]bool{"hoists": true} }, `"hoists"; there are hoist, factor`},
		{"a needed pass", func(r *analysis.Request) { r.Skip = map[string]bool{"dead": true} }, `"dead"`},
		{"no vertices", func(r *analysis.Request) { r.Data = analysis.Data{Graph: &graph.Graph{Ptr: []int64{0}}} }, "no vertices"},
		{"features", func(r *analysis.Request) { r.Data.Features = 5 }, "want 5 features"},
		{"rows", func(r *analysis.Request) { r.Data.X = tensor.New(3, 34) }, "a row per vertex"},
		{"loss", func(r *analysis.Request) { r.Mode, r.Loss = analysis.Training, 99 }, "no such loss"},
	} {
		r := request(t, byName(t, "gat"), analysis.Inference)
		c.spoil(&r)
		_, err1 := analysis.Analyze(r)
		_, err2 := analysis.Polynomial(r)
		for _, err := range []error{err1, err2} {
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: %v, want %q in it", c.wrong, err, c.want)
			}
		}
	}
}

// TestRefusesWeights: a graph whose weights a model cannot normalise is refused.
func TestRefusesWeights(t *testing.T) {
	g, err := graph.FromCOO(2, []int32{0, 1}, []int32{1, 0}, []float32{-5, 1}, graph.Policy{})
	if err != nil {
		t.Fatal(err)
	}
	m := byName(t, "gcn")
	_, err = analysis.Analyze(analysis.Request{Model: m, Options: m.Defaults, Data: analysis.Data{Name: "negative", Graph: g}})
	if err == nil || !strings.HasPrefix(err.Error(), "analysis: ") {
		t.Errorf("weights that sum to −4 into a vertex: %v", err)
	}
}

// TestConditions: what a request leaves open is supposed, and said.
func TestConditions(t *testing.T) {
	full := request(t, byName(t, "gcn"), analysis.Training)
	for _, c := range []struct {
		change func(*analysis.Request)
		want   string
	}{
		{func(r *analysis.Request) { r.Data.X, r.Data.Classes = tensor.Matrix{}, 0 }, "k_in = k = C = 16 supposed"},
		{func(r *analysis.Request) { r.Data.X = tensor.Matrix{} }, "k_in = k = 16 supposed: the data has no features"},
		{func(r *analysis.Request) { r.Data.Classes = 0 }, "C = k = 16 supposed: the data has no classes"},
		{func(r *analysis.Request) { r.Data.Targets = 0 }, "t = n"},
		{func(r *analysis.Request) { r.Steps = 50 }, "spread over 50 steps"},
		{func(r *analysis.Request) { r.Data = analysis.Data{} }, "no data: the passes make this program for m/n from 1 to 1024"},
		{func(r *analysis.Request) {
			r.Data, r.Plan = analysis.Data{}, &plan.Plan{Partition: []int{2}, Backward: program.ReturnRows}
		}, "every edge has its reverse"},
		{func(r *analysis.Request) {}, "layer 1 runs A(HW): k = 16 > C = 2, fewer columns cross the edges"},
	} {
		r := full
		c.change(&r)
		conditions := strings.Join(analyze(t, r).Conditions, "\n")
		if !strings.Contains(conditions, c.want) {
			t.Errorf("the conditions are\n%s\nwant %q among them", conditions, c.want)
		}
	}
}

// TestRivals: gin's first layer runs A(HW) or (AH)W by whether m·k is less than
// 2·n·k²; the laws name the other program and where it takes over.
func TestRivals(t *testing.T) {
	f := general(t, byName(t, "gin"), analysis.Training)
	if len(f.Rivals) != 1 {
		t.Fatalf("%d rivals, want 1: %+v", len(f.Rivals), f.Rivals)
	}
	lead := f.Rivals[0].Excess.LeadingExponents("m", "n", "k")
	if len(lead) == 0 || lead[0][0] != 1 || lead[0][2] != 1 {
		t.Errorf("the excess is %v, want m·k in it", f.Rivals[0].Excess)
	}
	for _, name := range []string{"mlp", "gcn", "sage", "gat"} {
		for _, mode := range modes {
			if f := general(t, byName(t, name), mode); len(f.Rivals) != 0 {
				t.Errorf("%s, %v has rivals: %+v", name, mode, f.Rivals)
			}
		}
	}
}

// TestImbalance: the sentence follows the degrees.
func TestImbalance(t *testing.T) {
	m := byName(t, "gcn")
	for _, c := range []struct {
		g    *graph.Graph
		want string
	}{
		{circulant(t, 40), "degrees are nearly equal"},
		{star(t, 101), "one vertex has 50.5 times the mean in-degree"},
		{&graph.Graph{N: 3, Ptr: make([]int64, 4)}, "no arcs"},
	} {
		rep := analyze(t, analysis.Request{Model: m, Options: m.Defaults, Data: analysis.Data{Name: "it", Graph: c.g}})
		if !strings.HasPrefix(rep.Graph.Imbalance, c.want) {
			t.Errorf("%q, want %q", rep.Graph.Imbalance, c.want)
		}
	}
	fan, err := graph.FromCOO(4, []int32{1, 2, 3, 1}, []int32{0, 0, 0, 2}, nil, graph.Policy{}) // d = 3, d_out = 2
	if err != nil {
		t.Fatal(err)
	}
	for g, want := range map[*graph.Graph]int64{star(t, 101): 2, fan: 1} {
		rep := analyze(t, analysis.Request{Model: m, Options: m.Defaults, Data: analysis.Data{Name: "it", Graph: g}})
		if rep.Graph.Ranks != want {
			t.Errorf("%d arcs with in-degrees up to %d balance up to %d ranks, want %d", rep.Graph.Arcs, rep.Graph.In.Max, rep.Graph.Ranks, want)
		}
	}
}

// star has arcs both ways between vertex 0 and all others.
func star(t testing.TB, n int) *graph.Graph {
	t.Helper()
	var src, dst []int32
	for v := int32(1); v < int32(n); v++ {
		src, dst = append(src, 0, v), append(dst, v, 0)
	}
	g, err := graph.FromCOO(n, src, dst, nil, graph.Policy{})
	if err != nil {
		t.Fatal(err)
	}
	return g
}
