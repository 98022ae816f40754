package parted

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/dataset/internal/folder/foldertest"
	"github.com/weft-gnn/weft/graph"
	"github.com/weft-gnn/weft/internal/graphcase"
	"github.com/weft-gnn/weft/partition"
	"github.com/weft-gnn/weft/tensor"
)

// drawSet draws a set about vertices or edges, with or without each part.
func drawSet(t *rapid.T) *dataset.Dataset {
	c := graphcase.Random(14, 40).Draw(t, "graph")
	maybe := func(name string) bool { return rapid.Bool().Draw(t, name) }
	p := graph.Policy{Symmetrise: maybe("mirror")}
	if maybe("keep") {
		p.Duplicates = graph.Keep
	}
	g, err := graph.FromCOO(c.N, c.Src, c.Dst, c.Weight, p)
	if err != nil {
		t.Fatal(err)
	}
	if maybe("reorder") {
		order := make([]int32, g.N)
		for i := range order {
			order[i] = int32(i)
		}
		if g, err = g.Permute(rapid.Permutation(order).Draw(t, "order")); err != nil {
			t.Fatal(err)
		}
	}
	d := &dataset.Dataset{Name: "set", Graph: g, Task: dataset.Task(rapid.SampledFrom([]int{0, 1, 2, 5}).Draw(t, "task"))}
	matrix := func(rows, cols int) tensor.Matrix {
		m := tensor.New(rows, cols)
		for i := range m.Data {
			m.Data[i] = float32(i) + 0.5
		}
		return m
	}
	d.X = matrix(g.N, rapid.IntRange(0, 3).Draw(t, "columns"))
	if maybe("edge features") {
		d.EdgeX = matrix(len(c.Src), 2)
	}
	if maybe("classes") {
		d.Labels.Names = []string{"a", "b", "c"}
		d.Labels.Class = rapid.SliceOfN(rapid.Int32Range(-1, 2), g.N, g.N).Draw(t, "class")
	} else if maybe("targets") {
		d.Labels.Value = matrix(g.N, 2)
	}
	switch rapid.IntRange(0, 2).Draw(t, "ids") {
	case 1:
		d.IDs.Int = rapid.SliceOfN(rapid.Int64(), g.N, g.N).Draw(t, "int ids")
	case 2:
		d.IDs.Text = rapid.SliceOfN(rapid.String(), g.N, g.N).Draw(t, "text ids")
	}
	for i := range rapid.IntRange(0, 2).Draw(t, "splits") {
		s := dataset.Split{Name: fmt.Sprint("fold ", i)}
		for item := range int32(d.Items()) {
			if to := [4]*[]int32{nil, &s.Train, &s.Val, &s.Test}[rapid.IntRange(0, 3).Draw(t, "part")]; to != nil {
				*to = append(*to, item)
			}
		}
		d.Splits = append(d.Splits, s)
	}
	return d
}

// drawDivision divides it by a method, or arbitrarily.
func drawDivision(t *rapid.T, g *graph.Graph) Division {
	o := partition.Options{
		Parts: rapid.IntRange(1, 6).Draw(t, "parts"), Seed: 3,
		Method: rapid.SampledFrom(partition.Methods()).Draw(t, "method"),
	}
	div := Division{Assignment: graph.Assignment{Parts: o.Parts}, Method: o.Method.String(), Seed: 3, Balance: "vertices"}
	if rapid.Bool().Draw(t, "by a method") {
		a, err := partition.Divide(context.Background(), g, o)
		if err != nil {
			t.Fatal(err)
		}
		div.Vertex, div.Arc = a.Vertex, a.Arc
		return div
	}
	part := rapid.Int32Range(0, int32(o.Parts-1))
	div.Vertex = rapid.SliceOfN(part, g.N, g.N).Draw(t, "part of vertices")
	if o.Method.VertexCut() {
		div.Arc = rapid.SliceOfN(part, len(g.Src), len(g.Src)).Draw(t, "part of arcs")
	}
	return div
}

// openAll opens every part.
func openAll(t interface {
	Helper()
	Fatal(...any)
}, dir string, parts int) []*Part {
	t.Helper()
	all := make([]*Part, parts)
	for rank := range all {
		p, err := Open(dir, rank, ReadOptions{Verify: true})
		if err != nil {
			t.Fatal(err)
		}
		all[rank] = p
	}
	return all
}

// TestPartsMakeTheWhole: put together again, the parts are the set that was
// divided; and what one part sends is what the other expects.
func TestPartsMakeTheWhole(t *testing.T) {
	home := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		d := drawSet(t)
		div := drawDivision(t, d.Graph)
		dir, err := os.MkdirTemp(home, "set-")
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(dir)
		if err := write(context.Background(), dir, d, div, Options{}, foldertest.CreateUnsynced); err != nil {
			t.Fatal(err)
		}
		all := openAll(t, dir, div.Parts)
		checkVertices(t, d, div, all)
		checkArcs(t, d, div, all)
		checkSplits(t, d, all)
		checkLists(t, d, div, all)
		checkViews(t, d, div, all)
	})
}

func checkVertices(t *rapid.T, d *dataset.Dataset, div Division, all []*Part) {
	seen := 0
	for rank, p := range all {
		if len(p.Labels.Class) > 0 && !slices.Equal(p.Labels.Names, d.Labels.Names) {
			t.Fatalf("names %q, want %q", p.Labels.Names, d.Labels.Names)
		}
		for place, v := range p.Vertex {
			owner := int32(rank)
			if place >= p.Own {
				owner = p.Owner[place-p.Own]
			}
			if owner != div.Vertex[v] {
				t.Fatalf("part %d: vertex %d belongs to %d, want %d", rank, v, owner, div.Vertex[v])
			}
			if o := d.Graph.Origin; (p.Identity == nil) != (o == nil) || o != nil && p.Identity[place] != o.Vertex[v] {
				t.Fatalf("part %d: identities %v", rank, p.Identity)
			}
			if p.ID(place) != d.IDs.Of(int(v)) {
				t.Fatalf("vertex %d is called %q, want %q", v, p.ID(place), d.IDs.Of(int(v)))
			}
			if place >= p.Own {
				continue
			}
			seen++
			if !slices.Equal(p.X.Row(place), d.X.Row(int(v))) {
				t.Fatalf("features of %d: %v, want %v", v, p.X.Row(place), d.X.Row(int(v)))
			}
			if d.Labels.Class != nil && p.Labels.Class[place] != d.Labels.Class[v] {
				t.Fatalf("class of %d: %d, want %d", v, p.Labels.Class[place], d.Labels.Class[v])
			}
			if d.Labels.Value.Cols > 0 && !slices.Equal(p.Labels.Value.Row(place), d.Labels.Value.Row(int(v))) {
				t.Fatalf("targets of %d: %v", v, p.Labels.Value.Row(place))
			}
		}
	}
	if seen != d.Graph.N { // own vertices ascend, and owners are right: none is there twice
		t.Fatalf("%d vertices in all parts, want %d", seen, d.Graph.N)
	}
}

func checkArcs(t *rapid.T, d *dataset.Dataset, div Division, all []*Part) {
	g, b := d.Graph, d.Graph.Block()
	next := slices.Clone(g.Ptr) // the next arc of each row that some part must have
	total := 0
	at := map[int64]int{} // position in g by identity
	for i := range g.Src {
		id := int64(i)
		if ids := b.Identities(); ids != nil {
			id = ids[i]
		}
		at[id] = i
	}
	for rank, p := range all {
		for row := range p.Rows {
			v, last := p.Vertex[row], -1
			for i := p.Ptr[row]; i < p.Ptr[row+1]; i++ {
				k, ok := at[p.Edge[i]]
				if !ok || g.Src[k] != p.Vertex[p.Col[i]] || int64(k) < g.Ptr[v] || int64(k) >= g.Ptr[v+1] {
					t.Fatalf("part %d has an arc %d→%d of identity %d, which the set has not", rank, p.Vertex[p.Col[i]], v, p.Edge[i])
				}
				if k <= last {
					t.Fatalf("part %d: arcs into %d are not in the set's order", rank, v)
				}
				last = k
				if owner := div.Vertex[v]; div.Arc == nil && owner != int32(rank) || div.Arc != nil && div.Arc[k] != int32(rank) {
					t.Fatalf("part %d has arc %d of another part", rank, k)
				}
				if (p.Weight == nil) != (g.Weight == nil) || g.Weight != nil && p.Weight[i] != g.Weight[k] {
					t.Fatalf("part %d: weights %v", rank, p.Weight)
				}
				if d.EdgeX.Cols > 0 && !slices.Equal(p.EdgeX.Row(int(i)), d.EdgeX.Row(int(listed(g.Listing, int64(k))))) {
					t.Fatalf("features of arc %d: %v", k, p.EdgeX.Row(int(i)))
				}
				next[v]++
				total++
			}
		}
	}
	for v := range g.N {
		if next[v] != g.Ptr[v+1] {
			t.Fatalf("%d arcs into %d, want %d", next[v]-g.Ptr[v], v, g.Ptr[v+1]-g.Ptr[v])
		}
	}
	if total != len(g.Src) || all[0].Manifest.Arcs != int64(total) || all[0].Manifest.Counts != g.Counts {
		t.Fatalf("%d arcs in all parts, want %d", total, len(g.Src))
	}
}

func checkSplits(t *rapid.T, d *dataset.Dataset, all []*Part) {
	if d.Task == dataset.LinkPrediction {
		return // see TestLinkSplit
	}
	for i, want := range d.Splits {
		got := dataset.Split{Name: want.Name}
		for _, p := range all {
			s := p.Splits[i]
			if s.Name != want.Name {
				t.Fatalf("split %q, want %q", s.Name, want.Name)
			}
			for k, to := range [3]*[]int32{&got.Train, &got.Val, &got.Test} {
				for _, place := range [3][]int32{s.Train, s.Val, s.Test}[k] {
					*to = append(*to, p.Vertex[place])
				}
			}
		}
		for k, to := range [3][]int32{got.Train, got.Val, got.Test} {
			slices.Sort(to)
			if !slices.Equal(to, [3][]int32{want.Train, want.Val, want.Test}[k]) {
				t.Fatalf("split %q: %v, want %v", want.Name, got, want)
			}
		}
	}
}

// checkLists compares what parts send with what others expect, and the number of
// rows with what partition counts.
func checkLists(t *rapid.T, d *dataset.Dataset, div Division, all []*Part) {
	numbers := func(p *Part, places []int32) []int32 {
		out := make([]int32, len(places))
		for i, place := range places {
			out[i] = p.Vertex[place]
		}
		return out
	}
	fetched, returned := int64(0), int64(0)
	for q, to := range all {
		rows, sums := to.Fetched(), to.Returned()
		for p, from := range all {
			if got, want := numbers(from, from.Send.To(q)), numbers(to, rows[p]); !slices.Equal(got, want) {
				t.Fatalf("part %d sends the rows of %d to %d, which wants %d", p, got, q, want)
			}
			if got, want := numbers(from, from.Gather.To(q)), numbers(to, sums[p]); !slices.Equal(got, want) {
				t.Fatalf("part %d gathers sums of %d from %d, which has %d", p, got, q, want)
			}
			fetched, returned = fetched+int64(len(rows[p])), returned+int64(len(sums[p]))
		}
	}
	s, err := partition.Measure(d.Graph.Block(), div.Assignment)
	if err != nil {
		t.Fatal(err)
	}
	if fetched != s.Halo.Total || returned != s.Partial.Total {
		t.Fatalf("%d rows fetched and %d sums returned, want %d and %d", fetched, returned, s.Halo.Total, s.Partial.Total)
	}
}

// pathSet is the path 0…5 with x = 1…6, a split and ids.
func pathSet(t testing.TB, task dataset.Task) *dataset.Dataset {
	t.Helper()
	g, err := graph.FromCOO(6, []int32{0, 1, 2, 3, 4}, []int32{1, 2, 3, 4, 5}, nil, graph.Policy{Symmetrise: true})
	if err != nil {
		t.Fatal(err)
	}
	d := &dataset.Dataset{
		Name: "path", Graph: g, Task: task, X: tensor.Of(6, 1, []float32{1, 2, 3, 4, 5, 6}),
		IDs:    dataset.IDs{Text: []string{"a", "b", "c", "d", "e", "f"}},
		Labels: dataset.Labels{Class: []int32{0, 1, 0, 1, 0, -1}, Names: []string{"even", "odd"}},
		Splits: []dataset.Split{{Name: "own", Train: []int32{0, 3}, Val: []int32{1}, Test: []int32{4}}},
	}
	if task == dataset.LinkPrediction {
		d.Labels = dataset.Labels{}
	}
	return d
}

func inHalves() Division {
	return Division{Assignment: graph.Assignment{Parts: 2, Vertex: []int32{0, 0, 0, 1, 1, 1}}, Method: "range", Seed: 7, Balance: "vertices"}
}

// TestHalo: two layers of h = x + mean of the neighbours' x on the path in halves,
// each rank with its own part, rows exchanged by the lists.
func TestHalo(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "halves")
	if err := Write(t.Context(), dir, pathSet(t, dataset.VertexClassification), inHalves(), Options{}); err != nil {
		t.Fatal(err)
	}
	all := openAll(t, dir, 2)
	h := make([][]float32, 2)
	for rank, p := range all {
		h[rank] = append(slices.Clone(p.X.Data), make([]float32, len(p.Owner))...)
	}
	for range 2 {
		for q, to := range all {
			for p, places := range to.Fetched() {
				for i, place := range places {
					h[q][place] = h[p][all[p].Send.To(q)[i]]
				}
			}
		}
		for rank, p := range all {
			next := slices.Clone(h[rank])
			for v := range p.Own {
				sum := float32(0)
				for _, u := range p.Col[p.Ptr[v]:p.Ptr[v+1]] {
					sum += h[rank][u]
				}
				next[v] += sum / float32(p.Ptr[v+1]-p.Ptr[v])
			}
			h[rank] = next
		}
	}
	if got := fmt.Sprint(h[0][:3], h[1][:3]); got != "[7 8.5 12] [16 19.5 21]" {
		t.Error(got)
	}
}

// TestLinkSplit: rows of the edge list become the arcs that were made of them, each
// with the part that has it.
func TestLinkSplit(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "halves")
	if err := Write(t.Context(), dir, pathSet(t, dataset.LinkPrediction), inHalves(), Options{}); err != nil {
		t.Fatal(err)
	}
	var got []string
	for rank, p := range openAll(t, dir, 2) {
		row := func(arc int32) int {
			at, _ := slices.BinarySearch(p.Ptr, int64(arc)+1)
			return at - 1
		}
		for k, part := range [3][]int32{p.Splits[0].Train, p.Splits[0].Val, p.Splits[0].Test} {
			for _, arc := range part {
				got = append(got, fmt.Sprintf("%d %s %s→%s", rank, partNames[k], p.ID(int(p.Col[arc])), p.ID(row(arc))))
			}
		}
	}
	// Rows 0 (a–b) and 3 (d–e) are trained on, 1 (b–c) and 4 (e–f) are the others.
	want := []string{"0 train b→a", "0 train a→b", "0 val c→b", "0 val b→c", "1 train e→d", "1 train d→e", "1 test f→e", "1 test e→f"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestEmptyParts: more parts than vertices, and a set without any.
func TestEmptyParts(t *testing.T) {
	d := pathSet(t, dataset.NoTask)
	dir := filepath.Join(t.TempDir(), "ten")
	div := Division{Assignment: graph.Assignment{Parts: 10, Vertex: []int32{9, 1, 3, 1, 5, 7}}}
	if err := Write(t.Context(), dir, d, div, Options{}); err != nil {
		t.Fatal(err)
	}
	if p := openAll(t, dir, 10)[0]; p.Own != 0 || len(p.Col) != 0 || len(p.Vertex) != 0 {
		t.Errorf("part 0 has %d vertices and %d arcs", p.Own, len(p.Col))
	}
	none := &dataset.Dataset{Name: "none", Graph: &graph.Graph{Ptr: []int64{0}}}
	dir = filepath.Join(t.TempDir(), "none")
	if err := Write(t.Context(), dir, none, Division{Assignment: graph.Assignment{Parts: 2, Vertex: []int32{}, Arc: []int32{}}}, Options{}); err != nil {
		t.Fatal(err)
	}
	openAll(t, dir, 2)
}

// TestBitsSurvive: features keep their bits, those of numbers that are none too.
func TestBitsSurvive(t *testing.T) {
	d := pathSet(t, dataset.NoTask)
	odd := []uint32{0x7fc00001, 0xff800000, 0x80000000, 1, 0x7f800000, 0x3f800001}
	for i, bits := range odd {
		d.X.Data[i] = math.Float32frombits(bits)
	}
	dir := filepath.Join(t.TempDir(), "halves")
	if err := Write(t.Context(), dir, d, inHalves(), Options{}); err != nil {
		t.Fatal(err)
	}
	for rank, p := range openAll(t, dir, 2) {
		for i, x := range p.X.Data {
			if math.Float32bits(x) != odd[3*rank+i] {
				t.Errorf("row %d of part %d has the bits %#x, want %#x", i, rank, math.Float32bits(x), odd[3*rank+i])
			}
		}
	}
}

// TestWriteStops: a context that has ended leaves nothing.
func TestWriteStops(t *testing.T) {
	why := errors.New("told to")
	ctx, stop := context.WithCancelCause(t.Context())
	stop(why)
	home := t.TempDir()
	if err := Write(ctx, filepath.Join(home, "set"), pathSet(t, dataset.NoTask), inHalves(), Options{}); !errors.Is(err, why) {
		t.Errorf("got %v, want %v", err, why)
	}
	if left, err := os.ReadDir(home); err != nil || len(left) > 0 {
		t.Errorf("left %v (%v)", left, err)
	}
}
