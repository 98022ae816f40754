package kernel

import (
	"slices"
	"time"
)

// race finds out how fast the threads of a pool can go through laps of a loop
// that shows a limit of the machine. All run at once, but each has a clock of its
// own, and its best time counts: other load can only slow a thread down, and
// where there is much of it, it would hardly ever spare all threads together.
type race struct {
	pool *Pool
	// lap runs laps first to first + count of a thread's part.
	lap func(thread, first, count int)

	first, count int
	best         []time.Duration // of count laps, by thread
}

// A thread runs for about a millisecond at a time, until some runs in a row have
// brought little.
const (
	raceTime     = time.Millisecond
	racePatience = 6
	raceMost     = 64
)

// rate returns how many laps all threads together run in a second. A loop that is
// much slower than another one, which runs so many, is given up early.
func (r *race) rate(other float64) float64 {
	r.best = make([]time.Duration, r.pool.Threads())
	for r.count = 1; ; r.count *= 2 {
		for i := range r.best {
			r.best[i] = time.Hour
		}
		r.run()
		if slices.Min(r.best) >= raceTime {
			break
		}
	}
	for runs, vain := 0, 0; runs < raceMost && vain < racePatience; runs++ {
		before := r.sum()
		if vain > 1 && before < 0.7*other {
			break
		}
		r.run()
		vain++
		if r.sum() > before*1.01 {
			vain = 0
		}
	}
	return r.sum()
}

func (r *race) run() {
	r.pool.Run(len(r.best), r)
	r.first += r.count
}

// sum adds up the best rates of the threads.
func (r *race) sum() (rate float64) {
	for _, d := range r.best {
		rate += float64(r.count) / d.Seconds()
	}
	return rate
}

// Piece is one thread's part.
func (r *race) Piece(_, thread int) {
	start := time.Now()
	r.lap(thread, r.first, r.count)
	r.best[thread] = min(r.best[thread], max(1, time.Since(start)))
}
