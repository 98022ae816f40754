package train

import (
	"context"
	"encoding/binary"
	"fmt"
	"sync"

	"github.com/weft-gnn/weft/comm"
	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/dataset/parted"
	"github.com/weft-gnn/weft/plan"
	"github.com/weft-gnn/weft/program"
	"github.com/weft-gnn/weft/tensor"
)

// Rank makes a trainer one of several that train one model together. Rank 0 keeps
// the run directory and tells of progress; all have all parameters.
type Rank struct {
	Plan plan.Plan
	Comm *comm.Comm
	// Owners is who has what; where it is nil the trainer divides the graph, as
	// every rank does alike.
	Owners *plan.Owners
	// Part, where set, is all that the rank has of the data: what others have it never
	// reads, and Owners are not asked.
	Part *parted.Part
	// shared is what the ranks of a process have in common; nil where there is one.
	shared *shared
	// Apart says that the other ranks are other processes, which a launcher may
	// kill at any moment.
	Apart bool
}

// shared is made once for all ranks of a process: the pieces of the graph, and the
// programs, which are the same but for widths.
type shared struct {
	pieces func(rank int) *plan.Piece
	err    error
	once   sync.Once

	mu       sync.Mutex
	programs map[int][]*program.Program // by one of the ranks that run them
}

// compiled returns the programs of the ranks that run what a rank does, which the
// first of them compiles.
func (s *shared) compiled(alike int, compile func() ([]*program.Program, error)) ([]*program.Program, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if programs, ok := s.programs[alike]; ok {
		return programs, nil
	}
	programs, err := compile()
	if err == nil {
		s.programs[alike] = programs
	}
	return programs, err
}

// validate holds a plan against the communicator.
func (r *Rank) validate() error {
	if err := r.Plan.Validate(); err != nil {
		return err
	}
	if got, want := r.Comm.Size(), r.Plan.Ranks(); got != want {
		return fmt.Errorf("train: the plan is for %d ranks, there are %d", want, got)
	}
	if r.Part == nil {
		return nil
	}
	if got, want := r.Part.Rank, r.Comm.Rank(); got != want {
		return fmt.Errorf("train: rank %d has the part of rank %d", want, got)
	}
	_, err := PlanOf(r.Part.Manifest, &r.Plan)
	return err
}

// Divide says who has what of a data set under a plan: the items of the first
// split's training part are spread evenly where the partitioner can.
func Divide(ctx context.Context, p plan.Plan, d *dataset.Dataset, seed uint64) (*plan.Owners, error) {
	var masks [][]bool
	if len(d.Splits) > 0 {
		training := make([]bool, d.Graph.N)
		for _, v := range d.Splits[0].Train {
			training[v] = true
		}
		masks = append(masks, training)
	}
	o, err := p.Owners(ctx, d.Graph, seed, masks...)
	return &o, err
}

// among reports whether the trainer is one of several ranks.
func (t *Trainer) among() bool { return t.set.Rank != nil }

// leads reports whether the trainer speaks for the run.
func (t *Trainer) leads() bool { return !t.among() || t.set.Rank.Comm.Rank() == 0 }

// together refuses ranks that would not train the same model.
func (t *Trainer) together() error {
	if !t.among() {
		return nil
	}
	if r := t.set.Rank; r.Owners == nil && r.Part == nil {
		var err error
		if r.Owners, err = Divide(context.Background(), r.Plan, t.d, t.cfg.Seed); err != nil {
			return err
		}
	}
	lines, err := t.identity()
	if err != nil {
		return err
	}
	return t.agree(context.Background(), lines)
}

// begun is called when training begins: every rank has prepared itself, and has the
// same state.
func (t *Trainer) begun(ctx context.Context) error {
	if !t.among() {
		return nil
	}
	lines := []string{fmt.Sprintf("%d epochs done", t.state.Epoch)}
	for _, slot := range t.session.Slots() {
		m, err := t.session.Slot(slot)
		if err != nil {
			return err
		}
		if m, err = t.session.Gather(ctx, slot, m); err != nil {
			return err
		}
		lines = append(lines, fmt.Sprintf("%s with the checksum %08x", slot, checksum(m.Flat())))
	}
	if err := t.agree(context.WithoutCancel(ctx), lines); err != nil {
		return err
	}
	attempts, err := gather(context.WithoutCancel(ctx), t, []int64{int64(t.attempt)})
	if err != nil {
		return err
	}
	t.attempt = int(attempts[0][0]) // launchers may not tell the others
	return t.openLog()
}

// share gives the trainer what it has of the graph, of the features and of what
// predictions are compared with.
func (t *Trainer) share(programs []*program.Program, x tensor.Matrix) (tensor.Matrix, error) {
	split := t.known.split
	t.mine = scoring{labels: t.d.Labels, values: learnt(t.d.Labels.Value, t.problem.targets), split: t.d.Splits[0]}
	t.step = t.mine.target(t.mine.split.Train, split.Train.Present)
	if p := t.part(); p != nil {
		if err := t.take(p, programs); err != nil {
			return x, err
		}
	} else if t.among() {
		if err := t.cut(programs); err != nil {
			return x, err
		}
		r := t.set.Rank
		x, t.step = t.piece.Local(x), t.piece.Target(t.step)
		t.mine = t.mine.ofRank(t.piece.Vertex, t.piece.Local, func(v int32) bool { return r.Owners.Leader(v) == r.Comm.Rank() })
	}
	t.mine.val = t.mine.target(t.mine.split.Val, split.Val.Present)
	return x, nil
}

// cut takes the rank's piece out of the graph.
func (t *Trainer) cut(programs []*program.Program) (err error) {
	r := t.set.Rank
	all := r.shared
	if all == nil {
		all = &shared{}
	}
	all.once.Do(func() { all.pieces, all.err = plan.Pieces(t.d.Graph, *r.Owners, programs...) })
	if all.err != nil {
		return all.err
	}
	if t.rank, err = r.Owners.Connect(context.Background(), r.Comm); err != nil {
		return err
	}
	t.piece = all.pieces(r.Comm.Rank())
	return nil
}

// agreed reports whether one of the ranks is asked to stop, and whether the one that
// leads is to write a checkpoint: they stop, and save, together.
func (t *Trainer) agreed(ctx context.Context, due bool) (stop, save bool, err error) {
	stop, save = ctx.Err() != nil, due && t.leads()
	if !t.among() {
		return stop, save, nil
	}
	flags := []float32{0, 0}
	for i, f := range []bool{stop, save} {
		if f {
			flags[i] = 1
		}
	}
	err = t.set.Rank.Comm.AllReduce(context.WithoutCancel(ctx), flags, comm.Max)
	return flags[0] > 0, flags[1] > 0, err
}

// sent returns what the rank has sent so far.
func (t *Trainer) sent() comm.Counter {
	if !t.among() {
		return comm.Counter{}
	}
	return t.rank.Counter()
}

// overRanks completes a step's cost by what all ranks together do and send.
func (t *Trainer) overRanks(ctx context.Context, s *Step, sent comm.Counter) error {
	all, err := gather(ctx, t, []int64{s.Work, s.Bytes, s.ArenaBytes, sent.Words, sent.Messages, sent.Supersteps})
	if err != nil {
		return err
	}
	*s = Step{}
	for _, n := range all {
		s.Work, s.Bytes, s.ArenaBytes = s.Work+n[0], s.Bytes+n[1], max(s.ArenaBytes, n[2])
		s.Words = Extreme{max(s.Words.Max, n[3]), s.Words.Total + n[3]}
		s.Messages = Extreme{max(s.Messages.Max, n[4]), s.Messages.Total + n[4]}
		s.Supersteps = max(s.Supersteps, n[5])
	}
	return nil
}

// gather returns the numbers of every rank, by rank; each may have as many as it
// likes.
func gather[T int64 | float64](ctx context.Context, t *Trainer, n []T) ([][]T, error) {
	if !t.among() {
		return [][]T{n}, nil
	}
	mine, err := binary.Append(nil, binary.LittleEndian, n)
	if err != nil {
		return nil, fmt.Errorf("train: %w", err)
	}
	bytes, err := t.set.Rank.Comm.GatherBytes(ctx, mine)
	all := make([][]T, len(bytes))
	for q, its := range bytes {
		all[q] = make([]T, len(its)/8)
		if _, err := binary.Decode(its, binary.LittleEndian, all[q]); err != nil {
			return nil, fmt.Errorf("train: numbers of rank %d: %w", q, err)
		}
	}
	return all, err
}
