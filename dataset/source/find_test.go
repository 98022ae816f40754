package source

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/dataset/internal/datatest"
	"github.com/weft-gnn/weft/dataset/internal/realdata"
	"github.com/weft-gnn/weft/dataset/ondisk"
)

// collection writes a data folder with sets of several layouts, two of them
// called alike.
func collection(t testing.TB) string {
	edges := "1 2\n2 3\n3 1\n"
	return datatest.Files(t, map[string]string{
		"snap/ring.txt":            edges,
		"snap/road-net_CA.txt":     edges,
		"snap/README.md":           "about",
		"metis/ring.graph":         "3 2\n2\n1 3\n2\n",
		"metis/path.graph":         "3 2\n2\n1 3\n2\n",
		"npz/cora.npz":             graphArchive(t),
		"planetoid/ind.cora.x":     "",
		"planetoid/ind.tiny.x":     "",
		"planetoid/ind.cora.graph": "",
		"planetoid/ind.tiny.graph": "",
		"deep/er/still/path.graph": "2 1\n2\n1\n",
	})
}

func TestFind(t *testing.T) {
	root := collection(t)
	opt := dataset.Options{DataPath: []string{root}}
	for _, c := range []struct{ ref, name, format string }{
		{"karate", "karate", ""},
		{"cora", "planetoid/cora", "planetoid"},
		{"Cora", "planetoid/cora", "planetoid"},
		{"npz/cora", "npz/cora", "npz"},
		{"planetoid/cora", "planetoid/cora", "planetoid"},
		{"tiny", "planetoid/tiny", "planetoid"},
		{"snap/ring", "snap/ring", "snap"},
		{"snap/ring.txt", "snap/ring", "snap"},
		{"metis/ring", "metis/ring", "metis"},
		{"road-net_CA", "snap/road-net_CA", "snap"},
		{"ROAD-NET-CA", "snap/road-net_CA", "snap"},
		{"er/still/path", "deep/er/still/path", "metis"},
		{filepath.Join(root, "snap", "ring.txt"), "ring", ""},
		{filepath.Join(root, "planetoid", "ind.tiny"), "ind", ""},
	} {
		e, err := Find(c.ref, opt)
		if err != nil {
			t.Errorf("%s: %v", c.ref, err)
			continue
		}
		if e.Name != c.name || e.Format != c.format {
			t.Errorf("%s: %+v, want %s (%s)", c.ref, e, c.name, c.format)
		}
	}
}

func TestFindAmbiguous(t *testing.T) {
	opt := dataset.Options{DataPath: []string{collection(t)}}
	_, err := Find("ring", opt)
	datatest.WantError(t, err, `"ring"`, "metis/ring", "snap/ring")
	var a *AmbiguousError
	if !errors.As(err, &a) || len(a.Found) != 2 {
		t.Errorf("%T %v, want an AmbiguousError of two", err, err)
	}
}

// TestFindOnlyOtherCora: the bare name never silently means the other set.
func TestFindOnlyOtherCora(t *testing.T) {
	root := datatest.Files(t, map[string]string{"npz/cora.npz": graphArchive(t)})
	_, err := Find("cora", dataset.Options{DataPath: []string{root}})
	datatest.WantError(t, err, "Planetoid", "npz/cora")
}

func TestFindShadows(t *testing.T) {
	first, second := collection(t), collection(t)
	e, err := Find("metis/path", dataset.Options{DataPath: []string{first, second}, CacheDir: second})
	if err != nil || e.Path != filepath.Join(first, "metis", "path.graph") {
		t.Errorf("%+v, %v: want the first folder's", e, err)
	}
	os.Remove(e.Path)
	e, err = Find("metis/path", dataset.Options{DataPath: []string{first}, CacheDir: second})
	if err != nil || e.Path != filepath.Join(second, "metis", "path.graph") {
		t.Errorf("%+v, %v: want the cache's", e, err)
	}
}

// TestFindPathOrName: a file here and a set there of one name are ambiguous; the
// built-in set is what its name says, and ./ always means the file.
func TestFindPathOrName(t *testing.T) {
	root := collection(t)
	here := datatest.Files(t, map[string]string{"tiny": "1 2\n", "karate": "1 2\n", "own": "1 2\n"})
	t.Chdir(here)
	opt := dataset.Options{DataPath: []string{root}}
	_, err := Find("tiny", opt)
	datatest.WantError(t, err, "planetoid/tiny", "./tiny")
	if e, err := Find("./tiny", opt); err != nil || e.Path != "./tiny" {
		t.Errorf("%+v, %v", e, err)
	}
	if e, err := Find("karate", opt); err != nil || e.Path != "" {
		t.Errorf("%+v, %v: want the built-in set", e, err)
	}
	if e, err := Find("own", opt); err != nil || e.Path != "own" {
		t.Errorf("%+v, %v", e, err)
	}
	t.Chdir(filepath.Join(root, "metis"))
	if e, err := Find("path.graph", dataset.Options{DataPath: []string{filepath.Join(root, "metis")}}); err != nil || e.Format != "metis" {
		t.Errorf("%+v, %v: one file found twice is one set", e, err)
	}
}

func TestFindNothing(t *testing.T) {
	root := collection(t)
	_, err := Find("citeser", dataset.Options{DataPath: []string{root}})
	datatest.WantError(t, err, `"citeser"`, "did you mean citeseer?", root)
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v is not fs.ErrNotExist", err)
	}
	_, err = Find("metis/pth", dataset.Options{DataPath: []string{root}})
	datatest.WantError(t, err, "metis/path")
	_, err = Find("nothing-like-it", dataset.Options{DataPath: []string{filepath.Join(root, "absent")}})
	if datatest.WantError(t, err, "nothing-like-it"); strings.Contains(err.Error(), "did you mean") {
		t.Errorf("%v suggests", err)
	}
	t.Chdir(datatest.Files(t, map[string]string{"citeser.csv": "id,prediction\n"}))
	_, err = Find("citeser", dataset.Options{DataPath: []string{root}})
	datatest.WantError(t, err, `no set or file is called "citeser"`, "did you mean citeseer?")
	_, err = Find("karat", dataset.Options{})
	datatest.WantError(t, err, "karate", "WEFT_DATA")
	_, err = Find("", dataset.Options{})
	datatest.WantError(t, err, "no data")
	_, err = Find("./absent.txt", dataset.Options{})
	datatest.WantError(t, err, "absent.txt")
}

// TestFindWhatCannotBeRead: a relative path of something that is there, and is
// neither a file nor a folder, is not said to be absent.
func TestFindWhatCannotBeRead(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.Symlink("loop", "loop"); err != nil {
		t.Skip(err) // a system without links
	}
	_, err := Find("loop", dataset.Options{})
	var missing *NotFoundError
	if err == nil || errors.As(err, &missing) {
		t.Errorf("a link to itself: %v", err)
	}
}

// TestCacheThatCannotBeRead hides no set of the data path.
func TestCacheThatCannotBeRead(t *testing.T) {
	root := collection(t)
	opt := dataset.Options{DataPath: []string{root}, CacheDir: filepath.Join(root, "snap", "ring.txt", "cache")}
	if e, err := Find("metis/path", opt); err != nil || e.Name != "metis/path" {
		t.Errorf("%+v, %v", e, err)
	}
}

func TestList(t *testing.T) {
	got, err := List([]string{collection(t), "/absent"})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range got {
		names = append(names, e.Name+" "+e.Format)
	}
	want := []string{"karate ", "deep/er/still/path metis", "metis/path metis", "metis/ring metis", "npz/cora npz",
		"planetoid/cora planetoid", "planetoid/tiny planetoid", "snap/ring snap", "snap/road-net_CA snap"}
	if !slices.Equal(names, want) {
		t.Errorf("got  %q\nwant %q", names, want)
	}
}

func TestOpenFormat(t *testing.T) {
	root := collection(t)
	path := filepath.Join(root, "metis", "path.graph")
	_, err := Open(t.Context(), path, dataset.Options{Format: "metsi"})
	datatest.WantError(t, err, `"metsi"`, `did you mean "metis"?`)
	d, err := Open(t.Context(), path, dataset.Options{Format: "METIS"})
	if err != nil || d.Graph.N != 3 {
		t.Errorf("%v", err)
	}
	_, err = Open(t.Context(), path, dataset.Options{Format: "npz"})
	datatest.WantError(t, err, "path.graph")
	_, err = Open(t.Context(), filepath.Join(root, "snap", "README.md"), dataset.Options{})
	datatest.WantError(t, err, "README.md")
}

func TestOpenUnreadKind(t *testing.T) {
	path := realdata.File(t, "hetero", "ACM-heco")
	_, err := Open(t.Context(), "hetero/ACM-heco", dataset.Options{DataPath: []string{filepath.Dir(filepath.Dir(path))}})
	datatest.WantError(t, err, "ACM-heco", "several kinds of vertices")
}

// graphArchive has the names of the arrays of a graph.
func graphArchive(t testing.TB) string {
	return string(datatest.NPZ(t, map[string][]byte{"adj_indices": nil, "adj_indptr": nil, "adj_shape": nil}))
}

// TestNotASetButAFolderOfSets: what lies in a folder of that name is proposed.
func TestNotASetButAFolderOfSets(t *testing.T) {
	graph := "# a graph\n0 1\n1 2\n2 3\n"
	root := datatest.Files(t, map[string]string{"roads/a.txt": graph, "roads/b.txt": graph})
	_, err := Find("roads", dataset.Options{DataPath: []string{root}})
	datatest.WantError(t, err, `"roads"`, "did you mean roads/a or roads/b?")
}

// TestFoldersNamesHaveNoEndings: a point in a folder's name is a part of it.
func TestFoldersNamesHaveNoEndings(t *testing.T) {
	cache := t.TempDir()
	d, err := tables(t, t.TempDir()).Open(t.Context(), dataset.Options{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"arxiv@0.1", "arxiv@0.2"} {
		if err := ondisk.Write(filepath.Join(cache, name), d, ondisk.Options{}); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"arxiv@0.1", "arxiv@0.2"} {
		if e, err := Find(name, dataset.Options{CacheDir: cache}); err != nil || e.Name != name || e.Path != filepath.Join(cache, name) {
			t.Errorf("%s: found %+v, %v", name, e, err)
		}
	}
}
