package train_test

import (
	"errors"
	"testing"

	"github.com/weft-gnn/weft/train"
)

// TestMemoryAtHand: a run that fits to the byte is trained, one that does not is
// refused, with both numbers.
func TestMemoryAtHand(t *testing.T) {
	d, c := open(t, "karate"), config(t, "gat", 1)
	r, _ := run(t, c, d, train.Settings{})
	need := r.Memory.ArenaBytes
	run(t, c, d, train.Settings{Memory: need})
	_, err := train.New(c, d, train.Settings{Memory: need - 1})
	var short *train.MemoryError
	if !errors.As(err, &short) || short.Need != need || short.Have != need-1 {
		t.Errorf("%v, want %d bytes needed and %d available", err, need, need-1)
	}
}
