package program

import (
	"fmt"

	"github.com/weft-gnn/weft/cost"
	"github.com/weft-gnn/weft/graph"
	"github.com/weft-gnn/weft/kernel"
	"github.com/weft-gnn/weft/tensor"
)

// Op is an operation with the truths that everything else derives from.
// Each op is one file that states them together and binds its kernel.
//
// Ops are plain values: two nodes whose ops have equal attributes and whose
// operands are equal compute the same thing (unless the op is an [Effect]).
type Op interface {
	// String prints the op with its attributes, such as "Aggregate(sum, dst)".
	String() string
	// Shape returns the type of the result, or says which operand is wrong.
	Shape(in []Type) (Type, error)
	// Cost states the work, depth and bytes of one execution, by the
	// convention of package cost.
	Cost(in []Type, out Type) cost.Cost
	// Grad adds the gradient to b and returns one value per operand, None
	// where there is none: given dy = ∂loss/∂y, it returns ∂loss/∂in.
	Grad(b *Builder, in []Value, y, dy Value) []Value
	// Split returns the placement of the result when the operands are placed
	// as s says, or an error that says what must be resolved first.
	Split(s Split) (Placement, error)
	// Reference computes the result naively in float64.
	Reference(x *RefExec, in []Dense) Dense
	// Run computes the result with weft's kernels. It overwrites out, and
	// counts what it did in x.Ctx.
	Run(x *Exec, in []tensor.Matrix, out tensor.Matrix)
}

// identity names an op with all its attributes, also those that String leaves
// out: ops of equal identity compute the same from equal operands.
func identity(op Op) string { return fmt.Sprintf("%#v", op) }

// Leaf is an op whose values are stored by the runtime and survive a step.
type Leaf interface {
	Op
	// Slot is the name under which the runtime keeps the value.
	Slot() string
}

// Effect is an op that overwrites some of its operands, all of them leaves:
// an optimiser's update. It yields a value of no columns and is never dead.
type Effect interface {
	Op
	// Writes lists the operands that are overwritten.
	Writes() []int
}

// InPlace is an op that may write its result over an operand of equal shape, or over
// the first rows of a longer one.
type InPlace interface {
	Op
	// Over is the operand that may be overwritten, -1 where none may.
	Over() int
}

// Over returns the operand that a node's result may be written over, if any.
func (n Node) Over() (Value, bool) {
	if op, ok := n.Op.(InPlace); ok && op.Over() >= 0 {
		return n.In[op.Over()], true
	}
	return None, false
}

// Grower is an op whose result is the rows of an operand and, behind them, those of
// another. Where the first has the result's place it lives on there, and the other is
// made where its rows lie in the result.
type Grower interface {
	InPlace
	// Behind is the operand whose rows are behind.
	Behind() int
}

// Placer is an op whose cost depends on which operands lie where its result does: Placed
// returns it as it is where those do that there marks.
type Placer interface {
	InPlace
	Placed(there []bool) Op
}

// Summed is an op whose result over all edges is the sum of its results over
// chunks of them: a gradient of weights, or an aggregation at the sources.
type Summed interface {
	Op
	// CostOnto states the cost of RunOnto over all edges at once.
	CostOnto(in []Type, out Type) cost.Cost
	// RunOnto adds the result to out.
	RunOnto(x *Exec, in []tensor.Matrix, out tensor.Matrix)
}

// Summed returns the op of a node whose result a region sums up over chunks. All
// others make the rows of a chunk, and read these or all rows.
func (n Node) Summed() (Summed, bool) {
	if a, ok := n.Op.(Aggregate); ok && a.Along != Src {
		return nil, false
	}
	op, ok := n.Op.(Summed)
	return op, ok
}

// onto is the cost of an op whose result in One is added to what is there.
func onto(c cost.Cost, out Type) cost.Cost {
	c.Bytes = cost.Add(c.Bytes, bytes(out))
	return c
}

// Composite is an op that is composed of others, which Lower adds in its place.
type Composite interface {
	Op
	Lower(b *Builder, in []Value) Value
}

// EndReader is an op that reads operands at the ends of edges: ReadsAt says at which,
// and whether this operand is one.
type EndReader interface {
	Op
	ReadsAt(operand int) (end Map, ok bool)
}

// Holder is an op that names an edge space: Held returns it for the program of a
// rank, whose edges are owned so.
type Holder interface {
	Op
	Held(by Owner) Op
}

// RowOp is an op on rows that names their space: OnRows returns it for those of another.
type RowOp interface {
	Op
	OnRows(of Space) Op
}

// ColumnOp is an op that counts columns, or heads of them: OfColumns returns it for a rank
// of those that share out cols columns of its result.
type ColumnOp interface {
	Op
	OfColumns(cols Dim, at Place) Op
}

// OfTargets is an op that reads the targets of a step: a loss, or its gradient.
type OfTargets interface {
	Op
	OfTargets()
}

// Random is an op whose result depends on the seed and the step.
type Random interface {
	Op
	// RandomSite is the declared site, the same under every pass and plan.
	RandomSite() int
}

// Exec is what an op's kernel needs beside its operands.
type Exec struct {
	*kernel.Ctx
	// N and NHat are the blocks of the two edge spaces, X that of sparse
	// features; nil where unused.
	N, NHat, X *graph.Block
	// Rank is this rank of several; nil where there is one.
	Rank *Rank
	// Step counts optimiser steps from 0; with Seed it keys random numbers.
	Step uint32
	Seed uint64
	// Target is what the loss of this step compares with.
	Target Target
}

// Target is what a loss compares with: for each listed row of vertices (or
// graphs) a class or a row of values. Listed rows have a class.
type Target struct {
	kernel.Items
	Class []int32       // per vertex or graph; −1 where missing
	Value tensor.Matrix // per vertex or graph; NaN where missing
}

// Sizes adds to env the number of rows that a loss compares here, and that of their
// labels that are there, whatever the mean goes over.
func (t Target) Sizes(env cost.Env) {
	env["t"] = int64(len(t.Rows))
	if t.Rows == nil {
		env["t"] = int64(max(len(t.Class), t.Value.Rows))
	}
	if env["τ"] = 0; len(t.Class) > 0 {
		env["τ"] = kernel.CountClasses(t.Class, t.Rows)
	} else if t.Value.Rows > 0 {
		env["τ"] = kernel.CountValues(t.Value, t.Rows)
	}
}

// Block returns the block whose edges, or whose vertices, are the rows of s.
func (x *Exec) Block(s Space) *graph.Block {
	if s == Entries {
		return x.X
	}
	if s.base() == LoopEdges || x.N == nil {
		return x.NHat
	}
	return x.N
}

// ids returns the global identities of the rows of s; where it is nil, they are
// numbered on from first.
func (x *Exec) ids(s Space) []int64 {
	b := x.Block(s)
	switch {
	case s.IsEdges():
		return b.Identities()
	case x.Rank != nil && s == Vertices:
		return x.Rank.Own
	case s == SourceHalo || s == DestinationHalo:
		return x.Rank.ends(s).haloIDs()
	}
	return b.Vertex
}

func (x *Exec) first(s Space) int64 {
	if s.IsEdges() {
		return x.Block(s).First
	}
	return 0
}
