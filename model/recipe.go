package model

import "github.com/weft-gnn/weft/program"

// Recipe is how a paper trained a model on a data set.
type Recipe struct {
	Data    string // as in `--data`
	Options Options
	Epochs  int
	// Patience stops after so many epochs without improvement on the
	// validation items; 0 runs all epochs.
	Patience int
	// Monitor is what improves.
	Monitor Monitor
	LR      float64
	// Optimizer is the update rule.
	Optimizer program.OptimizerKind
	Decay     Decay
	// RowNormalize divides every feature row by its sum first.
	RowNormalize bool
	// Split names the split.
	Split string
	// Note says where the settings are from, and what differs.
	Note string
}

// Monitor says what early stopping watches on the validation items.
type Monitor int

// What may be watched.
const (
	ValLoss   Monitor = iota // the loss
	ValMetric                // the metric
	// ValEither stops when neither has improved, and keeps the weights at
	// which both were at their best together, as the authors of GAT do.
	ValEither
)

func (m Monitor) String() string { return [...]string{"loss", "metric", "either"}[m] }
