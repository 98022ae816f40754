package program_test

import (
	"testing"

	"github.com/weft-gnn/weft/cost"
	. "github.com/weft-gnn/weft/program"
)

// TestCostOfEveryOp compares what ops state with the table, which was written
// from the cost model: the expressions, not their values.
func TestCostOfEveryOp(t *testing.T) {
	for _, c := range opCases() {
		out, err := c.op.Shape(c.types())
		if err != nil {
			t.Errorf("%v: %v", c, err)
			continue
		}
		got := c.op.Cost(c.types(), out)
		for name, e := range map[string][2]cost.Expr{
			"work":  {got.Work, c.Work},
			"depth": {got.Depth, c.Depth},
			"bytes": {got.Bytes, c.Bytes},
		} {
			if !e[0].Equal(e[1]) {
				t.Errorf("%v: %s %v, want %v", c, name, e[0], e[1])
			}
		}
	}
}

// TestProgramCosts adds up a small program by hand: work and bytes are sums
// over the operations of a stage, depth is the longest path.
func TestProgramCosts(t *testing.T) {
	b := NewBuilder("test")
	x := b.Input("x", Vertices, dimA)
	long := b.ReLU(b.ReLU(b.ReLU(x)))               // 3 deep
	short := b.ColumnSum(b.Scale(x, 2))             // 1 + ⌈log₂ n⌉ deep
	b.Output("y", b.AddBias(b.Sub(long, x), short)) // 1, then 1
	p, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	size := times(nV, dimA)
	if got, want := p.Work(Step), times(7, size); !got.Equal(want) {
		t.Errorf("work %v, want %v", got, want)
	}
	want := plus(words(times(2*4+3+1+2, size)), words(dimA, dimA))
	if got := p.Bytes(Step); !got.Equal(want) {
		t.Errorf("bytes %v, want %v", got, want)
	}
	for n, want := range map[int64]int64{1: 5, 8: 5, 9: 6, 1 << 20: 22} {
		if got := p.Depth(Step).MustEval(cost.Env{"n": n, "a": 3}); got != want {
			t.Errorf("depth of %d rows is %d, want %d", n, got, want)
		}
	}
	if got := p.Work(Pre); !got.IsZero() {
		t.Errorf("nothing runs once, but its work is %v", got)
	}
}
