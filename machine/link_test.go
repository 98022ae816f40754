package machine_test

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/weft-gnn/weft/comm"
	"github.com/weft-gnn/weft/comm/local"
	"github.com/weft-gnn/weft/machine"
)

// TestMeasureLocal: a message takes time by itself, and a word less than that.
func TestMeasureLocal(t *testing.T) {
	l, err := machine.MeasureLocal(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if l.Name != machine.LocalLink || l.AlphaUS <= 0 || l.BetaNS <= 0 || l.AlphaUS*1e3 < l.BetaNS {
		t.Errorf("%+v", l)
	}
}

// TestMeasureLinkOfMany: ranks beyond the first two take part; all learn the same.
func TestMeasureLinkOfMany(t *testing.T) {
	ends := local.World(3, local.Options{})
	links := make(chan machine.Link, len(ends))
	for _, end := range ends {
		go func() {
			l, err := machine.MeasureLink(t.Context(), "three", comm.New(end, nil))
			if err != nil {
				t.Error(err)
			}
			links <- l
		}()
	}
	first := <-links
	for range len(ends) - 1 {
		if l := <-links; l != first || l.AlphaUS <= 0 {
			t.Errorf("%+v and %+v", first, l)
		}
	}
}

// TestMeasureLinkFails: one rank has no link, and a measurement can be stopped.
func TestMeasureLinkFails(t *testing.T) {
	if l, err := machine.MeasureLink(t.Context(), "one", comm.New(local.World(1, local.Options{})[0], nil)); err == nil {
		t.Errorf("one rank has the link %+v", l)
	}
	done, stop := context.WithCancel(t.Context())
	stop()
	if l, err := machine.MeasureLocal(done); err == nil {
		t.Errorf("measured %+v after the end", l)
	}
}

// TestLinks: the faster of two measurements stands, each link by itself; what is
// kept is read again.
func TestLinks(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new")
	if ls, err := machine.LoadLinks(dir); err != nil || len(ls) > 0 {
		t.Errorf("before anything was kept: %v, %v", ls, err)
	}
	var ls machine.Links
	ls = ls.With(machine.Link{Name: "local", AlphaUS: 2, BetaNS: 1})
	ls = ls.With(machine.Link{Name: "mpi", AlphaUS: 9, BetaNS: 3})
	ls = ls.With(machine.Link{Name: "local", AlphaUS: 3, BetaNS: 0.5})
	if err := ls.Save(dir); err != nil {
		t.Fatal(err)
	}
	ls, err := machine.LoadLinks(dir)
	if err != nil {
		t.Fatal(err)
	}
	got, ok := ls.Find("local")
	if want := (machine.Link{Name: "local", AlphaUS: 2, BetaNS: 0.5}); !ok || got != want || len(ls) != 2 {
		t.Errorf("links %v, want %v among them", ls, want)
	}
	if _, ok := ls.Find("rdma"); ok {
		t.Error("a link that nobody measured")
	}
	if got, want := got.Seconds(3, 1000), 3*2e-6+1000*0.5e-9; math.Abs(got-want) > 1e-15 {
		t.Errorf("3 messages of 1000 words take %v s, want %v", got, want)
	}
}

// TestLinksFaults: what is not links is refused, with the file's name.
func TestLinksFaults(t *testing.T) {
	dir := t.TempDir()
	for _, text := range []string{"{", `[{"name": "mpi", "alpha_us": 0, "beta_ns_per_word": 1}]`, `[{"name": "mpi", "alpha_us": 1}]`} {
		if err := os.WriteFile(machine.LinksPath(dir), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if ls, err := machine.LoadLinks(dir); err == nil || !strings.Contains(err.Error(), machine.LinksPath(dir)) {
			t.Errorf("%s: %v, %v", text, ls, err)
		}
	}
}
