package analysis_test

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/weft-gnn/weft/analysis"
	"github.com/weft-gnn/weft/model"
	"github.com/weft-gnn/weft/plan"
)

var rewrite = flag.Bool("rewrite", false, "write the pages of testdata anew")

// TestPages compares the pages of all models with those in testdata: on karate
// in both modes, and one with sizes left as symbols and one with every operation.
func TestPages(t *testing.T) {
	for _, m := range model.All() {
		for _, mode := range modes {
			golden(t, fmt.Sprintf("%s-%v", m.Name, mode), reportOf(t, m, mode), analysis.Page{})
		}
	}
	golden(t, "gat-ops", reportOf(t, byName(t, "gat"), analysis.Training), analysis.Page{Ops: true})
	symbols := request(t, byName(t, "gin"), analysis.Training)
	symbols.Data = analysis.Data{}
	golden(t, "gin-symbols", analyze(t, symbols), analysis.Page{Ops: true})
	deep := request(t, byName(t, "gcn"), analysis.Training)
	deep.Options.Layers, deep.Formulation = 6, analysis.Local
	golden(t, "gcn-local-6", analyze(t, deep), analysis.Page{})
	golden(t, "gcn-ranks", analyze(t, onRanks(t, "algorithm=2d,partition=2x2", set(t, "karate"))), analysis.Page{})
	spread := request(t, byName(t, "gat"), analysis.Inference)
	p := plan.OnRanks(4)
	spread.Data, spread.Plan = analysis.Data{}, &p
	golden(t, "gat-ranks-symbols", analyze(t, spread), analysis.Page{Ops: true})
}

// sameAsKept compares a text with the file of that name in testdata.
func sameAsKept(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name+".txt")
	if *rewrite {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs; run with -rewrite and look at the difference:\n%s", path, firstDifference(got, string(want)))
	}
}

func golden(t *testing.T, name string, rep *analysis.Report, o analysis.Page) {
	t.Helper()
	var b bytes.Buffer
	if err := rep.WriteText(&b, o); err != nil {
		t.Fatal(err)
	}
	sameAsKept(t, name, b.String())
	if o.Ops {
		return // a line per operation is as long as its expressions
	}
	for i, line := range strings.Split(b.String(), "\n") {
		if width := utf8.RuneCountInString(strings.ReplaceAll(line, "\u0302", "")); width > 100 {
			t.Errorf("%s: line %d is %d columns wide", name, i+1, width)
		}
	}
}

// firstDifference shows the first line in which two texts differ.
func firstDifference(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(g), len(w)) {
		if g[i] != w[i] {
			return fmt.Sprintf("line %d:\ngot  %s\nwant %s", i+1, g[i], w[i])
		}
	}
	return fmt.Sprintf("%d lines, want %d", len(g), len(w))
}

// TestPageFails: an error of the writer is returned, wherever it happens.
func TestPageFails(t *testing.T) {
	rep := reportOf(t, byName(t, "gcn"), analysis.Inference)
	for fail := 1; ; fail++ {
		w := &failing{after: fail}
		err := rep.WriteText(w, analysis.Page{Ops: true})
		if err == nil {
			if fail < 40 {
				t.Errorf("the page has %d lines", fail-1)
			}
			return
		}
		if !errors.Is(err, errFull) {
			t.Fatalf("write %d: %v, want %v", fail, err, errFull)
		}
	}
}

// failing fails its write number after.
type failing struct{ after int }

var errFull = errors.New("disk full")

func (w *failing) Write(p []byte) (int, error) {
	if w.after--; w.after == 0 {
		return 0, errFull
	}
	return len(p), nil
}
