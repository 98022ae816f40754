package plan_test

import (
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/dataset/parted"
	"github.com/weft-gnn/weft/graph"
	"github.com/weft-gnn/weft/internal/graphcase"
	"github.com/weft-gnn/weft/plan"
	"github.com/weft-gnn/weft/program"
	"github.com/weft-gnn/weft/tensor"
)

// divided is a graph and an assignment of it.
type divided struct {
	g *graph.Graph
	a graph.Assignment
}

var anyDivided = rapid.Custom(func(t *rapid.T) divided {
	c := graphcase.Random(12, 40).Draw(t, "graph")
	for i := range c.Weight {
		c.Weight[i] = 0.5 + float32(i%3) // sums that have a root
	}
	g, err := graph.FromCOO(c.N, c.Src, c.Dst, c.Weight, graph.Policy{Duplicates: graph.Keep})
	if err != nil {
		t.Fatal(err)
	}
	a := graph.Assignment{Parts: rapid.IntRange(1, 5).Draw(t, "parts")}
	part := rapid.Int32Range(0, int32(a.Parts-1))
	a.Vertex = rapid.SliceOfN(part, g.N, g.N).Draw(t, "part of vertices")
	if rapid.Bool().Draw(t, "vertex-cut") {
		a.Arc = rapid.SliceOfN(part, len(g.Src), len(g.Src)).Draw(t, "part of arcs")
	}
	return divided{g, a}
})

// TestPartIsThePiece: a rank that opens its part alone has the piece that it would
// have taken of the whole graph: blocks, coefficients and what is exchanged are the
// same, bit for bit, whichever edges a program reads.
func TestPartIsThePiece(t *testing.T) {
	for seed := range 20 {
		x := anyDivided.Example(seed)
		if x.g.N == 0 {
			continue
		}
		dir := filepath.Join(t.TempDir(), fmt.Sprint(seed))
		d := &dataset.Dataset{Name: "drawn", Graph: x.g, X: tensor.New(x.g.N, 0)}
		if err := parted.Write(t.Context(), dir, d, parted.Division{Assignment: x.a}, parted.Options{}); err != nil {
			t.Fatal(err)
		}
		p := plan.OnRanks(x.a.Parts)
		o := plan.Owners{Ranks: x.a.Parts, Edges: program.ByDst, Vertex: x.a.Vertex}
		if x.a.Arc != nil {
			p.Algorithm, o.Edges = plan.VertexCut, program.Free
			o.Edge = func(arc int64, _, _ int32) int32 { return x.a.Arc[arc] }
		}
		for name, q := range map[string]*program.Program{"edges and loops": reading(t), "edges": overEdges(t), "loops": overLoops(t)} {
			q = distributed(t, q, o)
			whole, err := plan.Pieces(x.g, o, q)
			if err != nil {
				t.Fatal(err)
			}
			for rank := range x.a.Parts {
				got, want := opened(t, dir, p, rank, q), whole(rank)
				what := fmt.Sprintf("seed %d, %s, rank %d of %d", seed, name, rank, x.a.Parts)
				comparePieces(t, what, got, want)
			}
		}
	}
}

// opened is the piece of a rank that opened its part.
func opened(t *testing.T, dir string, p plan.Plan, rank int, q *program.Program) *plan.Piece {
	t.Helper()
	part, err := parted.Open(dir, rank, parted.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	v, err := part.View()
	if err != nil {
		t.Fatal(err)
	}
	piece, err := p.OfPart(plan.Part{
		Rank: rank, Ranks: p.Ranks(), Graph: v.Graph, Owner: v.Owner, Named: v.Named, All: int(part.Manifest.Vertices),
	}, q)
	if err != nil {
		t.Fatal(err)
	}
	return piece
}

func comparePieces(t *testing.T, what string, got, want *plan.Piece) {
	t.Helper()
	if len(got.Vertex) != len(want.Vertex) || !reflect.DeepEqual(got.Share, want.Share) {
		t.Fatalf("%s: exchanges %+v, want %+v", what, got.Share, want.Share)
	}
	for i, b := range []*graph.Block{got.N, got.NHat} {
		w := []*graph.Block{want.N, want.NHat}[i]
		if (b == nil) != (w == nil) || b != nil && !(b.Dst == w.Dst && b.Src == w.Src && slices.Equal(b.Ptr, w.Ptr) && slices.Equal(b.Col, w.Col) &&
			slices.Equal(b.Weight, w.Weight) && slices.Equal(b.Identities(), w.Identities()) && slices.Equal(b.Vertex, w.Vertex)) {
			t.Fatalf("%s: block %+v, want %+v", what, b, w)
		}
	}
	if len(got.Coefs) != len(want.Coefs) {
		t.Fatalf("%s: %d coefficients, want %d", what, len(got.Coefs), len(want.Coefs))
	}
	for name, c := range want.Coefs {
		if !got.Coefs[name].Equal(c) {
			t.Fatalf("%s: %s is %v, want %v", what, name, got.Coefs[name].Data, c.Data)
		}
	}
}

// TestPartIsNotEnough: an algorithm that asks for more than a part says so.
func TestPartIsNotEnough(t *testing.T) {
	p, err := plan.Parse("algorithm=2d,partition=2x2")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.OfPart(plan.Part{}); err == nil || !contains(err.Error(), "2d: a rank needs more than its part") {
		t.Errorf("got %v", err)
	}
}

// TestPartTellsNoPlaces: which of equal edges of several ranks is the first no part
// tells.
func TestPartTellsNoPlaces(t *testing.T) {
	b := program.NewBuilder("widest")
	x := b.Scatter(b.Input("x", program.Vertices, program.Cols(1)), program.Src, program.Edges)
	b.Output("y", b.Select(x, program.Max, program.Dst))
	o := plan.Owners{Ranks: 2, Edges: program.Free, Edge: func(int64, int32, int32) int32 { return 0 }}
	p := plan.Plan{Algorithm: plan.VertexCut, Partition: []int{2}}
	if _, err := p.OfPart(plan.Part{Ranks: 2}, distributed(t, built(t, b), o)); err == nil || !contains(err.Error(), "widest selects among edges that lie on several ranks") {
		t.Errorf("got %v", err)
	}
}
