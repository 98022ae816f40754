package runtime_test

import (
	"context"
	"fmt"
	"math"
	"reflect"
	"slices"
	"sort"
	"strings"
	"sync"
	"testing"

	"github.com/weft-gnn/weft/comm"
	inprocess "github.com/weft-gnn/weft/comm/local"
	"github.com/weft-gnn/weft/internal/rng"
	"github.com/weft-gnn/weft/model"
	"github.com/weft-gnn/weft/plan"
	"github.com/weft-gnn/weft/program"
	"github.com/weft-gnn/weft/runtime"
	"github.com/weft-gnn/weft/tensor"
)

// spread compiles a model's training step for one of several ranks.
func spread(t *testing.T, m model.Model, w world, d *program.Distribution, skip string) *program.Program {
	t.Helper()
	o := options(m)
	o.Dropout = 0.5
	p, err := m.Objective(model.NamedWidths(w.x.Cols, w.classes, o), o, model.CrossEntropy, model.Decay{Lambda: 1e-2})
	if err != nil {
		t.Fatal(err)
	}
	f := program.Facts{Steps: 100, FoldBytes: -1, Skip: map[string]bool{skip: true}, Optimizer: &program.Optimizer{Kind: program.SGDKind, Momentum: 0.5}, Distribution: d}
	return compileFor(t, w, p, f)
}

// spreadings are the ways to own edges, on ranks along one axis, and the two to share
// out columns.
var spreadings = []spreading{
	{"by dst", program.ByDst, false, program.Whole}, {"by src", program.BySrc, false, program.Whole}, {"free", program.Free, false, program.Whole},
	{"replicas", program.AllEdges, false, program.Whole}, {"shared", program.Shared, false, program.Whole}, {"copied", program.Copied, false, program.Whole},
	{"weights", program.AllEdges, true, program.Whole}, {"columns", program.AllEdges, true, program.Columns},
}

type spreading struct {
	name    string
	owner   program.Owner
	columns bool // shared out
	rest    program.Kind
}

func (s spreading) owners(w world, ranks int, seed uint64) plan.Owners {
	if s.columns {
		return plan.Owners{Ranks: 1, Edges: s.owner, Vertex: make([]int32, w.g.N), Features: ranks, Rest: s.rest}
	}
	return randomOwners(w, ranks, s.owner, seed)
}

// randomOwners draws who owns what; some ranks may own nothing.
func randomOwners(w world, ranks int, edges program.Owner, seed uint64) plan.Owners {
	o := ownersOfAll(w, ranks, edges, seed)
	if edges == program.Shared {
		for v := range o.Vertex {
			o.Vertex[v] = int32(sort.Search(ranks, func(r int) bool { _, hi := comm.Cut(w.g.N, r, ranks); return v < hi }))
		}
	}
	if edges == program.AllEdges {
		o.Ranks, o.Replicas, o.Item, o.Vertex = 1, ranks, o.Vertex, make([]int32, w.g.N)
	}
	if edges == program.Copied {
		o.Ranks, o.Copies = ranks/2, 2
		for v, r := range o.Vertex {
			o.Vertex[v], o.Copy = r/2, append(o.Copy, r%2)
		}
	}
	return o
}

func ownersOfAll(w world, ranks int, edges program.Owner, seed uint64) plan.Owners {
	s := rng.Key{Seed: seed, Purpose: rng.Test}.Stream(3)
	o := plan.Owners{Ranks: ranks, Edges: edges, Vertex: make([]int32, w.g.N)}
	for v := range o.Vertex {
		o.Vertex[v] = int32(s.Uint32n(uint32(ranks)))
	}
	o.Edge = func(_ int64, u, v int32) int32 { return (u*7 + v*3) % int32(ranks) }
	return o
}

// ranked is what ranks computed: the gradient at the initial parameters, and the
// losses of some steps from there.
type ranked struct{ gradient, losses []float32 }

// exactGradient computes the gradient in float64, by the references of the
// operations, in the order of slots.
func exactGradient(t *testing.T, s *runtime.Session, w world, p *program.Program) (out []float64) {
	t.Helper()
	x := reference(t, s, w, p)
	x.Step, x.Seed = 0, 5
	values, err := program.Interpret(p, x)
	if err != nil {
		t.Fatal(err)
	}
	by := map[string]program.Dense{}
	for _, n := range p.Nodes {
		if _, ok := n.Op.(program.SGD); ok {
			by[p.Nodes[n.In[0]].Op.(program.Param).Slot()] = values[n.In[1]]
		}
	}
	for _, slot := range s.Slots() {
		out = append(out, by[slot].Data...)
	}
	return out
}

func (w world) features(p *plan.Piece, o *runtime.Options) tensor.Matrix {
	x := w.x
	if p != nil {
		x = p.Local(x)
	}
	if w.sparse {
		entries := program.SparseOf(x)
		o.Features = &entries
	}
	return x
}

func bindAll(t *testing.T, s *runtime.Session, p *program.Program, x tensor.Matrix) {
	t.Helper()
	if p.Reads(program.SparseInput) {
		if err := s.Bind(program.SparseInput, x); err != nil {
			t.Error(err)
		}
	}
	bind(t, s, 0) // once: what is computed once is computed again after another
}

func (r *ranked) run(s *runtime.Session, target program.Target, steps uint32) error {
	if err := r.differentiate(s, target); err != nil {
		return err
	}
	if err := s.Bind("lr", tensor.Of(1, 1, []float32{1e-4})); err != nil {
		return err
	}
	for step := range steps {
		if _, err := s.Run(0, step, target); err != nil {
			return err
		}
		loss, err := s.Value(0, "loss")
		if err != nil {
			return err
		}
		r.losses = append(r.losses, loss.Data[0])
	}
	return nil
}

// differentiate reads the gradient in what the optimiser keeps after its first
// step, which has a size of 0, and lets it forget.
func (r *ranked) differentiate(s *runtime.Session, target program.Target) error {
	if err := s.Bind("lr", tensor.New(1, 1)); err != nil {
		return err
	}
	for _, name := range states(s) {
		m, _ := s.Slot(name) // states lists what Slot finds
		clear(m.Flat())
	}
	if _, err := s.Run(0, 0, target); err != nil {
		return err
	}
	for _, name := range states(s) {
		m, _ := s.Slot(name)
		all, err := s.Gather(context.Background(), name, m)
		if err != nil {
			return err
		}
		r.gradient = append(r.gradient, all.Flat()...)
		clear(m.Flat())
	}
	return nil
}

// states names what the optimiser keeps, in the order of parameters.
func states(s *runtime.Session) []string {
	return slices.DeleteFunc(s.Slots(), func(name string) bool { return !strings.HasPrefix(name, "state.") })
}

// onOne runs a model's training step on one rank, and returns the exact gradient too.
func onOne(t *testing.T, m model.Model, w world, skip string) (want ranked, exact []float64) {
	t.Helper()
	one := spread(t, m, w, nil, skip)
	opts := runtime.Options{Threads: 1, Seed: 5}
	x := w.features(nil, &opts)
	s, err := runtime.New(w.g, opts, one)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	bindAll(t, s, one, x)
	exact = exactGradient(t, s, w, one)
	if err := want.run(s, w.target, 3); err != nil {
		t.Fatal(err)
	}
	return want, exact
}

// onRanks runs a program on ranks that are goroutines, and holds what each counts
// against what it predicts.
func onRanks(t *testing.T, w world, o plan.Owners, steps uint32, compile func(*program.Distribution) *program.Program) []ranked {
	t.Helper()
	programs := make([]*program.Program, o.All())
	for r := range programs {
		d := o.Distribution(r)
		if programs[r] = programs[d.Alike()]; programs[r] == nil { // widths differ
			programs[r] = compile(d)
		}
	}
	piece, err := plan.Pieces(w.g, o, programs...)
	if err != nil {
		t.Fatal(err)
	}
	out := make([]ranked, o.All())
	var all sync.WaitGroup
	for r, end := range inprocess.World(o.All(), inprocess.Options{}) {
		p := programs[r]
		all.Go(func() {
			defer func() {
				if t.Failed() {
					end.Abort(fmt.Errorf("rank %d failed", r))
				}
			}()
			mine := piece(r)
			c, err := o.Connect(t.Context(), comm.New(end, nil))
			if err != nil {
				t.Error(err)
				return
			}
			opts := runtime.Options{Threads: 1, Seed: 5, Poison: true}
			x := w.features(mine, &opts)
			s, err := runtime.NewRank(mine, c, opts, p)
			if err != nil {
				t.Error(err)
				return
			}
			defer s.Close()
			bindAll(t, s, p, x)
			checkSettled(t, s.Extent(), p)
			exactOnRank(t, s, c, mine.Target(w.target), program.Pre)
			exactOnRank(t, s, c, mine.Target(w.target), program.Step)
			if err := out[r].run(s, mine.Target(w.target), steps); err != nil {
				t.Errorf("rank %d: %v", r, err)
			}
			if got, want := s.HighWater(), s.ArenaBytes(); got != want {
				t.Errorf("rank %d: the highest byte written ends at %d, the layout at %d", r, got, want)
			}
		})
	}
	all.Wait()
	return out
}

// checkSettled: what ranks exchange lies where an operand does if its operation says so,
// and in a step all of it does, but for values that edges read at both ends, and for
// halos of rows that lie apart.
func checkSettled(t *testing.T, e program.Extent, p *program.Program) {
	l, grown := program.Memory([]*program.Program{p}, e), map[program.Value]int{}
	at, stride := l.Offset[0], l.Stride[0]
	for _, n := range p.Nodes {
		if _, ok := n.Op.(program.Grower); ok {
			grown[n.In[0]]++
		}
	}
	for i, n := range p.Nodes {
		o, ok := n.Op.(program.Placer)
		if !ok {
			continue
		}
		there, behind, empty := make([]bool, len(n.In)), int64(0), e.Rows(n.Type) == 0
		for j, v := range n.In {
			there[j] = at[v] == at[i]+behind
			if rows := e.Rows(p.Type(v)); rows == 0 {
				empty = true
			} else {
				behind += 4 * int64(rows) * int64(stride[i])
			}
		}
		if empty {
			continue
		}
		if o != o.Placed(there) {
			t.Errorf("%#v of values %v at %d of %v is at %d", o, n.In, i, at, at[i])
		}
		operand := n.In[o.Over()]
		if _, leaf := p.Nodes[operand].Op.(program.Leaf); !there[o.Over()] && !leaf && grown[operand] < 2 && n.Stage == program.Step {
			t.Errorf("%v copies value %d, %v", o, operand, p.Nodes[operand].Op)
		}
		g, ok := o.(program.Grower)
		if ok && !there[g.Behind()] && stride[i] == n.Type.Words() && !p.Kept(program.Value(i)) {
			t.Errorf("%v copies the halo", o)
		}
	}
}

// exactOnRank runs a stage of an evaluation without learning, and holds what was
// counted against what is predicted.
func exactOnRank(t *testing.T, s *runtime.Session, c *program.Rank, target program.Target, stage program.Stage) {
	want, err1 := s.Predict(0, stage, target)
	traffic, err2 := s.PredictTraffic(0, stage)
	before := c.Counter()
	got, err3 := s.Prelude(0)
	if stage == program.Step {
		got, err3 = s.Run(0, 0, target)
	}
	sent := c.Counter().Minus(before)
	if err1 != nil || err2 != nil || err3 != nil {
		t.Error(err1, err2, err3)
		return
	}
	if got != want || sent != traffic {
		t.Errorf("rank %d, %v: counted %+v, %+v; predicted %+v, %+v", c.Number(), stage, got, sent, want, traffic)
	}
}

func bind(t *testing.T, s *runtime.Session, lr float32) {
	t.Helper()
	if err := s.Bind("lr", tensor.Of(1, 1, []float32{lr})); err != nil {
		t.Error(err)
	}
}

// rankWorlds have between them a single vertex, loops, vertices without edges,
// hubs, and edges enough for a softmax to be spread over all ranks.
func rankWorlds(t *testing.T) []world {
	all := worlds(t)
	few := []string{"single vertex with a loop", "hub in", "skewed n=64 rows=64", "random 4"}
	return slices.DeleteFunc(all, func(w world) bool { return !slices.Contains(few, w.name) })
}

// TestRanksEqualOne: every model, its edges owned in every way, on up to 8 ranks,
// with dropout on, has the gradients of one rank; computing while they exchange, ranks
// have the same bits.
func TestRanksEqualOne(t *testing.T) {
	for i, w := range rankWorlds(t) {
		for _, m := range model.All() {
			want, exact := onOne(t, m, w, "")
			for _, edges := range spreadings {
				for _, ranks := range []int{1, 2, 3, 8} {
					if testing.Short() && (ranks != 2 || w.name != "random 4") {
						continue // the race detector takes ten times as long
					}
					if edges.owner == program.Copied && ranks%2 == 1 || edges.owner == program.Shared && m.Name == "gat" && ranks > 2 {
						continue // heads cannot be shared out
					}
					t.Run(fmt.Sprintf("%s/%s/%s/%d", w.name, m.Name, edges.name, ranks), func(t *testing.T) {
						o := edges.owners(w, ranks, uint64(i))
						overlapped := func(overlap bool) []ranked {
							return onRanks(t, w, o, 3, func(d *program.Distribution) *program.Program {
								d.Overlap = overlap
								return spread(t, m, w, d, "")
							})
						}
						all := overlapped(true)
						for r, got := range all {
							compareRanked(t, r, got, want, exact, cancels(m))
						}
						if ranks > 3 || edges.name == "replicas" {
							return // it has been shown, or nothing overlaps
						}
						if blocking := overlapped(false); !reflect.DeepEqual(blocking, all) {
							t.Errorf("with overlap %v, without %v", all, blocking)
						}
					})
				}
			}
		}
	}
}

// TestUnfusedHeadsOnRanks: attention whose operations are apart, of heads that ranks
// cannot share out: columns are gathered at edges, and sent.
func TestUnfusedHeadsOnRanks(t *testing.T) {
	m, err := model.ByName("gat")
	if err != nil {
		t.Fatal(err)
	}
	w := rankWorlds(t)[len(rankWorlds(t))-1]
	want, exact := onOne(t, m, w, "attend")
	owners := spreading{"weights", program.AllEdges, true, program.Whole}.owners(w, 3, 1)
	for r, got := range onRanks(t, w, owners, 3, func(d *program.Distribution) *program.Program { return spread(t, m, w, d, "attend") }) {
		compareRanked(t, r, got, want, exact, cancels(m))
	}
}

// cancels is by how much of its norm a gradient may differ: that of a softmax is the
// difference of terms several times as large, which round by themselves.
func cancels(m model.Model) float64 {
	if m.Defaults.Heads > 1 {
		return 4e-6
	}
	return 1e-6
}

// compareRanked: sums over ranks round differently from sums over one rank. Both
// are about as far from the exact gradient as the other, which is what their
// difference may be.
func compareRanked(t *testing.T, rank int, got, want ranked, exact []float64, relative float64) {
	t.Helper()
	if len(got.losses) != len(want.losses) {
		t.Errorf("rank %d made %d steps of %d", rank, len(got.losses), len(want.losses))
		return
	}
	for i := range want.losses {
		if d := math.Abs(float64(got.losses[i] - want.losses[i])); d > 1e-5*max(1, math.Abs(float64(want.losses[i]))) {
			t.Errorf("rank %d: loss %d is %v, want %v", rank, i, got.losses, want.losses)
			return
		}
	}
	var diff, off, norm float64
	for i, g := range want.gradient {
		diff += square(float64(got.gradient[i]) - float64(g))
		off += square(float64(g) - exact[i])
		norm += square(exact[i])
	}
	if limit := max(relative*math.Sqrt(norm), 4*math.Sqrt(off)); math.Sqrt(diff) > limit {
		t.Errorf("rank %d: the gradient differs by %g, want at most %g; its norm is %g", rank, math.Sqrt(diff), limit, math.Sqrt(norm))
	}
}

func square(x float64) float64 { return x * x }
