package perf

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/weft-gnn/weft/machine"
)

// known is the machine at hand with rates that are easy to multiply by: 10⁹
// operations and, of every level, 10⁹ bytes per second.
func known(threads int) *machine.Machine {
	m := machine.Detect(threads)
	m.FMA = 1e9
	for i := range m.Levels {
		l := &m.Levels[i]
		l.Read, l.Write, l.Copy, l.Change, l.Gather = 1e9, 1e9, 1e9, 1e9, []machine.RowRate{{RowBytes: 4, Rate: 1e9}}
		if l.Bytes > 0 {
			l.Filled = slices.Clone(l.Gather)
		}
	}
	return m
}

// limitsOf are limits that are known without measuring.
func limitsOf(m func(threads int) *machine.Machine) *limits {
	lim := newLimits("", func(string, ...any) {})
	lim.once = func(_ context.Context, threads int) (*machine.Machine, error) { return m(threads), nil }
	return lim
}

// TestLimitsAreTheBestKnown: of what was kept, what is measured again, and what
// fewer threads did.
func TestLimitsAreTheBestKnown(t *testing.T) {
	dir := t.TempDir()
	kept := known(2)
	kept.Levels[0].Copy = 5e9
	if err := kept.Save(dir); err != nil {
		t.Fatal(err)
	}
	lim := limitsOf(func(threads int) *machine.Machine {
		m := known(threads)
		if threads == 1 {
			m.FMA = 3e9
		}
		return m
	})
	lim.dir = dir
	for range 2 {
		if err := lim.measure(t.Context(), []int{2, 1}); err != nil {
			t.Fatal(err)
		}
	}
	all := lim.list()
	if len(all) != 2 || all[0].Threads != 1 || all[1].Threads != 2 {
		t.Fatalf("limits of %d numbers of threads", len(all))
	}
	if all[1].FMA != 3e9 || all[1].Levels[0].Copy != 5e9 || all[0].Levels[0].Copy != 1e9 {
		t.Errorf("got %+v and %+v", all[0], all[1])
	}
}

func TestLimitsFaults(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(machine.Detect(1).Path(dir), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	lim := limitsOf(known)
	lim.dir = dir
	if err := lim.measure(t.Context(), []int{1}); err == nil || !strings.Contains(err.Error(), "weft calibrate") {
		t.Errorf("a broken file: %v, want a word on how to mend it", err)
	}
	lim = limitsOf(known)
	lim.once = func(context.Context, int) (*machine.Machine, error) { return nil, fs.ErrPermission }
	if err := lim.measure(t.Context(), []int{1}); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("no measurement: %v", err)
	}
}

func TestTimes(t *testing.T) {
	ms := func(all ...int) (d []time.Duration) {
		for _, v := range all {
			d = append(d, time.Duration(v)*time.Millisecond)
		}
		return d
	}
	for _, c := range []struct {
		in   []time.Duration
		want Times
	}{
		{nil, Times{}},
		{ms(7), Times{7, 7, 7}},
		{ms(9, 1, 4), Times{4, 1, 9}},
		{ms(9, 1, 4, 5), Times{4.5, 1, 9}},
	} {
		in := slices.Clone(c.in)
		if got := timesOf(c.in); got != c.want || !slices.Equal(in, c.in) {
			t.Errorf("%v: %v, want %v", in, got, c.want)
		}
	}
}

func TestSyntheticNames(t *testing.T) {
	for name, want := range map[string]struct {
		ok    bool
		scale float64
	}{
		"arxiv@0.1": {true, 0.1}, "star@2": {true, 2}, "cora": {}, "arxiv": {}, "me@home": {}, "./a@1": {},
	} {
		_, opt, ok, err := synthetic(name)
		if ok != want.ok || opt.Scale != want.scale || err != nil {
			t.Errorf("%s: %v at %v, %v", name, ok, opt.Scale, err)
		}
	}
	for _, name := range []string{"arxiv@", "arxiv@x", "arxiv@0", "arxiv@-1", "arxiv@NaN"} {
		if err := CheckData(name); err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
}

// TestWritten: a synthetic set is made once, others are left alone.
func TestWritten(t *testing.T) {
	dir := t.TempDir()
	for range 2 {
		path, err := written(t.Context(), "sbm@0.01", dir)
		if err != nil || path != filepath.Join(dir, "sbm@0.01") {
			t.Fatalf("%q, %v", path, err)
		}
	}
	if path, err := written(t.Context(), "karate", dir); path != "karate" || err != nil {
		t.Errorf("%q, %v", path, err)
	}
}
