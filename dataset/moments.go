package dataset

import "math"

// Moments are the mean and the standard deviation of a target, √(Σ(y−ȳ)²/N).
type Moments struct {
	Mean      float64 `json:"mean"`
	Deviation float64 `json:"deviation"`
}

// Moments returns those of each target over some items, in their order. Missing
// values are left out; of none, both are 0.
func (l Labels) Moments(items []int32) []Moments {
	out := make([]Moments, l.Value.Cols)
	for j := range out {
		n, mean, squares := 0.0, 0.0, 0.0 // Welford's update
		for _, i := range items {
			y := float64(l.Value.Row(int(i))[j])
			if math.IsNaN(y) {
				continue
			}
			n++
			d := y - mean
			mean += d / n
			squares += d * (y - mean)
		}
		out[j] = Moments{mean, math.Sqrt(squares / max(n, 1))}
	}
	return out
}
