//go:build unix

// Command orders measures what the order of vertices is worth: how near each
// other it puts the ends of arcs, how long it takes to find, and the time of
// sums over neighbours, for each order against the one that the set came in.
//
// The orders take turns, so that other load on the machine meets all of them. A
// ratio is the median over the turns of the set's own order's time, by the same
// turn's time in the other order: above 1, the order is worth it.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/weft-gnn/weft/dataset/source"
	"github.com/weft-gnn/weft/graph"
	"github.com/weft-gnn/weft/internal/cpu"
	"github.com/weft-gnn/weft/internal/rng"
	"github.com/weft-gnn/weft/kernel"
	"github.com/weft-gnn/weft/tensor"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("orders: ")
	var m measurement
	columns := flag.String("k", "64,128,256", "columns of the features")
	flag.IntVar(&m.rounds, "rounds", 15, "turns that each order has")
	flag.IntVar(&m.threads, "threads", 1, "threads")
	flag.BoolVar(&m.processor, "cpu", false, "compare time of the processors, as on a machine that is busy with other things")
	flag.Usage = func() {
		fmt.Fprintf(flag.CommandLine.Output(), "usage: orders [flags] SET…\n")
		flag.PrintDefaults()
	}
	flag.Parse()
	for text := range strings.SplitSeq(*columns, ",") {
		k, err := strconv.Atoi(text)
		if err != nil || k < 1 {
			log.Fatalf("-k %q: want numbers separated by commas", *columns)
		}
		m.columns = append(m.columns, k)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	fmt.Printf("%v, %s, %d threads, %d turns\n\n", cpu.Best(), runtime.Version(), m.threads, m.rounds)
	for _, name := range flag.Args() {
		if err := m.set(ctx, os.Stdout, name); err != nil {
			log.Fatal(err)
		}
	}
}

// measurement is how orders are compared.
type measurement struct {
	columns         []int
	rounds, threads int
	processor       bool
}

// candidate is a set's graph in one order.
type candidate struct {
	name  string
	found float64 // seconds to look for the order
	made  float64 // seconds to permute
	g     *graph.Graph
	times []float64
}

func (m *measurement) set(ctx context.Context, out io.Writer, name string) error {
	d, err := source.Open(ctx, name, source.Places(os.Getenv))
	if err != nil {
		return err
	}
	all, err := m.candidates(d.Graph)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%s: %d vertices, %d arcs\n\n| order | mean gap | median | bandwidth | found in |", d.Name, d.Graph.N, d.Graph.Counts.Arcs)
	for _, k := range m.columns {
		fmt.Fprintf(out, " k = %d |", k)
	}
	fmt.Fprintf(out, "\n| --- |%s\n", strings.Repeat(" --- |", 4+len(m.columns)))
	ratios := make([][]float64, len(all))
	var own []float64
	for _, k := range m.columns {
		if err := m.turns(ctx, all, k); err != nil {
			return err
		}
		for i := range all {
			ratios[i] = append(ratios[i], median(quotients(all[0].times, all[i].times)))
		}
		own = append(own, median(all[0].times))
	}
	for i, c := range all {
		gaps := c.g.Gaps()
		fmt.Fprintf(out, "| %s | %.0f | %d | %d | %.2f + %.2f s |", c.name, gaps.Mean, gaps.Median, gaps.Bandwidth, c.found, c.made)
		for j := range m.columns {
			if i == 0 {
				fmt.Fprintf(out, " %.3g ms |", own[j]*1e3)
			} else {
				fmt.Fprintf(out, " %.2f |", ratios[i][j])
			}
		}
		fmt.Fprintln(out)
	}
	fmt.Fprintln(out)
	return nil
}

// candidates returns the graph as it is, then in every other order.
func (m *measurement) candidates(g *graph.Graph) ([]*candidate, error) {
	all := []*candidate{{name: "as it came", g: g}}
	for _, by := range graph.Orderings()[1:] {
		start := m.now()
		order := g.Order(by, 1)
		found := m.now()
		p, err := g.Permute(order)
		if err != nil {
			return nil, err
		}
		all = append(all, &candidate{name: by.String(), found: found - start, made: m.now() - found, g: p})
	}
	return all, nil
}

// turns times y = A·x over each candidate, in turns.
func (m *measurement) turns(ctx context.Context, all []*candidate, k int) (err error) {
	pool := kernel.NewPool(m.threads)
	defer pool.Close()
	call := kernel.Ctx{Pool: pool}
	n := all[0].g.N
	x, y, free, err := operands(n, k)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, free()) }()
	for _, c := range all {
		c.times = c.times[:0]
	}
	for range m.rounds {
		for _, c := range all {
			c.times = append(c.times, m.time(func() { kernel.SpMM(&call, c.g.Block(), kernel.Dst, tensor.Matrix{}, x, y) }))
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}

// least is how many seconds a turn lasts, so that the clock can tell it.
const least = 0.01

// time returns the mean seconds of a run, the first one left out, which finds the
// data of another turn in the caches.
func (m *measurement) time(run func()) float64 {
	run()
	start := m.now()
	for runs := 1; ; runs++ {
		run()
		if s := m.now() - start; s >= least {
			return s / float64(runs)
		}
	}
}

// operands returns features and room for sums, in arenas as the runtime has them.
func operands(n, k int) (x, y tensor.Matrix, free func() error, err error) {
	a, err := tensor.NewArena(4 * int64(n) * int64(k))
	if err != nil {
		return x, y, nil, err
	}
	b, err := tensor.NewArena(4 * int64(n) * int64(k))
	if err != nil {
		return x, y, nil, errors.Join(err, a.Close())
	}
	x, y = a.View(0, n, k), b.View(0, n, k)
	random := rng.Key{Seed: 1, Purpose: rng.Test}.Stream(0)
	for _, values := range [][]float32{x.Data, y.Data} {
		for i := range values {
			values[i] = 2*random.Float32() - 1
		}
	}
	return x, y, func() error { return errors.Join(a.Close(), b.Close()) }, nil
}

var started = time.Now()

// now returns seconds since some moment.
func (m *measurement) now() float64 {
	if !m.processor {
		return time.Since(started).Seconds()
	}
	var u syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()).Seconds()
}

func quotients(a, b []float64) []float64 {
	q := make([]float64, len(a))
	for i := range a {
		q[i] = a[i] / b[i]
	}
	return q
}

func median(x []float64) float64 {
	s := slices.Sorted(slices.Values(x))
	return s[len(s)/2]
}
