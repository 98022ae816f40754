package machine

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// known is the machine at hand with made-up rates.
func known() *Machine {
	m := Detect(2)
	m.FMA = 1e9
	for i := range m.Levels {
		l := &m.Levels[i]
		l.Read, l.Write, l.Copy, l.Change, l.Gather = 3, 2, 2.5, 2.5, []RowRate{{4, 1}, {64, 2}}
		if l.Bytes > 0 {
			l.Filled = slices.Clone(l.Gather)
		}
	}
	return m
}

func TestFileRoundTrip(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "folder")
	m := known()
	if _, err := Load(dir, 2); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("before anything was saved: %v", err)
	}
	if err := m.Save(dir); err != nil {
		t.Fatal(err)
	}
	got, err := Load(dir, 2)
	if err != nil || !reflect.DeepEqual(got, m) {
		t.Errorf("%+v, %v, want %+v", got, err, m)
	}
	if _, err := Load(dir, 1); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("with other threads: %v", err)
	}
	if name := filepath.Base(m.Path(dir)); strings.ContainsAny(name, " ,()@") || !strings.HasSuffix(name, "-t2-"+m.ISA+".json") {
		t.Errorf("the file is called %q", name)
	}
}

// TestFileFaults: what is not the rates of this machine is refused, with the
// file's name and the reason.
func TestFileFaults(t *testing.T) {
	for what, spoil := range map[string]func(m *Machine){
		"cores":             func(m *Machine) { m.Cores = 0 },
		"rate of 0":         func(m *Machine) { m.FMA = 0 },
		"L1: a rate of -1":  func(m *Machine) { m.Levels[0].Copy = -1 },
		"caches":            func(m *Machine) { m.Levels[0].Bytes = 0 },
		"the memory":        func(m *Machine) { m.Levels = m.Levels[:1] },
		"levels []":         func(m *Machine) { m.Levels = nil },
		"no rates of gathe": func(m *Machine) { m.Levels[1].Gather = nil },
		"ascending lengths": func(m *Machine) { m.Levels[1].Gather[1].RowBytes = 4 },
		"another machine":   func(m *Machine) { m.Levels[0].Bytes++ },
	} {
		dir, m := t.TempDir(), known()
		spoil(m)
		text, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		checkFault(t, dir, text, what)
	}
	text, err := json.Marshal(known())
	if err != nil {
		t.Fatal(err)
	}
	checkFault(t, t.TempDir(), text[:len(text)/2], "unexpected end of JSON")
	checkFault(t, t.TempDir(), nil, "unexpected end of JSON")
	checkFault(t, t.TempDir(), []byte("[]"), "cannot unmarshal")
}

func checkFault(t *testing.T, dir string, text []byte, what string) {
	t.Helper()
	name := known().Path(dir)
	if err := os.WriteFile(name, text, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := Load(dir, 2)
	if err == nil || !strings.Contains(err.Error(), what) || !strings.Contains(err.Error(), name) || errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%.60s…: error %v, want one that names the file and says %q", text, err, what)
	}
}

func TestSaveWhereNoFolderCanBe(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := known().Save(filepath.Join(file, "below")); err == nil {
		t.Error("saved below a file")
	}
}

// TestMeasure measures out of a small set: all rates are there, and ordered.
func TestMeasure(t *testing.T) {
	m := Detect(2)
	m.Levels = []Level{{Name: "L1", Bytes: 16 << 10, Caches: 2}, {Name: memory}}
	steps := 0
	if err := m.measure(context.Background(), 1<<20, func(done, of int) { steps = of - done }); err != nil {
		t.Fatal(err)
	}
	if err := m.Validate(); err != nil || steps != 0 {
		t.Errorf("%v, %d steps left of %+v", err, steps, m)
	}
	if l := m.Levels; l[0].Read < l[1].Read || l[0].Gather[3].Rate < l[1].Gather[3].Rate {
		t.Errorf("a cache is slower than what lies behind it: %+v", m)
	}
}

func TestMeasureEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	last := 0
	err := Detect(1).measure(ctx, 1<<20, func(done, _ int) {
		if last = done; done == 2 {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) || last != 2 {
		t.Errorf("%v after %d steps, want an end after the second", err, last)
	}
	if _, err := Measure(ctx, 1, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("begun too late: %v", err)
	}
}
