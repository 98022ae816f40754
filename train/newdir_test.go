package train

import (
	"os"
	"path/filepath"
	"sync"
	"testing"
)

func TestDirName(t *testing.T) {
	for data, want := range map[string]string{
		"karate": "karate", "tu/MUTAG": "tu-MUTAG", "/data/my set.csv": "my-set", "./graphs/a.b/": "a", "../x/people.yaml": "people",
		"übung": "übung", "...": "",
	} {
		if got := dirName(data); got != want {
			t.Errorf("%q is called %q, want %q", data, got, want)
		}
	}
}

// TestNewDirIsNobodyElses: runs that start together get folders of their own.
func TestNewDirIsNobodyElses(t *testing.T) {
	root := filepath.Join(t.TempDir(), "runs")
	const runs = 20
	dirs, errs := make([]string, runs), make([]error, runs)
	var wait sync.WaitGroup
	for i := range runs {
		wait.Go(func() { dirs[i], errs[i] = NewDir(root, Config{Model: "gcn", Data: "tu/X", Seed: 7}) })
	}
	wait.Wait()
	seen := map[string]bool{}
	for i, dir := range dirs {
		if errs[i] != nil {
			t.Fatal(errs[i])
		}
		if seen[dir] {
			t.Errorf("%s was given twice", dir)
		}
		seen[dir] = true
	}
	for _, n := range []string{"1", "20"} {
		if !seen[filepath.Join(root, "gcn-tu-X-7-"+n)] {
			t.Errorf("no run is number %s of %v", n, dirs)
		}
	}
}

func TestNewDirSaysWhy(t *testing.T) {
	file := filepath.Join(t.TempDir(), "runs")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if dir, err := NewDir(file, Config{}); err == nil {
		t.Errorf("made %s below a file", dir)
	}
}
