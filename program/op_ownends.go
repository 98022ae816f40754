package program

import (
	"fmt"

	"github.com/weft-gnn/weft/cost"
	"github.com/weft-gnn/weft/kernel"
	"github.com/weft-gnn/weft/tensor"
)

// OwnEnds takes, of what a rank's edges summed at one of their ends, the rows of the
// rank's own vertices. The rest of it is what Collect takes.
type OwnEnds struct {
	afterGrad
	From Space
}

func (o OwnEnds) String() string { return fmt.Sprintf("OwnEnds(%v)", o.From) }

// Shape: ends to vertices.
func (o OwnEnds) Shape(in []Type) (Type, error) {
	if err := count(in, 1); err != nil {
		return Type{}, err
	}
	if e, ok := endsOf(o.From); !ok || o.From != e.all {
		return Type{}, fmt.Errorf("%v are not the ends of edges", o.From)
	}
	return Type{Space: Vertices, Cols: in[0].Cols}, wantSpace(in[0], o.From)
}

// Cost: moves only what is taken.
func (o OwnEnds) Cost(_ []Type, out Type) cost.Cost { return moves([]Type{out}, out) }

// Reference of a single rank owns all.
func (o OwnEnds) Reference(_ *RefExec, in []Dense) Dense { return in[0] }

// Run copies.
func (o OwnEnds) Run(x *Exec, in []tensor.Matrix, out tensor.Matrix) {
	kernel.Copy(x.Ctx, in[0].Between(0, out.Rows), out)
}
