package program

import (
	"fmt"
	"slices"

	"github.com/weft-gnn/weft/cost"
)

// What several ops' files say in the same words: shape checks and the common
// forms of cost.

// arity checks the number of operands, and that they are numbers: in float32, but
// for those that may be stored in bfloat16.
func arity(in []Type, n int, narrow ...int) error {
	for i, t := range in {
		if t.Index {
			return fmt.Errorf("operand %d is an index of rows, want numbers", i)
		}
	}
	return count(in, n, narrow...)
}

// count checks the number of operands, which may be indices.
func count(in []Type, n int, narrow ...int) error {
	for i, t := range in {
		if t.BFloat16 && !slices.Contains(narrow, i) {
			return fmt.Errorf("operand %d is stored in bfloat16, want float32", i)
		}
	}
	if len(in) != n {
		return fmt.Errorf("got %d operands, want %d", len(in), n)
	}
	return nil
}

// sameRows checks that operands are rows of one space.
func sameRows(in ...Type) error {
	for _, t := range in[1:] {
		if t.Space != in[0].Space || t.Space == One && t.Rows.N != in[0].Rows.N {
			return fmt.Errorf("operands have different rows: %v and %v", in[0], t)
		}
	}
	return nil
}

// sameShape checks that operands have equal types.
func sameShape(in ...Type) error {
	for _, t := range in[1:] {
		if !t.same(in[0]) {
			return fmt.Errorf("operands differ: %v and %v", in[0], t)
		}
	}
	return nil
}

// wantRow checks that t is a 1×c matrix in One.
func wantRow(t Type, c Dim) error {
	if t.Space != One || t.Rows.N != 1 || t.Cols.N != c.N {
		return fmt.Errorf("got %v, want one[1×%v]", t, c.Expr)
	}
	return nil
}

// wantScalar checks that t is a 1×1 matrix.
func wantScalar(t Type) error { return wantRow(t, Cols(1)) }

// heads checks that cols splits into h heads, and returns the head's width.
func heads(cols Dim, h int) (int, error) {
	if h < 1 || cols.N%h != 0 {
		return 0, fmt.Errorf("%d columns do not split into %d heads", cols.N, h)
	}
	return cols.N / h, nil
}

// bytes is the compulsory traffic of operands and result: 4 bytes a value, or 2.
func bytes(types ...Type) cost.Expr {
	sum := cost.Int(0)
	for _, t := range types {
		sum = cost.Add(sum, cost.Scale(t.valueBytes(), t.size()))
	}
	return sum
}

// elementwise is the cost of per operations on each element of out.
func elementwise(per int64, depth int64, in []Type, out Type) cost.Cost {
	return cost.Cost{
		Work:  cost.Scale(per, out.size()),
		Depth: cost.Int(depth),
		Bytes: cost.Add(bytes(in...), bytes(out)),
	}
}

// moves is the cost of an op that copies and computes nothing.
func moves(in []Type, out Type) cost.Cost {
	return cost.Cost{Work: cost.Int(0), Depth: cost.Int(0), Bytes: cost.Add(bytes(in...), bytes(out))}
}

// sumRows is the cost of adding per × cols values over the rows of t.
func sumRows(per int64, t Type, in []Type, out Type) cost.Cost {
	return cost.Cost{
		Work:  cost.Scale(per, t.size()),
		Depth: cost.Add(cost.Int(per-1), cost.Log2(t.rows())),
		Bytes: cost.Add(bytes(in...), bytes(out)),
	}
}

// offsets is the traffic of reading one offset per row of s and the last: the
// CSR offsets of the vertices, or the batch's graph offsets.
func offsets(s Space) cost.Expr { return cost.Scale(8, cost.Add(s.rows(), cost.Int(1))) }

// indices is the traffic of one 4-byte index per row of s.
func indices(s Space) cost.Expr { return cost.Scale(4, s.rows()) }

// adjacency is the traffic of the index that a kernel walks to visit, row by
// row, the edges of s at one end: offsets and the other end of each edge, and
// by source also the edge's position where edge values are read.
func adjacency(s Space, end Map, values bool) cost.Expr {
	b := cost.Add(offsets(s.End(end)), indices(s))
	if end == Src && values {
		b = cost.Add(b, indices(s))
	}
	return b
}
