package machine_test

import (
	"context"
	"math"
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

// TestAddLink: the faster of two measurements stands, each link by itself.
func TestAddLink(t *testing.T) {
	var m machine.Machine
	m.AddLink(machine.Link{"local", 2, 1})
	m.AddLink(machine.Link{"mpi", 9, 3})
	m.AddLink(machine.Link{"local", 3, 0.5})
	got, ok := m.Link("local")
	if want := (machine.Link{"local", 2, 0.5}); !ok || got != want {
		t.Errorf("local is %+v, want %+v", got, want)
	}
	if _, ok := m.Link("rdma"); ok || len(m.Links) != 2 {
		t.Errorf("links %+v", m.Links)
	}
	if got, want := got.Seconds(3, 1000), 3*2e-6+1000*0.5e-9; math.Abs(got-want) > 1e-15 {
		t.Errorf("3 messages of 1000 words take %v s, want %v", got, want)
	}
}
