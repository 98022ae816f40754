package datatest

import "pgregory.net/rapid"

// DrawName draws what a user may call a column or file, awkward ones too.
func DrawName(t *rapid.T, label string) string {
	return rapid.OneOf(
		rapid.StringMatching(`[a-z][a-z0-9_]{0,6}`),
		rapid.SampledFrom([]string{"true", "12", "null", "a: b", "# x", "über", "it's", `say "hi"`, "-1.5", "~", "[a", "x "}),
	).Draw(t, label)
}
