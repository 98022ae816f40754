package realdata

import (
	"os"
	"path/filepath"
	"testing"
)

// TestFile: sets lie in the folders of $WEFT_DATA or in the cache that a fetch
// fills.
func TestFile(t *testing.T) {
	cache := t.TempDir()
	t.Setenv("WEFT_DATA", "")
	t.Setenv("WEFT_CACHE", cache)
	want := filepath.Join(cache, "snap", "karate.txt")
	if err := os.MkdirAll(filepath.Dir(want), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(want, []byte("1 2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := File(t, "snap", "karate.txt"); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestNeeds: what is suggested works: a set is fetched by its own name, and none
// that has no address is.
func TestNeeds(t *testing.T) {
	for set, want := range map[string]string{
		"tu/MUTAG": "needs data set tu/MUTAG: set WEFT_DATA or run weft data fetch tu/MUTAG",
		"kg":       "needs data set kg: set WEFT_DATA to a folder that holds it",
	} {
		if got := Needs(set); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	for _, c := range []struct{ set, name, want string }{{"tu", "MUTAG", "tu/MUTAG"}, {"planetoid", "ind.citeseer.x", "citeseer"}, {"kg", "nations-pykeen", "kg"}} {
		if got := fetchable(c.set, c.name); got != c.want {
			t.Errorf("%s/%s: got %s, want %s", c.set, c.name, got, c.want)
		}
	}
}
