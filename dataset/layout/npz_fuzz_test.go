package layout

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/dataset/internal/datatest"
)

// FuzzNPZ: an archive becomes a valid set or an error.
func FuzzNPZ(f *testing.F) {
	f.Add(datatest.NPZ(f, shchurArrays()))
	f.Add(datatest.NPZ(f, maskedArrays()))
	f.Fuzz(func(t *testing.T, data []byte) {
		path := filepath.Join(t.TempDir(), "x.npz")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		d, err := openLayout(t.Context(), path, dataset.Options{Format: "npz", Limits: fuzzLimits})
		checkRead(t, d, err)
	})
}

// FuzzNPZArrays: an archive with one array replaced, whose checksums hold.
func FuzzNPZArrays(f *testing.F) {
	sets := []map[string][]byte{shchurArrays(), maskedArrays()}
	for i, set := range sets {
		for j, name := range slices.Sorted(maps.Keys(set)) {
			f.Add(uint8(i), uint8(j), set[name])
		}
	}
	f.Fuzz(func(t *testing.T, i, j uint8, data []byte) {
		set := sets[int(i)%len(sets)]
		names := slices.Sorted(maps.Keys(set))
		path := filepath.Join(t.TempDir(), "x.npz")
		archive := datatest.NPZ(t, with(set, names[int(j)%len(names)], data))
		if err := os.WriteFile(path, archive, 0o600); err != nil {
			t.Fatal(err)
		}
		d, err := openLayout(t.Context(), path, dataset.Options{Format: "npz", Limits: fuzzLimits})
		checkRead(t, d, err)
	})
}
