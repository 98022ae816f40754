package analysis

import (
	"bytes"
	"slices"
	"testing"

	"github.com/weft-gnn/weft/cost"
)

func TestShort(t *testing.T) {
	for v, want := range map[float64]string{
		0: "0", 7: "7", 12.5: "12.5", 999: "999", 999.4: "999", 999.6: "1.00 k", 1000: "1.00 k", 1234: "1.23 k", 12345: "12.3 k",
		123456: "123 k", 999499: "999 k", 999501: "1.00 M", 2.5e9: "2.50 G", 7e12: "7.00 T", 1e21: "1000 E", 0.25: "0.25", -1500: "-1.50 k",
	} {
		if got := short(v); got != want {
			t.Errorf("%v is printed %q, want %q", v, got, want)
		}
	}
}

func TestBytesText(t *testing.T) {
	for v, want := range map[int64]string{0: "0 B", 140: "140 B", 1500: "1.50 kB", 2_000_000: "2.00 MB"} {
		if got := bytesText(v); got != want {
			t.Errorf("%d is printed %q, want %q", v, got, want)
		}
	}
}

func TestGrouped(t *testing.T) {
	for v, want := range map[int64]string{0: "0", 12: "12", 123: "123", 1234: "1,234", 123456: "123,456", 1234567: "1,234,567", -123: "-123", -1234: "-1,234"} {
		if got := grouped(v); got != want {
			t.Errorf("%d is printed %q, want %q", v, got, want)
		}
	}
}

func TestPercent(t *testing.T) {
	for v, want := range map[float64]string{1: "100 %", 0.5: "50 %", 0.12345: "12.3 %", 0.00144: "0.14 %", 0.00001: "0.001 %", 0.9996: "100 %"} {
		if got := percent(v); got != want {
			t.Errorf("%v is printed %q, want %q", v, got, want)
		}
	}
}

// TestWrap: the hat takes no column, words longer than a line stand alone.
func TestWrap(t *testing.T) {
	for _, c := range []struct {
		text  string
		width int
		want  []string
	}{
		{"a b c", 3, []string{"a b", "c"}},
		{"m\u0302 n\u0302", 3, []string{"m\u0302 n\u0302"}},
		{"abcdef g", 3, []string{"abcdef", "g"}},
		{"", 3, []string{""}},
	} {
		if got := wrap(c.text, c.width); !slices.Equal(got, c.want) {
			t.Errorf("%q in %d columns: %q, want %q", c.text, c.width, got, c.want)
		}
	}
}

// TestTerms: lines are cut before the signs of a sum, not inside its terms, nor
// inside a logarithm; the arguments of a max may be parted.
func TestTerms(t *testing.T) {
	n, k, d := cost.Sym("n"), cost.Sym("k"), cost.Sym("d")
	e := cost.Sub(cost.Add(cost.Max(cost.Log2(cost.Add(n, k)), cost.Mul(n, d)), cost.Mul(n, k)), cost.Log2(d))
	var b bytes.Buffer
	p := &page{w: &b}
	for _, line := range wrap(terms(e.String()), 12) {
		p.line("%s", line)
	}
	if p.err != nil {
		t.Fatal(p.err)
	}
	want := "n·k\n− ⌈log₂ d⌉\n+ max(n·d,\n⌈log₂(n + k)⌉)\n"
	if got := b.String(); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}
