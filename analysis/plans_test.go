package analysis_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/weft-gnn/weft/analysis"
	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/machine"
	"github.com/weft-gnn/weft/plan"
	"github.com/weft-gnn/weft/train"
)

// cluster is a made-up machine of one cache.
func cluster() analysis.Cluster {
	level := func(name string, bytes int64, caches int, rate float64) machine.Level {
		return machine.Level{Name: name, Bytes: bytes, Caches: caches, Read: rate, Write: rate, Copy: rate, Change: rate,
			Gather: []machine.RowRate{{RowBytes: 64, Rate: rate / 2}, {RowBytes: 1024, Rate: rate}}}
	}
	return analysis.Cluster{
		Rates: &machine.Machine{CPU: "made up", Cores: 4, Threads: 1, ISA: "avx2", FMA: 5e10,
			Levels: []machine.Level{level("L2", 1<<20, 1, 4e10), level("memory", 0, 0, 1e10)}},
		Link: machine.Link{Name: "local", AlphaUS: 2, BetaNS: 0.8},
	}
}

// compared compares plans for a run.
func compared(t testing.TB, name string, d *dataset.Dataset, on analysis.Cluster, plans []plan.Plan) *analysis.Plans {
	t.Helper()
	cfg := config(t, name, d)
	own := func(p plan.Plan) (*plan.Owners, error) { return train.Divide(t.Context(), p, d, cfg.Seed) }
	all, err := analysis.Compare(t.Context(), requestOf(t, cfg, d), plans, own, on, nil)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestPlansCount: words, messages, supersteps of every plan for one to four ranks
// are those that a training step counts; plans are written as they are read.
func TestPlansCount(t *testing.T) {
	for _, data := range []string{"karate", "cora"} {
		for _, name := range []string{"gcn", "gat"} {
			t.Run(data+"/"+name, func(t *testing.T) {
				d := set(t, data)
				for ranks := 1; ranks <= 4; ranks++ {
					if data == "cora" && ranks != 3 {
						continue // karate has them all
					}
					plans := plan.All(ranks)
					all := compared(t, name, d, cluster(), plans)
					plain := slices.DeleteFunc(slices.Clone(plans), func(p plan.Plan) bool { return p.String() != p.Plain().String() })
					if got := len(all.Plans) + len(all.Refused); got < len(plain) || got > len(plans) || len(all.Plans) == 0 {
						t.Errorf("%d ranks: %d plans and %d refused of %d", ranks, len(all.Plans), len(all.Refused), len(plans))
					}
					for _, r := range all.Plans {
						sends(t, r, config(t, name, d), d)
					}
				}
			})
		}
	}
}

func sends(t *testing.T, r analysis.Ranked, cfg train.Config, d *dataset.Dataset) {
	t.Helper()
	p, err := plan.Parse(r.Plan)
	if err != nil {
		t.Fatal(err)
	}
	owners, err := train.Divide(t.Context(), p, d, cfg.Seed)
	if err != nil {
		t.Fatal(err)
	}
	got, err := trained(t, p, owners, cfg, d)
	if err != nil {
		t.Fatal(err)
	}
	words, messages := analysis.Extreme(got.Words), analysis.Extreme(got.Messages)
	if r.Words != words || r.Messages != messages || r.Supersteps != got.Supersteps {
		t.Errorf("%s: %+v, %+v in %d supersteps, training counts %+v", r.Plan, r.Words, r.Messages, r.Supersteps, got)
	}
	if r.MemoryBytes < got.ArenaBytes {
		t.Errorf("%s: a rank needs %d bytes, its arena has %d", r.Plan, r.MemoryBytes, got.ArenaBytes)
	}
}

// TestPlansPage compares the page for karate with that in testdata.
func TestPlansPage(t *testing.T) {
	for name, on := range map[string]analysis.Cluster{"plans-gcn": cluster(), "plans-gat": crowded()} {
		all := compared(t, strings.TrimPrefix(name, "plans-"), set(t, "karate"), on, plan.All(4))
		var b bytes.Buffer
		if err := all.WriteText(&b); err != nil {
			t.Fatal(err)
		}
		sameAsKept(t, name, b.String())
	}
}

// crowded has its ranks share one core, and a link on which words are dear.
func crowded() analysis.Cluster {
	c := cluster()
	c.Cores, c.Link = 1, machine.Link{Name: "mpi", AlphaUS: 0.1, BetaNS: 100}
	return c
}

// TestPlansOrder: the fastest is first; its sentence names the term that decides;
// where messages are dear plans that send fewer lead, where words are, those.
func TestPlansOrder(t *testing.T) {
	d := set(t, "karate")
	dear := map[string]machine.Link{
		"messages": {Name: "far", AlphaUS: 1e4, BetaNS: 1e-3},
		"words":    {Name: "thin", AlphaUS: 1e-6, BetaNS: 1e6},
	}
	for what, link := range dear {
		on := cluster()
		on.Link = link
		all := compared(t, "gcn", d, on, plan.All(4))
		for i, r := range all.Plans {
			if r.Order != i+1 || i > 0 && r.TimeMS < all.Plans[i-1].TimeMS {
				t.Errorf("plan %d has the order %d and takes %v ms", i, r.Order, r.TimeMS)
			}
			if terms := r.Terms.Computing + r.Terms.Messages + r.Terms.Words; math.Abs(terms-r.TimeMS) > 1e-12*terms {
				t.Errorf("%s takes %v ms, its terms %v", r.Plan, r.TimeMS, terms)
			}
			if what == "messages" && r.Messages.Max < all.Plans[0].Messages.Max || what == "words" && r.Words.Max < all.Plans[0].Words.Max {
				t.Errorf("%s are dear, and %s sends fewer than the first, %s", what, r.Plan, all.Plans[0].Plan)
			}
		}
		last := all.Plans[len(all.Plans)-1]
		if !strings.Contains(last.Why, "its "+what+" take") {
			t.Errorf("%s are dear: %s", what, last.Why)
		}
	}
}

// TestPlansOverlap: an exchange takes the time by which it exceeds what is computed
// meanwhile; on shared cores all of it.
func TestPlansOverlap(t *testing.T) {
	d := set(t, "cora")
	both := []plan.Plan{{Partition: []int{4}}, {Partition: []int{4}, Blocking: true}}
	at := func(words float64, cores int) (overlapped, blocking analysis.Ranked) {
		on := cluster()
		on.Cores, on.Link = cores, machine.Link{Name: "made up", AlphaUS: 1e-9, BetaNS: words}
		all := compared(t, "gcn", d, on, both).Plans
		if strings.Contains(all[0].Plan, "overlap=false") {
			slices.Reverse(all)
		}
		return all[0], all[1]
	}
	for _, words := range []float64{1e-3, 1, 1e3} {
		o, b := at(words, 0)
		if b.Terms.Hidden > 1e-9*b.TimeMS || o.Terms.Hidden <= 0 {
			t.Errorf("%v ns a word: %+v with overlap, %+v without", words, o.Terms, b.Terms)
		}
		if saved := b.TimeMS - b.Terms.Computing - o.TimeMS + o.Terms.Computing; math.Abs(saved-o.Terms.Hidden) > 1e-9*b.TimeMS {
			t.Errorf("%v ns a word: %v ms are hidden, %v saved", words, o.Terms.Hidden, saved)
		}
		if o, b := at(words, 4); math.Abs(o.Terms.Words-b.Terms.Words) > 1e-9*b.TimeMS || o.Terms.Hidden > 1e-9*b.TimeMS {
			t.Errorf("on shared cores, %v ns a word: %+v with overlap, %+v without", words, o.Terms, b.Terms)
		}
	}
}

// TestPlansTakeTurns: ranks that share a core compute one after the other.
func TestPlansTakeTurns(t *testing.T) {
	d := set(t, "karate")
	four := []plan.Plan{{Partition: []int{4}, Blocking: true}}
	own, shared := cluster(), cluster()
	shared.Cores = 1
	a, b := compared(t, "gcn", d, own, four).Plans[0], compared(t, "gcn", d, shared, four).Plans[0]
	if b.Terms.Computing != 4*a.Terms.Computing || math.Abs(b.Terms.Words-a.Terms.Words) > 1e-9*a.Terms.Words {
		t.Errorf("on cores of their own %+v, on one %+v", a.Terms, b.Terms)
	}
	if a.Why != "it is the only plan that can run" {
		t.Errorf("one plan: %s", a.Why)
	}
}

// TestPlansRefused: a plan that cannot be had is listed with the reason, and the
// list ends where its context does.
func TestPlansRefused(t *testing.T) {
	d := set(t, "karate")
	cfg := config(t, "gcn", d)
	plans := plan.All(2)
	ctx, stop := context.WithCancelCause(t.Context())
	own := func(p plan.Plan) (*plan.Owners, error) {
		if p.Algorithm == plan.TwoD {
			return nil, errors.New("no such parts")
		}
		return train.Divide(t.Context(), p, d, cfg.Seed)
	}
	told := 0
	all, err := analysis.Compare(ctx, requestOf(t, cfg, d), plans, own, cluster(), func(p plan.Plan, i int) {
		if p.String() != plans[i].String() {
			t.Errorf("told of %v, want %v", p, plans[i])
		}
		told++
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(all.Refused) != 2 || all.Refused[0].Why != "no such parts" || told != len(plans) {
		t.Errorf("refused %+v, told of %d", all.Refused, told)
	}
	enough := errors.New("enough")
	stop(enough)
	if _, err := analysis.Compare(ctx, requestOf(t, cfg, d), plans, own, cluster(), nil); !errors.Is(err, enough) {
		t.Errorf("after the end: %v", err)
	}
	bare := requestOf(t, cfg, d)
	bare.Data = analysis.Data{}
	if _, err := analysis.Compare(t.Context(), bare, plans, own, cluster(), nil); err == nil {
		t.Error("plans without a graph")
	}
}

// TestPlansJSON: the keys that scripts rely on.
func TestPlansJSON(t *testing.T) {
	text, err := json.Marshal(compared(t, "gcn", set(t, "karate"), cluster(), plan.All(2)))
	if err != nil {
		t.Fatal(err)
	}
	var o any
	if err := json.Unmarshal(text, &o); err != nil {
		t.Fatal(err)
	}
	for _, p := range at(t, o, "plans").([]any) {
		for _, key := range []string{"rank_order", "plan", "supersteps", "memory_bytes", "time_ms", "why"} {
			at(t, p, key)
		}
		for _, key := range []string{"words", "messages"} {
			at(t, p, key, "max")
			at(t, p, key, "total")
		}
	}
	for _, key := range []string{"ranks", "threads", "alpha_us", "beta_ns_per_word"} {
		at(t, o, "machine", key)
	}
	if refused := at(t, o, "refused").([]any); len(refused) > 0 {
		t.Errorf("refused %v", refused)
	}
}
