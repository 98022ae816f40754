// Package runtime executes programs.
//
// A [Session] holds one graph, the programs that run over it and the arena in
// which all their values lie, at the offsets that the memory layout chose
// before anything ran. A step runs a program's operations in order, each with
// weft's kernels on the session's threads; it allocates nothing after the
// first, and its result has the same bits for any number of threads.
//
// The kernels count what they did. Predict says what the program stated
// beforehand; the two are computed by different code and agree exactly.
package runtime

import (
	"errors"
	"fmt"
	"slices"

	"github.com/weft-gnn/weft/comm"
	"github.com/weft-gnn/weft/cost"
	"github.com/weft-gnn/weft/graph"
	"github.com/weft-gnn/weft/kernel"
	"github.com/weft-gnn/weft/plan"
	"github.com/weft-gnn/weft/program"
	"github.com/weft-gnn/weft/tensor"
)

// Options are the choices of a session.
type Options struct {
	// Threads is the number of threads; 0 stands for 1.
	Threads int
	// Seed keys initial parameters and dropout.
	Seed uint64
	// Poison overwrites every value's place when its lifetime ends, and makes
	// HighWater exact. It is for tests: it costs a pass over memory per value.
	Poison bool
	// Features, where set, are sparse features; programs that read their
	// entries find them.
	Features *program.SparseMatrix
	// Trace, where set, is called after every operation.
	Trace func(Event)
}

// Session is a set of programs ready to run over one graph. It is used by one
// goroutine at a time.
type Session struct {
	extent   program.Extent
	programs []*compiled
	layout   program.Layout
	arena    *tensor.Arena
	slots    map[string]tensor.Matrix
	// fragments are those of slots that ranks share out.
	fragments map[string]program.Fragment
	exec      program.Exec
	pool      *kernel.Pool
	opts      Options
	computed  map[string]bool // values of the prelude that are there
	chunks    map[program.Region][]chunk
}

// New prepares programs to run over g. Programs share the parameters, state
// and precomputed values that have the same names.
//
// Errors: a graph that lacks a coefficient the programs use (weights that sum
// to 0 or less into a vertex); memory that cannot be had.
func New(g *graph.Graph, o Options, programs ...*program.Program) (*Session, error) {
	e := program.ExtentOf(g, programs...)
	for _, p := range programs {
		if err := p.Check(e); err != nil {
			return nil, fmt.Errorf("runtime: %w", err)
		}
	}
	return open(e, nil, o, programs)
}

// NewRank prepares programs that have been distributed to run on one of several
// ranks, all of which run the same programs in the same order. r has the rank's ends
// of communicators.
//
// Errors: memory that cannot be had.
func NewRank(p *plan.Piece, r *program.Rank, o Options, programs ...*program.Program) (*Session, error) {
	r.Share = p.Share
	s, err := open(p.Extent, r, o, programs)
	if err != nil {
		return nil, err
	}
	for name, values := range p.Coefs {
		if err := s.Bind(name, values); err != nil {
			return nil, errors.Join(err, s.Close())
		}
	}
	return s, nil
}

func open(e program.Extent, r *program.Rank, o Options, programs []*program.Program) (*Session, error) {
	if err := sameFragments(programs); err != nil {
		return nil, err
	}
	s := &Session{extent: e, opts: o, slots: map[string]tensor.Matrix{}, fragments: map[string]program.Fragment{}, computed: map[string]bool{}, chunks: map[program.Region][]chunk{}}
	if o.Features != nil {
		s.extent.X = o.Features.Block
	}
	s.layout = program.Memory(programs, s.extent)
	var err error
	if s.arena, err = tensor.NewArena(s.layout.Size); err != nil {
		return nil, fmt.Errorf("runtime: %w", err)
	}
	s.pool = kernel.NewPool(max(1, o.Threads))
	s.exec = program.Exec{Ctx: &kernel.Ctx{Pool: s.pool}, N: s.extent.N, NHat: s.extent.NHat, Seed: o.Seed, X: s.extent.X, Rank: r}
	for i, p := range programs {
		s.programs = append(s.programs, s.compile(p, s.layout.Offset[i], s.layout.Stride[i], s.layout.Local[i]))
	}
	if o.Poison {
		s.arena.Poison()
	}
	s.initialise()
	if o.Features != nil && s.reads(program.SparseEntries) {
		return s, s.Bind(program.SparseEntries, o.Features.Values)
	}
	return s, nil
}

// sameFragments returns an error unless programs that share a leaf have the same piece
// of it: each would read the other's as its own.
func sameFragments(programs []*program.Program) error {
	type piece struct {
		by         program.Kind
		rows, cols int
		of         *program.Program
	}
	have := map[string]piece{}
	for _, p := range programs {
		keys := p.Keys()
		for i, n := range p.Nodes {
			if !isLeaf(n.Op) {
				continue
			}
			at := piece{n.Fragment().By, n.Type.Rows.N, n.Type.Cols.N, p}
			first, found := have[keys[i]]
			if !found {
				have[keys[i]] = at
				continue
			}
			if first.by != at.by || first.rows != at.rows || first.cols != at.cols {
				return fmt.Errorf("runtime: a rank has another piece of %s in program %s than in %s", keys[i], p.Name, first.of.Name)
			}
		}
	}
	return nil
}

// Close stops the threads and frees the arena; values drawn from it are gone.
func (s *Session) Close() error {
	s.pool.Close()
	return s.arena.Close()
}

// Extent returns the sizes that the session's programs run at.
func (s *Session) Extent() program.Extent { return s.extent }

// Ctx returns the session's threads and scratch space, for kernels that run between its
// programs, on values that these leave.
func (s *Session) Ctx() *kernel.Ctx { return s.exec.Ctx }

// Layout returns where values lie in the arena.
func (s *Session) Layout() program.Layout { return s.layout }

// Bind sets the input called name, for all programs that read it. The matrix
// is read where it lies, and must stay as it is until another is bound.
// Values computed once are computed again.
func (s *Session) Bind(name string, m tensor.Matrix) error {
	found := false
	for _, c := range s.programs {
		for i, n := range c.p.Nodes {
			in, ok := n.Op.(program.Input)
			if !ok || in.Name != name {
				continue
			}
			if rows := s.extent.Rows(n.Type); m.Rows != rows || m.Cols != n.Type.Cols.N || m.BFloat16 != n.Type.BFloat16 {
				return fmt.Errorf("runtime: input %q is %v, want %d×%d", name, m, rows, n.Type.Cols.N)
			}
			found = true
			c.set(program.Value(i), m)
			c.unbound = slices.DeleteFunc(c.unbound, func(other string) bool { return other == name })
		}
	}
	if !found {
		return fmt.Errorf("runtime: no program has an input called %q", name)
	}
	clear(s.computed)
	return nil
}

// reads reports whether a program has an input called name.
func (s *Session) reads(name string) bool {
	for _, c := range s.programs {
		if c.p.Reads(name) {
			return true
		}
	}
	return false
}

// Value returns the output called name of program i, as its last run left it.
func (s *Session) Value(i int, name string) (tensor.Matrix, error) {
	c := s.programs[i]
	v := c.p.Output(name)
	if v == program.None {
		return tensor.Matrix{}, fmt.Errorf("runtime: program %s has no output %q", c.p.Name, name)
	}
	return c.values[v], nil
}

// Counted is what kernels did.
type Counted struct{ Work, Bytes int64 }

// Run executes one step of program i against a target. step keys the step's
// random numbers and the optimiser's corrections. It returns what the kernels
// counted.
//
// Errors: an input that was not bound; a [NonFiniteError] when the output "loss" is
// NaN or infinite, before any parameter was updated.
func (s *Session) Run(i int, step uint32, t program.Target) (Counted, error) {
	c := s.programs[i]
	s.exec.Step, s.exec.Target = step, t
	if err := s.prelude(c); err != nil {
		return Counted{}, err
	}
	return s.stage(c, program.Step)
}

// Prelude runs what program i computes once per run, if it is not there yet,
// and returns what was counted. Run does so by itself.
func (s *Session) Prelude(i int) (Counted, error) {
	c := s.programs[i]
	if !s.missing(c) {
		return Counted{}, nil
	}
	n, err := s.stage(c, program.Pre)
	for _, k := range c.kept {
		s.computed[k] = err == nil
	}
	return n, err
}

func (s *Session) prelude(c *compiled) error {
	if !s.missing(c) {
		return nil
	}
	for i, other := range s.programs {
		if other == c {
			_, err := s.Prelude(i)
			return err
		}
	}
	return errors.New("runtime: not a program of this session")
}

func (s *Session) missing(c *compiled) bool {
	for _, k := range c.kept {
		if !s.computed[k] {
			return true
		}
	}
	return false
}

// Predict returns the work and bytes that program i states for one run of a
// stage, given the numbers of target rows and of present target values.
func (s *Session) Predict(i int, stage program.Stage, t program.Target) (Counted, error) {
	p, env := s.programs[i].p, s.Env(t)
	work, err1 := p.Work(stage).Eval(env)
	bytes, err2 := p.Bytes(stage).Eval(env)
	return Counted{work, bytes}, errors.Join(err1, err2)
}

// PredictTraffic returns what program i states that this rank sends in one run of
// a stage.
func (s *Session) PredictTraffic(i int, stage program.Stage) (comm.Counter, error) {
	t, env := s.programs[i].p.Traffic(stage), s.Env(program.Target{})
	words, err1 := t.Words.Eval(env)
	messages, err2 := t.Messages.Eval(env)
	supersteps, err3 := t.Supersteps.Eval(env)
	return comm.Counter{Words: words, Messages: messages, Supersteps: supersteps}, errors.Join(err1, err2, err3)
}

// Env returns the value of every symbol but the widths.
func (s *Session) Env(t program.Target) cost.Env {
	env := s.extent.Env()
	t.Sizes(env)
	if r := s.exec.Rank; r != nil {
		r.Env(env)
	}
	for _, c := range s.programs {
		c.p.Widths(env)
		c.p.CountChunks(s.extent, env)
	}
	return env
}

// HighWater returns the end of the highest byte of the arena that was written.
// It is exact in a session with Options.Poison.
func (s *Session) HighWater() int64 { return s.arena.HighWater() }

// ArenaBytes returns the size of the arena: parameters, optimiser state, what
// is computed once, and the largest set of values alive together.
func (s *Session) ArenaBytes() int64 { return s.layout.Size }

func finite(m tensor.Matrix) bool {
	words := m.AsWords()
	for r := range words.Rows {
		for _, v := range words.Row(r) {
			bits := kernel.Bits(v)
			if notFinite(bits) || m.BFloat16 && notFinite(bits<<16) {
				return false
			}
		}
	}
	return true
}

// notFinite reports whether bits are those of NaN or an infinity in float32 or, the
// upper half alone, in bfloat16.
func notFinite(bits uint32) bool {
	const exponent = 0xff << 23
	return bits&exponent == exponent
}
