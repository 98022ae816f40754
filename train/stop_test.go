package train

import (
	"math"
	"testing"

	"github.com/weft-gnn/weft/model"
)

// TestStopperSkipsNaN: an epoch without a score, at any place, changes neither
// which epoch is the best nor what later ones are compared with.
func TestStopperSkipsNaN(t *testing.T) {
	nan := math.NaN()
	for _, monitor := range []model.Monitor{model.ValLoss, model.ValMetric, model.ValEither} {
		for at := range 4 {
			s := newStopper(monitor, 0)
			for epoch, v := range []float64{3, 2, 1} {
				if epoch == at {
					s.observe(epoch, nan, nan)
					continue
				}
				if best, _ := s.observe(epoch, v, -v); !best {
					t.Errorf("%v: epoch %d is not the best after NaN in epoch %d", monitor, epoch, at)
				}
			}
			if math.IsNaN(s.Loss) || math.IsNaN(s.Metric) {
				t.Errorf("%v: NaN in epoch %d is remembered: %+v", monitor, at, s)
			}
		}
	}
}

// TestStopperWaitsThroughNaN: epochs without a score count as no improvement.
func TestStopperWaitsThroughNaN(t *testing.T) {
	s := newStopper(model.ValMetric, 3)
	for epoch, want := range []bool{false, false, true} {
		if _, stop := s.observe(epoch, math.NaN(), math.NaN()); stop != want {
			t.Errorf("epoch %d: stop %v, want %v", epoch, stop, want)
		}
	}
	if s.Best != -1 {
		t.Errorf("the best epoch is %d, want none", s.Best)
	}
}
