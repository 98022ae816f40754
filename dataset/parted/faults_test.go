package parted

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/dataset/budget"
	"github.com/weft-gnn/weft/dataset/internal/datatest"
	"github.com/weft-gnn/weft/dataset/internal/folder/foldertest"
	"github.com/weft-gnn/weft/graph"
	"github.com/weft-gnn/weft/tensor"
)

// TestFullDisk: whichever operation fails, the error is returned, nothing is left
// behind, and what was there before still reads.
func TestFullDisk(t *testing.T) {
	d := pathSet(t, dataset.VertexClassification)
	for _, before := range []bool{false, true} {
		home := t.TempDir()
		dir := filepath.Join(home, "set")
		if before {
			if err := Write(t.Context(), dir, d, inHalves(), Options{}); err != nil {
				t.Fatal(err)
			}
		}
		start := foldertest.NamesIn(t, home)
		for k := 0; ; k++ {
			disk := &foldertest.FullDisk{Left: k}
			err := write(t.Context(), dir, d, inHalves(), Options{Overwrite: before}, disk.Create)
			if err == nil {
				if k < 60 {
					t.Errorf("only %d operations were tried", k)
				}
				break
			}
			if !errors.Is(err, foldertest.ErrFull) {
				t.Fatalf("operation %d: %v", k, err)
			}
			if got := foldertest.NamesIn(t, home); !slices.Equal(got, start) {
				t.Fatalf("operation %d left %q, was %q", k, got, start)
			}
			if before {
				openAll(t, dir, 2)
			}
		}
		openAll(t, dir, 2)
	}
}

// TestWriteRefuses: what does not fit is said, and what is there stays.
func TestWriteRefuses(t *testing.T) {
	d := pathSet(t, dataset.NoTask)
	home := t.TempDir()
	to := filepath.Join(home, "set")
	several := pathSet(t, dataset.NoTask)
	several.Offsets = []int64{0, 3, 6}
	several.Graph.Graphs = several.Offsets
	broken := pathSet(t, dataset.NoTask)
	broken.X = tensor.New(2, 2)
	for _, c := range []struct {
		d    *dataset.Dataset
		div  Division
		want string
	}{
		{d, Division{}, "0 parts, want 1 or more"},
		{d, Division{Assignment: graph.Assignment{Parts: 1, Vertex: []int32{0}}}, "a division of path: graph: parts of 1 vertices, there are 6"},
		{d, Division{Assignment: graph.Assignment{Parts: 1, Vertex: make([]int32, 6), Arc: []int32{0}}}, "parts of 1 arcs, there are 10"},
		{d, Division{Assignment: graph.Assignment{Parts: 2, Vertex: []int32{0, 0, 2, 0, 0, 0}}}, "vertex 2 is in part 2, want 0 ≤ part < 2"},
		{d, Division{Assignment: graph.Assignment{Parts: 1, Vertex: make([]int32, 6), Arc: slices.Repeat([]int32{-1}, 10)}}, "arc 0 is in part -1"},
		{several, inHalves(), "a set of 2 graphs"},
		{broken, inHalves(), "2 rows of features"},
	} {
		datatest.WantError(t, Write(t.Context(), to, c.d, c.div, Options{}), c.want)
	}
	if left := foldertest.NamesIn(t, home); len(left) != 0 {
		t.Errorf("left %q", left)
	}
	if err := Write(t.Context(), to, d, inHalves(), Options{}); err != nil {
		t.Fatal(err)
	}
	datatest.WantError(t, Write(t.Context(), to, d, inHalves(), Options{}), "is there already")
	other := inHalves()
	other.Seed = 8
	if err := Write(t.Context(), to, d, other, Options{Overwrite: true}); err != nil {
		t.Fatal(err)
	}
	if p := openAll(t, to, 2)[0]; p.Manifest.Seed != 8 {
		t.Error("not replaced")
	}
	letters := datatest.Files(t, map[string]string{"letter.txt": "dear"})
	datatest.WantError(t, Write(t.Context(), letters, d, inHalves(), Options{Overwrite: true}), "not a divided data set")
}

// edited writes the path in halves, gives its manifest to edit, and writes it back
// with a hash that fits.
func edited(t testing.TB, edit func(m *Manifest)) string {
	t.Helper()
	return changed(t, func(m *Manifest) {
		edit(m)
		var err error
		if m.Hash, err = m.hash(); err != nil {
			t.Fatal(err)
		}
	})
}

// changed is edited with the hash that the manifest had.
func changed(t testing.TB, edit func(m *Manifest)) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "set")
	if err := write(t.Context(), dir, pathSet(t, dataset.VertexClassification), inHalves(), Options{}, foldertest.CreateUnsynced); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, ManifestFile)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	m := new(Manifest)
	if err := json.Unmarshal(data, m); err != nil {
		t.Fatal(err)
	}
	edit(m)
	if data, err = json.Marshal(m); err == nil {
		err = os.WriteFile(path, data, 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestManifestIsChecked: counts that do not add up, and all else that a manifest may
// have wrong, are errors that name the file.
func TestManifestIsChecked(t *testing.T) {
	for want, edit := range map[string]func(m *Manifest){
		"version is 9, want 3":                           func(m *Manifest) { m.Version = 9 },
		"parts of 6 vertices and 10 arcs, the set has 7": func(m *Manifest) { m.Vertices = 7 },
		"the set has 6 and 11":                           func(m *Manifest) { m.Arcs = 11 },
		"part 1: 3 vertices and 5 arcs, the set has 5":   func(m *Manifest) { m.Vertices = 5 },
		"part 0: -1 vertices":                            func(m *Manifest) { m.Parts[0].Vertices = -1 },
		"part 0: 4 other vertices, 3 are left":           func(m *Manifest) { m.Parts[0].Others = 4 },
		"part 1: 4 rows of 3 vertices":                   func(m *Manifest) { m.Parts[1].Rows = 4 },
		"0 parts: want 0 or more, and a part":            func(m *Manifest) { m.Parts = nil },
		"-1 features":                                    func(m *Manifest) { m.Features = -1 },
		`ids "x", want none, int or text`:                func(m *Manifest) { m.IDs = "x" },
		"the task graph-regression":                      func(m *Manifest) { m.Task = dataset.GraphRegression },
		"sizes of 6 vertices, 10 arcs and 1 loops":       func(m *Manifest) { m.Sizes.Loops = 1 },
		"a vertex of 12 arcs, the set has 10":            func(m *Manifest) { m.Sizes.In = 12 },
		"-1 entries of the features":                     func(m *Manifest) { m.Nonzeros = -1 },
		`split "own": -2 items`:                          func(m *Manifest) { m.Splits[0].Val.Items = -2 },
		"over the limit":                                 func(m *Manifest) { m.Vertices = 1 << 40 },
		"prep: ": func(m *Manifest) {
			m.Prep = &dataset.Prep{Vertex: []dataset.PrepColumn{{Name: "x", Scale: -1}}}
		},
	} {
		dir := edited(t, edit)
		_, err := Open(dir, 0, ReadOptions{})
		datatest.WantError(t, err, "dataset: ", ManifestFile, want)
	}
}

// TestManifestIsHashed: numbers that agree with all others, and so can be wrong unseen,
// were changed where the hash says so.
func TestManifestIsHashed(t *testing.T) {
	for name, edit := range map[string]func(m *Manifest){
		"nonzeros": func(m *Manifest) { m.Nonzeros++ },
		"sizes":    func(m *Manifest) { m.Sizes.In++ },
		"items":    func(m *Manifest) { m.Splits[0].Train.Present-- },
		"classes":  func(m *Manifest) { m.Classes[0] += "x" },
		"method":   func(m *Manifest) { m.Method = "hash" },
		"counts":   func(m *Manifest) { m.Counts.Dropped++ },
		"digests":  func(m *Manifest) { m.Parts[0].Files["feat.npy"] = "" },
		"hash":     func(m *Manifest) { m.Hash = "" },
	} {
		t.Run(name, func(t *testing.T) {
			_, err := ReadManifest(changed(t, edit), ReadOptions{})
			datatest.WantError(t, err, ManifestFile, "the hash is not that of what it says")
		})
	}
	if _, err := ReadManifest(changed(t, func(*Manifest) {}), ReadOptions{}); err != nil {
		t.Error(err)
	}
}

// TestFilesAreChecked: a file that is not what the manifest says is an error that
// names it.
func TestFilesAreChecked(t *testing.T) {
	for _, c := range []struct {
		file    string
		content any
		want    string
	}{
		{"vertex.npy", []int32{0, 1, 2}, "shape [3], want [4]"},
		{"vertex.npy", []int32{0, 2, 1, 3}, "entry 2: vertex 1 after 2"},
		{"vertex.npy", []int32{0, 1, 6, 3}, "entry 2 is 6, want 0 ≤ x < 6"},
		{"vertex.npy", []int64{0, 1, 2, 1 << 33}, "entry 3 is 8589934592, want a number of 32 bits"},
		{"vertex.npy", []float32{0, 1, 2, 3}, "vertex.npy"},
		{"owner.npy", []int32{0}, "entry 0: the part owns it itself"},
		{"owner.npy", []int32{2}, "entry 0 is 2"},
		{"indptr.npy", []int64{0, 1, 3, 4}, "do not ascend from 0 to 5"},
		{"indptr.npy", []int64{0, 3, 1, 5}, "do not ascend from 0 to 5"},
		{"arcs_into.npy", []int32{1, 2, 2, 11}, "entry 3 is 11, want 0 ≤ x < 11"},
		{"norm.npy", []float64{1, 2}, "shape [2], want [4]"},
		{"indices.npy", []int32{1, 0, 2, 1, 4}, "entry 4 is 4, want 0 ≤ x < 4"},
		{"edge.npy", []int64{0, 1, 2, 3, -1}, "entry 4 is -1"},
		{"send.npy", []int32{3}, "entry 0 is 3, want 0 ≤ x < 3"},
		{"send_ptr.npy", []int64{0, 1, 1}, "has a list for itself"},
		{"send_ptr.npy", []int64{0, 0, 0}, "do not ascend from 0 to 1"},
		{"labels.npy", []int32{0, 1, 2}, "entry 2 is 2, want -1 ≤ x < 2"},
		{"split_0_train.npy", []int32{3}, "entry 0 is 3, want 0 ≤ x < 3"},
		{"id_starts.npy", []int64{0, 1, 2, 3, 9}, "do not ascend from 0 to 4"},
		{"feat.npy", []float32{1, 2, 3}, "shape [3], want [3 1]"},
	} {
		dir := edited(t, func(*Manifest) {})
		file := filepath.Join(dir, "part-0", c.file)
		if err := os.WriteFile(file, datatest.NPY(t, c.content), 0o666); err != nil {
			t.Fatal(err)
		}
		_, err := Open(dir, 0, ReadOptions{})
		datatest.WantError(t, err, "dataset: ", file, c.want)
		if _, err := Open(dir, 1, ReadOptions{Verify: true}); err != nil {
			t.Errorf("part 1 does not open because of a file of part 0: %v", err)
		}
		_, err = Open(dir, 0, ReadOptions{Verify: true})
		datatest.WantError(t, err, file, "not the file that was written")
	}
}

// TestOpenRefuses: a folder that is none, a part that there is not, files that are
// missing or too many bytes.
func TestOpenRefuses(t *testing.T) {
	dir := edited(t, func(*Manifest) {})
	for _, rank := range []int{-1, 2} {
		_, err := Open(dir, rank, ReadOptions{})
		datatest.WantError(t, err, "is divided in 2 parts, there is none of rank")
	}
	_, err := Open(t.TempDir(), 0, ReadOptions{})
	datatest.WantError(t, err, ManifestFile)
	_, err = Open(datatest.Files(t, map[string]string{ManifestFile: "{"}), 0, ReadOptions{})
	datatest.WantError(t, err, ManifestFile)
	_, err = Open(edited(t, func(m *Manifest) { delete(m.Parts[0].Files, "feat.npy") }), 0, ReadOptions{})
	datatest.WantError(t, err, "the manifest lacks the file feat.npy")
	_, err = Open(edited(t, func(m *Manifest) { m.Parts[0].Files["../x"] = "" }), 0, ReadOptions{Verify: true})
	datatest.WantError(t, err, "outside the folder")
	if err := os.Remove(filepath.Join(dir, "part-0", "edge.npy")); err != nil {
		t.Fatal(err)
	}
	_, err = Open(dir, 0, ReadOptions{})
	datatest.WantError(t, err, "edge.npy")
	_, err = Open(dir, 0, ReadOptions{Verify: true})
	datatest.WantError(t, err, "edge.npy")
	_, err = Open(dir, 1, ReadOptions{Limits: budget.Limits{Vertices: 5}})
	datatest.WantError(t, err, "over the limit of 5")
}

// TestAbsentFiles: a vertex-cut says which sums go where, and what is not there is
// not read: weights of 1 and features of no columns have no files.
func TestAbsentFiles(t *testing.T) {
	g, err := graph.FromCOO(3, []int32{0, 1}, []int32{2, 2}, nil, graph.Policy{})
	if err != nil {
		t.Fatal(err)
	}
	d := &dataset.Dataset{Name: "set", Graph: g, X: tensor.New(3, 0)}
	dir := filepath.Join(t.TempDir(), "set")
	if err := Write(t.Context(), dir, d, Division{Assignment: graph.Assignment{Parts: 2, Vertex: []int32{0, 1, 0}, Arc: []int32{0, 1}}}, Options{}); err != nil {
		t.Fatal(err)
	}
	want := "arcs_into.npy edge.npy gather.npy gather_ptr.npy indices.npy indptr.npy norm.npy owner.npy send.npy send_ptr.npy vertex.npy"
	if got := strings.Join(foldertest.NamesIn(t, filepath.Join(dir, "part-0")), " "); got != want {
		t.Errorf("files %s, want %s", got, want)
	}
	all := openAll(t, dir, 2)
	if !slices.Equal(all[0].Gather.To(1), []int32{1}) || all[1].Rows != 2 || all[0].X.Rows != 2 || all[0].Send.To(1) == nil {
		t.Errorf("part 0 gathers %v, part 1 has %d rows", all[0].Gather.To(1), all[1].Rows)
	}
}
