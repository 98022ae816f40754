package train_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/weft-gnn/weft/comm/local"
	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/graph"
	"github.com/weft-gnn/weft/train"
)

// TestResumeOnOtherData: a run goes on with its own data and its own split, in whatever
// order and on however many ranks, and with no others that have the same shapes.
func TestResumeOnOtherData(t *testing.T) {
	d, dir := open(t, "karate"), filepath.Join(t.TempDir(), "run")
	run(t, config(t, "gcn", 3), d, train.Settings{Dir: dir})
	before := readAll(t, dir)
	for want, change := range map[string]func(d *dataset.Dataset){
		"other data": func(d *dataset.Dataset) {
			d.Labels.Class = slices.Clone(d.Labels.Class)
			d.Labels.Class[7] ^= 1
		},
		"another split": func(d *dataset.Dataset) {
			s := d.Splits[0]
			s.Train, s.Val = s.Val, s.Train
			d.Splits = []dataset.Split{s}
		},
	} {
		other := open(t, "karate")
		change(other)
		_, one := train.Resume(dir, other, 5, train.Settings{})
		_, several := team(2, local.Options{}).Train(t.Context(), train.Settings{}, goesOn(dir, other, 5), nil)
		for _, err := range []error{one, several} {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("got %v, want an error that says %q", err, want)
			}
		}
	}
	unchanged(t, "a run that was refused other data", readAll(t, dir), before)
	ordered, err := d.Reorder(graph.Random, 5)
	if err != nil {
		t.Fatal(err)
	}
	if r, _ := resumed(t, dir, ordered, 5); r.Epochs != 5 {
		t.Errorf("%d epochs of 5 in another order", r.Epochs)
	}
}
