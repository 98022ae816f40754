package ondisk

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/dataset/internal/datatest"
	"github.com/weft-gnn/weft/dataset/internal/folder/foldertest"
	"github.com/weft-gnn/weft/graph"
	"github.com/weft-gnn/weft/tensor"
)

// sameIdentities compares what random numbers are keyed by.
func sameIdentities(a, b *graph.Graph) error {
	if !reflect.DeepEqual(a.Origin, b.Origin) {
		return fmt.Errorf("origin %+v, was %+v", b.Origin, a.Origin)
	}
	if x, y := a.LoopBlock(), b.LoopBlock(); !slices.Equal(x.Identities(), y.Identities()) || !slices.Equal(x.Vertex, y.Vertex) {
		return fmt.Errorf("edges %v and vertices %v, were %v and %v", y.Identities(), y.Vertex, x.Identities(), x.Vertex)
	}
	return nil
}

// A set in any order, put in order once or twice, is read back with the
// identities it had, from the mapped compressed rows and from the edges alone.
func TestReorderedRoundTrip(t *testing.T) {
	tmp := t.TempDir()
	count := 0
	orderings := rapid.SampledFrom(graph.Orderings())
	rapid.Check(t, func(r *rapid.T) {
		d := drawDataset(r)
		dir := ""
		for _, by := range rapid.SliceOfN(orderings, 1, 2).Draw(r, "orders") {
			ordered, err := d.Reorder(by, rapid.Uint64().Draw(r, "seed"))
			if err != nil {
				r.Fatal(err)
			}
			count++
			dir = filepath.Join(tmp, fmt.Sprint(count))
			if err := write(dir, ordered, Options{}, foldertest.CreateUnsynced); err != nil {
				r.Fatal(err)
			}
			for _, with := range []string{"compressed rows", "edges"} {
				got, err := openFolder(t.Context(), dir, dataset.Options{})
				if err != nil {
					r.Fatalf("%s: %v", with, err)
				}
				if err := sameAfterWrite(ordered, got); err != nil {
					r.Fatalf("%s: %v", with, err)
				}
				if err := sameIdentities(ordered.Graph, got.Graph); err != nil || got.Order != by {
					r.Fatalf("%s, ordered by %v: %v", with, got.Order, err)
				}
				if d = got; with == "compressed rows" {
					if err := os.RemoveAll(filepath.Join(dir, csrFolder)); err != nil {
						r.Fatal(err)
					}
				}
			}
		}
	})
}

// Edges made undirected in another order have the identities that they have
// without it.
func TestReorderedUndirected(t *testing.T) {
	tmp := t.TempDir()
	rapid.Check(t, func(r *rapid.T) {
		n := rapid.IntRange(1, 8).Draw(r, "n")
		id := rapid.Int32Range(0, int32(n-1))
		g, err := graph.FromCOO(n, rapid.SliceOfN(id, 9, 9).Draw(r, "src"), rapid.SliceOfN(id, 9, 9).Draw(r, "dst"), nil, graph.Policy{})
		if err != nil {
			r.Fatal(err)
		}
		plain := &dataset.Dataset{Graph: g, X: tensor.New(n, 0)}
		ordered, err := plain.Reorder(graph.Random, rapid.Uint64().Draw(r, "seed"))
		if err != nil {
			r.Fatal(err)
		}
		var read [2]*graph.Graph
		for i, d := range []*dataset.Dataset{plain, ordered} {
			dir := filepath.Join(tmp, fmt.Sprint(i))
			if err := write(dir, d, Options{Overwrite: true}, foldertest.CreateUnsynced); err != nil {
				r.Fatal(err)
			}
			got, err := openFolder(t.Context(), dir, dataset.Options{Direction: dataset.Undirected})
			if err != nil {
				r.Fatal(err)
			}
			if err := got.Graph.Validate(); err != nil {
				r.Fatal(err)
			}
			if x, y := d.Graph.LoopBlock().Vertex, got.Graph.LoopBlock().Vertex; !slices.Equal(x, y) {
				r.Fatalf("vertices %v, were %v", y, x)
			}
			read[i] = got.Graph
		}
		back, err := read[1].Permute(read[1].Order(graph.Original, 0))
		if err != nil {
			r.Fatal(err)
		}
		if back.Origin != nil || !slices.Equal(datatest.ArcsOf(back), datatest.ArcsOf(read[0])) {
			r.Fatalf("arcs %v of origin %+v, want %v", datatest.ArcsOf(back), back.Origin, datatest.ArcsOf(read[0]))
		}
	})
}

// A piece of a set keeps the identities it has in the whole, and cannot be given
// arcs that the whole lacks.
func TestPieceRoundTrip(t *testing.T) {
	g, err := graph.FromCOO(4, []int32{0, 1, 2, 3}, []int32{1, 2, 3, 3}, nil, graph.Policy{})
	if err != nil {
		t.Fatal(err)
	}
	piece, err := g.Induced([]int32{3, 2})
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "piece")
	if err := Write(dir, &dataset.Dataset{Graph: piece, X: tensor.New(2, 0)}, Options{}); err != nil {
		t.Fatal(err)
	}
	got, err := openFolder(t.Context(), dir, dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := sameIdentities(piece, got.Graph); err != nil {
		t.Error(err)
	}
	_, err = openFolder(t.Context(), dir, dataset.Options{Direction: dataset.Undirected})
	datatest.WantError(t, err, "metadata.yaml", "a piece of another graph")
}

// Who knows nothing of orders, as GraphBolt does, reads a set whose parts agree.
func TestReorderedForGraphBolt(t *testing.T) {
	g, err := graph.FromCOO(4, []int32{0, 1, 2, 0}, []int32{1, 2, 3, 3}, nil, graph.Policy{})
	if err != nil {
		t.Fatal(err)
	}
	d := &dataset.Dataset{Task: dataset.VertexClassification, Graph: g,
		X: tensor.Of(4, 1, []float32{10, 11, 12, 13}), EdgeX: tensor.Of(4, 1, []float32{1, 12, 23, 3}),
		Labels: dataset.Labels{Class: []int32{0, 1, 2, 3}, Names: dataset.NumberedClasses(4)},
		Splits: []dataset.Split{{Name: "own", Train: []int32{0, 2}, Val: []int32{1}, Test: []int32{3}}}}
	if d, err = d.Reorder(graph.Random, 2); err != nil {
		t.Fatal(err)
	}
	if d.Graph.Origin == nil {
		t.Fatal("the order is the one there was")
	}
	dir := filepath.Join(t.TempDir(), "set")
	if err := Write(dir, d, Options{}); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{extraFile, "metadata.yaml"} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if name == "metadata.yaml" {
			text = slices.Concat(text[:len(text)-len("weft: "+extraFile+"\n")], []byte("\n"))
		}
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := openFolder(t.Context(), dir, dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got.Graph.Origin != nil || got.IDs.Int != nil {
		t.Fatal("what only weft knows was read")
	}
	for v := range got.Graph.N {
		name := int(got.X.Row(v)[0]) - 10
		if int(got.Labels.Class[v]) != name {
			t.Errorf("vertex %d has the features of %d and the label of %d", v, name, got.Labels.Class[v])
		}
		for i := got.Graph.Ptr[v]; i < got.Graph.Ptr[v+1]; i++ {
			from := int(got.X.Row(int(got.Graph.Src[i]))[0]) - 10
			row := i
			if got.Graph.Listing != nil {
				row = got.Graph.Listing[i]
			}
			if x := int(got.EdgeX.Row(int(row))[0]); x != 10*from+name {
				t.Errorf("the arc %d→%d has the features of %d", from, name, x)
			}
		}
	}
	if s := got.Splits[0]; len(s.Train) != 2 || got.Labels.Class[s.Val[0]] != 1 || got.Labels.Class[s.Test[0]] != 3 {
		t.Errorf("split %+v of classes %v", s, got.Labels.Class)
	}
}

// TestOriginFaults edits identities: of four vertices, and of three arcs and a
// loop at vertex 2, whose order is turned round.
func TestOriginFaults(t *testing.T) {
	ints := func(v ...int64) string { return string(datatest.NPY(t, v)) }
	for name, c := range map[string]struct {
		vertex, edge string // "" leaves them
		json         string // "" leaves it
		want         []string
	}{
		"fewer vertices":   {vertex: ints(3, 2, 1), want: []string{"vertex_identity.npy", "[3]", "[4]"}},
		"fewer arcs":       {edge: ints(2, 5), want: []string{"edge_identity.npy", "[2]", "[4]"}},
		"vertex far out":   {vertex: ints(3, 2, 4, 0), want: []string{"vertex_identity.npy", "entry 2", "identity 4", "0 ≤ id < 4"}},
		"vertex negative":  {vertex: ints(3, -2, 1, 0), want: []string{"vertex_identity.npy", "entry 1", "identity -2"}},
		"vertex twice":     {vertex: ints(3, 2, 1, 2), edge: ints(2, 5, 1, 0), want: []string{"vertex_identity.npy", "entry 3", "identity 2", "permutation"}},
		"arc far out":      {edge: ints(3, 5, 1, 0), want: []string{"edge_identity.npy", "entry 0", "identity 3", "0 ≤ id < 3"}},
		"arc negative":     {edge: ints(2, 5, -1, 0), want: []string{"edge_identity.npy", "entry 2", "identity -1"}},
		"arc twice":        {edge: ints(2, 5, 2, 0), want: []string{"edge_identity.npy", "entry 2", "identity 2", "permutation"}},
		"loop of another":  {edge: ints(2, 4, 1, 0), want: []string{"edge_identity.npy", "entry 1", "identity 4", "want 5"}},
		"floats":           {vertex: string(datatest.NPY(t, []float32{3, 2, 1, 0})), want: []string{"vertex_identity.npy", "integers"}},
		"two dimensions":   {vertex: string(datatest.Shaped("<i8", "(2, 2)", datatest.LE([]int64{3, 2, 1, 0}))), want: []string{"vertex_identity.npy", "[2 2]"}},
		"another whole":    {json: `"vertices": 5, "arcs": 3`, want: []string{"w.json", "origin", "whole of 5 and 3"}},
		"other arcs":       {json: `"vertices": 4, "arcs": 9000000000000000000`, want: []string{"w.json", "origin", "9000000000000000000"}},
		"negative whole":   {json: `"vertices": -4, "arcs": 3`, want: []string{"vertex_identity.npy", "entry 0"}},
		"outside":          {json: `"vertices": 4, "arcs": 3, "vertex": "../x.npy"`, want: []string{"leaves the folder"}},
		"of an unknown by": {json: `"vertices": 4, "arcs": 3}, "order": "luck", "x": {"y": 1`, want: []string{"w.json", `"luck"`}},
	} {
		t.Run(name, func(t *testing.T) {
			files := originFiles(t)
			if c.vertex != "" {
				files["vertex_identity.npy"] = c.vertex
			}
			if c.edge != "" {
				files["edge_identity.npy"] = c.edge
			}
			if c.json != "" {
				files["w.json"] = originJSON(c.json)
			}
			dir := datatest.Files(t, files)
			for range 2 { // without compressed rows, and with them
				_, err := openFolder(t.Context(), dir, dataset.Options{})
				datatest.WantError(t, err, c.want...)
			}
		})
	}
	files := originFiles(t)
	files["vertex_identity.npy"] = ints(3, 2, 1, 2)
	_, err := openFolder(t.Context(), datatest.Files(t, files), dataset.Options{Direction: dataset.Undirected})
	datatest.WantError(t, err, "vertex_identity.npy", "entry 3", "identity 2", "entry 1", "permutation")
	files["vertex_identity.npy"] = ints(3, 2, 1, 7)
	_, err = openFolder(t.Context(), datatest.Files(t, files), dataset.Options{Direction: dataset.Undirected})
	datatest.WantError(t, err, "vertex_identity.npy", "entry 3", "identity 7", "0 ≤ id < 4")
}

// originFiles is the path 3→2→1→0 with a loop at 1, of the whole's numbers
// 0→1→2→3 and 2, as another program may write it: arcs in no order.
func originFiles(t testing.TB) map[string]string {
	return map[string]string{
		"metadata.yaml":       "graph: {nodes: [{num: 4}], edges: [{format: numpy, path: e.npy}]}\nweft: w.json\n",
		"w.json":              originJSON(`"vertices": 4, "arcs": 3`),
		"e.npy":               string(datatest.Shaped("<i8", "(2, 4)", datatest.LE([]int64{1, 1, 2, 3, 0, 1, 1, 2}))),
		"vertex_identity.npy": string(datatest.NPY(t, []int64{3, 2, 1, 0})),
		"edge_identity.npy":   string(datatest.NPY(t, []int64{2, 5, 1, 0})),
	}
}

func originJSON(of string) string {
	return `{"version": 1, "task": "none", "counts": {"listed": 4}, "origin": {"permuted": true, "vertex": "vertex_identity.npy", "edge": "edge_identity.npy", ` + of + `}}`
}

// Identities follow their edges where the list is in another order than the rows.
func TestOriginOfUnsortedEdges(t *testing.T) {
	files := originFiles(t)
	files["e.npy"] = string(datatest.Shaped("<i8", "(2, 4)", datatest.LE([]int64{3, 2, 1, 1, 2, 1, 1, 0})))
	files["edge_identity.npy"] = string(datatest.NPY(t, []int64{0, 1, 5, 2}))
	dir := datatest.Files(t, files)
	for range 2 {
		d, err := openFolder(t.Context(), dir, dataset.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if want := []int64{2, 5, 1, 0}; !slices.Equal(d.Graph.Origin.Edge, want) {
			t.Errorf("identities %v, want %v", d.Graph.Origin.Edge, want)
		}
	}
	files["edge_identity.npy"] = string(datatest.NPY(t, []int64{0, 1, 4, 2}))
	_, err := openFolder(t.Context(), datatest.Files(t, files), dataset.Options{})
	datatest.WantError(t, err, "edge_identity.npy", "entry 2", "identity 4", "want 5")
}
