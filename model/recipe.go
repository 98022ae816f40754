package model

import "github.com/weft-gnn/weft/program"

// Recipe is how a paper trained a model on a data set, or, where the model's
// paper has no such set, settings chosen on its validation items: Note says which.
type Recipe struct {
	Data    string  `json:"data"` // as in `--data`
	Options Options `json:"options"`
	Epochs  int     `json:"epochs"`
	// Patience stops after so many epochs without improvement on the
	// validation items; 0 runs all epochs.
	Patience int `json:"patience"`
	// Monitor is what improves.
	Monitor Monitor `json:"monitor"`
	LR      float64 `json:"lr"`
	// Optimizer is the update rule.
	Optimizer program.OptimizerKind `json:"optimizer"`
	Decay     Decay                 `json:"decay"`
	// RowNormalize divides every feature row by its sum first.
	RowNormalize bool `json:"row_normalize"`
	// Split names the split.
	Split string `json:"split"`
	// Note says where the settings are from, and what differs.
	Note string `json:"note"`
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
