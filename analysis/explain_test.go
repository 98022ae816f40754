package analysis

import (
	"strings"
	"testing"

	"github.com/weft-gnn/weft/cost"
	"github.com/weft-gnn/weft/model"
)

// TestExplain: the steps begin with the declaration and end with the program
// whose costs Analyze reports.
func TestExplain(t *testing.T) {
	gcn, err := model.ByName("gcn")
	if err != nil {
		t.Fatal(err)
	}
	r := Request{Model: gcn, Options: gcn.Defaults}
	e, err := Explain(r)
	if err != nil {
		t.Fatal(err)
	}
	first, last := e.Steps[0], e.Steps[len(e.Steps)-1]
	if first.Pass != "none" || !strings.Contains(first.Program, "Dropout") || strings.Contains(first.Program, "SpMM") {
		t.Errorf("first is %s:\n%s", first.Pass, first.Program)
	}
	if last.Pass != "tail" || strings.Contains(last.Program, "Dropout") || strings.Count(last.Program, "SpMM") != 2 {
		t.Errorf("last is %s:\n%s", last.Pass, last.Program)
	}
	for i := 1; i < len(e.Steps); i++ {
		if e.Steps[i].Program == e.Steps[i-1].Program {
			t.Errorf("%s changed nothing and is listed", e.Steps[i].Pass)
		}
	}
	rep, err := Analyze(r)
	if err != nil {
		t.Fatal(err)
	}
	a, total := e.Passes[len(e.Passes)-1], rep.Total.Work.Expr
	if all := cost.Add(a.PreWork.Expr, a.Work.Expr); a.Pass != "view" || !all.Equal(total) {
		t.Errorf("after %s the work is %v, Analyze says %v", a.Pass, all, total)
	}

	r.Skip = map[string]bool{"none": true}
	if e, err = Explain(r); err != nil {
		t.Fatal(err)
	}
	for _, s := range e.Steps[1:] {
		if s.Pass != "infer" && s.Pass != "dead" {
			t.Errorf("%s ran although all optional passes are left out", s.Pass)
		}
	}
	r.Options.Hidden = 0
	if _, err := Explain(r); err == nil {
		t.Error("a width of 0 was explained")
	}
}
