package program

import (
	"fmt"
	"math"

	"github.com/weft-gnn/weft/comm"
	"github.com/weft-gnn/weft/cost"
	"github.com/weft-gnn/weft/tensor"
)

// leaf is what inputs, parameters and state have in common: their values are
// stored by the runtime, so that they cost nothing and nothing computes them.
type leaf struct{}

func (leaf) Cost([]Type, Type) cost.Cost {
	return cost.Cost{Work: cost.Int(0), Depth: cost.Int(0), Bytes: cost.Int(0)}
}
func (leaf) Grad(*Builder, []Value, Value, Value) []Value     { return nil }
func (leaf) Split(Split) (Placement, error)                   { return Placement{Kind: Whole}, nil }
func (leaf) Run(x *Exec, in []tensor.Matrix, _ tensor.Matrix) {}
func (leaf) Reference(*RefExec, []Dense) Dense {
	panic("program: a leaf has no value but the one it was given")
}

// Input is a value that the data set provides: features, coefficients,
// labels. It is read where it lies.
type Input struct {
	leaf
	Name string
	Of   Type
	// Varies marks inputs that may differ from step to step, such as the
	// learning rate; what depends on them is not folded.
	Varies bool
}

func (o Input) String() string { return "Input(" + o.Name + ")" }

// Slot is "input." and the name.
func (o Input) Slot() string { return "input." + o.Name }

// Shape is what was declared.
func (o Input) Shape(in []Type) (Type, error) { return o.Of, arity(in, 0) }

// Input declares an input with cols columns in space s.
func (b *Builder) Input(name string, s Space, cols Dim) Value {
	return b.Add(Input{Name: name, Of: Type{Space: s, Cols: cols}})
}

// Init says how a parameter starts.
type Init int

// The initialisations; fan_in and fan_out are rows and columns.
const (
	Zeros   Init = iota
	Ones         //
	Glorot       // uniform in ±√(6/(fan_in+fan_out)); Glorot and Bengio 2010, Eq. 16
	Kaiming      // uniform in ±√(1/fan_in), the default of PyTorch's Linear
)

func (i Init) String() string {
	return [...]string{"zeros", "ones", "glorot", "kaiming"}[i]
}

// Param is a learned matrix. Its initial elements are a function of the seed,
// its name and the element's place alone.
type Param struct {
	leaf
	Name string
	Of   Type
	Init Init
	// FanRows and FanCols, where set, replace the matrix's own size in Init:
	// an attention vector of H heads is H vectors of its head's width.
	FanRows, FanCols int
	// Bias marks vectors that weight decay commonly spares.
	Bias bool
	Fragment
}

// Fragment says what a rank has of a parameter, or of what its optimiser keeps, that
// the ranks along the axis of features share out. The zero Fragment is all of it.
type Fragment struct {
	By       Kind // Rows or Columns, which are cut by [comm.Cut]; else Whole
	Full     Type // of the whole matrix
	Row, Col int  // the place in it of the rank's first element
}

// Of returns the place and the size of what one of some ranks has.
func (f Fragment) Of(rank, ranks int) (row, col, rows, cols int) {
	rows, cols = f.Full.Rows.N, f.Full.Cols.N
	switch f.By {
	case Rows:
		row, rows = comm.Cut(rows, rank, ranks)
		rows -= row
	case Columns:
		col, cols = comm.Cut(cols, rank, ranks)
		cols -= col
	}
	return row, col, rows, cols
}

// Fragment is that of a leaf.
func (n Node) Fragment() Fragment {
	switch o := n.Op.(type) {
	case Param:
		return o.Fragment
	case State:
		return o.Fragment
	}
	return Fragment{}
}

// Pieces says by what ranks share out each parameter, by name. Programs that read the
// same parameters have to agree, though they may multiply other values first.
func (p *Program) Pieces() map[string]Kind {
	all := map[string]Kind{}
	for _, n := range p.Nodes {
		if o, ok := n.Op.(Param); ok {
			all[o.Name] = o.By
		}
	}
	return all
}

func (o Param) String() string {
	return fmt.Sprintf("Param(%s, %v)", o.Name, o.Init)
}

// Slot is "param." and the name.
func (o Param) Slot() string { return "param." + o.Name }

// Shape is what was declared.
func (o Param) Shape(in []Type) (Type, error) { return o.Of, arity(in, 0) }

// Bound returns the half-width of the uniform distribution that the parameter
// starts from, 0 for constants.
func (p Param) Bound() float64 {
	rows, cols := p.Of.Rows.N, p.Of.Cols.N
	if p.By != Whole {
		rows, cols = p.Full.Rows.N, p.Full.Cols.N
	}
	if p.FanRows > 0 {
		rows, cols = p.FanRows, p.FanCols
	}
	switch p.Init {
	case Glorot:
		return math.Sqrt(6 / float64(rows+cols))
	case Kaiming:
		return math.Sqrt(1 / float64(rows))
	}
	return 0
}

// Param declares a rows × cols parameter of the current layer.
func (b *Builder) Param(name string, rows, cols Dim, init Init) Value {
	return b.Add(Param{Name: b.unique(name), Of: Type{Space: One, Rows: rows, Cols: cols}, Init: init})
}

// Bias declares a 1 × cols parameter that starts at zero.
func (b *Builder) Bias(name string, cols Dim) Value {
	return b.Add(Param{Name: b.unique(name), Of: row(cols), Init: Zeros, Bias: true})
}

// HeadVector declares one learned vector of f columns per head, side by side in
// a row of width columns; each starts as an f × 1 matrix (Glorot).
func (b *Builder) HeadVector(name string, width, f Dim) Value {
	return b.Add(Param{Name: b.unique(name), Of: row(width), Init: Glorot, FanRows: f.N, FanCols: 1})
}

// Decayed returns the parameters that L2 regularisation applies to: all but
// biases, of all layers or of the first alone.
func (b *Builder) Decayed(firstLayer bool) []Value {
	var out []Value
	for i, n := range b.p.Nodes {
		p, ok := n.Op.(Param)
		if ok && !p.Bias && (!firstLayer || n.Layer == 0) {
			out = append(out, Value(i))
		}
	}
	return out
}

// State is a matrix that an optimiser keeps between steps, zero at first.
type State struct {
	leaf
	Name string
	Of   Type
	Fragment
}

func (o State) String() string { return "State(" + o.Name + ")" }

// Slot is "state." and the name.
func (o State) Slot() string { return "state." + o.Name }

// Shape is what was declared.
func (o State) Shape(in []Type) (Type, error) { return o.Of, arity(in, 0) }
