package perf

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/graph"
	"github.com/weft-gnn/weft/internal/cpu"
	"github.com/weft-gnn/weft/internal/rng"
	"github.com/weft-gnn/weft/machine"
	"github.com/weft-gnn/weft/program"
	"github.com/weft-gnn/weft/runtime"
	"github.com/weft-gnn/weft/tensor"
)

// KernelRow is a kernel at one shape beside its limit.
type KernelRow struct {
	Kernel string `json:"kernel"`
	Graph  string `json:"graph"`
	K      int    `json:"k"` // columns of the rows that are read
	// Heads are 0 and Shape is empty where a kernel has none.
	Heads   int     `json:"heads,omitempty"`
	Shape   string  `json:"shape,omitempty"`
	Impl    string  `json:"impl"` // vector instructions
	Threads int     `json:"threads"`
	NS      float64 `json:"ns"` // of one run, the median
	MinNS   float64 `json:"min_ns"`
	Runs    int     `json:"runs"`
	GFlops  float64 `json:"gflops"`
	GBs     float64 `json:"gbs"`
	// Limit is the resource that a run takes at least LimitNS of; LimitFraction is
	// the share of the limit that is reached.
	Limit         string  `json:"limit"`
	LimitNS       float64 `json:"limit_ns"`
	LimitFraction float64 `json:"limit_fraction"`
}

// KernelOptions say what [Kernels] runs.
type KernelOptions struct {
	// Graphs are names of sets, or of synthetic graphs with a scale: arxiv@0.1.
	Graphs []string
	Lookup dataset.Options
	// Threads are numbers of threads, each of which every kernel is run on.
	Threads []int
	// Quick leaves out the wider rows and most products, runs for less long, and
	// measures the machine's limits before alone.
	Quick bool
	// LimitsDir is where `weft calibrate` keeps the machine's limits.
	LimitsDir string
	Say       Say
}

// Kernels measures kernels on graphs, and the machine's limits before and after.
//
// Errors: those of opening sets and of measuring limits; ctx is done.
func Kernels(ctx context.Context, o KernelOptions) (*Report[KernelRow], error) {
	return o.run(ctx, newLimits(o.LimitsDir, o.Say))
}

func (o KernelOptions) run(ctx context.Context, lim *limits) (*Report[KernelRow], error) {
	if err := find(o.Graphs, o.Lookup); err != nil {
		return nil, err
	}
	if err := lim.measure(ctx, o.Threads); err != nil {
		return nil, err
	}
	var rows []KernelRow
	var traffic []machine.Traffic
	for _, name := range o.Graphs {
		d, err := Open(ctx, name, o.Lookup)
		if err != nil {
			return nil, err
		}
		for _, threads := range o.Threads {
			r, t, err := o.onGraph(ctx, d, lim.best[threads])
			if err != nil {
				return nil, err
			}
			rows, traffic = append(rows, r...), append(traffic, t...)
		}
	}
	if !o.Quick {
		if err := lim.measure(ctx, o.Threads); err != nil {
			return nil, err
		}
	}
	for i := range rows {
		rows[i].against(lim.best[rows[i].Threads], traffic[i])
		if r := rows[i]; undercuts(r.MinNS, r.LimitNS) {
			o.Say("%v took %s, which is less than its limit of %s (%s): measured too low, under other load, or wrong", r, duration(r.MinNS/1e9), duration(r.LimitNS/1e9), r.Limit)
		}
	}
	return &Report[KernelRow]{Rows: rows, Machine: thisHost(), Limits: lim.list()}, nil
}

// onGraph measures all kernels on a graph, on as many threads as m has.
func (o KernelOptions) onGraph(ctx context.Context, d *dataset.Dataset, m *machine.Machine) (rows []KernelRow, all []machine.Traffic, err error) {
	roof := m.Over(program.Extent{N: d.Graph.Block()})
	for _, c := range kernelCases(o.Quick, d.Graph.N) {
		if ctx.Err() != nil {
			return nil, nil, context.Cause(ctx)
		}
		row := KernelRow{Kernel: c.name, Graph: d.Name, K: c.k, Heads: c.heads, Shape: c.shape, Impl: cpu.Best().String(), Threads: m.Threads}
		o.Say("%v", row)
		t, err := c.measure(d.Graph, roof, o.Quick, &row)
		if err != nil {
			return nil, nil, fmt.Errorf("perf: %v: %w", row, err)
		}
		rows, all = append(rows, row), append(all, t)
	}
	return rows, all, nil
}

func (r KernelRow) String() string {
	return fmt.Sprintf("%s%s on %s, %s", r.Kernel, r.size(), r.Graph, inThreads(r.Threads))
}

// size is what a kernel's rows have, in words.
func (r KernelRow) size() string {
	switch {
	case r.Shape != "":
		return " " + r.Shape
	case r.Heads > 1:
		return fmt.Sprintf(" k=%d, %d heads", r.K, r.Heads)
	}
	return fmt.Sprintf(" k=%d", r.K)
}

// against holds a row against the machine's limits.
func (r *KernelRow) against(m *machine.Machine, t machine.Traffic) {
	b := m.Bound(t)
	r.Limit, r.LimitNS = b.String(), b.Seconds*1e9
	r.LimitFraction = r.LimitNS / r.NS
}

// undercuts reports whether a time is less than the least that there can be, by
// more than clocks may be wrong.
func undercuts(time, least float64) bool { return time < 0.98*least }

// measure runs the case until enough is known of its time, which it puts into
// the row, and returns what a run asks for.
func (c kernelCase) measure(g *graph.Graph, roof *machine.Roofline, quick bool, row *KernelRow) (t machine.Traffic, err error) {
	p, err := c.program()
	if err != nil {
		return t, err
	}
	var last runtime.Event
	s, err := runtime.New(g, runtime.Options{Threads: row.Threads, Seed: 1, Trace: func(e runtime.Event) { last = e }}, p)
	if err != nil {
		return t, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	release, err := bind(s, p)
	defer func() { err = errors.Join(err, release()) }()
	if err != nil {
		return t, err
	}
	var times []time.Duration
	for start, step := time.Now(), uint32(0); len(times) < leastRuns || len(times) < mostRuns && time.Since(start) < enoughTime(quick); step++ {
		if _, err := s.Run(0, step, program.Target{}); err != nil {
			return t, err
		}
		if step >= warmUp {
			times = append(times, last.Elapsed)
		}
	}
	sum := timesOf(times)
	row.Runs, row.NS, row.MinNS = len(times), 1e6*sum.Median, 1e6*sum.Min
	row.GFlops, row.GBs = float64(last.Work)/row.NS, float64(last.Bytes)/row.NS
	return roof.Traffic(p, last.Node, last.Work, last.Bytes), nil
}

// Runs of a kernel go on for some time, but are no fewer and no more than this.
const (
	leastRuns = 7
	mostRuns  = 500
)

func enoughTime(quick bool) time.Duration {
	if quick {
		return 50 * time.Millisecond
	}
	return 300 * time.Millisecond
}

func (c kernelCase) program() (*program.Program, error) {
	b := declaration{program.NewBuilder(c.name)}
	if v := c.declare(b); v != program.None {
		b.Output("result", v)
	}
	return b.Build()
}

// bind gives a program's inputs values of ±1, each in an arena of its own, those
// that operations gather in rows apart, as in training. release frees them, also
// after an error.
func bind(s *runtime.Session, p *program.Program) (release func() error, err error) {
	var arenas []*tensor.Arena
	release = func() (err error) {
		for _, a := range arenas {
			err = errors.Join(err, a.Close())
		}
		return err
	}
	gathered := make([]bool, len(p.Nodes))
	for _, n := range p.Nodes {
		for _, g := range program.GathersOf(n.Op) {
			gathered[n.In[g.Operand]] = true
		}
	}
	for i, n := range p.Nodes {
		in, ok := n.Op.(program.Input)
		if !ok {
			continue
		}
		rows, cols := s.Extent().Rows(n.Type), n.Type.Cols.N
		stride := cols
		if gathered[i] {
			stride = tensor.Apart(cols, false)
		}
		a, err := tensor.NewArena(4 * int64(rows) * int64(stride))
		if err != nil {
			return release, err
		}
		arenas = append(arenas, a)
		x := a.Spaced(0, rows, cols, stride)
		fill(x.Data)
		if err := s.Bind(in.Name, x); err != nil {
			return release, err
		}
	}
	return release, nil
}

// fill writes random numbers of −1 to 1.
func fill(x []float32) {
	source := rng.Key{Seed: 1, Purpose: rng.Test}.Stream(0)
	for i := range x {
		x[i] = 2*source.Float32() - 1
	}
}
