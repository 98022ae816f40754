package ondisk

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/dataset/budget"
	"github.com/weft-gnn/weft/dataset/internal/datatest"
)

// FuzzMetadata: any metadata.yaml and any file of weft's own beside real arrays
// are a set or an error.
func FuzzMetadata(f *testing.F) {
	files := graphBoltFiles(f)
	const graph = "graph: {nodes: [{num: 4}], edges: [{format: numpy, path: edges/e.npy}]}\n"
	f.Add([]byte(files["metadata.yaml"]), []byte("{}"))
	f.Add([]byte(graph), []byte("{}"))
	f.Add([]byte("graph: {nodes: [{num: 4}], edges: [{format: csv, path: a.npy}]}\n"), []byte("{}"))
	f.Add([]byte(graph+"weft: w.json\n"), []byte(`{"version": 1, "task": "vertex-classification", "labels": "a.npy", "classes": ["a"],
 "ids": {"int": "a.npy"}, "counts": {"listed": 4}, "splits": [{"name": "s", "train": "a.npy", "val": "c.npy", "test": "d.npy"}],
 "graphs": "a.npy", "targets": "feat.npy", "prep": {"task": "none", "vertex": []}, "notes": ["n"]}`))
	f.Add([]byte(graph+"weft: w.json\n"), []byte(`{"version": 1, "task": "none", "ids": {"bytes": "a.npy", "starts": "c.npy"}, "counts": {"listed": 4}}`))
	f.Add([]byte(graph+"weft: w.json\n"), []byte(`{"version": 1, "task": "none", "counts": {"listed": 4}, "order": "rcm",
 "origin": {"vertices": 4, "arcs": 4, "vertex": "vertex.npy", "edge": "edge.npy", "permuted": true}}`))
	files["vertex.npy"], files["edge.npy"] = string(datatest.NPY(f, []int64{3, 2, 1, 0})), string(datatest.NPY(f, []int64{3, 2, 1, 0}))
	dir := datatest.Files(f, files)
	f.Fuzz(func(t *testing.T, meta, extra []byte) {
		for name, data := range map[string][]byte{metadataFile: meta, "w.json": extra} {
			if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		d, err := openFolder(t.Context(), dir, dataset.Options{Limits: budget.Limits{Floor: 1 << 20, Ratio: 64}})
		if err != nil {
			if !strings.HasPrefix(err.Error(), "dataset: ") {
				t.Errorf("the error is not the package's: %v", err)
			}
			return
		}
		if err := d.Graph.Validate(); err != nil {
			t.Error(err)
		}
		if err := d.Validate(); err != nil {
			t.Error(err)
		}
	})
}
