package train

import (
	"fmt"
	"math"
)

// ScheduleKind names how the learning rate changes over a run.
type ScheduleKind int

// The schedules, after a linear rise over Warmup epochs.
const (
	Constant ScheduleKind = iota // η
	Cosine                       // η·(1 + cos(π·t/T))/2: from η to 0 (Loshchilov and Hutter 1608.03983, Eq. 5)
	StepDown                     // η·γ^⌊t/Every⌋
)

var scheduleNames = [...]string{Constant: "constant", Cosine: "cosine", StepDown: "step"}

func (k ScheduleKind) String() string { return scheduleNames[k] }

// MarshalText writes the schedule's name.
func (k ScheduleKind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// UnmarshalText reads it.
func (k *ScheduleKind) UnmarshalText(text []byte) error {
	for i, name := range scheduleNames {
		if name == string(text) {
			*k = ScheduleKind(i)
			return nil
		}
	}
	return fmt.Errorf("train: schedule %q is not one of constant, cosine, step", text)
}

// Schedule is the learning rate as a function of the epoch, relative to the
// configured one. The zero value keeps it constant.
type Schedule struct {
	Kind ScheduleKind `yaml:"kind" json:"kind"`
	// Warmup is the number of epochs over which the rate rises from 0.
	Warmup int `yaml:"warmup,omitempty" json:"warmup,omitempty"`
	// Every and Gamma are of StepDown: the factor, and the epochs between.
	Every int     `yaml:"every,omitempty" json:"every,omitempty"`
	Gamma float64 `yaml:"gamma,omitempty" json:"gamma,omitempty"`
}

// Validate checks the numbers that the kind reads.
func (s Schedule) Validate() error {
	if s.Warmup < 0 {
		return fmt.Errorf("train: warm-up of %d epochs, want 0 or more", s.Warmup)
	}
	if s.Kind == StepDown && (s.Every < 1 || !(s.Gamma > 0 && s.Gamma <= 1)) {
		return fmt.Errorf("train: step schedule every %d epochs by %v, want at least 1 and 0 < γ ≤ 1", s.Every, s.Gamma)
	}
	return nil
}

// At returns the factor of the learning rate in an epoch, from 0, of epochs.
func (s Schedule) At(epoch, epochs int) float64 {
	if epoch < s.Warmup {
		return float64(epoch+1) / float64(s.Warmup)
	}
	t := float64(epoch - s.Warmup)
	switch s.Kind {
	case Cosine:
		return (1 + math.Cos(math.Pi*t/float64(max(1, epochs-s.Warmup)))) / 2
	case StepDown:
		return math.Pow(s.Gamma, math.Floor(t/float64(s.Every)))
	}
	return 1
}
