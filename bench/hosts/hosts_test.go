//go:build mpi

package main

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/weft-gnn/weft/dataset/source"
	"github.com/weft-gnn/weft/internal/netns"
)

// TestHosts: four hosts that train on cora have the losses of one, and the bytes on
// the wire are those predicted: within 5 %, packets that only acknowledge among
// them.
func TestHosts(t *testing.T) {
	const data = "cora"
	if strings.HasSuffix(os.Getenv("CC"), "mpich") {
		t.Skip("needs Open MPI")
	}
	if e, err := source.Find(data, source.Places(os.Getenv)); err != nil || e.Path == "" {
		t.Skipf("needs data set %s: set WEFT_DATA or run weft data fetch %s", data, data)
	}
	o := options{data: data, hidden: 64, epochs: 12, link: netns.Link{Rate: "1gbit", MTU: 1500}, plans: []string{"algorithm=1d,partition=4"}}
	b, err := begin(t.Context(), t.TempDir(), o)
	if err != nil {
		t.Fatal(err)
	}
	for _, model := range []string{"gcn", "gat"} {
		rows, err := b.rows(t.Context(), model)
		if errors.Is(err, netns.ErrUnable) {
			t.Skip(err)
		}
		if err != nil {
			t.Fatal(err)
		}
		r := rows[0]
		if r.far > 1e-5 { // rounding, over 12 steps
			t.Errorf("%s: losses differ by %v", model, r.far)
		}
		if ratio := r.ratio(o.link.MTU); ratio < 0.95 || ratio > 1.05 {
			t.Errorf("%s: a step sends %d bytes, %.3f of %d words and their framing", model, r.total(), ratio, r.whole.words)
		}
	}
}
