package machine

import (
	"context"

	"github.com/weft-gnn/weft/kernel"
)

// Measure returns the machine at hand with its rates, as that many threads have
// them. progress, where set, is told how many of how many steps are done.
//
// Cost: some seconds, and twice the memory of the largest set: a quarter of a
// gibibyte, or four times the last cache where that is more, up to 2 GiB.
// Errors: the memory cannot be had; ctx is done.
func Measure(ctx context.Context, threads int, progress func(done, of int)) (*Machine, error) {
	m := Detect(threads)
	set := int64(leastSet)
	for _, l := range m.Levels {
		set = max(set, 4*l.Bytes*int64(l.Caches))
	}
	return m, m.measure(ctx, min(set, mostSet), progress)
}

// Sets out of which the memory's rates are measured, in bytes.
const (
	leastSet = 256 << 20
	mostSet  = 2 << 30
)

func (m *Machine) measure(ctx context.Context, set int64, progress func(done, of int)) error {
	steps := survey{ctx: ctx, of: 2 + len(m.Levels)*(4+2*len(kernel.GatherRows())) - len(kernel.GatherRows()), progress: progress}
	steps.take(func() { m.FMA = kernel.MeasureFMA(m.Threads) })
	if steps.err() != nil {
		return steps.err()
	}
	meter, err := kernel.NewMeter(m.Threads, set)
	if err != nil {
		return err
	}
	defer meter.Close()
	for i := range m.Levels {
		l := &m.Levels[i]
		if l.Bytes == 0 {
			steps.streams(l, meter, set)
			l.Gather = steps.gathers(meter, set)
			continue
		}
		// Half of the caches, lest other things push the set out.
		steps.streams(l, meter, l.Bytes*int64(l.Caches)/2)
		l.Gather = steps.gathers(meter, l.Bytes/2)
		l.Filled = steps.gathers(meter, l.Bytes)
	}
	steps.take(func() { m.FMA = max(m.FMA, kernel.MeasureFMA(m.Threads)) })
	if steps.err() != nil {
		return steps.err()
	}
	m.order()
	return nil
}

// survey goes through the steps of a measurement until its context is done.
type survey struct {
	ctx      context.Context
	done, of int
	progress func(done, of int)
}

func (s *survey) err() error { return context.Cause(s.ctx) }

func (s *survey) take(step func()) {
	if s.err() != nil {
		return
	}
	step()
	s.done++
	if s.progress != nil {
		s.progress(s.done, s.of)
	}
}

func (s *survey) streams(l *Level, meter *kernel.Meter, bytes int64) {
	s.take(func() { l.Read = meter.Stream(kernel.StreamRead, bytes) })
	s.take(func() { l.Write = meter.Stream(kernel.StreamWrite, bytes) })
	s.take(func() { l.Copy = meter.Stream(kernel.StreamCopy, bytes) })
	s.take(func() { l.Change = meter.Stream(kernel.StreamChange, bytes) })
}

func (s *survey) gathers(meter *kernel.Meter, bytes int64) (rates []RowRate) {
	for _, row := range kernel.GatherRows() {
		s.take(func() { rates = append(rates, RowRate{row, meter.Gather(row, bytes)}) })
	}
	return rates
}
