package lines

import (
	"io"
	"runtime"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/weft-gnn/weft/dataset/budget"
	"github.com/weft-gnn/weft/dataset/internal/datatest"
)

// TestFieldsAgainstWords: fields that are read one by one are those of whole
// lines, also where they lie across the ends of the buffer.
func TestFieldsAgainstWords(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pad := strings.Repeat("x", rapid.IntRange(textBuffer-9, textBuffer-1).Draw(t, "pad"))
		text := pad + rapid.SampledFrom([]string{" ", "\n", "\r\n"}).Draw(t, "after") +
			rapid.StringMatching(`([0-9a]{0,3}[ \t\r\n]?){0,30}`).Draw(t, "text")
		guard := func() *budget.Guard { return budget.Limits{}.Guard("in", int64(len(text))) }
		whole, err := New(t.Context(), "in", strings.NewReader(text), guard())
		if err != nil {
			t.Fatal(err)
		}
		single, err := New(t.Context(), "in", strings.NewReader(text), guard())
		if err != nil {
			t.Fatal(err)
		}
		for line, ok := whole.Next(); ok; line, ok = whole.Next() {
			var want, got []string
			w := Words{Rest: line}
			for field, ok := w.Next(); ok; field, ok = w.Next() {
				want = append(want, string(field))
			}
			f, ok := single.Fields()
			if !ok || single.Number != whole.Number {
				t.Fatalf("line %d: there is %v, line %d", whole.Number, ok, single.Number)
			}
			for field, ok := f.Next(); ok; field, ok = f.Next() {
				got = append(got, string(field))
			}
			if !slices.Equal(got, want) {
				t.Fatalf("line %d: got %q, want %q", whole.Number, got, want)
			}
		}
		if _, ok := single.Fields(); ok || single.Err != nil || whole.Err != nil {
			t.Fatalf("another line, %v, %v", single.Err, whole.Err)
		}
	})
}

func TestFieldsFaults(t *testing.T) {
	l, _ := textOf(t, "1\n"+strings.Repeat("1", textBuffer+1))
	for range 2 {
		f, ok := l.Fields()
		if !ok {
			t.Fatal(l.Err)
		}
		for _, ok := f.Next(); ok; _, ok = f.Next() {
		}
	}
	datatest.WantError(t, l.Err, "in:2", "a field is longer than 65536 bytes")
	whole := datatest.Gzip(t, []byte(strings.Repeat("1 2\n3 5\n", 9999)))
	l, _ = textOf(t, whole[:len(whole)-9])
	for f, ok := l.Fields(); ok; f, ok = l.Fields() {
		for _, ok := f.Next(); ok; _, ok = f.Next() {
		}
	}
	datatest.WantError(t, l.Err, "in:", "cut short")
}

// repeated reads as one text many times.
type repeated struct {
	text string
	left int
}

func (r *repeated) Read(p []byte) (int, error) {
	n := 0
	for n+len(r.text) <= len(p) && r.left > 0 {
		n += copy(p[n:], r.text)
		r.left--
	}
	if n == 0 && r.left == 0 {
		return 0, io.EOF
	}
	return n, nil
}

// TestFieldsHoldNoLine: a line of 64 MB takes no more memory than the buffers.
func TestFieldsHoldNoLine(t *testing.T) {
	l, err := New(t.Context(), "in", &repeated{" 1234567", 8 << 20}, budget.Limits{}.Guard("in", 64<<20))
	if err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f, _ := l.Fields()
	count := 0
	for _, ok := f.Next(); ok; _, ok = f.Next() {
		count++
	}
	runtime.ReadMemStats(&after)
	if l.Err != nil || count != 8<<20 {
		t.Errorf("%d fields, %v", count, l.Err)
	}
	if took := after.TotalAlloc - before.TotalAlloc; took > 1<<20 {
		t.Errorf("%d bytes were allocated for a line of 64 MB", took)
	}
}
