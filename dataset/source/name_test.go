package source

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/dataset/internal/datatest"
	"github.com/weft-gnn/weft/dataset/ondisk"
)

// TestNameable: a name that means something already, or would not be found, is
// refused; an imported set's own name is not.
func TestNameable(t *testing.T) {
	data := datatest.Files(t, map[string]string{"snap/roads.txt": "# a graph\n0 1\n1 2\n2 3\n"})
	opt := dataset.Options{DataPath: []string{data}, CacheDir: t.TempDir()}
	d, err := tables(t, t.TempDir()).Open(t.Context(), opt, nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"karate": "well-known", "Cora": "well-known", "citeseer": "well-known", "pubmed": "well-known",
		"roads": "means snap/roads already", "snap/roads": "already",
		".hidden": "dot", "a/.b": "dot", "a/b/c/d/e": "at most 4",
	} {
		if err := Nameable(name, opt); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want …%s…", name, err, want)
		}
	}
	for _, name := range []string{"people", "a/b", "a/b/c/d", "karate2", "my roads"} {
		if err := Nameable(name, opt); err != nil {
			t.Fatal(err)
		}
		dir := filepath.Join(opt.CacheDir, filepath.FromSlash(name))
		if err := ondisk.Write(dir, d, ondisk.Options{}); err != nil {
			t.Fatal(err)
		}
		if e, err := Find(name, opt); err != nil || e.Path != dir {
			t.Errorf("%s is found as %+v, %v", name, e, err)
		}
		if err := Nameable(name, opt); err != nil {
			t.Errorf("to be replaced: %v", err)
		}
		if err := os.RemoveAll(filepath.Join(opt.CacheDir, strings.Split(name, "/")[0])); err != nil {
			t.Fatal(err)
		}
	}
}

// TestFoldersOfSets: a folder that holds sets, and is none, says which.
func TestFoldersOfSets(t *testing.T) {
	graph := "# a graph\n0 1\n1 2\n2 3\n"
	dir := datatest.Files(t, map[string]string{"snap/a.txt": graph, "snap/b.txt": graph, "odd/notes": "some words\n", "odd/more": "words\n"})
	for folder, want := range map[string][]string{
		"snap": {"folder of sets", filepath.Join("snap", "a.txt"), filepath.Join("snap", "b.txt")},
		"":     {"folder of sets", filepath.Join("snap", "a.txt")},
		"odd":  {"no layout that weft knows (it holds more, notes)", "planetoid"},
	} {
		_, err := Open(t.Context(), filepath.Join(dir, folder), dataset.Options{})
		datatest.WantError(t, err, want...)
	}
	_, err := Open(t.Context(), t.TempDir(), dataset.Options{})
	datatest.WantError(t, err, "is an empty folder")
}
