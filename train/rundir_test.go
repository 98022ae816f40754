package train_test

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/model"
	"github.com/weft-gnn/weft/tensor"
	"github.com/weft-gnn/weft/train"
)

// killed leaves a run directory as a process that dies before its first epoch
// ends leaves it.
func killed(t *testing.T, c train.Config, d *dataset.Dataset, s train.Settings) {
	t.Helper()
	tr, err := train.New(c, d, s)
	if err != nil {
		t.Fatal(err)
	}
	if err := tr.Close(); err != nil {
		t.Fatal(err)
	}
}

func resumed(t *testing.T, dir string, d *dataset.Dataset, epochs int) (*train.Result, *model.Saved) {
	t.Helper()
	tr, err := train.Resume(dir, d, epochs, train.Settings{})
	return toTheEnd(t, tr, err)
}

// TestKilledBeforeTheFirstEpoch: the run can be resumed all the same, from the
// initial weights it was given.
func TestKilledBeforeTheFirstEpoch(t *testing.T) {
	d := open(t, "karate")
	_, given := run(t, config(t, "gcn", 2), d, train.Settings{})
	for what, init := range map[string]map[string]tensor.Matrix{"drawn": nil, "given": given.Weights} {
		c, dir := config(t, "gcn", 5), filepath.Join(t.TempDir(), "run")
		c.Seed = 77
		want, weights := run(t, c, d, train.Settings{Init: init})
		killed(t, c, d, train.Settings{Dir: dir, Init: init})
		got, w := resumed(t, dir, d, 0)
		sameLoss(t, what+" weights", got.Loss, want.Loss)
		sameWeights(t, what+" weights", w, weights)
	}
}

// TestKilledBeforeItBegan: without a configuration there is no run, whatever
// else a dying process has left.
func TestKilledBeforeItBegan(t *testing.T) {
	d, dir := open(t, "karate"), filepath.Join(t.TempDir(), "run")
	killed(t, config(t, "gat", 3), d, train.Settings{Dir: dir})
	if err := os.Remove(filepath.Join(dir, "config.yaml")); err != nil {
		t.Fatal(err)
	}
	if r, _ := run(t, config(t, "gcn", 3), d, train.Settings{Dir: dir}); r.Epochs != 3 {
		t.Errorf("%d epochs, want 3", r.Epochs)
	}
}

// TestNothingIsLeftOfARunThatCannotBegin: its checkpoint cannot be written.
func TestNothingIsLeftOfARunThatCannotBegin(t *testing.T) {
	d, dir := open(t, "karate"), t.TempDir()
	inTheWay := filepath.Join(dir, "checkpoint.safetensors", "x")
	if err := os.MkdirAll(inTheWay, 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := train.New(config(t, "gcn", 1), d, train.Settings{Dir: dir}); err == nil {
		t.Fatal("a run without a checkpoint began")
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 1 {
		t.Errorf("%v left beside the obstacle: %v", left, err)
	}
}

// TestMetricsOfARunThatFails are kept up to the epoch before.
func TestMetricsOfARunThatFails(t *testing.T) {
	d, dir := open(t, "karate"), filepath.Join(t.TempDir(), "run")
	c := config(t, "gcn", 9)
	c.LR = 1e30
	tr, err := train.New(c, d, train.Settings{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer tr.Close()
	if _, err := tr.Train(t.Context()); err == nil {
		t.Fatal("a learning rate of 1e30 did not fail")
	}
	if n := lines(t, filepath.Join(dir, "metrics.jsonl")); n != 1 {
		t.Errorf("%d epochs in the metrics, want the first", n)
	}
}

func TestCloseTwice(t *testing.T) {
	d, dir := open(t, "karate"), filepath.Join(t.TempDir(), "run")
	tr, err := train.New(config(t, "mlp", 1), d, train.Settings{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := tr.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestResumeToFewerEpochs(t *testing.T) {
	d, dir := open(t, "karate"), filepath.Join(t.TempDir(), "run")
	run(t, config(t, "mlp", 6), d, train.Settings{Dir: dir})
	before := readAll(t, dir)
	if _, err := train.Resume(dir, d, 5, train.Settings{}); err == nil || !strings.Contains(err.Error(), "has done 6 epochs") {
		t.Errorf("5 epochs after 6 gave %v", err)
	}
	unchanged(t, "a refused number of epochs", readAll(t, dir), before)
	if r, _ := resumed(t, dir, d, 6); r.Epochs != 6 {
		t.Errorf("%d epochs after 6 of 6", r.Epochs)
	}
}

// readAll returns what the files of a folder hold.
func readAll(t *testing.T, dir string) map[string]string {
	t.Helper()
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, f := range files {
		text, err := os.ReadFile(filepath.Join(dir, f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		out[f.Name()] = string(text)
	}
	return out
}

func unchanged(t *testing.T, what string, got, want map[string]string) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: %d files, want %d", what, len(got), len(want))
	}
	for name, text := range want {
		if got[name] != text {
			t.Errorf("%s changed %s", what, name)
		}
	}
}

// TestDamagedCheckpoints are refused before anything of the run is changed.
func TestDamagedCheckpoints(t *testing.T) {
	d, dir := open(t, "karate"), filepath.Join(t.TempDir(), "run")
	c := config(t, "gcn", 4)
	c.Patience = 50
	run(t, c, d, train.Settings{Dir: dir})
	path := filepath.Join(dir, "checkpoint.safetensors")
	for what, damage := range map[string]func(named map[string]tensor.Matrix, progress *string){
		`there is no "best.layer0.bias"`:      func(m map[string]tensor.Matrix, _ *string) { delete(m, "best.layer0.bias") },
		`"best.layer1.weight" is 1×2`:         func(m map[string]tensor.Matrix, _ *string) { m["best.layer1.weight"] = tensor.New(1, 2) },
		`there is no "state.layer0.weight.m"`: func(m map[string]tensor.Matrix, _ *string) { delete(m, "state.layer0.weight.m") },
		`"param.layer1.bias" is 2×1`:          func(m map[string]tensor.Matrix, _ *string) { m["param.layer1.bias"] = tensor.New(2, 1) },
		`is NaN in row 0, column 1`:           func(m map[string]tensor.Matrix, _ *string) { m["param.layer1.bias"].Data[1] = float32(math.NaN()) },
		`is +Inf in row 0, column 0`:          func(m map[string]tensor.Matrix, _ *string) { m["best.layer0.bias"].Data[0] = float32(math.Inf(1)) },
		`9 epochs with 4 losses`:              func(_ map[string]tensor.Matrix, p *string) { *p = strings.Replace(*p, `"Epoch":4`, `"Epoch":9`, 1) },
		`holds no progress`:                   func(_ map[string]tensor.Matrix, p *string) { *p = "" },
		`epochs of 4 without improvement`:     func(_ map[string]tensor.Matrix, p *string) { *p = strings.Replace(*p, `"Waited":`, `"Waited":99`, 1) },
		`is the best of 4`:                    func(_ map[string]tensor.Matrix, p *string) { *p = strings.Replace(*p, `"Best":`, `"Best":7`, 1) },
	} {
		named, meta, err := tensor.ReadSafetensors(path)
		if err != nil {
			t.Fatal(err)
		}
		whole := readAll(t, dir)
		progress := meta["weft.progress"]
		damage(named, &progress)
		if err := tensor.WriteSafetensors(path, named, map[string]string{"weft.progress": progress}); err != nil {
			t.Fatal(err)
		}
		before := readAll(t, dir)
		if _, err := train.Resume(dir, d, 9, train.Settings{}); err == nil || !strings.Contains(err.Error(), what) || !strings.Contains(err.Error(), path) {
			t.Errorf("got %v, want …%s…", err, what)
		}
		unchanged(t, what, readAll(t, dir), before)
		if err := os.WriteFile(path, []byte(whole["checkpoint.safetensors"]), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if r, _ := resumed(t, dir, d, 6); r.Epochs != 6 {
		t.Errorf("the checkpoint made whole again: %d epochs, want 6", r.Epochs)
	}
}

// TestConfigThatNoRunWrote is refused before the parser, whose time and memory
// grow with the square of the nesting, sees it.
func TestConfigThatNoRunWrote(t *testing.T) {
	dir := t.TempDir()
	for what, text := range map[string]string{
		"nested":                "data: " + strings.Repeat("[", 20_000),
		"more than the limit":   "skip_passes: [" + strings.Repeat("none,", 1<<18) + "]",
		"want one YAML":         "",
		"config.yaml:2:1":       "data: karate\nmodels: gcn\n",
		"config.yaml:2:8":       "data: karate\nmodel: [gcn]\n",
		"anchors and aliases":   "data: &d karate\nmodel: *d\n",
		"config.yaml:3:1: mapp": "data: karate\nseed: 1\nseed: 2\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, "config.yaml"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := train.ReadConfig(dir); err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("got %v, want …%s…", err, what)
		}
	}
}
