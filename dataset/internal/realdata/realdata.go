// Package realdata finds the files of real data sets for tests, which are skipped
// where one is not at hand.
package realdata

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/weft-gnn/weft/dataset/fetch"
	"github.com/weft-gnn/weft/internal/place"
)

// File returns the path of a file of a real data set, or skips the test.
func File(t testing.TB, set, name string) string {
	t.Helper()
	data, cache := place.Folders(os.Getenv)
	for _, root := range append(data, cache) {
		path := filepath.Join(root, set, filepath.FromSlash(name))
		if _, err := os.Stat(path); err == nil {
			return path
		}
	}
	t.Skip(Needs(fetchable(set, name)))
	return ""
}

// fetchable returns what `weft data fetch` calls the set of a file, or the folder
// where it knows none.
func fetchable(folder, name string) string {
	if set, ok := fetch.SetWith(folder + "/" + name); ok {
		return set
	}
	return folder
}

// Needs says that a real set is not at hand, and what would bring it.
func Needs(set string) string {
	if slices.Contains(fetch.Names(), set) {
		return fmt.Sprintf("needs data set %s: set WEFT_DATA or run weft data fetch %s", set, set)
	}
	return fmt.Sprintf("needs data set %s: set WEFT_DATA to a folder that holds it", set)
}
