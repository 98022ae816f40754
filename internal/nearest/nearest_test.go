package nearest

import (
	"testing"

	"pgregory.net/rapid"
)

// TestEditDistance: the distance equals the recursive definition.
func TestEditDistance(t *testing.T) {
	var slow func(a, b string) int
	slow = func(a, b string) int {
		switch {
		case a == "" || b == "":
			return len(a) + len(b)
		case a[0] == b[0]:
			return slow(a[1:], b[1:])
		}
		least := 1 + min(slow(a[1:], b), slow(a, b[1:]), slow(a[1:], b[1:]))
		if len(a) > 1 && len(b) > 1 && a[0] == b[1] && a[1] == b[0] {
			least = min(least, 1+slow(a[2:], b[2:]))
		}
		return least
	}
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.StringMatching(`[abc]{0,6}`)
		a, b := word.Draw(t, "a"), word.Draw(t, "b")
		if got, want := editDistance(a, b), slow(a, b); got != want {
			t.Errorf("%q %q: %d, want %d", a, b, got, want)
		}
	})
}

// TestNames: the nearest comes first; letters exchanged are one slip.
func TestNames(t *testing.T) {
	models := []string{"mlp", "gcn", "sage", "gin", "gat"}
	for word, want := range map[string]string{"gta": "gat", "gnc": "gcn", "gni": "gin", "sgae": "sage", "mpl": "mlp", "GAT": "gat"} {
		if near := Names(word, models); len(near) == 0 || near[0] != want {
			t.Errorf("%s: got %q, want %s first", word, near, want)
		}
	}
	if near := Names("transformer", models); len(near) > 0 {
		t.Errorf("got %q, want none", near)
	}
}
