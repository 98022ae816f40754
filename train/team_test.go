package train_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/weft-gnn/weft/comm"
	"github.com/weft-gnn/weft/comm/local"
	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/model"
	"github.com/weft-gnn/weft/plan"
	weft "github.com/weft-gnn/weft/runtime"
	"github.com/weft-gnn/weft/tensor"
	"github.com/weft-gnn/weft/train"
)

// team is ranks of this process, which give up when others let them wait.
func team(ranks int, o local.Options) train.Team {
	return train.Team{Ends: local.World(ranks, o), Plan: plan.OnRanks(ranks), Watch: &comm.Watch{Limit: 20 * time.Second}}
}

// begins makes the trainers of a new run.
func begins(c train.Config, d *dataset.Dataset) func(train.Settings) (*train.Trainer, error) {
	return func(set train.Settings) (*train.Trainer, error) { return train.New(c, d, set) }
}

// goesOn makes those of a run in a directory, with so many epochs.
func goesOn(dir string, d *dataset.Dataset, epochs int) func(train.Settings) (*train.Trainer, error) {
	return func(set train.Settings) (*train.Trainer, error) { return train.Resume(dir, d, epochs, set) }
}

func together(t *testing.T, m train.Team, set train.Settings, prepare func(train.Settings) (*train.Trainer, error)) *train.Result {
	t.Helper()
	r, err := m.Train(t.Context(), set, prepare, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// leaks counts the goroutines that f leaves behind, once they have had time to end.
func leaks(f func()) int {
	before := runtime.NumGoroutine()
	f()
	for range 100 {
		if runtime.NumGoroutine() <= before {
			return 0
		}
		time.Sleep(10 * time.Millisecond)
	}
	return runtime.NumGoroutine() - before
}

// plans are one of each algorithm that takes few ranks.
func plans(t *testing.T) []plan.Plan {
	t.Helper()
	var all []plan.Plan
	for _, text := range []string{
		"algorithm=1d,partition=3", "algorithm=1d-allgather,partition=3", "algorithm=2d,partition=2x2", "algorithm=3d,partition=2x1x2",
		"algorithm=1.5d,partition=4,replication=2", "algorithm=feature,feature=3", "algorithm=replicas,replica=3", "algorithm=vertexcut,partition=3",
		"algorithm=weights,feature=3", "partition=2,feature=2",
	} {
		p, err := plan.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	return all
}

// TestNonFiniteOnRanks: features of one vertex overflow float32 in the first
// product, with 1d on the one rank that has it. All ranks stop, and name the same.
func TestNonFiniteOnRanks(t *testing.T) {
	const vertex = 20
	d := *open(t, "karate")
	d.X = d.X.Clone()
	for j := range d.X.Row(vertex) {
		d.X.Row(vertex)[j] = math.MaxFloat32
	}
	for _, p := range plans(t) {
		names := []string{"gcn"}
		if p.Algorithm == plan.OneD {
			names = append(names, "sage", "gat")
		}
		for _, name := range names {
			c := config(t, name, 5)
			c.Options.Dropout, c.Options.EdgeDropout = 0, 0
			owners, err := train.Divide(t.Context(), p, &d, c.Seed)
			if err != nil {
				t.Fatal(err)
			}
			var mu sync.Mutex
			said := map[string]int{}
			n := leaks(func() {
				m := team(p.Ranks(), local.Options{Delay: time.Millisecond, Seed: 4})
				m.Plan, m.Owners = p, owners
				_, err = m.Train(t.Context(), train.Settings{}, func(set train.Settings) (*train.Trainer, error) {
					tr, err := train.New(c, &d, set)
					if err != nil {
						return nil, err
					}
					_, err = tr.Train(t.Context())
					mu.Lock()
					defer mu.Unlock()
					said[fmt.Sprint(err)]++
					return nil, errors.Join(err, tr.Close())
				}, nil)
			})
			var bad *weft.NonFiniteError
			if !errors.As(err, &bad) || bad.Rank < 0 || p.Algorithm == plan.OneD && bad.Rank != int(owners.Vertex[vertex]) {
				t.Errorf("%v, %s: %v; want a loss that is not finite, with 1d because of rank %d", p, name, err, owners.Vertex[vertex])
			}
			if len(said) != 1 || n > 0 {
				t.Errorf("%v, %s: %d goroutines left; the ranks say %v, want all the same", p, name, n, said)
			}
		}
	}
}

// TestMismatch: ranks that were started differently say so before they train.
func TestMismatch(t *testing.T) {
	const odd = 2
	d := open(t, "karate")
	same := config(t, "gcn", 3)
	other := same
	other.LR = 0.02
	fewer := *d
	fewer.Splits = []dataset.Split{d.Splits[0]}
	fewer.Splits[0].Val = d.Splits[0].Val[1:]
	apart := plan.OnRanks(3)
	apart.Algorithm = plan.OneDAllGather
	for what, c := range map[string]struct {
		odd       func(train.Settings) (*train.Trainer, error)
		got, want string
	}{
		"configuration": {begins(other, d), "lr: 0.02", "lr: 0.01"},
		"data":          {begins(same, &fewer), fmt.Sprintf("%d validation items", len(d.Splits[0].Val)-1), fmt.Sprintf("%d validation items", len(d.Splits[0].Val))},
		"plan": {func(set train.Settings) (*train.Trainer, error) {
			set.Rank.Plan = apart
			return train.New(same, d, set)
		}, "plan " + apart.String(), "plan " + plan.OnRanks(3).String()},
	} {
		dir := filepath.Join(t.TempDir(), "run")
		_, err := team(3, local.Options{}).Train(t.Context(), train.Settings{Dir: dir}, func(set train.Settings) (*train.Trainer, error) {
			if set.Rank.Comm.Rank() == odd {
				return c.odd(set)
			}
			return train.New(same, d, set)
		}, nil)
		var differ *train.MismatchError
		if !errors.As(err, &differ) || *differ != (train.MismatchError{Rank: odd, Got: c.got, Want: c.want}) {
			t.Errorf("%s: got %v", what, err)
		}
		if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: a run directory was made: %v", what, err)
		}
	}
}

// TestResumeFromDifferentCheckpoints: a rank that sees another state, on a file
// system that lags behind, is found out.
func TestResumeFromDifferentCheckpoints(t *testing.T) {
	d := open(t, "karate")
	short, long := filepath.Join(t.TempDir(), "short"), filepath.Join(t.TempDir(), "long")
	run(t, config(t, "gcn", 3), d, train.Settings{Dir: short})
	run(t, config(t, "gcn", 4), d, train.Settings{Dir: long})
	_, err := team(2, local.Options{}).Train(t.Context(), train.Settings{}, func(set train.Settings) (*train.Trainer, error) {
		return train.Resume([]string{long, short}[set.Rank.Comm.Rank()], d, 9, set)
	}, nil)
	var differ *train.MismatchError
	if !errors.As(err, &differ) || differ.Rank != 1 || differ.Got != "3 epochs done" || differ.Want != "4 epochs done" {
		t.Errorf("got %v", err)
	}
}

// TestRankLogs: what every rank had and sent, and how it ended, is in the run
// directory.
func TestRankLogs(t *testing.T) {
	d, dir := open(t, "karate"), filepath.Join(t.TempDir(), "run")
	r := together(t, team(3, local.Options{}), train.Settings{Dir: dir}, begins(config(t, "gcn", 4), d))
	vertices, words := 0, int64(0)
	for rank := range 3 {
		text, err := os.ReadFile(filepath.Join(dir, fmt.Sprintf("rank-%d.log", rank)))
		if err != nil {
			t.Fatal(err)
		}
		var v, w int
		for line := range strings.Lines(string(text)) {
			if _, after, ok := strings.Cut(line, " vertices="); ok {
				fmt.Sscan(after, &v)
			}
			if _, after, ok := strings.Cut(line, " step_words="); ok {
				fmt.Sscan(after, &w)
			}
		}
		vertices, words = vertices+v, words+int64(w)
		if n := strings.Count(string(text), "msg=epoch"); n != 4 || !strings.Contains(string(text), "attempt=1") || !strings.HasSuffix(string(text), "msg=end\n") {
			t.Errorf("rank %d: %d epochs in\n%s", rank, n, text)
		}
	}
	if vertices != d.Graph.N || words != r.Counted.Words.Total {
		t.Errorf("the logs have %d vertices and %d words a step, want %d and %d", vertices, words, d.Graph.N, r.Counted.Words.Total)
	}
}

// state reads the matrices of a run's newest checkpoint.
func state(t *testing.T, dir string) map[string]tensor.Matrix {
	t.Helper()
	n, err := train.Newest(dir)
	if err != nil {
		t.Fatal(err)
	}
	name := "checkpoint.safetensors"
	if n > 1 {
		name = fmt.Sprintf("checkpoint-%d.safetensors", n)
	}
	named, _, err := tensor.ReadSafetensors(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return named
}

// TestResumeOnOtherRanks: what 2 ranks saved, any number loads bit for bit, and goes
// on with to rounding.
func TestResumeOnOtherRanks(t *testing.T) {
	d, c := open(t, "karate"), config(t, "gcn", 12)
	c.Patience = 100
	whole := together(t, team(2, local.Options{}), train.Settings{}, begins(c, d))
	c.Epochs = 6
	for _, p := range append(plans(t), plan.OnRanks(1), plan.OnRanks(20)) {
		dir := filepath.Join(t.TempDir(), "run")
		together(t, team(2, local.Options{}), train.Settings{Dir: dir}, begins(c, d))
		saved := state(t, dir)
		for _, epochs := range []int{6, 12} {
			m := team(p.Ranks(), local.Options{})
			m.Plan = p
			r := together(t, m, train.Settings{}, goesOn(dir, d, epochs))
			now := state(t, dir)
			for name, was := range saved {
				if epochs == 6 && !now[name].Equal(was) {
					t.Errorf("%v: %s is not what was saved", p, name)
				}
			}
			// Adam divides by the root of the second moment, which magnifies rounding.
			for i, loss := range r.Loss {
				if far := math.Abs(float64(loss/whole.Loss[i] - 1)); far > 1e-4 || i < 6 && far > 0 {
					t.Errorf("%v: the loss of epoch %d is %v, that of an undisturbed run %v", p, i, loss, whole.Loss[i])
				}
			}
		}
	}
}

// TestRanksStopTogether: a rank that is asked to stop takes the others along; ranks
// of one process save, those that are processes name the last checkpoint.
func TestRanksStopTogether(t *testing.T) {
	d := open(t, "karate")
	for _, apart := range []bool{false, true} {
		dir := filepath.Join(t.TempDir(), "run")
		ctx, cancel := context.WithCancelCause(t.Context())
		set := train.Settings{Dir: dir, SaveEpochs: 4, Progress: func(e train.Epoch) {
			if e.Epoch == 5 {
				cancel(errors.New("enough"))
			}
		}}
		_, err := team(2, local.Options{}).Train(ctx, set, func(set train.Settings) (*train.Trainer, error) {
			set.Rank.Apart = apart
			return train.New(config(t, "gcn", 50), d, set)
		}, nil)
		kept := map[bool]int{false: 6, true: 4}[apart]
		var stopped *train.Interrupted
		if !errors.As(err, &stopped) || stopped.Epoch != 6 || stopped.Kept != kept || stopped.Dir != dir {
			t.Errorf("apart %v: got %v, want that it stopped after 6 epochs and kept %d", apart, err, kept)
		}
		if !train.Agree(err) {
			t.Errorf("the ranks do not agree on %v", err)
		}
		whole, weights := run(t, config(t, "gcn", 8), d, train.Settings{})
		r, w := resumed(t, dir, d, 8)
		if r.Epochs != whole.Epochs {
			t.Errorf("%d epochs", r.Epochs)
		}
		closeWeights(t, w, weights)
	}
}

// closeWeights compares to rounding.
func closeWeights(t *testing.T, got, want *model.Saved) {
	t.Helper()
	for name, w := range want.Weights {
		for i, v := range w.Data {
			if math.Abs(float64(got.Weights[name].Data[i]-v)) > 1e-4*(1+math.Abs(float64(v))) {
				t.Fatalf("%s: element %d is %v, want %v", name, i, got.Weights[name].Data[i], v)
			}
		}
	}
}
