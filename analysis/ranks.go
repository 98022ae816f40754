package analysis

import (
	"fmt"
	"slices"

	"github.com/weft-gnn/weft/cost"
	"github.com/weft-gnn/weft/graph"
	"github.com/weft-gnn/weft/kernel"
	"github.com/weft-gnn/weft/model"
	"github.com/weft-gnn/weft/plan"
	"github.com/weft-gnn/weft/program"
)

// Share is what the ranks of a plan have of one size: their largest, and the sum.
// The sum of the vertices at an end of edges exceeds n by those that several have.
type Share struct {
	Symbol  string `json:"symbol"`
	Meaning string `json:"meaning"`
	// Max and Total are null without data.
	Max   *int64 `json:"max"`
	Total *int64 `json:"total"`
}

// shared are the symbols of what a rank has, and of what it exchanges at either
// end of its edges.
var shared = []struct{ name, meaning string }{
	{cost.Vertices, "own vertices"},
	{"N", "all vertices"},
	{cost.Arcs, "arcs without loops"},
	{cost.ArcsWithLoops, "arcs with one loop a vertex"},
	{nonzeros, "entries of X that are not 0"},
	{"m_src", "arcs from others' vertices"},
	{"n_src", "sources of a rank's edges"},
	{"h_src", "of these, others' vertices"},
	{"b_src", "own vertices among others' sources"},
	{"μ_src", "ranks that have some of these"},
	{"ν_src", "ranks that have its halo of sources"},
	{"n_dst", "destinations of a rank's edges"},
	{"h_dst", "of these, others' vertices"},
	{"b_dst", "own vertices among others' destinations"},
	{"μ_dst", "ranks that have some of these"},
	{"ν_dst", "ranks that have its halo of destinations"},
	{targets, "rows the loss compares"},
}

// shares lists the sizes that a rank's program is stated in.
func (a at) shares(p *program.Program) []Share {
	used := map[string]bool{}
	for _, s := range spendingOf(p) {
		for _, e := range []cost.Expr{s.Work, s.Bytes, s.Words, s.Messages} {
			for _, name := range e.Symbols() {
				used[name] = true
			}
		}
	}
	out := []Share{}
	for _, s := range shared {
		if !used[s.name] {
			continue
		}
		x := Share{Symbol: s.name, Meaning: s.meaning}
		if a.ranks != nil {
			x.Max, x.Total = new(int64), new(int64)
			for _, env := range a.ranks {
				*x.Max, *x.Total = max(*x.Max, env[s.name]), *x.Total+env[s.name]
			}
		}
		out = append(out, x)
	}
	return out
}

// fleet compiles the programs of the ranks of a plan, once for those that run the
// same.
type fleet struct {
	study
	widths model.Widths
	made   map[int]*crew
}

// crew is what some ranks run: a program, and those beside it.
type crew struct {
	subject
	programs []*program.Program
}

func (r study) fleet(w model.Widths) *fleet { return &fleet{r, w, map[int]*crew{}} }

// of returns what a rank runs.
func (f *fleet) of(rank int) (*crew, error) {
	alike := f.Plan.Distribution(rank).Alike()
	if have := f.made[alike]; have != nil {
		return have, nil
	}
	r := f.study
	r.rank = rank
	s, err := r.compile(f.widths, r.sizes)
	if err != nil {
		return nil, err
	}
	programs, err := r.beside(s)
	f.made[alike] = &crew{s, programs}
	return f.made[alike], err
}

// rank is one of several: what it runs, and the sizes at which it does, as blocks
// and as the values of symbols.
type rank struct {
	*crew
	extent program.Extent
	env    cost.Env
}

// each divides the graph and calls yield for every rank, in order.
//
// Cost: that of [plan.Pieces]; one rank's piece is held at a time.
func (f *fleet) each(o *plan.Owners, yield func(rank) error) error {
	first, err := f.of(0)
	if err != nil {
		return err
	}
	piece, err := plan.Pieces(f.Data.Graph, *o, first.programs...)
	if err != nil {
		return fmt.Errorf("analysis: %w", err)
	}
	all := program.Target{Items: kernel.Items{Rows: f.items()}, Value: f.Data.Values}
	for i := range o.All() {
		c, err := f.of(i)
		if err != nil {
			return err
		}
		p := piece(i)
		k := rank{crew: c, extent: p.Extent}
		if slices.ContainsFunc(c.programs, func(q *program.Program) bool { return q.Reads(program.SparseEntries) }) {
			k.extent.X = program.SparseOf(p.Local(f.Data.X)).Block
		}
		k.evaluate(i, o, p.Target(all), f.Data.Classes)
		if err := yield(k); err != nil {
			return err
		}
	}
	return nil
}

// evaluate gives the symbols their values, as a session of the rank does.
func (k *rank) evaluate(number int, o *plan.Owners, mine program.Target, classes int) {
	k.env = k.extent.Env()
	o.Mesh().Env(k.env, o.Mesh().At(number))
	if mine.Sizes(k.env); mine.Value.Rows == 0 {
		k.env[present] = k.env[targets] * int64(classes)
	}
	for _, q := range k.programs {
		q.Widths(k.env)
		q.CountChunks(k.extent, k.env)
	}
}

// items lists the vertices whose prediction the loss compares.
func (r Request) items() []int32 {
	if r.Data.Items != nil || r.Data.Targets > 0 {
		return r.Data.Items
	}
	all := make([]int32, r.Data.Graph.N)
	for v := range all {
		all[v] = int32(v)
	}
	return all
}

// memory lays out what a rank holds.
func (k rank) memory() Memory {
	structure := k.extent.Share.Bytes() + walked(k.extent, k.programs)
	for _, b := range []*graph.Block{k.extent.N, k.extent.NHat, k.extent.X} {
		if b != nil {
			structure += b.Bytes()
		}
	}
	return memoryAt(k.extent, k.programs, structure)
}
