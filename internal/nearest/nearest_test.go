package nearest

import (
	"testing"

	"pgregory.net/rapid"
)

// TestEditDistance: the distance is a metric, by the triangle inequality and
// symmetry, and equals the recursive definition.
func TestEditDistance(t *testing.T) {
	var slow func(a, b string) int
	slow = func(a, b string) int {
		switch {
		case a == "" || b == "":
			return len(a) + len(b)
		case a[0] == b[0]:
			return slow(a[1:], b[1:])
		}
		return 1 + min(slow(a[1:], b), slow(a, b[1:]), slow(a[1:], b[1:]))
	}
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.StringMatching(`[abc]{0,6}`)
		a, b := word.Draw(t, "a"), word.Draw(t, "b")
		if got, want := editDistance(a, b), slow(a, b); got != want {
			t.Errorf("%q %q: %d, want %d", a, b, got, want)
		}
	})
}
