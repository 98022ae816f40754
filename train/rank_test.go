package train_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/weft-gnn/weft/comm/local"
	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/dataset/synth"
	"github.com/weft-gnn/weft/plan"
	"github.com/weft-gnn/weft/train"
)

// everyAlgorithm has one of every algorithm, on two to six ranks.
var everyAlgorithm = []string{
	"algorithm=1d,partition=1", "algorithm=1d,partition=3", "algorithm=1d,partition=4,partitioner=hash", "algorithm=1d-allgather,partition=2",
	"algorithm=1.5d,partition=4,replication=2", "algorithm=1.5d,partition=6,replication=3", "algorithm=2d,partition=2x2", "algorithm=2d,partition=1x3", "algorithm=3d,partition=1x2x2", "algorithm=3d,partition=2x2x2",
	"algorithm=vertexcut,partition=3", "algorithm=vertexcut,partition=4,partitioner=dbh", "algorithm=feature,feature=3", "algorithm=feature,feature=2", "algorithm=replicas,replica=2",
	"algorithm=weights,feature=3", "algorithm=feature,feature=3,resplit=reduce-scatter", "partition=2,feature=2", "replica=2,partition=2", "replica=2,algorithm=weights,feature=2",
}

// trainedUnder trains on ranks that are goroutines.
func trainedUnder(t *testing.T, cfg train.Config, d *dataset.Dataset, text string, o local.Options) (*train.Result, error) {
	t.Helper()
	p, err := plan.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	owners, err := train.Divide(t.Context(), p, d, cfg.Seed)
	if err != nil {
		t.Fatal(err)
	}
	m := team(p.Ranks(), o)
	m.Plan, m.Owners = p, owners
	return m.Train(t.Context(), train.Settings{Threads: 1}, begins(cfg, d), nil)
}

// TestPlansHaveOneCurve: the loss of 20 steps, dropout on, is that of one rank under
// every plan; a plan that cannot run says so before anything starts. What is
// predicted is counted. Large sets are tried with one of each kind of exchange;
// bench/curves tries all.
func TestPlansHaveOneCurve(t *testing.T) {
	few := []string{"algorithm=1d,partition=3", "algorithm=2d,partition=2x2", "algorithm=vertexcut,partition=3", "algorithm=1.5d,partition=4,replication=2", "algorithm=weights,feature=3"}
	all := []string{"gcn", "sage", "gin", "gat"}
	for _, c := range []struct {
		data          string
		models, plans []string
	}{
		{"karate", all, everyAlgorithm},
		{"citeseer", all, few},
		{"arxiv@0.01", []string{"gcn", "gat"}, few},
		{"products@0.001", []string{"sage"}, few},
		{"reddit@0.01", []string{"gcn"}, few[:2]},
	} {
		if testing.Short() && c.data != "karate" {
			continue // the race detector takes ten times as long
		}
		for _, m := range c.models {
			cfg, d := config(t, m, 20), named(t, c.data)
			one, _ := run(t, cfg, d, train.Settings{Threads: 1})
			for _, text := range c.plans {
				t.Run(fmt.Sprintf("%s/%s/%s", c.data, m, text), func(t *testing.T) { oneCurve(t, cfg, d, text, one) })
			}
		}
	}
}

// named opens a set, or makes the look-alike of one.
func named(t *testing.T, name string) *dataset.Dataset {
	t.Helper()
	if !strings.Contains(name, "@") {
		return open(t, name)
	}
	word, scale, _ := strings.Cut(name, "@")
	var kind synth.Kind
	if err := kind.UnmarshalText([]byte(word)); err != nil {
		t.Fatal(err)
	}
	o := synth.Options{Seed: 1}
	if _, err := fmt.Sscan(scale, &o.Scale); err != nil {
		t.Fatal(err)
	}
	d, err := synth.Generate(t.Context(), kind, o)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func oneCurve(t *testing.T, cfg train.Config, d *dataset.Dataset, text string, one *train.Result) {
	r, err := trainedUnder(t, cfg, d, text, local.Options{})
	if cfg.Model == "gat" && text == "algorithm=feature,feature=3" {
		if err == nil || !strings.Contains(err.Error(), "cannot run gat") {
			t.Errorf("eight heads over three ranks give %v", err)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	near(t, text, r, one, 1e-5)
	if r.Ranks > 1 && r.Counted.Words.Total == 0 {
		t.Error("the ranks sent nothing")
	}
}

// TestDeadRankEndsTheRun: whichever operation of whichever rank fails, the run ends
// with an error that says why.
func TestDeadRankEndsTheRun(t *testing.T) {
	cfg, d := config(t, "gcn", 3), open(t, "karate")
	died := errors.New("the rank was killed")
	for at := 0; ; at += 5 {
		failed := false
		_, err := trainedUnder(t, cfg, d, "algorithm=1d,partition=3", local.Options{Fail: func(rank, operation int) error {
			if rank == 1 && operation == at {
				failed = true
				return died
			}
			return nil
		}})
		if !failed {
			if err != nil {
				t.Fatal(err)
			}
			return
		}
		if !errors.Is(err, died) && (err == nil || !strings.Contains(err.Error(), died.Error())) {
			t.Fatalf("operation %d fails: %v", at, err)
		}
	}
}

// TestWorldMustFitThePlan: another number of ranks is refused.
func TestWorldMustFitThePlan(t *testing.T) {
	cfg, d := config(t, "gcn", 3), open(t, "karate")
	p := plan.OnRanks(3)
	owners, err := train.Divide(t.Context(), p, d, 0)
	if err != nil {
		t.Fatal(err)
	}
	m := team(2, local.Options{})
	m.Plan, m.Owners = p, owners
	_, err = m.Train(t.Context(), train.Settings{}, begins(cfg, d), nil)
	if err == nil || !strings.Contains(err.Error(), "the plan is for 3 ranks, there are 2") {
		t.Errorf("got %v", err)
	}
}
