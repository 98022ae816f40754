package analysis

import (
	"fmt"
	"slices"

	"github.com/weft-gnn/weft/cost"
	"github.com/weft-gnn/weft/graph"
	"github.com/weft-gnn/weft/kernel"
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
	{cost.Arcs, "arcs without loops"},
	{cost.ArcsWithLoops, "arcs with one loop a vertex"},
	{nonzeros, "entries of X that are not 0"},
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

// rank is one of several: the sizes that its programs run at, as blocks and as the
// values of symbols.
type rank struct {
	extent program.Extent
	env    cost.Env
}

// eachRank divides the graph for some programs and calls f for every rank, in
// order.
//
// Cost: that of [plan.Pieces]; one rank's piece is held at a time.
func (r study) eachRank(programs []*program.Program, f func(rank)) error {
	piece, err := plan.Pieces(r.Data.Graph, *r.Owners, programs...)
	if err != nil {
		return fmt.Errorf("analysis: %w", err)
	}
	all := program.Target{Items: kernel.Items{Rows: r.items(), Total: r.sizes[present]}}
	for i := range r.Plan.Ranks() {
		f(r.rank(i, piece(i), all, programs))
	}
	return nil
}

// rank gives the symbols their values on one rank, as a session of it does.
func (r study) rank(number int, p *plan.Piece, all program.Target, programs []*program.Program) rank {
	e := p.Extent
	if slices.ContainsFunc(programs, func(q *program.Program) bool { return q.Reads(program.SparseEntries) }) {
		e.X = program.SparseOf(p.Local(r.Data.X)).Block
	}
	env, mine := e.Env(), p.Target(all)
	env["P"], env["p"] = int64(r.Plan.Ranks()), int64(number)
	env[targets], env[present] = int64(len(mine.Rows)), mine.Total
	for _, q := range programs {
		q.Widths(env)
		q.CountChunks(e, env)
	}
	return rank{e, env}
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
func (k rank) memory(programs []*program.Program) Memory {
	structure := k.extent.Share.Bytes() + walked(k.extent, programs)
	for _, b := range []*graph.Block{k.extent.N, k.extent.NHat, k.extent.X} {
		if b != nil {
			structure += b.Bytes()
		}
	}
	return memoryAt(k.extent, programs, structure)
}
