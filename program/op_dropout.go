package program

import (
	"fmt"
	"math"
	"sort"

	"github.com/weft-gnn/weft/cost"
	"github.com/weft-gnn/weft/graph"
	"github.com/weft-gnn/weft/internal/rng"
	"github.com/weft-gnn/weft/kernel"
	"github.com/weft-gnn/weft/tensor"
)

// Dropout keeps each element with probability 1−p and scales it by 1/(1−p):
// y = x ⊙ mask/(1−p) (Srivastava et al. 2014, inverted), 1/(1−p) being rounded to
// float32. The mask is a function of seed, step, site, the row's global identity
// and the column alone, so it is the same under every thread count, vertex order,
// pass and plan; backward draws it again instead of storing it, if it needs it
// (see Redraw). Over entries of sparse features the mask is that of the dense rows.
type Dropout struct {
	P    float32
	Site int
	Over Space
	// Column is the number of the first column, of a rank that has some of them.
	Column int
	// Apart says that other ranks have other columns. No tail takes what is, also where
	// it begins with the first column: all ranks run the same operations.
	Apart bool
}

func (o Dropout) String() string { return fmt.Sprintf("Dropout(%g, site %d)", o.P, o.Site) }

// Shape keeps the shape.
func (o Dropout) Shape(in []Type) (Type, error) {
	if err := arity(in, 1); err != nil {
		return Type{}, err
	}
	if !(o.P >= 0 && o.P < 1) {
		return Type{}, fmt.Errorf("the probability is %v, want 0 ≤ p < 1", o.P)
	}
	if o.Site < 0 || o.Site > math.MaxUint16 || in[0].Cols.N > 4<<16 {
		return Type{}, fmt.Errorf("site %d, %d columns: random numbers are keyed by 16 bits of site and 18 of column", o.Site, in[0].Cols.N)
	}
	if in[0].Space != o.Over || o.Over == One {
		return Type{}, fmt.Errorf("got %v, want rows of %v", in[0], o.Over)
	}
	return in[0], nil
}

// Cost: compare and scale, two operations per element; random numbers count 0.
func (o Dropout) Cost(in []Type, out Type) cost.Cost { return elementwise(2, 2, in, out) }

// Grad applies the same mask to dy.
func (o Dropout) Grad(b *Builder, _ []Value, _, dy Value) []Value {
	return []Value{b.Add(o, dy)}
}

// RandomSite is the declared site.
func (o Dropout) RandomSite() int { return o.Site }

// Held drops values of edges as they are owned.
func (o Dropout) Held(by Owner) Op {
	o.Over = o.Over.Held(by)
	return o
}

// OnRows drops values of other rows.
func (o Dropout) OnRows(of Space) Op {
	o.Over = of
	return o
}

// Split is linear: the mask depends on global identities only, and on the numbers of
// columns: see At.
func (o Dropout) Split(s Split) (Placement, error) { return s.linear(0) }

// OfColumns drops columns from the rank's first on.
func (o Dropout) OfColumns(cols Dim, at Place) Op {
	o.Apart = true
	return o.At(at.First(cols))
}

// At drops columns from one on.
func (o Dropout) At(column int) Dropout {
	o.Column = column
	return o
}

// Reference draws the mask element by element.
func (o Dropout) Reference(x *RefExec, in []Dense) Dense {
	y, rows := in[0].like(), o.Over
	if o.Over == Entries {
		rows = Vertices
	}
	ids := x.ids(rows)
	key, scale := rng.Key{Seed: x.Seed, Purpose: rng.Dropout}, float64(kernel.Mask{P: o.P}.Scale())
	for i := range y.Rows {
		row, id := i, int64(i)
		if o.Over == Entries {
			row = entryRow(x.X, i)
			id = int64(row)
		}
		if ids != nil {
			id = ids[row]
		}
		for j := range y.Cols {
			col := o.Column + j
			if o.Over == Entries {
				col = int(x.X.Col[i])
			}
			at := rng.Counter{Step: x.Step, Site: uint16(o.Site), Group: uint16(col / 4), ID: uint64(id)}
			if float64(key.Block(at)[col%4]) >= math.Floor(float64(o.P)*(1<<32)) {
				y.Set(i, j, in[0].At(i, j)*scale)
			}
		}
	}
	return y
}

// entryRow returns the row of entry e.
func entryRow(b *graph.Block, e int) int {
	return sort.Search(b.Dst, func(i int) bool { return b.Ptr[i+1] > int64(e) })
}

// mask names the random numbers.
func (o Dropout) mask(x *Exec) kernel.Mask {
	key := rng.Key{Seed: x.Seed, Purpose: rng.Dropout}
	return kernel.Mask{Key: key, Step: x.Step, Site: uint16(o.Site), P: o.P, First: x.first(o.Over), Column: o.Column}
}

// Run draws and scales.
func (o Dropout) Run(x *Exec, in []tensor.Matrix, out tensor.Matrix) {
	mask := o.mask(x)
	if o.Over == Entries {
		kernel.DropoutEntries(x.Ctx, mask, x.X, x.ids(Vertices), in[0], out)
		return
	}
	kernel.Dropout(x.Ctx, mask, x.ids(o.Over), in[0], out)
}

// Dropout drops elements of x with probability p while training; p = 0 adds
// nothing but still takes a site, so that other masks stay as they are.
func (b *Builder) Dropout(x Value, p float64) Value {
	site := b.site()
	if p == 0 {
		return x
	}
	return b.Add(Dropout{P: float32(p), Site: site, Over: b.Type(x).Space}, x)
}
