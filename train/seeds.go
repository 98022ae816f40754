package train

import (
	"gonum.org/v1/gonum/stat"
)

// Spread is what equal configurations come to under several seeds.
type Spread struct {
	Seeds []SeedScore `json:"seeds"`
	// Mean and Std are the mean of the seeds' scores and their sample standard
	// deviation, √(Σ(x−x̄)²/(N−1)); null where a part is empty.
	Mean Score `json:"mean"`
	Std  Score `json:"std"`
}

// SeedScore is the score of one seed's run.
type SeedScore struct {
	Seed uint64 `json:"seed"`
	Score
	BestEpoch *int   `json:"best_epoch"`
	Dir       string `json:"dir,omitempty"`
}

// SpreadOf sums up runs that differ in their seed; there must be two or more.
func SpreadOf(runs []*Result) Spread {
	var s Spread
	for _, r := range runs {
		s.Seeds = append(s.Seeds, SeedScore{Seed: r.Seed, Score: r.Score, BestEpoch: r.BestEpoch, Dir: r.Dir})
	}
	s.Mean.Train, s.Std.Train = s.of(func(s Score) *float64 { return s.Train })
	s.Mean.Val, s.Std.Val = s.of(func(s Score) *float64 { return s.Val })
	s.Mean.Test, s.Std.Test = s.of(func(s Score) *float64 { return s.Test })
	return s
}

func (s Spread) of(part func(Score) *float64) (mean, std *float64) {
	var x []float64
	for _, r := range s.Seeds {
		v := part(r.Score)
		if v == nil {
			return nil, nil
		}
		x = append(x, *v)
	}
	m, d := stat.MeanStdDev(x, nil)
	return &m, &d
}
