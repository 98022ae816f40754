//go:build linux

package main

import (
	"strings"
	"testing"

	"github.com/weft-gnn/weft/bench/origin"
)

func sample() *report {
	p := &report{
		Machine:  origin.Machine{CPU: "a processor", Cores: 2, MemoryGiB: 24},
		Versions: map[string]map[string]string{"dgl": {"dgl": "2.1.0", "torch": "2.2.1"}},
	}
	p.put(rowOf(key{"cora", "gcn", 64, 2}, map[string]measure{
		"weft": at(2, 40, 0.5), "weft-nofold": at(4, 40, 0.5), "dgl": at(32, 600, 0.5), "pyg-csr": at(16, 700, 0.5)}))
	p.put(rowOf(key{"cora", "gat", 64, 2}, map[string]measure{
		"weft": at(10, 400, 0.5), "weft-nofold": at(10, 400, 0.5), "dgl": at(20, 600, 0.5),
		"pyg-edge": {Error: "out of memory (limit 16 GiB)"}}))
	p.put(rowOf(key{"arxiv@1", "gin", 16, 2}, map[string]measure{"weft": at(1000, 1, 2), "dgl": at(500, 2, 3)}))
	busy := rowOf(key{"cora", "gcn", 64, 1}, map[string]measure{"weft": at(5, 1, 2), "dgl": at(5, 2, 2)})
	busy.Others, busy.Systems["dgl"] = 0.5, measure{MedianMS: 5, BaseRSSBytes: 3 << 20}
	p.put(busy)
	return p
}

func TestMarkdown(t *testing.T) {
	text := sample().markdown()
	for what, want := range map[string]string{
		"the fastest peer is bold":          "| cora | gcn | 64 | 2.00 | 4.00 | 32.0 | **16.0** | – | – | – | 8.00 | 4.00 | 0e+00 | c1 | 2026-01-02 |",
		"a system without memory says so":   "| cora | gat | 64 | 10.0 | 10.0 | **20.0** | – | – | out of memory | – | 2.00 | 2.00 |",
		"a void row is marked":              "| arxiv@1 | gin † | 16 | 1000 | – | **500** |",
		"a void row shows both losses":      "- void: dgl in arxiv@1 gin 16: loss after 5 steps 3, weft 2",
		"void rows count for nothing":       "- weft, 2 rows: least ratio 2.00 (want 2), geometric mean 4.00 (want 5), least of gat 2.00 (want 8).",
		"a row below its bar is a miss":     "- miss: cora gat 64: 2.00, want 8",
		"the mean below its bar is a miss":  "- miss: the geometric mean",
		"without folding gat has no bar":    "- Unfolded, 2 rows: least ratio 2.00 (want 1.5), geometric mean 2.83 (want 4).",
		"memory above its bar is a miss":    "- miss: cora gat 64: memory 0.67 of dgl's, want at most 0.5",
		"the reason of a failure is listed": "- cora gat 64: pyg-edge: out of memory (limit 16 GiB)",
		"a busy machine is told":            "- busy: cora gcn 64: other programs took 50 % of the processors just before",
		"packages' memory is told":          "Of this, packages alone when they have been loaded: dgl 3 MiB.",
		"threads stand apart":               "## 1 thread\n",
		"versions are named":                "dgl: dgl 2.1.0, torch 2.2.1.",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%s: %q is not in\n%s", what, want, text)
		}
	}
}

// TestTableShape: every line of a table has as many cells as its heading.
func TestTableShape(t *testing.T) {
	cells := 0
	for line := range strings.Lines(sample().markdown()) {
		n := strings.Count(line, "|")
		switch {
		case n == 0:
			cells = 0
		case cells == 0:
			cells = n
		case n != cells:
			t.Errorf("%d bars, the heading has %d: %s", n, cells, line)
		}
	}
}

func TestMilliseconds(t *testing.T) {
	for ms, want := range map[float64]string{0.4567: "0.46", 9.994: "9.99", 12.345: "12.3", 123.45: "123", 12345: "12345"} {
		r := row{Systems: map[string]measure{"weft": {MedianMS: ms}}}
		if got := r.time("weft"); got != want {
			t.Errorf("%v ms: %q, want %q", ms, got, want)
		}
	}
}
