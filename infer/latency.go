package infer

import (
	"math"
	goruntime "runtime"
	"slices"
	"sync"
	"time"
)

// Latency is what asking a [Prepared] model about single vertices takes, one
// question a vertex.
type Latency struct {
	// Time is how long each vertex took, the median of its rounds, in the order
	// in which they were asked for.
	Time []time.Duration
	// Slowest is the place of the longest time; around that vertex lie so many
	// vertices and edges.
	Slowest         int
	Vertices, Edges int
	// Allocations is their number per question, once memory has grown to the
	// largest neighbourhood; rounded down, since what Go's own threads allocate
	// meanwhile counts too.
	Allocations int
	// Differ counts the answers whose bits are not those of the model run over
	// the whole set, and Difference is the largest difference of a value.
	Differ     int
	Difference float64
}

// Rounds is how often each vertex is asked for while the time is taken. Its time
// is the median, which leaves out the rounds in which the system ran something else.
const Rounds = 9

// Quantile returns the time that a share of q of the vertices stays within.
func (l *Latency) Quantile(q float64) time.Duration {
	sorted := slices.Sorted(slices.Values(l.Time))
	return sorted[max(0, int(math.Ceil(q*float64(len(sorted))))-1)]
}

// Latency asks about each of the given vertices, of which there is at least one,
// alone, in rounds: all of them, then all of them again. Threads goroutines ask at once,
// each about its share. now is a clock.
//
// Errors: as [Query.Logits].
func (p *Prepared) Latency(vertices []int32, threads int, now func() time.Duration) (*Latency, error) {
	l := &Latency{Time: make([]time.Duration, len(vertices))}
	q := p.Query()
	defer q.Close()
	if err := l.compare(q, vertices); err != nil {
		return nil, err
	}
	if err := l.countAllocations(q, vertices); err != nil {
		return nil, err
	}
	errs := make([]error, max(1, threads))
	var all sync.WaitGroup
	for i := range errs {
		all.Go(func() { errs[i] = l.take(p, vertices, i, len(errs), now) })
	}
	all.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	for i, d := range l.Time {
		if d > l.Time[l.Slowest] {
			l.Slowest = i
		}
	}
	if _, err := q.Logits(vertices[l.Slowest : l.Slowest+1]); err != nil {
		return nil, err
	}
	l.Vertices, l.Edges = q.Neighbourhood()
	return l, nil
}

// compare asks about each vertex and compares with the model run over all.
func (l *Latency) compare(q *Query, vertices []int32) error {
	whole, err := q.p.model.logits(q.p.set)
	if err != nil {
		return err
	}
	for i := range vertices {
		got, err := q.Logits(vertices[i : i+1])
		if err != nil {
			return err
		}
		same := true
		for j, want := range whole.Row(int(vertices[i])) {
			same = same && math.Float32bits(got.Data[j]) == math.Float32bits(want)
			l.Difference = max(l.Difference, math.Abs(float64(got.Data[j])-float64(want)))
		}
		if !same {
			l.Differ++
		}
	}
	return nil
}

// countAllocations asks about each vertex again, with memory as large as it gets.
func (l *Latency) countAllocations(q *Query, vertices []int32) error {
	var before, after goruntime.MemStats
	goruntime.ReadMemStats(&before)
	for i := range vertices {
		if _, err := q.Logits(vertices[i : i+1]); err != nil {
			return err
		}
	}
	goruntime.ReadMemStats(&after)
	l.Allocations = int(after.Mallocs-before.Mallocs) / len(vertices)
	return nil
}

// take takes the times of every vertex from first on, in steps, in rounds after
// one that lets memory grow.
func (l *Latency) take(p *Prepared, vertices []int32, first, step int, now func() time.Duration) error {
	q := p.Query()
	defer q.Close()
	rounds := make([][Rounds]time.Duration, len(vertices))
	for round := -1; round < Rounds; round++ {
		for i := first; i < len(vertices); i += step {
			start := now()
			if _, err := q.Logits(vertices[i : i+1]); err != nil {
				return err
			}
			if taken := now() - start; round >= 0 {
				rounds[i][round] = taken
			}
		}
	}
	for i := first; i < len(vertices); i += step {
		slices.Sort(rounds[i][:])
		l.Time[i] = rounds[i][Rounds/2]
	}
	return nil
}
