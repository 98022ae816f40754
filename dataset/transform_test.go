package dataset

import (
	"slices"
	"testing"

	"github.com/weft-gnn/weft/tensor"
)

func TestRowNormalise(t *testing.T) {
	x := tensor.Of(3, 2, []float32{1, 3, 0, 0, -1, 1})
	got := RowNormalise(x)
	if want := []float32{0.25, 0.75, 0, 0, -1, 1}; !slices.Equal(got.Flat(), want) {
		t.Errorf("%v, want %v", got.Data, want)
	}
	if x.Data[0] != 1 {
		t.Error("the features were changed")
	}
}
