package perf

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"

	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/machine"
	"github.com/weft-gnn/weft/program"
)

// TrainRow is a case and what was measured, beside the machine's limits.
type TrainRow struct {
	System  string  `json:"system"`
	Model   string  `json:"model"`
	Graph   string  `json:"graph"`
	Hidden  int     `json:"hidden"`
	Heads   int     `json:"heads"`
	Dropout float64 `json:"dropout"`
	Threads int     `json:"threads"`
	Fold    bool    `json:"fold"`
	// Storage is how features and activations were kept.
	Storage program.Storage `json:"storage"`
	Epochs  int             `json:"epochs"`
	// EpochMS is the time of a training step, without evaluation.
	EpochMS Times `json:"epoch_ms"`
	// RooflineMS is the sum of the operations' least times, Ratio the median step
	// over it.
	RooflineMS   float64 `json:"roofline_ms"`
	Ratio        float64 `json:"ratio"`
	PeakRSSBytes *int64  `json:"peak_rss_bytes"`
	Loss         float64 `json:"loss"`
	// Furthest are the three operations that lose most time to their rooflines.
	Furthest []OpRow `json:"furthest"`
	// Ops are all operations, where they were asked for.
	Ops []OpRow `json:"ops,omitempty"`
}

// OpRow is an operation beside its roofline.
type OpRow struct {
	Op         string  `json:"op"`
	Layer      *int    `json:"layer"`
	MS         float64 `json:"ms"` // the median
	MinMS      float64 `json:"min_ms"`
	RooflineMS float64 `json:"roofline_ms"`
	Ratio      float64 `json:"ratio"`
	Limit      string  `json:"limit"` // the resource that the roofline is of
	GFlops     float64 `json:"gflops"`
	GBs        float64 `json:"gbs"`
}

// Measurer measures a case in a process of its own, see [Process].
type Measurer func(ctx context.Context, c TrainCase, m *machine.Machine) (*Measured, error)

// TrainOptions say what [Train] runs.
type TrainOptions struct {
	Cases []TrainCase
	// Ops lists all operations, not only those furthest from their rooflines.
	Ops bool
	// Lookup says where sets are found.
	Lookup dataset.Options
	// Measure measures one case.
	Measure Measurer
	// LimitsDir is where `weft calibrate` keeps the machine's limits.
	LimitsDir string
	Say       Say
}

// furthest is how many operations a row names.
const furthest = 3

// Train measures all cases, one after the other, and the machine's limits
// before and after them.
//
// Errors: those of training, of the processes, and of measuring limits.
func Train(ctx context.Context, o TrainOptions) (*Report[TrainRow], error) {
	return o.run(ctx, newLimits(o.LimitsDir, o.Say))
}

func (o TrainOptions) run(ctx context.Context, lim *limits) (*Report[TrainRow], error) {
	var threads []int
	for _, c := range o.Cases {
		if err := find([]string{c.Data}, o.Lookup); err != nil {
			return nil, err
		}
		if !slices.Contains(threads, c.Threads) {
			threads = append(threads, c.Threads)
		}
	}
	dir, err := os.MkdirTemp("", "weft-bench-*")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	if err := lim.measure(ctx, threads); err != nil {
		return nil, err
	}
	var all []*Measured
	for i, c := range o.Cases {
		if c.Data, err = written(ctx, c.Data, dir); err != nil {
			return nil, err
		}
		o.Say("%d of %d: %v", i+1, len(o.Cases), c)
		m, err := o.Measure(ctx, c, lim.best[c.Threads])
		if err != nil {
			return nil, err
		}
		all = append(all, m)
	}
	if err := lim.measure(ctx, threads); err != nil {
		return nil, err
	}
	report := &Report[TrainRow]{Machine: thisHost(), Limits: lim.list()}
	for i, c := range o.Cases {
		m := lim.best[c.Threads]
		report.Rows = append(report.Rows, rowOf(c, all[i], m, o.Ops))
		all[i].warn(m, func(text string) { o.Say("%v: %s", c, text) })
	}
	return report, nil
}

// warn tells of operations that ran faster than their rooflines allow.
func (f *Measured) warn(m *machine.Machine, say func(string)) {
	for _, op := range f.Ops {
		if b := m.Bound(op.Traffic); undercuts(op.MinMS, 1e3*b.Seconds) {
			say(fmt.Sprintf("%s took %s, which is less than its roofline of %s (%v): limits measured too low, under other load, or a wrong roofline", op.Name, duration(op.MinMS/1e3), duration(b.Seconds), b))
		}
	}
}

// rowOf holds what was measured against the machine's limits.
func rowOf(c TrainCase, found *Measured, m *machine.Machine, ops bool) TrainRow {
	row := TrainRow{
		System: "weft", Model: c.Model, Graph: c.Graph, Hidden: c.Hidden, Heads: found.Heads, Dropout: c.Dropout, Threads: c.Threads,
		Fold: c.Fold, Storage: c.Storage, Epochs: c.Epochs, EpochMS: found.Epoch, PeakRSSBytes: found.PeakRSSBytes, Loss: found.Loss,
	}
	var all []OpRow
	for _, op := range found.Ops {
		all = append(all, opRow(op, m))
		row.RooflineMS += all[len(all)-1].RooflineMS
	}
	row.Ratio = row.EpochMS.Median / row.RooflineMS
	row.Furthest = slices.Clone(all)
	slices.SortStableFunc(row.Furthest, func(a, b OpRow) int { return cmp.Compare(b.lost(), a.lost()) })
	row.Furthest = row.Furthest[:min(furthest, len(all))]
	if ops {
		row.Ops = all
	}
	return row
}

func opRow(op Op, m *machine.Machine) OpRow {
	bound := m.Bound(op.Traffic)
	row := OpRow{Op: op.Name, Layer: op.Layer, MS: op.MS, MinMS: op.MinMS, RooflineMS: bound.Seconds * 1e3, Limit: bound.String()}
	if op.MS > 0 {
		row.GFlops, row.GBs = float64(op.Traffic.Work)/op.MS/1e6, float64(op.Bytes)/op.MS/1e6
	}
	if row.RooflineMS > 0 {
		row.Ratio = op.MS / row.RooflineMS
	}
	return row
}

// lost is the time beyond the roofline.
func (o OpRow) lost() float64 { return o.MS - o.RooflineMS }
