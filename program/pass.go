package program

import (
	"errors"
	"fmt"
	"math"

	"github.com/weft-gnn/weft/cost"
)

// Facts are what passes may know beside the program: the sizes at hand, so
// that a choice is made by its cost.
type Facts struct {
	// Env gives every symbol its value; see Extent.Env.
	Env cost.Env
	// Weighted says that the graph has edge weights.
	Weighted bool
	// Symmetric says that every edge has its reverse, of the same weight.
	Symmetric bool
	// Steps is over how many steps work done once is amortised; at least 1.
	Steps int64
	// FoldBytes bounds the memory of values computed once; 0 folds nothing
	// but coefficients, negative means no bound.
	FoldBytes int64
	// ChunkBytes bounds the memory of the edge values that are alive at once in a
	// stage of edges: where it takes more it runs in chunks that take no more, but
	// for destinations of many edges. 0 stands for 8 MiB.
	ChunkBytes int64
	// Storage says how features and activations are kept.
	Storage Storage
	// Optimizer, where set, makes the program one training step.
	Optimizer *Optimizer
	// Distribution, where set, makes the program that of one of several ranks. The
	// sizes at hand are those of the whole graph, so that all ranks choose alike.
	Distribution *Distribution
	// Pieces says which piece of a parameter a rank has, by name, where another program
	// that shares the parameters has settled it: see [Program.Pieces].
	Pieces map[string]Kind
	// Skip names passes that are not run: all of the optional ones with "none".
	Skip map[string]bool

	prices prices // of operations seen before
}

// Pass is a pure function from program to program.
type Pass struct {
	Name string
	Doc  string
	// Needed passes run whatever is skipped.
	Needed bool
	run    func(*Program, Facts) (*Program, error)
}

// Passes returns the passes in the order in which Compile runs them.
//
// Hoist, factor and reorder come before the gradient: what they rewrite is
// differentiated afterwards, so that no pass needs a second rule for backward,
// and reorder weighs forward and backward together by differentiating each
// candidate.
func Passes() []Pass {
	return []Pass{
		{"infer", "drop random ops: inference is deterministic", true, whenInfer(Infer)},
		{"hoist", "row-wise maps of scattered rows run before the scatter: m rows → n rows", false, pure(Hoist)},
		{"factor", "symmetric normalisation becomes two row scalings: no weight per edge", false, pure(Factor)},
		{"reorder", "(AH)W or A(HW), whichever costs less with its gradient and with what is folded", false, Reorder},
		{"attend", "a sum over edges weighted by a softmax of both ends' scores is one pass, and keeps no value per edge", false, pure(Attend)},
		{"backward", "gradients and updates", true, whenTrain(func(p *Program, f Facts) (*Program, error) { return Backward(p, *f.Optimizer) })},
		{"common", "equal operations on equal operands are done once", false, pure(Common)},
		{"redraw", "where what a rectifier returned is dropped, its gradient needs no mask", false, pure(Redraw)},
		{"dead", "drop what no result needs", true, pure(func(p *Program, _ Facts) *Program { return Dead(p) })},
		{"sparse", "features that are mostly zero are kept as their entries, where that costs less", false, pure(Sparse)},
		{"fold", "what depends on neither parameters nor randomness is computed once per run", false, pure(Fold)},
		{"distribute", "the program of one of several ranks: values are placed, and what ranks exchange is inserted", true, whenSpread(Distribute)},
		{"fuse", "scatter–multiply–aggregate → SpMM, dots of two ends → SDDMM, epilogues into products", false, pure(Fuse)},
		{"tail", "row-wise operations join the product whose result they alone read: no pass over memory of their own", false, pure(Tail)},
		{"narrow", "where asked for, what edges gather and products read is stored in bfloat16: half as much to move", true, pure(Narrowing)},
		{"dead", "drop what fusing left behind", true, pure(func(p *Program, _ Facts) *Program { return Dead(p) })},
		{"chunk", "stages of wide edge values run over some destinations after the other, again in backward: no m×k value is stored", false, pure(Chunk)},
		{"overlap", "exchanges begin early and are awaited late: ranks compute meanwhile", false, whenOverlapping(Overlap)},
		{"view", "columns of what one pass computed side by side are read where they lie", false, pure(Views)},
		{"settle", "what ranks receive lies behind their own rows, and is added where these are, unless something else needs the place", true, whenSpread(pure(Settle))},
	}
}

func pure(f func(*Program, Facts) *Program) func(*Program, Facts) (*Program, error) {
	return func(p *Program, facts Facts) (*Program, error) { return f(p, facts), nil }
}

func whenTrain(f func(*Program, Facts) (*Program, error)) func(*Program, Facts) (*Program, error) {
	return func(p *Program, facts Facts) (*Program, error) {
		if facts.Optimizer == nil {
			return p, nil
		}
		return f(p, facts)
	}
}

func whenSpread(f func(*Program, Facts) (*Program, error)) func(*Program, Facts) (*Program, error) {
	return func(p *Program, facts Facts) (*Program, error) {
		if facts.Distribution == nil {
			return p, nil
		}
		return f(p, facts)
	}
}

func whenOverlapping(f func(*Program, Facts) *Program) func(*Program, Facts) (*Program, error) {
	return func(p *Program, facts Facts) (*Program, error) {
		if facts.Distribution == nil || !facts.Distribution.Overlap {
			return p, nil
		}
		return f(p, facts), nil
	}
}

func whenInfer(f func(*Program) *Program) func(*Program, Facts) (*Program, error) {
	return func(p *Program, facts Facts) (*Program, error) {
		if facts.Optimizer != nil {
			return p, nil
		}
		return f(p), nil
	}
}

// Stage of Compile that Trace receives: a pass and the program it left.
type Traced struct {
	Pass    Pass
	Program *Program
}

// Compile runs the passes on a declared program and returns the program that
// the runtime executes. trace, where not nil, receives the program after each
// pass that changed it.
func Compile(p *Program, f Facts, trace func(Traced)) (*Program, error) {
	f.prices = prices{}
	return compile(Passes(), p, f, trace)
}

func compile(passes []Pass, p *Program, f Facts, trace func(Traced)) (*Program, error) {
	for _, pass := range passes {
		if !pass.Needed && (f.Skip["none"] || f.Skip[pass.Name]) {
			continue
		}
		q, err := pass.run(p, f)
		if err != nil {
			return nil, refusedBy(pass, err)
		}
		if trace != nil && q != p && q.String() != p.String() {
			trace(Traced{pass, q})
		}
		p = q
	}
	return p, nil
}

// passError names the pass that refused a program.
type passError struct {
	pass string
	err  error
}

func (e *passError) Error() string { return fmt.Sprintf("program: pass %s: %v", e.pass, e.err) }

// Unwrap returns why.
func (e *passError) Unwrap() error { return e.err }

// refusedBy names the innermost pass: some compile candidates, to see what they cost.
func refusedBy(pass Pass, err error) error {
	if inner := (*passError)(nil); errors.As(err, &inner) {
		return inner
	}
	return &passError{pass.Name, err}
}

// bytesOf returns the size of a value at hand.
func (f Facts) bytesOf(t Type) int64 {
	v, err := bytes(t).Eval(f.Env)
	if err != nil {
		return math.MaxInt64
	}
	return v
}
