//go:build unix

// Command partition measures the methods that divide graphs: arcs cut, balance,
// rows fetched and handed back, and time, beside METIS where gpmetis is installed.
//
// Each method divides each graph with several seeds; what is printed is the mean
// of each number. METIS has the same slack. Times are those of the processor: its
// own is what it reports for the division, reading and writing left out.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/weft-gnn/weft/dataset/source"
	"github.com/weft-gnn/weft/graph"
	"github.com/weft-gnn/weft/internal/cpu"
	"github.com/weft-gnn/weft/partition"
	"github.com/weft-gnn/weft/perf"
)

// bench is what is to be measured.
type bench struct {
	parts   []int
	methods []partition.Method
	seeds   uint64
	slack   float64
	gpmetis string // path of the program, "" where it is not installed
}

func main() {
	log.SetFlags(0)
	log.SetPrefix("partition: ")
	b := bench{methods: partition.Methods()}
	parts := flag.String("parts", "2,4,8", "numbers of parts")
	methods := flag.String("methods", "", "methods (default: all)")
	flag.Uint64Var(&b.seeds, "seeds", 3, "seeds of each method")
	flag.Float64Var(&b.slack, "slack", 0.05, "what a part may have above the mean, in parts of it")
	flag.Usage = func() {
		fmt.Fprintf(flag.CommandLine.Output(), "usage: partition [flags] SET…\n")
		flag.PrintDefaults()
	}
	flag.Parse()
	for text := range strings.SplitSeq(*parts, ",") {
		p, err := strconv.Atoi(text)
		if err != nil || p < 1 {
			log.Fatalf("-parts %q: want numbers separated by commas", *parts)
		}
		b.parts = append(b.parts, p)
	}
	if *methods != "" {
		b.methods = nil
		for text := range strings.SplitSeq(*methods, ",") {
			m, err := partition.Parse(text)
			if err != nil {
				log.Fatal(err)
			}
			b.methods = append(b.methods, m)
		}
	}
	b.gpmetis, _ = exec.LookPath("gpmetis") // measured without it where it is not there
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	fmt.Printf("# Divisions\n\nBy `go run ./bench/partition %s`: %v, %s, %s/%s. Numbers are means over %d seeds, times those of the processor.\n\n",
		strings.Join(os.Args[1:], " "), cpu.Best(), runtime.Version(), runtime.GOOS, runtime.GOARCH, b.seeds)
	for _, name := range flag.Args() {
		if err := b.set(ctx, os.Stdout, name); err != nil {
			log.Fatal(err)
		}
	}
}

// set prints the table of one graph.
func (b *bench) set(ctx context.Context, out io.Writer, name string) error {
	d, err := perf.Open(ctx, name, source.Places(os.Getenv))
	if err != nil {
		return err
	}
	g := d.Graph
	fmt.Fprintf(out, "## %s: %d vertices, %d arcs\n\n", d.Name, g.N, g.Counts.Arcs)
	fmt.Fprintln(out, "| parts | method | arcs cut | of all | of METIS | vertices, max/mean | arcs, max/mean | halo | largest | words per column | largest | copies | time |")
	fmt.Fprintln(out, "| ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
	m, err := newMETIS(b.gpmetis, g)
	if err != nil {
		return err
	}
	defer m.close()
	for _, parts := range b.parts {
		metis, err := b.mean(func(seed uint64) (*partition.Stats, time.Duration, error) {
			return m.divide(ctx, g, parts, seed, b.slack)
		})
		if err != nil {
			return err
		}
		if m != nil {
			metis.print(out, parts, "METIS", metis, g)
		}
		for _, method := range b.methods {
			r, err := b.mean(func(seed uint64) (*partition.Stats, time.Duration, error) {
				return b.divide(ctx, g, parts, method, seed)
			})
			if err != nil {
				return err
			}
			r.print(out, parts, method.String(), metis, g)
		}
	}
	fmt.Fprintln(out)
	return nil
}

// divide measures a division by one of our methods.
func (b *bench) divide(ctx context.Context, g *graph.Graph, parts int, m partition.Method, seed uint64) (*partition.Stats, time.Duration, error) {
	o := partition.Options{Parts: parts, Method: m, Seed: seed, Slack: b.slack}
	start := processor()
	a, err := partition.Divide(ctx, g, o)
	took := processor() - start
	if err != nil {
		return nil, 0, err
	}
	s, err := partition.Measure(g.Block(), a)
	return s, took, err
}

// processor is the time that this process has computed for.
func processor() time.Duration {
	var u syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// result is the mean of some divisions.
type result struct {
	cut, vertices, arcs, halo, haloMax, words, wordsMax, copies, seconds float64
}

// mean divides once with each seed.
func (b *bench) mean(divide func(seed uint64) (*partition.Stats, time.Duration, error)) (*result, error) {
	var r result
	for seed := range b.seeds {
		s, took, err := divide(seed + 1)
		if err != nil || s == nil {
			return &r, err
		}
		for to, v := range map[*float64]float64{
			&r.cut: float64(s.CutArcs), &r.vertices: s.VertexBalance(), &r.arcs: s.ArcBalance(),
			&r.halo: float64(s.Halo.Total), &r.haloMax: float64(s.Halo.Max),
			&r.words: float64(s.Words.Total), &r.wordsMax: float64(s.Words.Max),
			&r.copies: s.Replication, &r.seconds: took.Seconds(),
		} {
			*to += v / float64(b.seeds)
		}
	}
	return &r, nil
}

// print prints a row of the table.
func (r *result) print(out io.Writer, parts int, name string, metis *result, g *graph.Graph) {
	of := "–"
	if metis.cut > 0 {
		of = fmt.Sprintf("%.2f", r.cut/metis.cut)
	}
	fmt.Fprintf(out, "| %d | %s | %.0f | %.1f %% | %s | %.3f | %.3f | %.0f | %.0f | %.0f | %.0f | %.2f | %.3f s |\n", parts, name,
		r.cut, 100*r.cut/float64(max(g.Counts.Arcs, 1)), of, r.vertices, r.arcs, r.halo, r.haloMax, r.words, r.wordsMax, r.copies, r.seconds)
}
