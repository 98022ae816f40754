package analysis_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/weft-gnn/weft/analysis"
)

// object decodes a report as a script would.
func object(t *testing.T, rep *analysis.Report) map[string]any {
	t.Helper()
	text, err := json.Marshal(rep)
	if err != nil {
		t.Fatal(err)
	}
	var o map[string]any
	if err := json.Unmarshal(text, &o); err != nil {
		t.Fatal(err)
	}
	return o
}

// at follows keys into nested objects.
func at(t *testing.T, v any, keys ...string) any {
	t.Helper()
	for _, k := range keys {
		o, ok := v.(map[string]any)
		if !ok {
			t.Fatalf("%v: %v is no object", keys, v)
		}
		if v, ok = o[k]; !ok {
			t.Fatalf("%v: no key %q", keys, k)
		}
	}
	return v
}

// TestJSON: the keys that scripts rely on, with data.
func TestJSON(t *testing.T) {
	o := object(t, reportOf(t, byName(t, "gcn"), analysis.Training))
	for key, want := range map[string]any{
		"model": "gcn", "data": "karate", "mode": "train", "formulation": "global", "class": "C-GNN", "precomputable": true,
	} {
		if got := at(t, o, key); got != want {
			t.Errorf("%s is %v, want %v", key, got, want)
		}
	}
	for key, want := range map[string]float64{"n": 34, "m": 156, "m̂": 190, "d": 17, "k_in": 34, "k": 16, "C": 2, "L": 2, "t": 8} {
		if got := at(t, o, "symbols", key); got != want {
			t.Errorf("symbol %s is %v, want %v", key, got, want)
		}
	}
	ops := at(t, o, "ops").([]any)
	sum := 0.0
	for _, op := range ops {
		for _, key := range []string{"nnz", "work", "depth", "bytes", "words"} {
			if e, ok := at(t, op, key, "expr").(string); !ok || e == "" {
				t.Errorf("%v: %s has no expression", at(t, op, "op"), key)
			}
		}
		sum += at(t, op, "work", "value").(float64)
		if rows := at(t, op, "shape", "value").([]any); len(rows) != 2 {
			t.Errorf("the shape is %v", rows)
		}
		for _, key := range []string{"layer", "round", "op", "density"} {
			at(t, op, key)
		}
	}
	if total := at(t, o, "total", "work", "value"); total != sum {
		t.Errorf("the total work is %v, the operations' %v", total, sum)
	}
	for _, part := range []string{"total", "pre", "step", "post"} {
		for _, key := range []string{"work", "depth", "bytes", "words", "messages", "supersteps"} {
			at(t, o, part, key, "expr")
			at(t, o, part, key, "value")
		}
		at(t, o, part, "parallelism")
	}
	if bytes := at(t, o, "total", "memory_bytes").(float64); bytes <= 0 {
		t.Errorf("%v bytes of memory", bytes)
	}
	for _, bound := range []string{"paper", "weft"} {
		if e := at(t, o, "bound", bound, "work"); e != "L·m·k + L·n·k²" {
			t.Errorf("%s bounds the work by %v", bound, e)
		}
		if e := at(t, o, "bound", bound, "depth"); e != "L·⌈log₂ d⌉ + L·⌈log₂ k⌉" {
			t.Errorf("%s bounds the depth by %v", bound, e)
		}
		if v := at(t, o, "verdict", bound, "work"); v != "same" {
			t.Errorf("the verdict on %s is %v", bound, v)
		}
	}
}

// TestJSONWithoutData: what is not known is null.
func TestJSONWithoutData(t *testing.T) {
	r := request(t, byName(t, "mlp"), analysis.Inference)
	r.Data = analysis.Data{}
	o := object(t, analyze(t, r))
	for _, keys := range [][]string{
		{"data"}, {"graph"}, {"memory"}, {"symbols", "n"}, {"symbols", "m"}, {"symbols", "d"},
		{"total", "work", "value"}, {"total", "depth", "value"}, {"total", "bytes", "value"},
		{"total", "memory_bytes"}, {"total", "parallelism"}, {"bound", "paper"}, {"verdict", "paper"},
	} {
		if v := at(t, o, keys...); v != nil {
			t.Errorf("%v is %v, want null", keys, v)
		}
	}
	if e := at(t, o, "total", "work", "expr"); e != "2·n·k·k_in + 2·n·k·C + 2·n·k + n·C" {
		t.Errorf("the work is %v", e)
	}
	if f := at(t, o, "formulation"); f != "none" {
		t.Errorf("the formulation is %v", f)
	}
	conditions := at(t, o, "conditions").([]any)
	if !slices.ContainsFunc(conditions, func(c any) bool {
		return c == "k_in = k = C = 64 supposed: no data says how many features and classes there are"
	}) {
		t.Errorf("the conditions are %v", conditions)
	}
}

// TestJSONOfRanks: what a plan adds.
func TestJSONOfRanks(t *testing.T) {
	o := object(t, analyze(t, onRanks(t, "algorithm=1d,partition=2,partitioner=range", set(t, "karate"))))
	if at(t, o, "plan") != "algorithm=1d,partition=2,partitioner=range" || at(t, o, "ranks") != 2.0 {
		t.Errorf("the plan is %v on %v ranks", at(t, o, "plan"), at(t, o, "ranks"))
	}
	for _, key := range []string{"words", "messages"} {
		total, most := at(t, o, "step", key, "value").(float64), at(t, o, "step", key, "max").(float64)
		if most < 1 || most > total || total > 2*most {
			t.Errorf("%s: %v of both ranks, %v of one", key, total, most)
		}
	}
	vertices := at(t, o, "shares").([]any)[0]
	if at(t, vertices, "symbol") != "n" || at(t, vertices, "max") != 17.0 || at(t, vertices, "total") != 34.0 {
		t.Errorf("ranks have %v", vertices)
	}
	if at(t, o, "total", "memory_bytes") != at(t, o, "memory", "rank_bytes") {
		t.Error("the memory of a rank is not that of the total")
	}
	if at(t, o, "bound", "derived", "supersteps", "value") != at(t, o, "step", "supersteps", "value") {
		t.Error("the bound has other supersteps than the step")
	}
}
