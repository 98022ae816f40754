package plan_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/weft-gnn/weft/graph"
	"github.com/weft-gnn/weft/internal/graphcase"
	"github.com/weft-gnn/weft/plan"
	"github.com/weft-gnn/weft/program"
)

// failer is what testing.T and rapid.T have in common.
type failer interface {
	Helper()
	Fatal(args ...any)
}

// overEdges is a program that reads the data's edges, and overLoops one that reads
// them with loops.
func overEdges(t failer) *program.Program {
	b := program.NewBuilder("over edges")
	x := b.Input("x", program.Vertices, program.Cols(1))
	y := b.Sum(b.Scatter(x, program.Src, program.Edges), program.Dst)
	b.Output("y", b.HeadScale(y, b.VertexCoef(program.InvDegree)))
	return built(t, b)
}

func overLoops(t failer) *program.Program {
	b := program.NewBuilder("over loops")
	x := b.Input("x", program.Vertices, program.Cols(1))
	y := b.HeadScale(b.Scatter(x, program.Src, program.LoopEdges), b.EdgeCoef(program.SymNorm, program.LoopEdges))
	b.Output("y", b.Sum(y, program.Dst))
	return built(t, b)
}

func built(t failer, b *program.Builder) *program.Program {
	t.Helper()
	p, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// reading is a program that reads both edge spaces and every coefficient of them.
func reading(t failer) *program.Program {
	b := program.NewBuilder("reading")
	x := b.Input("x", program.Vertices, program.Cols(1))
	y := b.Sum(b.Scatter(x, program.Src, program.Edges), program.Dst)
	z := b.Sum(b.HeadScale(b.Scatter(y, program.Src, program.LoopEdges), b.EdgeCoef(program.SymNorm, program.LoopEdges)), program.Dst)
	b.Output("y", b.HeadScale(z, b.VertexCoef(program.InvDegree)))
	return built(t, b)
}

// pieces draws a graph, owners, and returns what each rank has.
func pieces(t *rapid.T) (*graph.Graph, plan.Owners, []*plan.Piece) {
	c := graphcase.Random(12, 40).Draw(t, "graph")
	c.Weight = nil
	g, err := graph.FromCOO(c.N, c.Src, c.Dst, nil, graph.Policy{Duplicates: graph.Keep})
	if err != nil {
		t.Fatal(err)
	}
	ranks := rapid.IntRange(1, 5).Draw(t, "ranks")
	o := plan.Owners{Ranks: ranks, Edges: rapid.SampledFrom([]program.Owner{program.ByDst, program.BySrc, program.Free}).Draw(t, "edges")}
	for range c.N {
		o.Vertex = append(o.Vertex, int32(rapid.IntRange(0, ranks-1).Draw(t, "owner")))
	}
	o.Edge = func(_ int64, u, v int32) int32 { return (2*u + v) % int32(ranks) }
	piece, err := plan.Pieces(g, o, distributed(t, reading(t), o))
	if err != nil {
		t.Fatal(err)
	}
	var all []*plan.Piece
	for r := range ranks {
		all = append(all, piece(r))
	}
	return g, o, all
}

func distributed(t failer, p *program.Program, o plan.Owners) *program.Program {
	q, err := program.Distribute(p, program.Facts{Distribution: o.Distribution(0)})
	if err != nil {
		t.Fatal(err)
	}
	return q
}

// TestPiecesMakeTheGraph: every vertex and every edge is of one rank, with its
// identity; sources stay in the order of the whole; blocks are valid.
func TestPiecesMakeTheGraph(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g, _, all := pieces(t)
		var vertices []int32
		edges, loops := map[int64]int{}, map[int64]int{}
		for _, p := range all {
			vertices = append(vertices, p.Vertex...)
			for _, b := range []*graph.Block{p.N, p.NHat} {
				checkRows(t, b)
			}
			for _, id := range p.N.Identities() {
				edges[id]++
			}
			for _, id := range p.NHat.Identities() {
				loops[id]++
			}
		}
		slices.Sort(vertices)
		if len(vertices) != g.N || len(slices.Compact(vertices)) != g.N {
			t.Fatalf("vertices %v of %d", vertices, g.N)
		}
		if len(edges) != g.Block().Edges() || len(loops) != g.LoopBlock().Edges() {
			t.Fatalf("%d edges and %d with loops, want %d and %d", len(edges), len(loops), g.Block().Edges(), g.LoopBlock().Edges())
		}
	})
}

// checkRows: sources are those of the block, in ascending order of their places.
func checkRows(t *rapid.T, b *graph.Block) {
	for v := range b.Dst {
		row := slices.Clone(b.Col[b.Ptr[v]:b.Ptr[v+1]])
		for i, u := range row {
			if int(u) >= b.Src {
				t.Fatalf("row %d is %v of %d sources", v, row, b.Src)
			}
			if b.Place != nil {
				row[i] = b.Place[u]
			}
		}
		if !slices.IsSorted(row) {
			t.Fatalf("row %d is %v, of places %v", v, row, b.Place)
		}
	}
}

// TestPiecesAgree: what one rank sends is what the other has in its halo, and the
// way back; ends are a rank's own vertices, and then its halo.
func TestPiecesAgree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		_, o, all := pieces(t)
		for _, of := range []func(*plan.Piece) *program.Ends{
			func(p *plan.Piece) *program.Ends { return p.Share.Sources },
			func(p *plan.Piece) *program.Ends { return p.Share.Destinations },
		} {
			for r, p := range all {
				e := of(p)
				if e == nil {
					continue
				}
				for q, other := range all {
					f := of(other)
					var sent, had []int64
					for _, v := range e.Boundary[e.BoundaryPtr[q]:e.BoundaryPtr[q+1]] {
						sent = append(sent, p.Share.Own[v])
					}
					own := len(other.Share.Own)
					had = append(had, f.IDs[own+f.HaloPtr[r]:own+f.HaloPtr[r+1]]...)
					if !slices.Equal(sent, had) || q == r && len(sent) > 0 {
						t.Fatalf("rank %d sends %v to rank %d of %d, which has %v", r, sent, q, o.Ranks, had)
					}
				}
				if own := p.Share.Own; !slices.Equal(e.IDs[:len(own)], own) || len(e.IDs) != len(own)+e.Halo() {
					t.Fatalf("ends %v and %d rows of a halo, of a rank that owns %v", e.IDs, e.Halo(), own)
				}
			}
		}
	})
}

// TestCoefficientsAreTheWhole: a rank's coefficients are those of the whole graph.
func TestCoefficientsAreTheWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g, o, all := pieces(t)
		inv := g.Block().InvDegree()
		name := program.GraphCoef{Coef: program.InvDegree, Space: program.Vertices}.Input(o.Edges).Name
		for _, p := range all {
			for i, v := range p.Vertex {
				if got := p.Coefs[name].Row(i)[0]; got != inv[v] {
					t.Fatalf("vertex %d has 1/degree %v, want %v", v, got, inv[v])
				}
			}
		}
	})
}

// TestOwnersAreChecked: what is no division of the graph is refused.
func TestOwnersAreChecked(t *testing.T) {
	for want, o := range map[string]plan.Owners{
		"owners of 1 vertices": {Ranks: 1, Edges: program.ByDst, Vertex: []int32{0}},
		"rank 2 of 2":          {Ranks: 2, Edges: program.ByDst, Vertex: []int32{0, 2}},
		"nothing says by whom": {Ranks: 2, Edges: program.Free, Vertex: []int32{0, 1}},
		"0 ranks":              {Vertex: []int32{0, 0}},
	} {
		if err := o.Validate(2); err == nil || !contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}
