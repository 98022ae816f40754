//go:build unix

package train_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/weft-gnn/weft/train"
)

// TestOneTrainerPerDirectory: while one trains, others neither begin a run there
// nor go on with it; when it is closed they can.
func TestOneTrainerPerDirectory(t *testing.T) {
	d, dir := open(t, "karate"), filepath.Join(t.TempDir(), "run")
	c := config(t, "mlp", 3)
	first, err := train.New(c, d, train.Settings{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	inUse := func(what string, err error) {
		t.Helper()
		if err == nil || !strings.Contains(err.Error(), "in use") {
			t.Errorf("%s: %v", what, err)
		}
	}
	_, err = train.New(c, d, train.Settings{Dir: dir})
	inUse("a second run", err)
	_, err = train.Resume(dir, d, 0, train.Settings{})
	inUse("resuming beside a run", err)
	if _, err := first.Train(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	second, err := train.Resume(dir, d, 5, train.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	defer second.Close()
	_, err = train.Resume(dir, d, 5, train.Settings{})
	inUse("resuming beside a resumed run", err)
	if r, err := second.Train(t.Context()); err != nil || r.Epochs != 5 {
		t.Errorf("the second run: %v", err)
	}
	if n := lines(t, filepath.Join(dir, "metrics.jsonl")); n != 5 {
		t.Errorf("%d lines of metrics, want 5", n)
	}
}
