package dataset_test

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/dataset/budget"
	"github.com/weft-gnn/weft/graph"
	"github.com/weft-gnn/weft/tensor"
)

// drawSet draws a set of any task whose vertices, arcs and items can be told
// apart by what they hold.
func drawSet(t *rapid.T) *dataset.Dataset {
	n := rapid.IntRange(1, 9).Draw(t, "n")
	id := rapid.Int32Range(0, int32(n-1))
	rows := rapid.IntRange(0, 20).Draw(t, "rows")
	g, err := graph.FromCOO(n, rapid.SliceOfN(id, rows, rows).Draw(t, "src"), rapid.SliceOfN(id, rows, rows).Draw(t, "dst"), nil,
		graph.Policy{Duplicates: graph.Duplicates(rapid.IntRange(0, 1).Draw(t, "keep")), Symmetrise: rapid.Bool().Draw(t, "mirror")})
	if err != nil {
		t.Fatal(err)
	}
	d := &dataset.Dataset{Name: "drawn", Graph: g, X: counting(n, 2), EdgeX: counting(rows, 1), Task: dataset.Task(rapid.IntRange(0, 5).Draw(t, "task"))}
	if rapid.Bool().Draw(t, "several graphs") {
		cut := rapid.Int64Range(0, int64(n)).Draw(t, "cut")
		d.Offsets = []int64{0, cut, int64(n)}
		g.Graphs = d.Offsets
	}
	labels := n
	if d.Task == dataset.GraphClassification || d.Task == dataset.GraphRegression {
		labels = d.Graphs()
	}
	d.Labels = dataset.Labels{Names: dataset.NumberedClasses(3), Class: rapid.SliceOfN(rapid.Int32Range(-1, 2), labels, labels).Draw(t, "class"), Value: counting(labels, 1)}
	switch rapid.IntRange(0, 2).Draw(t, "ids") {
	case 1:
		d.IDs.Int = rapid.SliceOfNDistinct(rapid.Int64(), n, n, rapid.ID).Draw(t, "ids")
	case 2:
		d.IDs.Text = rapid.SliceOfNDistinct(rapid.String(), n, n, rapid.ID).Draw(t, "ids")
	}
	if items := d.Items(); items > 1 {
		d.Splits = []dataset.Split{{Name: "own", Train: []int32{int32(items - 1)}, Val: []int32{}, Test: []int32{0}}}
	}
	return d
}

// counting is a matrix of 0, 1, 2, …
func counting(rows, cols int) tensor.Matrix {
	m := tensor.New(rows, cols)
	for i := range m.Data {
		m.Data[i] = float32(i)
	}
	return m
}

// byID says of a set all that belongs to a vertex, under its id; of each arc,
// under the ids of its ends; and of items, under theirs.
func byID(d *dataset.Dataset) map[string]string {
	out := map[string]string{}
	onVertices := d.Labels.Value.Rows == d.Graph.N && d.Task != dataset.GraphClassification && d.Task != dataset.GraphRegression
	b := d.Graph.LoopBlock()
	for v := range d.Graph.N {
		text := fmt.Sprint(d.X.Row(v))
		if onVertices {
			text += fmt.Sprint(" class ", d.Labels.Class[v], d.Labels.Value.Row(v))
		}
		if b.Vertex != nil {
			text += fmt.Sprint(" identity ", b.Vertex[v])
		} else {
			text += fmt.Sprint(" identity ", v)
		}
		out["vertex "+d.IDs.Of(v)] = text
		for i := d.Graph.Ptr[v]; i < d.Graph.Ptr[v+1]; i++ {
			row, key := i, fmt.Sprintf("arc %q %q", d.IDs.Of(int(d.Graph.Src[i])), d.IDs.Of(v))
			if d.Graph.Listing != nil {
				row = d.Graph.Listing[i]
			}
			out[key] += fmt.Sprint(row, d.EdgeX.Row(int(row)))
		}
		for i := b.Ptr[v]; i < b.Ptr[v+1]; i++ {
			key := fmt.Sprintf("edge %d of %q", b.Identities()[i], d.IDs.Of(v))
			out[key] = d.IDs.Of(int(b.Col[i]))
		}
	}
	if !onVertices {
		out["labels"] = fmt.Sprint(d.Labels.Class, d.Labels.Value.Data)
	}
	maps.Copy(out, splitByID(d))
	return out
}

// splitByID says which part of each split an item is in.
func splitByID(d *dataset.Dataset) map[string]string {
	out := map[string]string{}
	for _, s := range d.Splits {
		for name, items := range map[string][]int32{"train": s.Train, "val": s.Val, "test": s.Test} {
			for _, i := range items {
				id := fmt.Sprint("item ", i)
				if d.Task != dataset.LinkPrediction && d.Task != dataset.GraphClassification && d.Task != dataset.GraphRegression {
					id = d.IDs.Of(int(i))
				}
				out["split "+s.Name+" "+id] = name
			}
		}
	}
	return out
}

// A set in any order, and in another one after it, is the same under its ids; so
// are the splits that are made of it then.
func TestReorderKeepsEverythingUnderItsID(t *testing.T) {
	tmp := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		d := drawSet(t)
		want := byID(d)
		e := d
		for _, by := range rapid.SliceOfN(rapid.SampledFrom(graph.Orderings()), 1, 3).Draw(t, "orders") {
			var err error
			if e, err = e.Reorder(by, rapid.Uint64().Draw(t, "seed")); err != nil {
				t.Fatal(err)
			}
			if err := e.Validate(); err != nil {
				t.Fatal(err)
			}
			if err := e.Graph.ValidateOrigin(true); err != nil {
				t.Fatal(err)
			}
			if got := byID(e); !maps.Equal(got, want) {
				t.Fatalf("in the order %v: %v, was %v", by, got, want)
			}
			if e.Order != by {
				t.Fatalf("order %v, want %v", e.Order, by)
			}
		}
		file := filepath.Join(tmp, "split")
		words := make([]string, d.Items())
		for i := range words {
			words[i] = []string{"train", "val", "test"}[(i*i+i/2)%3]
		}
		if err := os.WriteFile(file, []byte(strings.Join(words, "\n")), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, spec := range []dataset.SplitSpec{
			{Kind: dataset.RandomSplit, Fractions: [3]float64{0.5, 0.25, 0.25}, Seed: 3},
			{Kind: dataset.FileSplit, File: file},
		} {
			errs := [2]error{d.UseSplit(spec), e.UseSplit(spec)}
			if (errs[0] == nil) != (errs[1] == nil) {
				t.Fatalf("%v: %v, but %v in order", spec, errs[0], errs[1])
			}
			if got, want := splitByID(e), splitByID(d); !maps.Equal(got, want) {
				t.Fatalf("%v: %v, want %v", spec, got, want)
			}
		}
	})
}

// The original order gives back what was read, with the numbers as ids.
func TestReorderBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawSet(t)
		e, err := d.Reorder(graph.Random, 1)
		if err == nil {
			e, err = e.Reorder(graph.Original, 0)
		}
		if err != nil {
			t.Fatal(err)
		}
		if e.Graph.Origin != nil || !slices.Equal(e.Graph.Src, d.Graph.Src) || !slices.Equal(e.X.Data, d.X.Data) ||
			!slices.Equal(e.Labels.Class, d.Labels.Class) || fmt.Sprint(e.Splits) != fmt.Sprint(d.Splits) {
			t.Fatalf("got %+v, was %+v", e, d)
		}
		for v := range d.Graph.N {
			if e.IDs.Of(v) != d.IDs.Of(v) {
				t.Fatalf("vertex %d is called %q, was %q", v, e.IDs.Of(v), d.IDs.Of(v))
			}
		}
	})
}

// A set is put in order where there is as much memory as that takes.
func TestReorderFits(t *testing.T) {
	g, err := graph.FromCOO(3, []int32{0, 1}, []int32{1, 2}, []float32{1, 2}, graph.Policy{})
	if err != nil {
		t.Fatal(err)
	}
	d := &dataset.Dataset{Name: "small", Graph: g, X: tensor.New(3, 5)}
	const need = 3*(40+4*5) + 2*24
	if err := errors.Join(d.ReorderFits(0), d.ReorderFits(need)); err != nil {
		t.Error(err)
	}
	var bad *budget.LimitError
	if err := d.ReorderFits(need - 1); !errors.As(err, &bad) || !bad.Memory || bad.Want != need {
		t.Errorf("got %v, want one of %d bytes", err, need)
	}
}

// What a set in order holds beside the one it was made of is what ReorderFits says,
// or less: that counts the scratch memory of the last steps too.
func TestReorderHoldsWhatItStates(t *testing.T) {
	const n, arcs, columns = 20_000, 200_000, 16
	src, dst := make([]int32, arcs), make([]int32, arcs)
	for i := range src {
		src[i], dst[i] = int32(i*7919%n), int32(i*104_729%n+i/n)%n
	}
	g, err := graph.FromCOO(n, src, dst, nil, graph.Policy{Duplicates: graph.Keep})
	if err != nil {
		t.Fatal(err)
	}
	d := &dataset.Dataset{Name: "large", Graph: g, X: tensor.New(n, columns), Labels: dataset.Labels{Class: make([]int32, n), Names: dataset.NumberedClasses(1)}}
	held := func() int64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	before := held()
	e, err := d.Reorder(graph.Communities, 1)
	if err != nil {
		t.Fatal(err)
	}
	took := held() - before
	const need = n*(40+4*columns) + 20*arcs
	if took > need || took < need*8/10 {
		t.Errorf("%d bytes are held for %v, %d are stated", took, e.Order, need)
	}
	runtime.KeepAlive(d)
}

func TestReorderErrors(t *testing.T) {
	g, err := graph.FromCOO(2, nil, nil, nil, graph.Policy{})
	if err != nil {
		t.Fatal(err)
	}
	for want, d := range map[string]*dataset.Dataset{
		"dataset: bad: 1 rows of features for 2 vertices":                          {Name: "bad", Graph: g, X: tensor.New(1, 1)},
		"dataset: raw: its graphs cannot be kept apart before the set is finished": {Name: "raw", Graph: g, X: tensor.New(2, 1), Offsets: []int64{0, 1, 2}},
	} {
		if _, err := d.Reorder(graph.RCM, 0); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
