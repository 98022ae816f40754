package cpu

import (
	"strings"
	"testing"
)

func TestChoose(t *testing.T) {
	for _, c := range []struct {
		word   string
		widest ISA
		want   ISA
		fault  string // what the error says, or empty
	}{
		{"", Generic, Generic, ""},
		{"", AVX512, AVX512, ""},
		{"generic", AVX512, Generic, ""},
		{"avx2", AVX512, AVX2, ""},
		{"avx2", AVX2, AVX2, ""},
		{"avx512", AVX512, AVX512, ""},
		{"avx512", AVX2, Generic, "no more than avx2"},
		{"avx2", Generic, Generic, "no more than generic"},
		{"AVX2", AVX512, Generic, `want one of ["generic" "avx2" "avx512"]`},
		{"sse", AVX512, Generic, "want one of"},
	} {
		got, err := choose(c.word, c.widest)
		if got != c.want {
			t.Errorf("%q on %v: %v, want %v", c.word, c.widest, got, c.want)
		}
		if (err != nil) != (c.fault != "") || err != nil && !strings.Contains(err.Error(), c.fault) {
			t.Errorf("%q on %v: error %v, want one that says %q", c.word, c.widest, err, c.fault)
		}
	}
}

func TestBestIsNoWiderThanTheMachine(t *testing.T) {
	if Best() > Widest() {
		t.Errorf("best %v, widest %v", Best(), Widest())
	}
	if Check() != nil && Best() != Generic {
		t.Errorf("best %v beside the error %v", Best(), Check())
	}
}
