package main

import (
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/weft-gnn/weft/infer"
)

func (a *app) benchInferCommand() *cobra.Command {
	b := &benchInfer{applied: applied{app: a}}
	c := &cobra.Command{
		Use:   "infer",
		Short: "Measure how long a trained model takes for a single vertex",
		Long: `Ask a trained model about one vertex after the other, each alone: the answer is
computed from what lies around the vertex, as many hops as the model has layers,
and is compared with that of the model run over the whole graph.

Every vertex is asked for in ` + strconv.Itoa(infer.Rounds) + ` rounds, with all others in between, after one
that is not counted. A vertex's time is the median of its rounds; shown are the
median, the 99 % quantile and the maximum over vertices.`,
		Example: `  weft bench infer --run runs/gcn-cora-0-1
  weft bench infer --run runs/gcn-cora-0-1 --queries 100 --threads 2 --json`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error { return b.run(c) },
	}
	b.register(c)
	hide(c, "split", "label", "features", "task")
	b.threads, b.all = 1, true
	threads := c.Flags().Lookup("threads")
	threads.Usage = "number `N` of threads that ask at once, each about its share (default 1)"
	c.Flags().Var(&b.queries, "queries", "how many vertices to ask about, evenly spread: a number, or all (default all)")
	title(c, "Run and result")
	return c
}

type benchInfer struct {
	applied
	queries share
}

// share is a number of vertices, or 0 for all.
type share int

func (s *share) String() string {
	if *s == 0 {
		return "all"
	}
	return strconv.Itoa(int(*s))
}

func (s *share) Type() string { return "N" }

// Set reads a number, or "all".
func (s *share) Set(text string) error {
	if text == "all" {
		*s = 0
		return nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		return fmt.Errorf("want a number from 1 on, or all")
	}
	*s = share(n)
	return nil
}

// of returns so many of n vertices, evenly spread.
func (s share) of(n int) []int32 {
	k := min(int(s), n)
	if s == 0 {
		k = n
	}
	vertices := make([]int32, k)
	for i := range vertices {
		vertices[i] = int32(i * n / k)
	}
	return vertices
}

// latency is the JSON of weft bench infer.
type latency struct {
	Run     string `json:"run"`
	Model   string `json:"model"`
	Data    string `json:"data"`
	Hops    int    `json:"hops"`
	Queries int    `json:"queries"` // vertices asked about
	Rounds  int    `json:"rounds"`
	Threads int    `json:"threads"`
	Time    struct {
		Median float64 `json:"median"`
		P99    float64 `json:"p99"`
		Max    float64 `json:"max"`
	} `json:"time_us"`
	Slowest struct {
		ID       string `json:"id"`
		Vertices int    `json:"vertices"` // of its neighbourhood
		Edges    int    `json:"edges"`
	} `json:"slowest"`
	Allocations int     `json:"allocations"` // per question
	Differ      int     `json:"differ"`      // vertices whose bits are not those of the whole graph
	Difference  float64 `json:"max_difference"`
}

func (b *benchInfer) run(c *cobra.Command) error {
	if err := b.load(c); err != nil {
		return err
	}
	vertices := b.queries.of(b.set.Graph.N)
	if len(vertices) == 0 {
		return fmt.Errorf("%s has no vertices to ask about", b.set.Name)
	}
	p, err := b.model.Prepare(b.set)
	if err != nil {
		return err
	}
	start := time.Now()
	l, err := p.Latency(vertices, b.threads, func() time.Duration { return time.Since(start) })
	if err != nil {
		return err
	}
	r := latency{
		Run: b.path, Model: b.model.Saved.Model, Data: b.set.Name, Hops: p.Hops(),
		Queries: len(vertices), Rounds: infer.Rounds, Threads: b.threads,
		Allocations: l.Allocations, Differ: l.Differ, Difference: l.Difference,
	}
	r.Time.Median, r.Time.P99, r.Time.Max = micros(l.Quantile(0.5)), micros(l.Quantile(0.99)), micros(l.Quantile(1))
	r.Slowest.ID, r.Slowest.Vertices, r.Slowest.Edges = b.set.IDs.Of(int(vertices[l.Slowest])), l.Vertices, l.Edges
	if b.json {
		return b.printJSON(r)
	}
	return b.print("%s", r.text())
}

// micros returns a time in µs.
func micros(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1e3 }

func (r latency) text() string {
	agree := "all have the bits of the whole graph"
	if r.Differ > 0 {
		agree = fmt.Sprintf("%s from the whole graph, by up to %g", plural(int64(r.Differ), "differs", "differ"), r.Difference)
	}
	return fmt.Sprintf(`%s on %s: %s, each from %s
median %.1f µs  99 %% %.1f µs  maximum %.1f µs
slowest: vertex %s, around which lie %s and %s
%s per question; %s
`, r.Model, r.Data, plural(int64(r.Queries), "vertex", "vertices"), plural(int64(r.Hops), "hop", "hops"),
		r.Time.Median, r.Time.P99, r.Time.Max,
		r.Slowest.ID, plural(int64(r.Slowest.Vertices), "vertex", "vertices"), plural(int64(r.Slowest.Edges), "edge", "edges"),
		plural(int64(r.Allocations), "allocation", "allocations"), agree)
}
