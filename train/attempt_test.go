package train_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/weft-gnn/weft/train"
)

// TestAttempts: each attempt keeps its own checkpoint, and removes those before it.
func TestAttempts(t *testing.T) {
	d, dir := open(t, "karate"), filepath.Join(t.TempDir(), "run")
	c := config(t, "gcn", 9)
	whole, weights := run(t, c, d, train.Settings{})
	stopAfter(t, c, d, dir, 3)
	half := filepath.Join(dir, ".checkpoint.safetensors.1234")
	if err := os.WriteFile(half, nil, 0o644); err != nil { // killed while it wrote
		t.Fatal(err)
	}
	for _, c := range []struct{ asked, epochs, attempt int }{{0, 9, 2}, {5, 9, 5}} {
		tr, err := train.Resume(dir, d, c.epochs, train.Settings{Attempt: c.asked})
		r, w := toTheEnd(t, tr, err)
		sameLoss(t, "resumed", r.Loss, whole.Loss)
		sameWeights(t, "resumed", w, weights)
		newest, err := train.Newest(dir)
		finished, err2 := train.Finished(dir)
		if err != nil || err2 != nil || newest != c.attempt || finished != c.attempt {
			t.Errorf("the newest attempt is %d, %d finished; want %d (%v, %v)", newest, finished, c.attempt, err, err2)
		}
	}
	files, err := filepath.Glob(filepath.Join(dir, "*checkpoint*"))
	if err != nil || len(files) != 1 {
		t.Errorf("checkpoints %v (%v), want the newest alone", files, err)
	}
	if _, err := os.Stat(half); !os.IsNotExist(err) {
		t.Error("what a killed attempt wrote in part is still there")
	}
	if _, err := train.Resume(dir, d, 12, train.Settings{Attempt: 4}); err == nil || !strings.Contains(err.Error(), "this is attempt 4") {
		t.Errorf("an attempt from before the last one gave %v", err)
	}
}

// TestHalvesAreRemoved: who takes a run up, or begins one, removes what a process that was
// killed wrote of its files in part, and nothing else.
func TestHalvesAreRemoved(t *testing.T) {
	d, c := open(t, "karate"), config(t, "gcn", 3)
	r, _ := run(t, c, d, train.Settings{Dir: t.TempDir()})
	whole, err := os.ReadDir(r.Dir)
	if err != nil {
		t.Fatal(err)
	}
	litter := func(dir string) (others int) {
		for _, name := range []string{
			".checkpoint.safetensors.12", ".checkpoint-2.safetensors.345", ".config.yaml.6", ".model.safetensors.78", ".result.json.9", ".finished.10",
			".config.yaml.bak", ".finished.", ".notes.11", "result.json.12", ".checkpoint-x.safetensors.13", // others' own
		} {
			if err := os.WriteFile(filepath.Join(dir, name), nil, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		return 5
	}
	dir := t.TempDir()
	others := litter(dir)
	run(t, c, d, train.Settings{Dir: dir})
	if files, err := os.ReadDir(dir); err != nil || len(files) != len(whole)+others {
		t.Errorf("begun: %v (%v), want the %d of a run and %d of others", files, err, len(whole), others)
	}
	litter(dir)
	resumed(t, dir, d, 0) // which has done its epochs
	if files, err := os.ReadDir(dir); err != nil || len(files) != len(whole)+others {
		t.Errorf("taken up: %v (%v), want the %d of a run and %d of others", files, err, len(whole), others)
	}
}

// TestStaleAttempt: a trainer that a later attempt has taken over from changes
// nothing, even where it no longer holds the directory.
func TestStaleAttempt(t *testing.T) {
	d, dir, other := open(t, "karate"), filepath.Join(t.TempDir(), "run"), filepath.Join(t.TempDir(), "other")
	c := config(t, "gcn", 9)
	stale, err := train.New(c, d, train.Settings{Dir: dir, SaveEpochs: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer stale.Close()
	// Another host's copy of the directory stands for one whose locks do not reach.
	if err := os.CopyFS(other, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	tr, err := train.Resume(other, d, 0, train.Settings{})
	_, weights := toTheEnd(t, tr, err)
	if err := os.CopyFS(filepath.Join(dir, "new"), os.DirFS(other)); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"checkpoint-2.safetensors", "model.safetensors", "finished"} {
		if err := os.Rename(filepath.Join(dir, "new", name), filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	before := readAll(t, other)
	if _, err := stale.Train(t.Context()); err == nil || !strings.Contains(err.Error(), "attempt 2 has taken over") {
		t.Errorf("the attempt that was given up ended with %v", err)
	}
	for _, name := range []string{"checkpoint-2.safetensors", "model.safetensors", "finished"} {
		if text, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(text) != before[name] {
			t.Errorf("the attempt that was given up changed %s (%v)", name, err)
		}
	}
	if err := stale.Close(); err != nil {
		t.Fatal(err)
	}
	_, w := resumed(t, dir, d, 0)
	sameWeights(t, "after both", w, weights)
}

// TestFinishedIsLast: the mark is there when the run has ended, and gone while it
// goes on.
func TestFinishedIsLast(t *testing.T) {
	d, dir := open(t, "karate"), filepath.Join(t.TempDir(), "run")
	if n, err := train.Finished(dir); n != 0 || err != nil {
		t.Errorf("no directory: %d, %v", n, err)
	}
	run(t, config(t, "gcn", 3), d, train.Settings{Dir: dir, Progress: func(train.Epoch) {
		if n, err := train.Finished(dir); n != 0 || err != nil {
			t.Errorf("a run that goes on: %d, %v", n, err)
		}
	}})
	if n, err := train.Finished(dir); n != 1 || err != nil {
		t.Errorf("a run that has ended: %d, %v", n, err)
	}
	tr, err := train.Resume(dir, d, 5, train.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	defer tr.Close()
	if n, err := train.Finished(dir); n != 0 || err != nil {
		t.Errorf("a run that was taken up again: %d, %v", n, err)
	}
	if err := os.WriteFile(filepath.Join(dir, "finished"), []byte("yes"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := train.Finished(dir); err == nil {
		t.Error("a mark that is none is believed")
	}
}
