package budget

import (
	"errors"
	"io"
	"math"
	"strings"
	"testing"
)

func TestGuard(t *testing.T) {
	small := Limits{Floor: 100, Ratio: 2, Vertices: 10, Arcs: 5}
	for name, c := range map[string]struct {
		ask func(g *Guard) error
		ok  bool
	}{
		"all":              {func(g *Guard) error { return g.Need("x", 120, 1) }, true},
		"one too many":     {func(g *Guard) error { return g.Need("x", 121, 1) }, false},
		"twice":            {func(g *Guard) error { return errors.Join(g.Need("x", 60, 1), g.Need("x", 61, 1)) }, false},
		"overflow":         {func(g *Guard) error { return g.Need("x", math.MaxInt64, math.MaxInt64) }, false},
		"negative":         {func(g *Guard) error { return g.Need("x", -1, 1) }, false},
		"matrix":           {func(g *Guard) error { return g.NeedMatrix("x", 10, 3, 4) }, true},
		"matrix too large": {func(g *Guard) error { return g.NeedMatrix("x", 1<<40, 1<<40, 4) }, false},
		"negative matrix":  {func(g *Guard) error { return g.NeedMatrix("x", -1, 1, 4) }, false},
		"counts":           {func(g *Guard) error { return g.Counts(2, 5) }, true},
		"vertices":         {func(g *Guard) error { return g.Counts(11, 0) }, false},
		"arcs":             {func(g *Guard) error { return g.Counts(0, 6) }, false},
	} {
		if err := c.ask(small.Guard("f", 10)); (err == nil) != c.ok {
			t.Errorf("%s: %v", name, err)
		}
	}
	err := small.Guard("file.npy", 10).Need("rows", 1000, 1)
	var l *LimitError
	if !errors.As(err, &l) || l.Path != "file.npy" || l.What != "rows" || l.Want != 1000 || l.Max != 120 {
		t.Errorf("%#v", err)
	}
}

func TestBudget(t *testing.T) {
	l := Limits{}.withDefaults()
	for _, c := range []struct{ size, want int64 }{
		{0, l.Floor}, {1, l.Floor + l.Ratio}, {math.MaxInt64, l.Bytes}, {(l.Bytes - l.Floor) / l.Ratio, l.Bytes - (l.Bytes-l.Floor)%l.Ratio},
	} {
		if got := l.held(c.size); got != c.want {
			t.Errorf("a file of %d: %d, want %d", c.size, got, c.want)
		}
	}
	if got := (Limits{Bytes: 10}).withDefaults().held(5); got != 10 {
		t.Errorf("%d, want the absolute limit below the floor", got)
	}
}

func TestCappedReader(t *testing.T) {
	g := Limits{Floor: 4, Ratio: 1}.Guard("f.gz", 0)
	if b, err := io.ReadAll(g.Reader("text", strings.NewReader("abcdef"), 2)); err != nil || string(b) != "abcdef" {
		t.Errorf("%q, %v: want all of 4 + 2 bytes", b, err)
	}
	b, err := io.ReadAll(g.Reader("text", strings.NewReader("abcdefg"), 2))
	var l *LimitError
	if !errors.As(err, &l) || len(b) != 6 {
		t.Errorf("%q, %v: want a LimitError after 6 bytes", b, err)
	}
}

// TestLimitsHaveUnits: a limit of bytes says so, and one of memory what is left.
func TestLimitsHaveUnits(t *testing.T) {
	for want, err := range map[string]error{
		"f: x: 1000 bytes is over the limit of 120 bytes":    Limits{Floor: 100, Ratio: 2}.Guard("f", 10).Need("x", 250, 4),
		"f: x: 1000 bytes of memory are needed, 50 are left": Limits{Floor: 100, Ratio: 2, Bytes: 50}.Guard("f", 10).Need("x", 250, 4),
		"f: vertices: 11 is over the limit of 10":            Limits{Vertices: 10}.Guard("f", 10).Counts(11, 0),
	} {
		if err == nil || err.Error() != "dataset: "+want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
