package model

import (
	"fmt"
	"math"

	"github.com/weft-gnn/weft/tensor"
)

// Scaling maps a regression target y, in the data's unit, to what a model
// learns: (y − Mean) / Scale. Weights begin, and steps are, of the order of one,
// whatever the unit.
type Scaling struct {
	Mean  float64 `json:"mean"`
	Scale float64 `json:"scale"`
}

// Learnt returns what the model learns of y; NaN, a missing target, stays NaN.
func (s Scaling) Learnt(y float32) float32 { return float32((float64(y) - s.Mean) / s.Scale) }

// InUnit returns what a prediction x means in the data's unit: x·Scale + Mean.
func (s Scaling) InUnit(x float32) float32 { return float32(float64(x)*s.Scale + s.Mean) }

// InUnit turns predictions into the unit of the targets that were learnt, one
// column each; predictions of classes stay as they are.
//
// Contract: changes pred.
func InUnit(pred tensor.Matrix, targets []Scaling) {
	for i := range pred.Rows {
		row := pred.Row(i)
		for j, s := range targets {
			row[j] = s.InUnit(row[j])
		}
	}
}

// validTargets checks the scalings of a model of out columns.
func validTargets(targets []Scaling, out int) error {
	if len(targets) != 0 && len(targets) != out {
		return fmt.Errorf("%d scalings of targets, want %d", len(targets), out)
	}
	for j, s := range targets {
		if !(math.Abs(s.Mean) <= math.MaxFloat64 && s.Scale > 0 && s.Scale <= math.MaxFloat64) {
			return fmt.Errorf("target %d: mean %v and scale %v, want finite numbers and a positive scale", j, s.Mean, s.Scale)
		}
	}
	return nil
}
