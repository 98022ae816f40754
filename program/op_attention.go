package program

import (
	"errors"
	"fmt"

	"github.com/weft-gnn/weft/cost"
	"github.com/weft-gnn/weft/internal/rng"
	"github.com/weft-gnn/weft/kernel"
	"github.com/weft-gnn/weft/tensor"
)

// Attention sums the rows of a vertex's neighbours by additive attention: for
// every destination v and head h,
//
//	y_v = Σ_{u→v} mask(α_uv)·z_u,  α_uv = softmax_u(σ(l_v + r_u))
//
// with σ a leaky rectifier. Its operands are z, r and l. It is a composite, in
// one pass over the edges and with no value per edge: see Lower. The pass
// attend introduces it.
type Attention struct {
	Over  Space
	Heads Dim
	Slope float32 // of σ below 0
	// Mask drops coefficients, over the edges; none where its P is 0.
	Mask Dropout
}

func (o Attention) String() string { return "Attention(" + o.attributes() }

func (o Attention) attributes() string {
	if o.Mask.P == 0 {
		return fmt.Sprintf("%v)", o.Heads.Expr)
	}
	return fmt.Sprintf("%v, dropout %g, site %d)", o.Heads.Expr, o.Mask.P, o.Mask.Site)
}

// Shape: vertices×(H·f) and twice vertices×H to vertices×(H·f).
func (o Attention) Shape(in []Type) (Type, error) {
	if err := arity(in, 3); err != nil {
		return Type{}, err
	}
	return o.at(Dst, in[0].Cols), errors.Join(o.check(in[0]), o.reads(in[1], Src, o.Heads), o.reads(in[2], Dst, o.Heads))
}

// at is the type of cols columns at an end of the edges.
func (o Attention) at(end Map, cols Dim) Type { return Type{Space: o.Over.End(end), Cols: cols} }

// reads checks an operand that is read at an end of the edges.
func (o Attention) reads(t Type, end Map, cols Dim) error {
	if want := o.at(end, cols); !t.same(want) {
		return fmt.Errorf("got %v, want %v", t, want)
	}
	return nil
}

// check checks the attributes and z.
func (o Attention) check(z Type) error {
	if !o.Over.IsEdges() {
		return fmt.Errorf("it goes over %v, want edges", o.Over)
	}
	if err := o.reads(z, Src, z.Cols); err != nil {
		return err
	}
	if !(o.Slope > 0 && o.Slope <= 1) {
		return fmt.Errorf("the slope is %g, want 0 < slope ≤ 1", o.Slope)
	}
	_, err := heads(z.Cols, o.Heads.N)
	if o.Mask.P != 0 {
		_, wrong := o.Mask.Shape([]Type{{Space: o.Over, Cols: o.Heads}})
		err = errors.Join(err, wrong)
	}
	return err
}

// Cost: what it replaces, 7 operations per edge and head and 2 per edge and
// column; bytes count a gathered row of z and of r per edge.
func (o Attention) Cost(in []Type, out Type) cost.Cost {
	h, d := o.perHead(), cost.Log2(Dst.degree(o.Over))
	return cost.Cost{
		Work:  cost.Add(cost.Scale(2, o.perColumn(in[0])), cost.Scale(7, h), o.masking(h)),
		Depth: cost.Add(cost.Int(6), o.masking(cost.Int(1)), cost.Scale(3, d)),
		Bytes: cost.Add(adjacency(o.Over, Dst, false), cost.Scale(4, cost.Add(o.perColumn(in[0]), h)), bytes(in[2], out)),
	}
}

// perHead and perColumn are the numbers of values that edges have.
func (o Attention) perHead() cost.Expr         { return cost.Mul(o.Over.rows(), o.Heads.Expr) }
func (o Attention) perColumn(z Type) cost.Expr { return cost.Mul(o.Over.rows(), z.Cols.Expr) }
func (o Attention) headDepth(z Type) cost.Expr { return cost.Log2(headCols(z.Cols, o.Heads)) }
func (o Attention) masking(e cost.Expr) cost.Expr {
	if o.Mask.P == 0 {
		return cost.Int(0)
	}
	return cost.Scale(2, e)
}

// Grad is two passes over the edges, one by destination and one by source.
func (o Attention) Grad(b *Builder, in []Value, _, dy Value) []Value {
	z, r, l := in[0], in[1], in[2]
	s := b.Add(AttentionGradDst(o), z, r, l, dy)
	d := b.Add(AttentionGradSrc(o), z, r, dy, s)
	k := b.Type(z).Cols
	return []Value{
		b.Add(Slice{From: Cols(0), Width: k}, d),
		b.Add(Slice{From: k, Width: o.Heads}, d),
		b.Add(Slice{From: o.Heads.Times(Cols(3)), Width: o.Heads}, s),
	}
}

// Held goes over edges as they are owned.
func (o Attention) Held(by Owner) Op {
	o.Over = o.Over.Held(by)
	o.Mask.Over = o.Mask.Over.Held(by)
	return o
}

// Split: local where a destination's edges lie together.
func (o Attention) Split(s Split) (Placement, error) {
	if s.spread(o.Over) && !s.ownsAlong(Dst) {
		return s.refuse(0, "a destination's edges are spread over ranks: lower it")
	}
	return s.walk(o)
}

// Walker is an op on vertices that goes through the edges of Over, reads each
// operand at one end of each edge, and reduces along a map.
type Walker interface {
	Op
	Walk() (over Space, along Map, reads []Map)
}

// Walk: z and r are read at sources, l at destinations.
func (o Attention) Walk() (over Space, along Map, reads []Map) {
	return o.Over, Dst, []Map{Src, Src, Dst}
}

// Gathers rows of z and of r.
func (o Attention) Gathers() []Gather { return gathersOf(o) }

// gathersOf are the rows that edges read at the end other than that by which
// they are visited.
func gathersOf(o Walker) (g []Gather) {
	over, along, reads := o.Walk()
	for i, end := range reads {
		if end != along {
			g = append(g, Gather{Operand: i, Over: over, By: along})
		}
	}
	return g
}

// walk places what an op's edges read, and then what they sum.
func (s Split) walk(o Walker) (Placement, error) {
	over, along, reads := o.Walk()
	at := Placement{Kind: Whole}
	for i, end := range reads {
		if s.In[i].Kind == Columns {
			return s.refuse(i, "it reads the columns of all heads: lower it")
		}
		p, err := Scatter{end, over}.Split(s.of(i))
		if err != nil {
			return p, err
		}
		at = p
	}
	return Split{Ranks: s.Ranks, Edges: s.Edges, In: []Placement{at}}.aggregate(0, along, Sum)
}

// Reference is the composition.
func (o Attention) Reference(x *RefExec, in []Dense) Dense { return composed(x, in, o) }

// walkingComposite is a composite of vertex values.
type walkingComposite interface {
	Walker
	Composite
}

// composed computes a composite of vertex values from what it lowers to.
func composed(x *RefExec, in []Dense, o walkingComposite) Dense {
	b := NewBuilder("composite")
	over, _, reads := o.Walk()
	operands := make([]Value, len(in))
	for i, d := range in {
		operands[i] = b.Input(fmt.Sprint(i), over.End(reads[i]), Cols(d.Cols))
	}
	y := o.Lower(b, operands)
	values := make([]Dense, len(b.p.Nodes))
	copy(values, in)
	for i, n := range b.p.Nodes[len(in):] {
		operands := make([]Dense, len(n.In))
		for j, v := range n.In {
			operands[j] = values[v]
		}
		values[len(in)+i] = n.Op.Reference(x, operands)
	}
	return values[y]
}

// Run attends.
func (o Attention) Run(x *Exec, in []tensor.Matrix, out tensor.Matrix) {
	kernel.Attend(x.Ctx, x.Block(o.Over), o.kernel(x), in[0], in[1], in[2], out)
}

// kernel names the attention as kernels do.
func (o Attention) kernel(x *Exec) kernel.Attention {
	a := kernel.Attention{Heads: o.Heads.N, Slope: o.Slope}
	if o.Mask.P != 0 {
		key := rng.Key{Seed: x.Seed, Purpose: rng.Dropout}
		a.Mask = kernel.Mask{Key: key, Step: x.Step, Site: uint16(o.Mask.Site), P: o.Mask.P, First: x.first(o.Over)}
		a.IDs = x.ids(o.Over)
	}
	return a
}

// Lower replaces Attention by the operations it is composed of, of which the
// edge softmax lowers further.
func (o Attention) Lower(b *Builder, in []Value) Value {
	z, r, l := in[0], in[1], in[2]
	α := b.Add(EdgeSoftmax{o.Over}, o.scores(b, r, l))
	return b.Add(SpMM{Dst, o.Over, true}, z, o.drop(b, α))
}

// scores are the rectified sums of both ends.
func (o Attention) scores(b *Builder, r, l Value) Value {
	return b.LeakyReLU(b.Add(EdgeAdd{o.Over}, r, l), o.Slope)
}

// drop applies the mask.
func (o Attention) drop(b *Builder, x Value) Value {
	if o.Mask.P == 0 {
		return x
	}
	return b.Add(o.Mask, x)
}

// rectifier is σ.
func (o Attention) rectifier() kernel.Func {
	return kernel.Func{Kind: kernel.LeakyReLU, Param: o.Slope}
}
