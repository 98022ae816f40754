package cpu

import (
	"slices"
	"strings"
	"testing"
)

func TestChoose(t *testing.T) {
	portable, v3, v4, arm := []ISA{Generic}, []ISA{Generic, AVX2}, []ISA{Generic, AVX2, AVX512}, []ISA{Generic, NEON}
	for _, c := range []struct {
		word  string
		sets  []ISA
		want  ISA
		fault string // what the error says, or empty
	}{
		{"", portable, Generic, ""},
		{"", v4, AVX512, ""},
		{"", arm, NEON, ""},
		{"generic", v4, Generic, ""},
		{"generic", arm, Generic, ""},
		{"avx2", v4, AVX2, ""},
		{"avx2", v3, AVX2, ""},
		{"avx512", v4, AVX512, ""},
		{"neon", arm, NEON, ""},
		{"avx512", v3, Generic, "none but [generic avx2]"},
		{"avx2", portable, Generic, "none but [generic]"},
		{"avx512", arm, Generic, "none but [generic neon]"},
		{"neon", v4, Generic, "none but [generic avx2 avx512]"},
		{"AVX2", v4, Generic, `want one of ["generic" "avx2" "avx512" "neon"]`},
		{"sse", v4, Generic, "want one of"},
	} {
		got, err := choose(c.word, c.sets)
		if got != c.want {
			t.Errorf("%q of %v: %v, want %v", c.word, c.sets, got, c.want)
		}
		if (err != nil) != (c.fault != "") || err != nil && !strings.Contains(err.Error(), c.fault) {
			t.Errorf("%q of %v: error %v, want one that says %q", c.word, c.sets, err, c.fault)
		}
	}
}

func TestBestIsOneOfTheMachines(t *testing.T) {
	if all := Sets(); all[0] != Generic || !slices.IsSorted(all) || !slices.Contains(all, Best()) {
		t.Errorf("best %v of %v", Best(), all)
	}
	if Check() != nil && Best() != Generic {
		t.Errorf("best %v beside the error %v", Best(), Check())
	}
}
