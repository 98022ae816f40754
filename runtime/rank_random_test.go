package runtime_test

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"testing"

	"github.com/weft-gnn/weft/graph"
	"github.com/weft-gnn/weft/internal/rng"
	"github.com/weft-gnn/weft/kernel"
	"github.com/weft-gnn/weft/model"
	"github.com/weft-gnn/weft/plan"
	"github.com/weft-gnn/weft/program"
	"github.com/weft-gnn/weft/runtime"
	"github.com/weft-gnn/weft/tensor"
)

// trial is a training step that is drawn: a small graph, a model, a loss and what
// the passes do.
type trial struct {
	w     world
	m     model.Model
	o     model.Options
	loss  model.Loss
	facts program.Facts // but for sizes and ranks
	plan  plan.Plan
}

func (tr trial) String() string {
	return fmt.Sprintf("%s under %v: n=%d, m=%d, weighted %v, loss %d, sparse %v, skip %v, chunk %d, %+v, items %v of %d", tr.m.Name, tr.plan, tr.w.g.N, len(tr.w.g.Src),
		tr.w.g.Weight != nil, tr.loss, tr.w.sparse, tr.facts.Skip, tr.facts.ChunkBytes, tr.o, tr.w.target.Rows, tr.w.target.Total)
}

// drawTrial draws one of a seed.
func drawTrial(t *testing.T, seed uint64) trial {
	s := rng.Key{Seed: seed, Purpose: rng.Test}.Stream(8)
	models := append(model.All(), edgeModels()...)
	tr := trial{m: models[s.Uint32n(uint32(len(models)))], loss: []model.Loss{model.CrossEntropy, model.SquaredError, model.BinaryCrossEntropy}[s.Uint32n(3)]}
	tr.w = drawWorld(t, s, tr.loss)
	tr.o = tr.m.Defaults
	tr.o.Layers, tr.o.Hidden = 1+int(s.Uint32n(3)), 8
	if tr.o.Heads > 1 {
		tr.o.Heads = 2
	}
	if s.Uint32n(2) == 0 {
		tr.o.Dropout = 0.4
	}
	tr.w.sparse = s.Uint32n(2) == 0
	tr.facts = program.Facts{Steps: 1 + int64(s.Uint32n(200)), FoldBytes: []int64{-1, 0, 300}[s.Uint32n(3)], Skip: map[string]bool{}, Optimizer: &program.Optimizer{Kind: program.SGDKind, Momentum: 0.5}}
	for _, p := range program.Passes() {
		if !p.Needed && s.Uint32n(4) == 0 {
			tr.facts.Skip[p.Name] = true
		}
	}
	if s.Uint32n(8) == 0 {
		tr.facts.Skip["none"] = true
	}
	if s.Uint32n(2) == 0 {
		tr.facts.ChunkBytes = 64 + int64(s.Uint32n(2000))
	}
	tr.plan = drawPlan(t, s, tr.w.g.Block().SymmetricWeights())
	return tr
}

func drawPlan(t *testing.T, s *rng.Stream, symmetric bool) plan.Plan {
	all := []string{
		"algorithm=1d,partition=1", "algorithm=1d,partition=2", "algorithm=1d,partition=6", "algorithm=1d,partition=3,partitioner=range",
		"algorithm=1d-allgather,partition=3", "algorithm=2d,partition=2x2", "algorithm=2d,partition=1x3", "algorithm=2d,partition=3x1", "algorithm=2d,partition=2x3", "algorithm=3d,partition=2x2x2", "algorithm=3d,partition=1x1x3", "algorithm=3d,partition=1x3x2", "replica=2,algorithm=3d,partition=2x1x2",
		"algorithm=1.5d,partition=2,replication=2", "algorithm=1.5d,partition=4,replication=2", "algorithm=1.5d,partition=6,replication=3", "algorithm=1.5d,partition=3,replication=1",
		"algorithm=feature,feature=2", "algorithm=feature,feature=5", "algorithm=replicas,replica=3", "algorithm=vertexcut,partition=2", "algorithm=vertexcut,partition=5",
		"algorithm=weights,feature=2", "algorithm=weights,feature=5", "algorithm=feature,feature=2,resplit=reduce-scatter", "algorithm=feature,feature=3,resplit=reduce-scatter",
		"replica=2,partition=3", "replica=2,algorithm=feature,feature=2", "replica=2,algorithm=weights,feature=3", "replica=2,algorithm=vertexcut,partition=2",
		"partition=2,feature=3", "algorithm=1d-allgather,partition=3,feature=2", "algorithm=2d,partition=2x2,feature=2", "algorithm=vertexcut,partition=2,feature=2",
		"algorithm=1.5d,partition=4,replication=2,feature=2", "replica=2,partition=2,feature=2",
	}
	p, err := plan.Parse(all[s.Uint32n(uint32(len(all)))] + []string{"", ",overlap=false"}[s.Uint32n(2)])
	if err != nil {
		t.Fatal(err)
	}
	sided := p
	sided.Exchange, sided.Recompute = program.Side(s.Uint32n(3)), s.Uint32n(2) == 0
	if sided.Backward = program.ReturnFewer; symmetric {
		sided.Backward = program.Return(s.Uint32n(3))
	}
	if sided.Validate() == nil {
		return sided
	}
	return p
}

// drawWorld draws a graph of 1 to 14 vertices, directed, with loops and at times
// parallel arcs, weights and no arcs at all, and what is to be learnt on it.
func drawWorld(t *testing.T, s *rng.Stream, loss model.Loss) world {
	n := 1 + int(s.Uint32n(14))
	m := []int{0, n, 3 * n, 6 * n}[s.Uint32n(4)]
	src, dst := make([]int32, m), make([]int32, m)
	var weight []float32
	for e := range src {
		src[e], dst[e] = int32(s.Uint32n(uint32(n))), int32(s.Uint32n(uint32(n)))
	}
	if s.Uint32n(2) == 0 {
		for range src {
			weight = append(weight, 0.25+s.Float32())
		}
	}
	policy := graph.Policy{Symmetrise: s.Uint32n(2) == 0}
	if s.Uint32n(2) == 0 {
		policy.Duplicates = graph.Keep
	}
	g, err := graph.FromCOO(n, src, dst, weight, policy)
	if err != nil {
		t.Fatal(err)
	}
	w := world{g: g, x: tensor.New(n, 1+int(s.Uint32n(9))), classes: 3}
	for i := range w.x.Data {
		if s.Uint32n(3) > 0 {
			w.x.Data[i] = float32(s.Normal())
		}
	}
	w.target = drawTarget(s, n, loss)
	return w
}

// drawTarget draws classes, or values of which some are missing, and items.
func drawTarget(s *rng.Stream, n int, loss model.Loss) program.Target {
	target := program.Target{Items: kernel.Items{Rows: []int32{}}}
	for v := range int32(n) {
		if s.Uint32n(3) > 0 {
			target.Rows = append(target.Rows, v)
		}
	}
	if loss == model.CrossEntropy {
		for range n {
			target.Class = append(target.Class, int32(s.Uint32n(3)))
		}
		target.Total = kernel.CountClasses(target.Class, target.Rows)
		return target
	}
	target.Value = tensor.New(n, 3)
	for i := range target.Value.Data {
		switch target.Value.Data[i] = float32(s.Uint32n(2)); {
		case s.Uint32n(4) == 0:
			target.Value.Data[i] = float32(math.NaN())
		case loss == model.SquaredError:
			target.Value.Data[i] = float32(s.Normal())
		}
	}
	target.Total = kernel.CountValues(target.Value, target.Rows)
	return target
}

// compile makes the program of one rank, or of all where d is nil.
func (tr trial) compile(d *program.Distribution) (*program.Program, error) {
	p, err := tr.m.Objective(model.NamedWidths(tr.w.x.Cols, tr.w.classes, tr.o), tr.o, tr.loss, model.Decay{Lambda: 1e-2})
	if err != nil {
		return nil, err
	}
	f := tr.facts
	f.Distribution, f.Weighted, f.Symmetric = d, tr.w.g.Weight != nil, tr.w.g.Block().SymmetricWeights()
	f.Env = program.ExtentOf(tr.w.g, p).Env()
	if d != nil {
		d.Bound(f.Env)
	}
	p.Widths(f.Env)
	tr.w.target.Sizes(f.Env)
	if tr.w.sparse {
		f.Env["nnz"] = program.Nonzeros(tr.w.x)
	}
	return program.Compile(p, f, nil)
}

// dense is the program of one rank whose features are not kept as entries, for the
// references.
func (tr trial) dense(t *testing.T) *program.Program {
	tr.facts.Skip = maps.Clone(tr.facts.Skip)
	tr.facts.Skip["sparse"] = true
	p, err := tr.compile(nil)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// refused reports whether the plan cannot run the model, and says so: ranks with
// columns do not cut heads and random columns.
func (tr trial) refused() bool {
	_, err := tr.compile(tr.plan.Distribution(0))
	return err != nil && tr.plan.Algorithm == plan.Feature
}

// TestDrawnPlansEqualOne: random graphs, models, losses, passes and plans: what
// ranks compute, count and predict is what one rank does.
func TestDrawnPlansEqualOne(t *testing.T) {
	const trials = 80
	// A mask of edges that ranks with columns have whole; chunks of edges with loops
	// where no others are read; heads of which no rank has all, in no place of the program;
	// ranks that would order products in other ways.
	seeds := []uint64{705, 1191, 509, 80}
	for seed := range uint64(trials) {
		seeds = append(seeds, seed)
	}
	refused := 0
	for _, seed := range seeds {
		tr := drawTrial(t, seed)
		if tr.refused() {
			refused++
			continue
		}
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			tr.check(t)
			if t.Failed() {
				t.Log(tr)
			}
		})
	}
	if refused > trials/4 {
		t.Errorf("%d of %d trials were refused", refused, trials)
	}
}

func (tr trial) check(t *testing.T) {
	one, err := tr.compile(nil)
	if err != nil {
		t.Fatal(err)
	}
	opts := runtime.Options{Threads: 1, Seed: 5}
	x := tr.w.features(nil, &opts)
	s, err := runtime.New(tr.w.g, opts, one)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	bindAll(t, s, one, x)
	exact := exactGradient(t, s, tr.w, tr.dense(t))
	var want ranked
	if err := want.run(s, tr.w.target, 3); err != nil {
		t.Fatal(err)
	}
	owners, err := tr.plan.Owners(t.Context(), tr.w.g, 3, tr.w.training())
	if err != nil {
		t.Fatal(err)
	}
	got := onRanks(t, tr.w, owners, 3, func(d *program.Distribution) *program.Program {
		of := tr.plan.Distribution(0)
		d.Overlap, d.Exchange, d.Recompute, d.Backward = of.Overlap, of.Exchange, of.Recompute, of.Backward
		p, err := tr.compile(d)
		if err != nil {
			t.Fatal(err)
		}
		return p
	})
	for r := range got {
		compareRanked(t, r, got[r], want, exact, 4e-6)
		if !slices.Equal(got[r].losses, got[0].losses) {
			t.Errorf("ranks %d and 0 have the losses %v and %v", r, got[r].losses, got[0].losses)
		}
	}
}

func (w world) training() []bool {
	mask := make([]bool, w.g.N)
	for _, v := range w.target.Rows {
		mask[v] = true
	}
	return mask
}
