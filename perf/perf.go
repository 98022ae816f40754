// Package perf measures weft beside what the machine could do: kernels at the
// shapes that matter ([Kernels]), and training steps with every operation of
// them ([Train]).
//
// The machine's limits are measured in the same run, before and after, and the
// best counts, as other load can only lower them; of times the median does.
package perf

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"runtime"
	"slices"
	"time"

	"github.com/weft-gnn/weft/machine"
)

// Report is what `weft bench … --json` prints.
type Report[Row any] struct {
	Rows    []Row `json:"rows"`
	Machine Host  `json:"machine"`
	// Limits are what the machine could do in this run, by number of threads.
	Limits []*machine.Machine `json:"limits"`
}

// Host is where a report is from.
type Host struct {
	CPU   string `json:"cpu"`
	Cores int    `json:"cores"`
	ISA   string `json:"isa"`
	Go    string `json:"go"`
}

func thisHost() Host {
	m := machine.Detect(1)
	return Host{m.CPU, m.Cores, m.ISA, runtime.Version()}
}

// Say is told what is going on, a line each.
type Say func(format string, args ...any)

// limits are the best known rates by number of threads.
type limits struct {
	dir  string // where `weft calibrate` keeps them
	say  Say
	once func(ctx context.Context, threads int) (*machine.Machine, error)
	best map[int]*machine.Machine
}

func newLimits(dir string, say Say) *limits {
	return &limits{dir: dir, say: say, best: map[int]*machine.Machine{}, once: func(ctx context.Context, threads int) (*machine.Machine, error) {
		return machine.Measure(ctx, threads, nil)
	}}
}

// measure measures once for each number of threads, and keeps what is better
// than what was known.
func (l *limits) measure(ctx context.Context, threads []int) error {
	for _, t := range slices.Sorted(slices.Values(threads)) {
		l.say("measuring the machine's limits on %s", inThreads(t))
		m, err := l.once(ctx, t)
		if err != nil {
			return err
		}
		if l.best[t] == nil {
			if err := l.recall(t); err != nil {
				return err
			}
		}
		if have := l.best[t]; have != nil {
			m = m.Best(have)
		}
		for fewer, have := range l.best {
			if fewer < t {
				m = m.Best(have) // the other threads may as well stand by
			}
		}
		l.best[t] = m
	}
	return nil
}

// recall takes what calibration kept, if it did.
func (l *limits) recall(threads int) error {
	m, err := machine.Load(l.dir, threads)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("%w; weft calibrate writes it anew", err)
	}
	l.best[threads] = m
	return nil
}

// list returns the limits by number of threads, ascending.
func (l *limits) list() (all []*machine.Machine) {
	for _, m := range l.best {
		all = append(all, m)
	}
	slices.SortFunc(all, func(a, b *machine.Machine) int { return a.Threads - b.Threads })
	return all
}

// Times sums up measurements of one thing.
type Times struct {
	Median float64 `json:"median"`
	Min    float64 `json:"min"`
	Max    float64 `json:"max"`
}

// timesOf returns durations summed up, in milliseconds.
func timesOf(all []time.Duration) Times {
	if len(all) == 0 {
		return Times{}
	}
	s := slices.Sorted(slices.Values(all))
	ms := func(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1e6 }
	middle := (ms(s[(len(s)-1)/2]) + ms(s[len(s)/2])) / 2
	return Times{middle, ms(s[0]), ms(s[len(s)-1])}
}
