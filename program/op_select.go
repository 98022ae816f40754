package program

import (
	"errors"
	"fmt"
	"math"

	"github.com/weft-gnn/weft/cost"
	"github.com/weft-gnn/weft/kernel"
	"github.com/weft-gnn/weft/tensor"
)

// ArgSelect finds, for every image v of a map and every column, the row that
// holds the largest (or smallest) value, ties going to the lowest row. The
// result is an index; the reduction itself is a Pick of it, and its gradient a
// Route, so that a maximum is closed under differentiation.
type ArgSelect struct {
	Of    Reduction // Max or Min
	Along Map
	Over  Space
}

func (o ArgSelect) String() string { return fmt.Sprintf("ArgSelect(%v, %v)", o.Of, o.Along) }

// Shape: rows of Over to an index per row of the image.
func (o ArgSelect) Shape(in []Type) (Type, error) {
	t, err := Aggregate{o.Along, o.Over}.Shape(in)
	if o.Of == Sum {
		err = errors.New("a sum selects no row")
	}
	t.Index = true
	return t, err
}

// Cost: one comparison per element.
func (o ArgSelect) Cost(in []Type, out Type) cost.Cost {
	return Aggregate{o.Along, o.Over}.Cost(in, out)
}

// Gathers as Aggregate.
func (o ArgSelect) Gathers() []Gather { return Aggregate{o.Along, o.Over}.Gathers() }

// Grad: an index has no gradient.
func (o ArgSelect) Grad(*Builder, []Value, Value, Value) []Value { return []Value{None} }

// Held selects among edges as they are owned.
func (o ArgSelect) Held(by Owner) Op { return ArgSelect{o.Of, o.Along, o.Over.Held(by)} }

// Split as Aggregate: where an image's rows are spread, each rank selects among
// its own.
func (o ArgSelect) Split(s Split) (Placement, error) { return s.aggregate(0, o.Along, o.Of) }

// noRow marks an image that nothing maps to.
const noRow = float64(kernel.None)

// Reference scans rows in order.
func (o ArgSelect) Reference(x *RefExec, in []Dense) Dense {
	y := NewDense(x.images(o.Along, o.Over), in[0].Cols)
	for i := range y.Data {
		y.Data[i] = noRow
	}
	for e, v := range x.image(o.Along, o.Over) {
		for j, a := range in[0].Row(e) {
			at := y.At(int(v), j)
			if at == noRow || o.better(a, in[0].At(int(at), j)) {
				y.Set(int(v), j, float64(e))
			}
		}
	}
	return y
}

// better reports whether a replaces b: NaN wins over numbers, so that it poisons
// its own segment and no other.
func (o ArgSelect) better(a, b float64) bool {
	if math.IsNaN(a) || math.IsNaN(b) {
		return math.IsNaN(a) && !math.IsNaN(b)
	}
	if o.Of == Min {
		return a < b
	}
	return a > b
}

// Run compares.
func (o ArgSelect) Run(x *Exec, in []tensor.Matrix, out tensor.Matrix) {
	b := x.Block(o.Over)
	place := x.ties(o.Over, o.Along)
	switch {
	case place != nil && o.Of == Min:
		kernel.ArgMinPlaced(x.Ctx, b, o.Along.end(), place, in[0], out)
	case place != nil:
		kernel.ArgMaxPlaced(x.Ctx, b, o.Along.end(), place, in[0], out)
	case o.Along == Member && o.Of == Min:
		kernel.GraphArgMin(x.Ctx, b, in[0], out)
	case o.Along == Member:
		kernel.GraphArgMax(x.Ctx, b, in[0], out)
	case o.Of == Min:
		kernel.ArgMin(x.Ctx, b, o.Along.end(), in[0], out)
	default:
		kernel.ArgMax(x.Ctx, b, o.Along.end(), in[0], out)
	}
}

// Pick reads the selected rows: y[v, j] = x[arg[v, j], j], and 0 where arg
// names none. Along is the map along which they were selected.
type Pick struct {
	Along Map
	Over  Space
}

func (o Pick) String() string { return "Pick" }

// Shape: values over rows and an index to the index's shape.
func (o Pick) Shape(in []Type) (Type, error) {
	if err := count(in, 2); err != nil {
		return Type{}, err
	}
	if in[0].Space != o.Over || in[0].Index {
		return Type{}, fmt.Errorf("got %v, want rows of %v", in[0], o.Over)
	}
	t := in[1]
	t.Index = false
	return t, wantIndex(in[1], o.Along, o.Over, in[0].Cols)
}

// wantIndex checks that t selects rows of a space along a map, column by column.
func wantIndex(t Type, along Map, of Space, c Dim) error {
	if image := of.End(along); !t.Index || t.Space != image || t.Cols.N != c.N {
		return fmt.Errorf("got %v, want an index of %d columns per row of %v", t, c.N, image)
	}
	return nil
}

// Cost: moves only: one value per element of the index.
func (o Pick) Cost(in []Type, out Type) cost.Cost { return moves([]Type{out, in[1]}, out) }

// Grad routes dy back to the selected rows.
func (o Pick) Grad(b *Builder, in []Value, _, dy Value) []Value {
	return []Value{b.Add(Route{o.Along, o.Over}, dy, in[1]), None}
}

// Held reads edges as they are owned.
func (o Pick) Held(by Owner) Op { return Pick{o.Along, o.Over.Held(by)} }

// Split: rows with an index of them; columns stay. Of winners that one rank
// each names, the others contribute 0.
func (o Pick) Split(s Split) (Placement, error) {
	x, arg := s.In[0].Kind, s.In[1].Kind
	switch {
	case s.all(Whole, Columns):
		return s.elementwise()
	case x == Rows && s.indexLocal(o.Over, 1), x == Whole && arg == Rows:
		return Placement{Kind: Rows}, nil
	case x == Partial:
		return s.refuse(0, "only linear ops read partial values")
	case arg == Partial && x != Columns:
		return s.winners(1)
	}
	return s.refuse(1, "it names rows of other ranks")
}

// winners is the rule of a partial index: it must be decided.
func (s Split) winners(i int) (Placement, error) {
	if s.In[i].Of != Sum {
		return s.refuse(i, "the ranks' winners are not compared yet")
	}
	return Placement{Partial, Sum}, nil
}

// indexLocal reports whether operand i is an index of rows of a space that lie
// with it: edges that lie with the end at which they were selected.
func (s Split) indexLocal(of Space, i int) bool {
	return s.In[i].Kind == Rows && of.IsEdges() && (s.Edges == ByDst || s.Edges == BySrc)
}

// Reference is the definition.
func (o Pick) Reference(_ *RefExec, in []Dense) Dense {
	y := in[1].like()
	for i, at := range in[1].Data {
		if at != noRow {
			y.Data[i] = in[0].At(int(at), i%y.Cols)
		}
	}
	return y
}

// Run reads.
func (o Pick) Run(x *Exec, in []tensor.Matrix, out tensor.Matrix) {
	kernel.Pick(x.Ctx, in[1], in[0], out)
}

// Route adds each value to the row its index names: the reverse of Pick.
type Route struct {
	Along Map
	To    Space
}

func (o Route) String() string { return "Route" }

// Shape: values and an index of one shape to rows of To.
func (o Route) Shape(in []Type) (Type, error) {
	if err := count(in, 2); err != nil {
		return Type{}, err
	}
	if in[0].Index {
		return Type{}, fmt.Errorf("got %v, want numbers", in[0])
	}
	return Type{Space: o.To, Cols: in[0].Cols}, errors.Join(wantIndex(in[1], o.Along, o.To, in[0].Cols), sameRows(in...))
}

// Cost: one addition per element of the index.
func (o Route) Cost(in []Type, out Type) cost.Cost {
	return cost.Cost{Work: in[0].size(), Depth: cost.Int(1), Bytes: cost.Add(bytes(in...), bytes(out))}
}

// Grad picks.
func (o Route) Grad(b *Builder, in []Value, _, dy Value) []Value {
	return []Value{b.Add(Pick{o.Along, o.To}, dy, in[1]), None}
}

// Held gives edges as they are owned.
func (o Route) Held(by Owner) Op { return Route{o.Along, o.To.Held(by)} }

// ReadsAt: values at the end at which rows were selected, where the index lies too.
func (o Route) ReadsAt(operand int) (Map, bool) { return o.Along, operand == 0 && o.To.IsEdges() }

// Split: rows with an index of them; columns stay. Of winners that one rank
// each names, the rank needs the values.
func (o Route) Split(s Split) (Placement, error) {
	dy, arg := s.In[0].Kind, s.In[1].Kind
	switch {
	case s.all(Whole, Columns):
		return s.elementwise()
	case dy == Partial:
		return s.refuse(0, "only linear ops read partial values")
	case s.indexLocal(o.To, 1) && dy != Columns:
		return Placement{Kind: Rows}, nil
	case arg == Partial && (dy == Whole || dy == Halo):
		_, err := s.winners(1)
		return Placement{Kind: Rows}, err
	case arg == Partial:
		return s.refuse(0, "winners lie on other ranks: exchange the halo")
	}
	return s.refuse(1, "it names rows of other ranks")
}

// Reference is the definition.
func (o Route) Reference(x *RefExec, in []Dense) Dense {
	y := NewDense(x.rowsOf(Type{Space: o.To}), in[0].Cols)
	for i, at := range in[1].Data {
		if at != noRow {
			y.Data[int(at)*y.Cols+i%y.Cols] += in[0].Data[i]
		}
	}
	return y
}

// Run adds.
func (o Route) Run(x *Exec, in []tensor.Matrix, out tensor.Matrix) {
	kernel.Route(x.Ctx, in[1], in[0], out)
}

// Select is the largest (Max) or smallest (Min) of the values that map to each
// image, column by column; 0 where nothing maps.
func (b *Builder) Select(x Value, of Reduction, along Map) Value {
	s := b.Type(x).Space
	return b.Add(Pick{along, s}, x, b.Add(ArgSelect{of, along, s}, x))
}
