package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"runtime"
	"time"

	"github.com/spf13/cobra"

	"github.com/weft-gnn/weft/analysis"
	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/machine"
	"github.com/weft-gnn/weft/plan"
	"github.com/weft-gnn/weft/train"
)

// planRun is one call of weft plan.
type planRun struct {
	analysisRun
	ranks, threads int
	link           string
	json           bool
}

func (a *app) planCommand() *cobra.Command {
	r := &planRun{analysisRun: analysisRun{app: a}}
	c := &cobra.Command{
		Use:   "plan",
		Short: "Compare the ways to spread a model over ranks, before it runs",
		Long: `Compare the ways to spread a model over ranks: every algorithm, every grid
of ranks and every partitioner that may pay is compiled and costed for the
data at hand, and the fastest comes first.

Words, messages, supersteps and memory are those that weft train counts,
exactly. The time of a rank is Σ max(W/F, bytes/B) over its operations, at
the rates that weft calibrate keeps (they are measured now if there are
none), plus α for each message and β for each word; that of a plan is its
slowest rank's. It tells plans apart; it is less than what a step takes
where steps are short.

  1d            vertices are assigned; edges lie with their destinations;
                rows of sources that others have are fetched: few words
                where few arcs are cut
  1d-allgather  the same, but all rows go to all ranks, whatever the graph
  2d            blocks of the matrix: a rank sends to its row and its column
                of the grid only
  3d            the same on groups of c ranks, which share out the columns of
                their vertices, the edges out of these and the weights: more
                words than 2d, less memory for rows at rest
  1.5d          groups of c ranks have the same vertices and share out the
                edges into them: fewer rows to fetch, c times the memory
  vertexcut     edges are assigned: balanced where few vertices have most
  feature       every rank has the structure and some columns: no words for
                sums over edges, two exchanges around each; or, with
                resplit=reduce-scatter, one for each product with a weight
  weights       every rank has the graph and pieces of the weights: memory
                of wide models is shared out, half the products are summed
  replicas      every rank has the whole graph and some of the items to
                train on: the fewest words, all of the computing

Each of the first six may have replica=R: groups that train on some of the
items each, and, but for 3d, feature=F: the columns of each rank shared out
over F, as reduce-scatter has it. The ranks are the product.

Where rows are exchanged for edges to read, they are sent as they are read,
or made of what fewer words are sent for: exchange=auto chooses the side of
products with weights, and halo=recompute lets ranks compute all else again
too, so that nothing is sent for what comes of features alone. Where every
edge has its reverse, backward=auto sends rows of gradients back instead of
sums, unless sums are fewer words. Such plans are listed where they send
fewer words or take less memory.

With --link local all ranks share the cores of this machine, as those of
weft train --ranks do; with --link mpi each has its own, and the link is
what weft calibrate measured under mpirun.`,
		Example: `  weft plan --data cora --model gat --ranks 4
  weft plan --data ./products --hidden 64 --ranks 16 --threads 8 --link mpi
  weft plan --ranks 4 --json`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error { return r.run(c) },
	}
	r.model.register(c)
	r.data.register(a, c, "karate", "")
	s := c.Flags()
	s.IntVar(&r.ranks, "ranks", runtime.NumCPU(), "number `N` of ranks")
	r.threads = 1
	s.Var((*threadCount)(&r.threads), "threads", fmt.Sprintf("number `N` of threads of each rank (default: the CPUs, here %d, shared out)", runtime.NumCPU()))
	wordFlag(c, &r.link, "link", machine.LocalLink, []string{machine.LocalLink, machine.MPILink}, "what carries words between ranks")
	s.Uint64Var(&r.seed, "seed", 0, "`SEED` of the lots that partitioners draw, as that of weft train")
	title(c, "Parallelism")
	wordFlag(c, &r.mode, "mode", "train", []string{"inference", "train"}, "one forward pass, or one training step")
	jsonFlag(c, &r.json)
	quietFlag(a, c)
	title(c, "Analysis")
	return c
}

func (r *planRun) run(c *cobra.Command) error {
	switch {
	case r.ranks < 1:
		return usagef("--ranks %d: want at least 1", r.ranks)
	case changed(c, "threads") == "":
		r.threads = threadsOf(r.ranks)
	}
	if err := plan.OnRanks(r.ranks).Validate(); err != nil {
		return usage(err)
	}
	request, d, err := r.open(c)
	if err != nil {
		return err
	}
	if err := r.noteParts(c); err != nil {
		return err
	}
	on, err := r.cluster(c.Context())
	if err != nil {
		return err
	}
	all, err := r.compare(c.Context(), request, d, on)
	if err != nil {
		return err
	}
	if r.json {
		return r.printJSON(all)
	}
	return all.WriteText(r.out)
}

// noteParts says of a set that was divided that its parts are for one plan.
func (r *planRun) noteParts(c *cobra.Command) error {
	src, err := r.data.choose(c)
	if err != nil {
		return err
	}
	parts, err := r.partsOf(src)
	if parts == nil || err != nil {
		return err
	}
	p, err := train.PlanOf(parts.manifest, nil)
	if err == nil {
		r.say("note: %s is in parts for the plan %v; these plans divide the set anew, and weft train takes them with the set that was divided", src.Data, p)
	}
	return err
}

// compare costs every plan for the number of ranks.
func (r *planRun) compare(ctx context.Context, q analysis.Request, d *dataset.Dataset, on analysis.Cluster) (*analysis.Plans, error) {
	plans := plan.All(r.ranks)
	own := func(p plan.Plan) (*plan.Owners, error) { return train.Divide(ctx, p, d, r.seed) }
	said := time.Now()
	all, err := analysis.Compare(ctx, q, plans, own, on, func(p plan.Plan, i int) {
		if time.Since(said) >= patience {
			said = time.Now()
			r.say("plan %d of %d: %v", i+1, len(plans), p)
		}
	})
	if err == nil && len(all.Plans) == 0 {
		return nil, fmt.Errorf("no plan runs %s on %d ranks: %s", q.Model.Name, r.ranks, all.Refused[0].Why)
	}
	if err != nil {
		return nil, err
	}
	for i := range all.Refused {
		f := &all.Refused[i]
		f.Why = oneLine(errors.New(f.Why))
	}
	return all, nil
}

// patience is how long a user is left without a word.
const patience = 2 * time.Second

// cluster returns what the ranks run on: the rates that were kept, or that are
// measured now.
func (r *planRun) cluster(ctx context.Context) (on analysis.Cluster, err error) {
	dir := r.cacheDir()
	if dir == "" {
		return on, errNoCache
	}
	on.Rates, err = machine.Load(dir, r.threads)
	if errors.Is(err, fs.ErrNotExist) {
		r.say("measuring what %s of this machine can do, once", plural(int64(r.threads), "thread", "threads"))
		if on.Rates, err = machine.Calibrate(ctx, dir, r.threads, false, nil); on.Rates != nil {
			r.kept(err)
			err = nil
		}
	}
	if err != nil {
		return on, fmt.Errorf("%w (weft calibrate --threads %d writes it anew)", err, r.threads)
	}
	if r.link == machine.LocalLink {
		on.Cores = on.Rates.Cores
	}
	on.Link, err = r.measured(ctx, dir)
	return on, err
}

// measured returns the link that was asked for.
func (r *planRun) measured(ctx context.Context, dir string) (machine.Link, error) {
	kept, err := machine.LoadLinks(dir)
	if err != nil {
		return machine.Link{}, fmt.Errorf("%w (weft calibrate --fresh writes it anew)", err)
	}
	link, known := kept.Find(r.link)
	switch {
	case known:
		return link, nil
	case r.link == machine.MPILink:
		return link, errors.New("the link mpi has not been measured: run `mpirun -np 2 weft calibrate` first")
	}
	if link, err = machine.MeasureLocal(ctx); err != nil {
		return link, err
	}
	r.kept(kept.With(link).Save(dir))
	return link, nil
}

// kept says why what was measured is not kept, which takes nothing from the plans.
func (r *planRun) kept(err error) {
	if err != nil {
		r.say("measured, but not kept for the next time: %s", oneLine(err))
	}
}
