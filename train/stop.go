package train

import (
	"math"

	"github.com/weft-gnn/weft/model"
)

// stopper decides which epoch is the best and when to stop waiting for a
// better one. It is saved with a checkpoint.
type stopper struct {
	Monitor  model.Monitor
	Patience int
	// Loss and Metric are the best so far on the validation items; Metric is
	// oriented so that more is better.
	Loss   float64
	Metric float64
	// Best is the best epoch, −1 before the first; Waited counts the epochs
	// since an improvement.
	Best   int
	Waited int
}

func newStopper(m model.Monitor, patience int) stopper {
	return stopper{Monitor: m, Patience: patience, Loss: math.MaxFloat64, Metric: -math.MaxFloat64, Best: -1}
}

// observe records an epoch. It reports whether it is the best so far, and
// whether patience has run out.
//
// The first of equal epochs is the best. ValEither follows the authors' code
// of GAT: an epoch that is as good as the best in either resets the wait, and
// one that is as good in both is kept. NaN, the score of items that have none,
// improves nothing and is not remembered.
func (s *stopper) observe(epoch int, loss, metric float64) (best, stop bool) {
	lower, higher := loss < s.Loss, metric > s.Metric
	improved := false
	switch s.Monitor {
	case model.ValLoss:
		best, improved = lower, lower
	case model.ValMetric:
		best, improved = higher, higher
	case model.ValEither:
		atMost, atLeast := loss <= s.Loss, metric >= s.Metric
		best, improved = atMost && atLeast, atMost || atLeast
	}
	if best {
		s.Best = epoch
	}
	if loss < s.Loss {
		s.Loss = loss
	}
	if metric > s.Metric {
		s.Metric = metric
	}
	s.Waited++
	if improved {
		s.Waited = 0
	}
	return best, s.Patience > 0 && s.Waited >= s.Patience
}
