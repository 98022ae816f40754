package runtime_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"testing"

	"github.com/weft-gnn/weft/comm"
	inprocess "github.com/weft-gnn/weft/comm/local"
	"github.com/weft-gnn/weft/graph"
	"github.com/weft-gnn/weft/plan"
	"github.com/weft-gnn/weft/program"
	"github.com/weft-gnn/weft/runtime"
	"github.com/weft-gnn/weft/tensor"
)

// evaluated is what a rank has of the output y, and what it sent for it.
type evaluated struct {
	vertex []int32 // of the rows
	y      tensor.Matrix
	sent   comm.Counter
}

// evaluate computes the output y of a program from the rows of x, on ranks.
func evaluate(t *testing.T, g *graph.Graph, x tensor.Matrix, text string, declare func(b *program.Builder, x program.Value) program.Value) (plan.Owners, []evaluated) {
	t.Helper()
	b := program.NewBuilder("y")
	b.Output("y", declare(b, b.Input("x", program.Vertices, program.Cols(x.Cols))))
	declared, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return evaluateProgram(t, g, x, text, declared)
}

// evaluateProgram does so for a program.
func evaluateProgram(t *testing.T, g *graph.Graph, x tensor.Matrix, text string, declared *program.Program) (plan.Owners, []evaluated) {
	t.Helper()
	p, err := plan.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	o, err := p.Owners(t.Context(), g, 1)
	if err != nil {
		t.Fatal(err)
	}
	programs := make([]*program.Program, o.All())
	for r := range programs {
		d := p.Distribution(r)
		f := program.Facts{Distribution: d, Weighted: g.Weight != nil, Symmetric: g.Block().SymmetricWeights()}
		f.Env = program.ExtentOf(g, declared).Env()
		d.Bound(f.Env)
		declared.Widths(f.Env)
		if programs[r], err = program.Compile(declared, f, nil); err != nil {
			t.Fatal(err)
		}
	}
	piece, err := plan.Pieces(g, o, programs...)
	if err != nil {
		t.Fatal(err)
	}
	out, errs := make([]evaluated, o.All()), make([]error, o.All())
	var all sync.WaitGroup
	for r, end := range inprocess.World(o.All(), inprocess.Options{}) {
		all.Go(func() {
			if errs[r] = out[r].run(piece(r), o, comm.New(end, nil), programs[r], x); errs[r] != nil {
				end.Abort(errs[r])
			}
		})
	}
	all.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	return o, out
}

func (e *evaluated) run(piece *plan.Piece, o plan.Owners, world *comm.Comm, p *program.Program, x tensor.Matrix) error {
	c, err := o.Connect(context.Background(), world)
	if err != nil {
		return err
	}
	s, err := runtime.NewRank(piece, c, runtime.Options{Threads: 1}, p)
	if err != nil {
		return err
	}
	defer s.Close()
	if err := s.Bind("x", piece.Local(x)); err != nil {
		return err
	}
	before := c.Counter()
	if _, err := s.Run(0, 0, program.Target{}); err != nil {
		return err
	}
	y, err := s.Value(0, "y")
	if err != nil {
		return err
	}
	e.vertex, e.y, e.sent = piece.Vertex, y.Clone(), c.Counter().Minus(before)
	return nil
}

// TestHalo: on the path 0…5 with x = 1…6, split in half, two layers of h = x + mean
// need what the other rank computed in the first.
func TestHalo(t *testing.T) {
	var src, dst []int32
	for v := range int32(5) {
		src, dst = append(src, v, v+1), append(dst, v+1, v)
	}
	g, err := graph.FromCOO(6, src, dst, nil, graph.Policy{})
	if err != nil {
		t.Fatal(err)
	}
	want := []float32{7, 8.5, 12, 16, 19.5, 21}
	for _, text := range []string{"algorithm=1d,partition=2,partitioner=range", "algorithm=1d-allgather,partition=2,partitioner=range", "algorithm=vertexcut,partition=2", "algorithm=2d,partition=1x2", "algorithm=3d,partition=1x1x2", "algorithm=3d,partition=2x2x2", "algorithm=1.5d,partition=4,replication=2"} {
		_, ranks := evaluate(t, g, tensor.Of(6, 1, []float32{1, 2, 3, 4, 5, 6}), text, func(b *program.Builder, x program.Value) program.Value {
			for range 2 {
				x = b.AddValues(x, b.Mean(b.Scatter(x, program.Src, program.Edges)))
			}
			return x
		})
		for r, rank := range ranks {
			for i, v := range rank.vertex {
				if got := rank.y.Row(i)[0]; math.Abs(float64(got-want[v])) > 1e-6 {
					t.Errorf("%s: rank %d has %v for vertex %d, want %v", text, r, got, v, want[v])
				}
			}
		}
	}
}

// TestWordsOfBipartite: a sum over the neighbours of a complete bipartite graph, of
// which every algorithm's words and messages have closed forms. n vertices, half of
// them on either side, lie on P ranks in order, so that a rank has n/P of one side.
func TestWordsOfBipartite(t *testing.T) {
	const side, n, k, P = 48, 96, 8, 4
	var src, dst []int32
	for u := range int32(side) {
		for v := range int32(side) {
			src, dst = append(src, u, side+v), append(dst, side+v, u)
		}
	}
	g, err := graph.FromCOO(n, src, dst, nil, graph.Policy{})
	if err != nil {
		t.Fatal(err)
	}
	x := tensor.New(n, k)
	for i := range x.Data {
		x.Data[i] = float32(i % 7)
	}
	sums := [2][k]float32{}
	for v := range n {
		for j, a := range x.Row(v) {
			sums[1-v/side][j] += a
		}
	}
	own := int64(n / P * k) // words of a rank's rows
	for _, c := range []struct {
		text            string
		words, messages int64
	}{
		// Its rows, to every rank of the other side.
		{"algorithm=1d,partition=4,partitioner=range", own * P / 2, P / 2},
		// Its rows, to all others.
		{"algorithm=1d-allgather,partition=4,partitioner=range", own * (P - 1), P - 1},
		// R × S: its rows to R − 1 of its column, sums of n/R rows but its own to S − 1
		// of its row.
		{"algorithm=2d,partition=2x2,partitioner=range", own + (2-1)*own, 2},
		{"algorithm=2d,partition=4x1,partitioner=range", 3 * own, 3},
		{"algorithm=2d,partition=1x4,partitioner=range", 3 * own, 3},
		// R × S × C: rows of a range to R − 1, sums of the rows of C ranges to S − 1; these
		// are added up to columns, and the columns, since y is an output, are gathered.
		{"algorithm=3d,partition=2x1x2,partitioner=range", own + own + own, 3},
		{"algorithm=3d,partition=1x2x2,partitioner=range", 2*own + own + own, 3},
		{"algorithm=3d,partition=1x1x4,partitioner=range", 3*own + 3*own, 6},
		// Two copies of n/2 rows: each sends those that it has edges out of, half of
		// them, to the other part; what copies have of a sum is added by an all-reduce.
		{"algorithm=1.5d,partition=4,replication=2,partitioner=range", own + 2*2*own/2, 1 + 2},
		// Of a vertex's 48 edges, drawn to 4 ranks, every rank has one: its rows to all
		// others, and to all others what it has of theirs.
		{"algorithm=vertexcut,partition=4,partitioner=vertexcut-random", -1, 2 * (P - 1)},
		// Columns: an all-to-all of the rank's words each way, and none for the sum.
		{"algorithm=feature,feature=4", 2 * own * (P - 1) / P, 2 * (P - 1)},
		// All ranks have all of it.
		{"algorithm=replicas,replica=4", 0, 0},
	} {
		o, ranks := evaluate(t, g, x, c.text, func(b *program.Builder, x program.Value) program.Value {
			return b.Sum(b.Scatter(x, program.Src, program.Edges), program.Dst)
		})
		for r, rank := range ranks {
			want := comm.Counter{Words: c.words, Messages: c.messages, Supersteps: rank.sent.Supersteps}
			if c.words < 0 {
				mine := int64(0)
				for _, owner := range o.Vertex {
					if int(owner) == r {
						mine++
					}
				}
				want.Words = k * (mine*(P-1) + n - mine)
			}
			if rank.sent != want {
				t.Errorf("%s: rank %d sends %+v, want %+v", c.text, r, rank.sent, want)
			}
			for i, v := range rank.vertex {
				if got, want := fmt.Sprint(rank.y.Row(i)), fmt.Sprint(sums[v/side][:]); got != want {
					t.Errorf("%s: rank %d has %v for vertex %d, want %v", c.text, r, got, v, want)
				}
			}
		}
	}
}
