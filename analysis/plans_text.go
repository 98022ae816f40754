package analysis

import (
	"fmt"
	"io"
)

// before says why a plan comes before another.
func (a Ranked) before(next Ranked) string {
	if next.TimeMS == a.TimeMS {
		return fmt.Sprintf("%s takes as long, and %s", next.Plan, a.less(next))
	}
	most := next.Terms.over(a.Terms)
	return fmt.Sprintf("its %s %s a step, against %s of the next plan: that decides %s against %s",
		most.takes, timeText(most.fast), timeText(most.slow), timeText(a.TimeMS), timeText(next.TimeMS))
}

// less says in what a plan that takes as long as another has less.
func (a Ranked) less(b Ranked) string {
	switch {
	case a.Words.Max < b.Words.Max, a.Words.Total < b.Words.Total:
		return "sends more words"
	case a.Messages.Max < b.Messages.Max:
		return "sends more messages"
	case a.MemoryBytes < b.MemoryBytes:
		return "needs more memory"
	}
	return "comes later by its name"
}

// behind says why a plan comes after the first.
func (a Ranked) behind(first Ranked) string {
	if a.TimeMS == first.TimeMS {
		return "as fast as the first; it " + first.less(a)
	}
	most := a.Terms.over(first.Terms)
	return fmt.Sprintf("%s slower than the first: its %s %s more", timeText(a.TimeMS-first.TimeMS), most.takes, timeText(most.slow-most.fast))
}

// timeText prints a time: 31.2 µs, 1.23 ms, 2.50 s.
func timeText(ms float64) string {
	switch {
	case ms < 0.9995:
		return kept(significant(1e3*ms, false) + " µs")
	case ms < 999.5:
		return kept(significant(ms, false) + " ms")
	}
	return kept(significant(ms/1e3, false) + " s")
}

// WriteText prints the comparison for reading.
func (c *Plans) WriteText(w io.Writer) error {
	p := &page{w: w}
	m := c.Machine
	subject := map[Mode]string{Inference: "one forward pass", Training: "one training step"}[c.Mode]
	p.line("%s: %s on %s, on %s of %s", c.Model, subject, c.Data, counted(m.Ranks, "rank", "ranks"), counted(m.Threads, "thread", "threads"))
	if len(c.Plans) > 0 {
		c.writeTable(p)
	}
	if len(c.Refused) > 0 {
		p.line("")
		p.line("Cannot run")
		for _, r := range c.Refused {
			p.entry(2, "-", 4, r.Plan+": "+r.Why)
		}
	}
	p.line("")
	shared := "each rank has cores of its own"
	if m.Cores != nil {
		shared = fmt.Sprintf("all ranks share %s", counted(*m.Cores, "core", "cores"))
	}
	p.entry(0, "time", nameColumn, "of the slowest rank: Σ max(W/F, bytes/B) over its operations, + messages·α + words·β but for what computing hides")
	p.entry(0, "machine", nameColumn, fmt.Sprintf("F = %s GFLOP/s, B = %s GB/s from memory, more from caches; %s", significant(m.GFlops, false), significant(m.MemoryGBs, false), shared))
	p.entry(0, "link", nameColumn, fmt.Sprintf("%s: α = %s µs a message, β = %s ns a word of 4 bytes", m.Link, significant(m.Alpha, false), significant(m.Beta, false)))
	return p.err
}

// writeTable prints the plans, and why the first is first.
func (c *Plans) writeTable(p *page) {
	t := table{head: []string{"", "plan", "time", "words", "messages", "steps", "memory"}, align: "rlrrrrl"}
	for _, r := range c.Plans {
		t.add(fmt.Sprint(r.Order), r.Plan, timeText(r.TimeMS), grouped(r.Words.Max), grouped(r.Messages.Max), grouped(r.Supersteps), kept(bytesText(r.MemoryBytes)))
	}
	p.line("")
	t.write(p, 0)
	p.line("")
	p.line("Words and messages that a rank sends at most, supersteps, and the memory that one needs at most.")
	p.line("")
	p.entry(0, "first", nameColumn, kept(c.Plans[0].Plan))
	p.entry(0, "", nameColumn, c.Plans[0].Why)
	p.entry(0, "run it", nameColumn, kept("weft train --plan "+c.Plans[0].Plan+" …"))
}

// counted is a number of things.
func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
