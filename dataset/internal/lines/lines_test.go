package lines

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/weft-gnn/weft/dataset/budget"
	"github.com/weft-gnn/weft/dataset/internal/datatest"
)

// textOf reads text as a file called "in", as readers do.
func textOf(t testing.TB, text string) (*Reader, *budget.Guard) {
	t.Helper()
	g := budget.Limits{}.Guard("in", int64(len(text)))
	l, err := New(context.Background(), "in", strings.NewReader(text), g)
	if err != nil {
		t.Fatal(err)
	}
	return l, g
}

func TestLineReader(t *testing.T) {
	long := strings.Repeat("x", 200_000)
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"empty":            {"", nil},
		"no end":           {"a\nb", []string{"a", "b"}},
		"both ends":        {"a\r\nb\n", []string{"a", "b"}},
		"blank lines":      {"\n\r\n a \n", []string{"", "", " a "}},
		"byte-order mark":  {"\ufeffa\n", []string{"a"}},
		"beyond a buffer":  {"a\n" + long + "\nb\n", []string{"a", long, "b"}},
		"gzip":             {datatest.Gzip(t, []byte("a\nb\n")), []string{"a", "b"}},
		"gzip of a buffer": {datatest.Gzip(t, []byte(long+"\nb")), []string{long, "b"}},
	} {
		t.Run(name, func(t *testing.T) {
			l, _ := textOf(t, c.text)
			var got []string
			for line, ok := l.Next(); ok; line, ok = l.Next() {
				got = append(got, string(line))
				if l.Number != int64(len(got)) {
					t.Errorf("line %d is number %d", len(got), l.Number)
				}
			}
			if l.Err != nil || !slices.Equal(got, c.want) {
				t.Errorf("got %d lines, %v; want %d", len(got), l.Err, len(c.want))
			}
		})
	}
}

func TestLineReaderErrors(t *testing.T) {
	t.Run("long line", func(t *testing.T) {
		l, _ := textOf(t, "1\n"+strings.Repeat("1 ", maxLine))
		l.Next()
		if _, ok := l.Next(); ok {
			t.Fatal("a line beyond the limit was read")
		}
		datatest.WantError(t, l.Err, "in:2", "longer than")
	})
	t.Run("cut short", func(t *testing.T) {
		whole := datatest.Gzip(t, []byte(strings.Repeat("1 2\n3 5\n", 9999)))
		l, _ := textOf(t, whole[:len(whole)-9])
		for _, ok := l.Next(); ok; _, ok = l.Next() {
		}
		datatest.WantError(t, l.Err, "in:", "cut short")
	})
	t.Run("UTF-16", func(t *testing.T) {
		g := budget.Limits{}.Guard("in", 4)
		_, err := New(t.Context(), "in", strings.NewReader("\xff\xfe1\x00"), g)
		datatest.WantError(t, err, "UTF-16")
	})
	t.Run("gzip header", func(t *testing.T) {
		g := budget.Limits{}.Guard("in", 4)
		_, err := New(t.Context(), "in", strings.NewReader("\x1f\x8bnothing of it"), g)
		datatest.WantError(t, err, "gzip")
	})
	t.Run("cancelled", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		g := budget.Limits{}.Guard("in", 1<<20)
		l, err := New(ctx, "in", strings.NewReader(strings.Repeat("1 2\n", 1<<18)), g)
		if err != nil {
			t.Fatal(err)
		}
		l.Next()
		cancel()
		n := 0
		for _, ok := l.Next(); ok; _, ok = l.Next() {
			n++
		}
		if !errors.Is(l.Err, context.Canceled) || n > 1<<15 {
			t.Errorf("read %d more lines, then %v", n, l.Err)
		}
	})
}

// A text beyond the limits ends with a LimitError after as much as they allow,
// wherever that is, and without a gap.
func TestLineReaderLimit(t *testing.T) {
	text := bytes.Repeat([]byte("1 2\n"), 4<<20)
	for _, packed := range []string{string(text), datatest.Gzip(t, text)} {
		for _, floor := range []int64{1, heldPerByte, 1000 * heldPerByte, 1 << 20, 64 << 20} {
			g := budget.Limits{Floor: floor, Ratio: 1}.Guard("in", int64(len(packed))/100)
			most := g.Left() / heldPerByte
			l, err := New(t.Context(), "in", strings.NewReader(packed), g)
			read := int64(0)
			for err == nil {
				line, ok := l.Next()
				if !ok {
					err = l.Err
					break
				}
				if string(line) != "1 2" {
					t.Fatalf("line %d is %q", l.Number, line)
				}
				read += int64(len(line)) + 1
			}
			var limit *budget.LimitError
			if !errors.As(err, &limit) || limit.Max != most || read > most {
				t.Fatalf("floor %d: read %d bytes with a budget of %d, then %v", floor, read, most, err)
			}
		}
	}
}

func TestRecords(t *testing.T) {
	for text, want := range map[string]string{
		"a\nb\n\n\n": "",
		"a\n\nb\n":   "in:2",
		"\na":        "in:1",
		"":           "",
	} {
		l, _ := textOf(t, text)
		err := l.Records(func([]byte) error { return nil })
		if want == "" && err != nil {
			t.Errorf("%q: %v", text, err)
		}
		if want != "" {
			datatest.WantError(t, err, want, "blank")
		}
	}
	l, _ := textOf(t, "a\nb\n")
	stop := errors.New("stop")
	if err := l.Records(func([]byte) error { return stop }); err != stop || l.Number != 1 {
		t.Errorf("line %d: %v", l.Number, err)
	}
}

func TestWords(t *testing.T) {
	for _, c := range []struct {
		line  string
		comma bool
		want  []string
	}{
		{"", false, nil},
		{"  \t ", true, nil},
		{" 1\t 2  ", false, []string{"1", "2"}},
		{"1,2", false, []string{"1,2"}},
		{"1,2", true, []string{"1", "2"}},
		{"1 , 2\t,3", true, []string{"1", "2", "3"}},
		{"1 2,3", true, []string{"1", "2", "3"}},
		{",2", true, []string{"", "2"}},
		{"1,", true, []string{"1", ""}},
		{"1,,3, ", true, []string{"1", "", "3", ""}},
		{",", true, []string{"", ""}},
	} {
		var got []string
		w := Words{Rest: []byte(c.line), Comma: c.comma}
		for word, ok := w.Next(); ok; word, ok = w.Next() {
			got = append(got, string(word))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%q: got %q, want %q", c.line, got, c.want)
		}
		if _, ok := w.Next(); ok {
			t.Errorf("%q: a word after the last", c.line)
		}
	}
}

// strconv is the oracle.
func TestParseInt(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.OneOf(
			rapid.StringMatching(`[-+]?[0-9]{0,20}`),
			rapid.StringMatching(`[-+0-9. xe]{0,6}`),
			rapid.StringMatching(`-?92233720368547758[0-9]{2}`),
			rapid.Map(rapid.Int64(), func(x int64) string { return strconv.FormatInt(x, 10) }),
		).Draw(t, "text")
		got, ok := Int([]byte(s))
		want, err := strconv.ParseInt(s, 10, 64)
		if ok != (err == nil) || ok && got != want {
			t.Fatalf("%q is read as %d, %v; want %d, %v", s, got, ok, want, err)
		}
	})
}

func TestParseReal(t *testing.T) {
	for s, want := range map[string]float32{"1": 1, "-.5": -.5, "1e3": 1000, "+2.25": 2.25, "inf": float32(math.Inf(1)), "-INF": float32(math.Inf(-1))} {
		if got, ok := Real([]byte(s)); !ok || got != want {
			t.Errorf("%q is read as %v, %v", s, got, ok)
		}
	}
	for _, s := range []string{"", "x", "1e39", "0x10", "1_0", "0x1p3", "1,5", "1 2", "--1", "\x00"} {
		if got, ok := Real([]byte(s)); ok {
			t.Errorf("%q is read as %v", s, got)
		}
	}
	if x, ok := Real([]byte("NaN")); !ok || x == x {
		t.Errorf("NaN is read as %v, %v", x, ok)
	}
}

// Reading a line of numbers allocates nothing.
func TestParsingDoesNotAllocate(t *testing.T) {
	l, _ := textOf(t, strings.Repeat("123456 7890123 0.25\n", 4000))
	allocs := testing.AllocsPerRun(1000, func() {
		line, ok := l.Next()
		if !ok {
			t.Fatal("the text ended")
		}
		w := Words{Rest: line, Comma: true}
		for range 2 {
			word, _ := w.Next()
			if _, ok := Int(word); !ok {
				t.Fatal("no integer")
			}
		}
		word, _ := w.Next()
		if _, ok := Real(word); !ok {
			t.Fatal("no number")
		}
	})
	if allocs != 0 {
		t.Errorf("%v allocations a line", allocs)
	}
}

func TestShow(t *testing.T) {
	if got := Quote([]byte("a\x00b")); got != `"a\x00b"` {
		t.Error(got)
	}
	if got := Quote(bytes.Repeat([]byte("x"), 1000)); len(got) > 60 {
		t.Error(got)
	}
}

// A read that fails, wherever it does, is an error that names the line.
func TestLineReaderFault(t *testing.T) {
	for _, n := range []int{0, 1, 100, 1 << 14, 100_000} {
		broken := io.MultiReader(strings.NewReader(strings.Repeat("1 2\n", n)), errorReader{})
		l, err := New(t.Context(), "in", broken, budget.Limits{}.Guard("in", 0))
		for err == nil {
			if _, ok := l.Next(); !ok {
				err = l.Err
				break
			}
		}
		datatest.WantError(t, err, fmt.Sprintf("in:%d:", n+1), "disk on fire")
	}
}

type errorReader struct{}

func (errorReader) Read([]byte) (int, error) { return 0, errors.New("disk on fire") }
