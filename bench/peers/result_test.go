//go:build linux

package main

import (
	"math"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/weft-gnn/weft/bench/origin"
)

func at(ms float64, mib int64, loss float64) measure {
	m := measure{PeakRSSBytes: mib << 20, Loss: &loss, samples: []float64{ms}}
	return m.summed()
}

func rowOf(k key, of map[string]measure) row {
	r := row{key: k, Commit: "c1", Date: "2026-01-02", Systems: of}
	r.Verdict = r.judge()
	return r
}

func TestMeasureMedian(t *testing.T) {
	for _, c := range []struct {
		samples       []float64
		median, least float64
	}{
		{[]float64{5}, 5, 5},
		{[]float64{9, 1, 5}, 5, 1},
		{[]float64{4, 1, 2, 9}, 3, 1},
	} {
		m := measure{samples: c.samples}.summed()
		if m.MedianMS != c.median || m.MinMS != c.least || m.Epochs != len(c.samples) {
			t.Errorf("%v: median %v, least %v of %d, want %v, %v of %d", c.samples, m.MedianMS, m.MinMS, m.Epochs, c.median, c.least, len(c.samples))
		}
	}
}

// TestTurnsJoin: the median is over the epochs of all turns, memory is the most.
func TestTurnsJoin(t *testing.T) {
	first := measure{PeakRSSBytes: 7, samples: []float64{1, 2, 3}, Note: "slow"}.summed()
	m := first.add(measure{PeakRSSBytes: 5, samples: []float64{10, 11}, Note: "slow"})
	if m.MedianMS != 3 || m.Epochs != 5 || m.MaxMS != 11 || m.PeakRSSBytes != 7 || m.Note != "slow" {
		t.Errorf("joined: %+v", m)
	}
	if m := first.add(measure{Error: "killed"}); m.MedianMS != 2 || !strings.Contains(m.Note, "killed") {
		t.Errorf("after a turn that failed: %+v", m)
	}
}

func TestVerdict(t *testing.T) {
	failed := measure{Error: "out of memory (limit 16 GiB)", PeakRSSBytes: 1 << 20}
	for name, c := range map[string]struct {
		of   map[string]measure
		want verdict
	}{
		"fastest and smallest are of different systems, and what failed is neither": {
			map[string]measure{
				"weft": at(10, 100, 2), "weft-nofold": at(20, 90, 2),
				"dgl": at(50, 300, 2), "pyg-csr": at(40, 400, 2), "pyg-edge": failed,
			},
			verdict{Fastest: "pyg-csr", Ratio: 4, RatioUnfolded: 2, Smallest: "dgl", MemoryShare: 100.0 / 300},
		},
		"a loss within a thousandth": {
			map[string]measure{"weft": at(10, 1, 2), "dgl": at(30, 2, 2.001)},
			verdict{Fastest: "dgl", Ratio: 3, Smallest: "dgl", MemoryShare: 0.5, LossDifference: 0.0005},
		},
		"a loss that differs": {
			map[string]measure{"weft": at(10, 1, 2), "dgl": at(30, 2, 2.01)},
			verdict{Fastest: "dgl", Ratio: 3, Smallest: "dgl", MemoryShare: 0.5, LossDifference: 0.005, Void: []string{"dgl"}},
		},
		"a loss that is NaN": {
			map[string]measure{"weft": at(10, 1, math.NaN()), "dgl": at(30, 2, 2)},
			verdict{Fastest: "dgl", Ratio: 3, Smallest: "dgl", MemoryShare: 0.5, LossDifference: math.NaN(), Void: []string{"weft", "dgl"}},
		},
		"no peer":     {map[string]measure{"weft": at(10, 1, 2)}, verdict{}},
		"peers alone": {map[string]measure{"dgl": at(10, 1, 2)}, verdict{Fastest: "dgl", Smallest: "dgl"}},
	} {
		got := rowOf(key{"cora", "gcn", 64, 2}, c.of).Verdict
		if math.Abs(got.LossDifference-c.want.LossDifference) < 1e-9 || math.IsNaN(got.LossDifference) && math.IsNaN(c.want.LossDifference) {
			got.LossDifference, c.want.LossDifference = 0, 0
		}
		if !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}

// TestReportResumes: what was written is read again, rows keep their order, and
// of a row only what was measured beside the same commit stands, or the peers'.
func TestReportResumes(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "peers.json")
	here := origin.Machine{CPU: "one", Cores: 2, MemoryGiB: 24}
	p, err := readReport(file, here)
	if err != nil {
		t.Fatal(err)
	}
	a, b := key{"arxiv@1", "gcn", 64, 2}, key{"cora", "gat", 16, 2}
	p.put(rowOf(a, map[string]measure{"weft": at(1, 1, 1), "dgl": at(3, 2, 1)}))
	p.put(rowOf(b, map[string]measure{"weft": at(1, 1, 1)}))
	p.put(rowOf(a, map[string]measure{"weft": at(2, 1, 1), "dgl": at(3, 2, 1)}))
	if err := p.write(file, filepath.Join(dir, "peers.md")); err != nil {
		t.Fatal(err)
	}
	q, err := readReport(file, here)
	if err != nil {
		t.Fatal(err)
	}
	if len(q.Rows) != 2 || q.Rows[0].key != b || q.Rows[1].Systems["weft"].MedianMS != 2 || q.Rows[1].Verdict.Ratio != 1.5 {
		t.Errorf("read again: %+v", q.Rows)
	}
	for _, c := range []struct {
		commit string
		peers  bool
		want   string
	}{{"c1", false, "dgl weft"}, {"c2", false, ""}, {"c2", true, "dgl"}} {
		var names []string
		for _, s := range []string{"dgl", "weft"} {
			if _, ok := q.kept(a, c.commit, c.peers)[s]; ok {
				names = append(names, s)
			}
		}
		if got := strings.Join(names, " "); got != c.want {
			t.Errorf("kept for %s, peers of others %v: %q, want %q", c.commit, c.peers, got, c.want)
		}
	}
	if _, err := readReport(file, origin.Machine{CPU: "another", Cores: 2}); err == nil {
		t.Error("the result of another machine was taken")
	}
}

// TestLossNaN: JSON has no NaN; such a row is an error, not a broken file.
func TestLossNaN(t *testing.T) {
	p := &report{}
	p.put(rowOf(key{"cora", "gcn", 16, 2}, map[string]measure{"weft": at(1, 1, math.NaN())}))
	if _, err := p.encode(); err == nil {
		t.Error("a NaN was written")
	}
}
