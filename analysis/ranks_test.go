package analysis_test

import (
	"errors"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/weft-gnn/weft/analysis"
	"github.com/weft-gnn/weft/comm/local"
	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/dataset/source"
	"github.com/weft-gnn/weft/plan"
	"github.com/weft-gnn/weft/tensor"
	"github.com/weft-gnn/weft/train"
)

// set opens a data set, or skips where it is not at hand.
func set(t testing.TB, name string) *dataset.Dataset {
	t.Helper()
	d, err := source.Open(t.Context(), name, source.Places(os.Getenv))
	var missing *source.NotFoundError
	if errors.As(err, &missing) {
		t.Skipf("needs data set %s: set WEFT_DATA or run weft data fetch %s", name, name)
	}
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// config trains a model for one step.
func config(t testing.TB, name string, d *dataset.Dataset) train.Config {
	t.Helper()
	cfg := train.Defaults(byName(t, name))
	cfg.Data, cfg.Epochs = d.Name, 1
	return cfg
}

// requestOf asks for what a run costs.
func requestOf(t testing.TB, cfg train.Config, d *dataset.Dataset) analysis.Request {
	t.Helper()
	r := analysis.Request{
		Model: byName(t, cfg.Model), Options: cfg.Options, Mode: analysis.Training,
		Decay: cfg.Decay, FoldBytes: cfg.FoldBytes, Steps: int64(cfg.Epochs),
	}
	r.Data, r.Loss = analysis.DataOf(d)
	return r
}

// trained runs one step on the ranks of a plan.
func trained(t testing.TB, p plan.Plan, owners *plan.Owners, cfg train.Config, d *dataset.Dataset) (train.Step, error) {
	t.Helper()
	team := train.Team{Ends: local.World(p.Ranks(), local.Options{}), Plan: p, Owners: owners}
	r, err := team.Train(t.Context(), train.Settings{}, func(s train.Settings) (*train.Trainer, error) { return train.New(cfg, d, s) }, nil)
	if err != nil {
		return train.Step{}, err
	}
	return r.Counted, nil
}

// TestRanksCount: of every algorithm on four ranks the report says what a training
// step counts, or both refuse it: work and bytes of all ranks, words and messages of all and of the
// one that sends most, supersteps, and the largest arena.
func TestRanksCount(t *testing.T) {
	for _, data := range []string{"karate", "cora"} {
		for _, name := range []string{"gcn", "gat"} {
			t.Run(data+"/"+name, func(t *testing.T) {
				d := set(t, data)
				cfg := config(t, name, d)
				for _, p := range oneEach(plan.All(4)) {
					t.Run(p.String(), func(t *testing.T) { countsAs(t, p, cfg, d) })
				}
			})
		}
	}
}

// TestRanksCountLabels: items without a label count for nothing, in whatever order
// they are listed: of classes, and of values of which single ones are missing.
func TestRanksCountLabels(t *testing.T) {
	whole := set(t, "karate")
	classes, values := *whole, *whole
	classes.Splits = []dataset.Split{{Train: []int32{33, 2, 0, 9, 31, 7, 20}}}
	classes.Labels.Class = slices.Clone(whole.Labels.Class)
	classes.Labels.Class[9], classes.Labels.Class[0] = -1, -1
	values.Splits = classes.Splits
	values.Labels = dataset.Labels{Value: tensor.New(whole.Graph.N, 3)}
	for i := range values.Labels.Value.Data {
		if values.Labels.Value.Data[i] = float32(i % 2); i%4 == 0 || i/3 == 20 {
			values.Labels.Value.Data[i] = float32(math.NaN())
		}
	}
	for _, d := range []*dataset.Dataset{&classes, &values} {
		cfg := config(t, "gcn", d)
		for _, text := range []string{"algorithm=1d,partition=1", "algorithm=1d,partition=3", "algorithm=replicas,replica=2"} {
			p, err := plan.Parse(text)
			if err != nil {
				t.Fatal(err)
			}
			t.Run(text, func(t *testing.T) { countsAs(t, p, cfg, d) })
		}
	}
}

// oneEach returns the last plan of each algorithm.
func oneEach(plans []plan.Plan) (some []plan.Plan) {
	for i, p := range plans {
		if i+1 == len(plans) || plans[i+1].Algorithm != p.Algorithm {
			some = append(some, p)
		}
	}
	return some
}

// onRanks asks for a training step of a GCN under a plan.
func onRanks(t *testing.T, text string, d *dataset.Dataset) analysis.Request {
	t.Helper()
	p, err := plan.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return under(t, p, config(t, "gcn", d), d)
}

// under asks for what a run costs under a plan.
func under(t *testing.T, p plan.Plan, cfg train.Config, d *dataset.Dataset) analysis.Request {
	t.Helper()
	r := requestOf(t, cfg, d)
	r.Plan = &p
	var err error
	if r.Owners, err = train.Divide(t.Context(), p, d, cfg.Seed); err != nil {
		t.Fatal(err)
	}
	return r
}

func countsAs(t *testing.T, p plan.Plan, cfg train.Config, d *dataset.Dataset) {
	r := under(t, p, cfg, d)
	rep, err := analysis.Spread(r)
	want, refused := trained(t, p, r.Owners, cfg, d)
	if err != nil || refused != nil {
		if err == nil || refused == nil {
			t.Errorf("the report says %v, training %v", err, refused)
		}
		return
	}
	got := train.Step{
		Work: *rep.Step.Work.Value, Bytes: *rep.Step.Bytes.Value,
		Words:      train.Extreme{Max: *rep.Step.Words.Max, Total: *rep.Step.Words.Value},
		Messages:   train.Extreme{Max: *rep.Step.Messages.Max, Total: *rep.Step.Messages.Value},
		Supersteps: *rep.Step.Supersteps.Value, ArenaBytes: rep.Memory.ArenaBytes,
	}
	if got != want {
		t.Errorf("the report says %+v, training counts %+v", got, want)
	}
	if rep.Ranks != p.Ranks() || *rep.Plan != p.String() {
		t.Errorf("the report is of %q on %d ranks", *rep.Plan, rep.Ranks)
	}
	words := int64(0)
	for _, o := range rep.Ops {
		if !o.Once {
			words += *o.Words.Value
		}
	}
	if words != got.Words.Total {
		t.Errorf("operations send %d words, the step %d", words, got.Words.Total)
	}
}
