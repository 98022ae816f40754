package infer_test

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/dataset/source"
	"github.com/weft-gnn/weft/graph"
	"github.com/weft-gnn/weft/infer"
	"github.com/weft-gnn/weft/internal/ref"
	"github.com/weft-gnn/weft/internal/rng"
	"github.com/weft-gnn/weft/model"
	"github.com/weft-gnn/weft/tensor"
)

func karate(t *testing.T) *dataset.Dataset {
	t.Helper()
	d, err := source.Open(context.Background(), "karate", dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// untrained returns what training would save of a model for a set: random
// weights, biases among them, which a trained model's zeros might hide.
func untrained(t *testing.T, m model.Model, d *dataset.Dataset, loss model.Loss, out int) *model.Saved {
	t.Helper()
	o := m.Defaults
	s := &model.Saved{
		Model: m.Name, Options: o, Features: max(1, d.X.Cols), Out: out, Loss: loss, Task: d.Task,
		Classes: d.Labels.Names, Data: d.Name, Weights: map[string]tensor.Matrix{},
	}
	p, err := m.Declare(model.NamedWidths(s.Features, out, o), o)
	if err != nil {
		t.Fatal(err)
	}
	for name, of := range p.ParamTypes() {
		s.Weights[name] = random(of.Rows.N, of.Cols.N, name)
	}
	return s
}

func random(rows, cols int, name string) tensor.Matrix {
	m, s := tensor.New(rows, cols), rng.Key{Seed: 3, Purpose: rng.Test}.Stream(rng.ID(name))
	for i := range m.Data {
		m.Data[i] = float32(s.Normal()) / 3
	}
	return m
}

// load writes a model and loads it, to run on so many threads.
func load(t *testing.T, s *model.Saved, threads int, own ...model.Model) *infer.Model {
	t.Helper()
	path := filepath.Join(t.TempDir(), "model.safetensors")
	if err := s.Write(path); err != nil {
		t.Fatal(err)
	}
	m, err := infer.Load(path, threads, own...)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// within checks that two matrices agree to rounding in float32: values are of
// order one, sums of a few hundred terms.
func within(t *testing.T, got, want ref.Matrix) {
	t.Helper()
	if got.Rows != want.Rows || got.Cols != want.Cols {
		t.Fatalf("got %d×%d, want %d×%d", got.Rows, got.Cols, want.Rows, want.Cols)
	}
	if e := got.Add(want.Scale(-1)).MaxAbs(); !(e <= 2e-5*(1+want.MaxAbs())) {
		t.Errorf("off by %g", e)
	}
}

// normalised is Â of a graph, dense.
func normalised(g *graph.Graph) ref.Matrix {
	a := ref.New(g.N, g.N)
	for v := range g.N {
		a.Set(v, v, 1)
		for _, u := range g.Src[g.Ptr[v]:g.Ptr[v+1]] {
			a.Set(v, int(u), 1)
		}
	}
	d := a.Mul(ref.Full(g.N, 1, 1))
	for v := range g.N {
		for u := range g.N {
			a.Set(v, u, a.At(v, u)/math.Sqrt(d.At(v, 0)*d.At(u, 0)))
		}
	}
	return a
}

// TestGCNByDenseAlgebra: softmax(Â·ReLU(Â·X·W₀ + b₀)·W₁ + b₁), in float64.
func TestGCNByDenseAlgebra(t *testing.T) {
	d := karate(t)
	gcn, _ := model.ByName("gcn")
	s := untrained(t, gcn, d, model.CrossEntropy, 2)
	w := func(name string) ref.Matrix { return ref.Of(s.Weights[name]) }
	a, ones := normalised(d.Graph), ref.Full(d.Graph.N, 1, 1)
	hidden := a.Mul(ref.Of(d.X)).Mul(w("layer0.weight")).Add(ones.Mul(w("layer0.bias"))).Map(func(x float64) float64 { return max(x, 0) })
	want := ref.Softmax(a.Mul(hidden).Mul(w("layer1.weight")).Add(ones.Mul(w("layer1.bias"))))

	m := load(t, s, 1)
	h, err := m.Embed(d)
	if err != nil {
		t.Fatal(err)
	}
	within(t, ref.Of(h), hidden)
	p, err := m.Predict(d)
	if err != nil {
		t.Fatal(err)
	}
	within(t, ref.Of(p.Probability), want)
	for v, c := range p.Class {
		if want.At(v, int(c)) < want.At(v, 1-int(c))-1e-4 {
			t.Errorf("vertex %d: class %d of probabilities %v", v, c, want.Row(v))
		}
	}
}

// TestLastLayerOfTheEmbedding: a model of the last layer alone, given the
// embedding for features, predicts what the whole model does; for every model.
func TestLastLayerOfTheEmbedding(t *testing.T) {
	for _, declared := range model.All() {
		t.Run(declared.Name, func(t *testing.T) {
			d := karate(t)
			s := untrained(t, declared, d, model.SquaredError, 3)
			whole := load(t, s, 1)
			h, err := whole.Embed(d)
			if err != nil {
				t.Fatal(err)
			}
			if h.Rows != d.Graph.N || h.Cols != s.Options.Hidden {
				t.Fatalf("the embedding is %v, want %d×%d", h, d.Graph.N, s.Options.Hidden)
			}
			last := *s
			last.Options.Layers, last.Features, last.Weights = 1, h.Cols, map[string]tensor.Matrix{}
			for name, w := range s.Weights {
				if rest, ok := strings.CutPrefix(name, "layer1."); ok {
					last.Weights["layer0."+rest] = w
				}
			}
			embedded := *d
			embedded.X = h
			got, want := values(t, load(t, &last, 1), &embedded), values(t, whole, d)
			within(t, ref.Of(got), ref.Of(want))
		})
	}
}

func values(t *testing.T, m *infer.Model, d *dataset.Dataset) tensor.Matrix {
	t.Helper()
	p, err := m.Predict(d)
	if err != nil {
		t.Fatal(err)
	}
	return p.Value
}

func TestOneLayerEmbedsItsFeatures(t *testing.T) {
	d := karate(t)
	gcn, _ := model.ByName("gcn")
	gcn.Defaults.Layers = 1
	h, err := load(t, untrained(t, gcn, d, model.CrossEntropy, 2), 1).Embed(d)
	if err != nil {
		t.Fatal(err)
	}
	if !h.Equal(d.X) {
		t.Error("the embedding is not the features")
	}
}

func TestThreadsDoNotChangeBits(t *testing.T) {
	for _, declared := range model.All() {
		d := karate(t)
		s := untrained(t, declared, d, model.SquaredError, 5)
		if a, b := values(t, load(t, s, 1), d), values(t, load(t, s, 3), d); !a.Equal(b) {
			t.Errorf("%s: 1 and 3 threads differ", declared.Name)
		}
	}
}

// TestRowNormalise: a model trained on rows divided by their sums does not see
// the rows' scale.
func TestRowNormalise(t *testing.T) {
	d := karate(t)
	d.X = random(d.Graph.N, 5, "x")
	for i, x := range d.X.Data {
		d.X.Data[i] = float32(math.Abs(float64(x)))
	}
	gcn, _ := model.ByName("gcn")
	s := untrained(t, gcn, d, model.SquaredError, 2)
	scaled := *d
	scaled.X = d.X.Clone()
	for v := range scaled.X.Rows {
		for j := range scaled.X.Row(v) {
			scaled.X.Row(v)[j] *= float32(v + 1)
		}
	}
	s.RowNormalize = true
	m := load(t, s, 1)
	within(t, ref.Of(values(t, m, &scaled)), ref.Of(values(t, m, d)))
	s.RowNormalize = false
	m = load(t, s, 1)
	if e := ref.Of(values(t, m, &scaled)).Add(ref.Of(values(t, m, d)).Scale(-1)).MaxAbs(); e < 0.1 {
		t.Errorf("without it the scale changes values by %g only", e)
	}
}

// TestDegrees: a model trained without features reads log(1 + in-degree), also
// where there are features.
func TestDegrees(t *testing.T) {
	d := karate(t)
	featured := *d
	d.X = tensor.New(d.Graph.N, 0)
	gcn, _ := model.ByName("gcn")
	s := untrained(t, gcn, d, model.SquaredError, 2)
	s.Degrees = true
	m := load(t, s, 1)
	want := values(t, m, d)
	if !values(t, m, &featured).Equal(want) {
		t.Error("features were read")
	}
	given := *d
	given.X = tensor.New(d.Graph.N, 1)
	for v := range d.Graph.N {
		given.X.Data[v] = float32(math.Log1p(float64(d.Graph.Ptr[v+1] - d.Graph.Ptr[v])))
	}
	s.Degrees = false
	if !values(t, load(t, s, 1), &given).Equal(want) {
		t.Error("the degrees read are not log(1 + in-degree)")
	}
}

// TestValuesInTheirUnit: a model that learnt scaled targets predicts, and is
// scored, in the unit that they were read in.
func TestValuesInTheirUnit(t *testing.T) {
	d := karate(t)
	mlp, _ := model.ByName("mlp")
	s := untrained(t, mlp, d, model.SquaredError, 2)
	s.Task = dataset.VertexRegression
	plain := values(t, load(t, s, 1), d)
	s.Targets = []model.Scaling{{Mean: 100, Scale: 3}, {Mean: -0.5, Scale: 0.25}}
	m := load(t, s, 1)
	got := values(t, m, d)
	for v := range plain.Rows {
		for j, x := range plain.Row(v) {
			if want := float32(float64(x)*s.Targets[j].Scale + s.Targets[j].Mean); got.Row(v)[j] != want {
				t.Fatalf("vertex %d, target %d: %v, want %v", v, j, got.Row(v)[j], want)
			}
		}
	}
	d.Task, d.Labels = dataset.VertexRegression, dataset.Labels{Value: got}
	e, err := m.Eval(d, deviation{})
	if err != nil || *e.Score.Test != 0 {
		t.Errorf("predictions of themselves: %v, %v", e, err)
	}
	s.Targets[0].Scale = 1e60
	if _, err := load(t, s, 1).Predict(d); err == nil || !strings.Contains(err.Error(), "is beyond float32") {
		t.Errorf("values beyond float32: %v", err)
	}
	for _, bad := range [][]model.Scaling{{{Scale: 1}}, {{Scale: 1}, {Scale: 0}}, {{Scale: 1}, {Scale: -1}}} {
		s.Targets = bad
		path := filepath.Join(t.TempDir(), "model.safetensors")
		if err := s.Write(path); err != nil {
			t.Fatal(err)
		}
		if _, err := infer.Load(path, 1); err == nil {
			t.Errorf("%+v was loaded", bad)
		}
	}
}

// deviation scores the largest difference of any value.
type deviation struct{}

func (deviation) Score(pred tensor.Matrix, labels dataset.Labels, items []int32) float64 {
	most := 0.0
	for _, i := range items {
		for j, y := range labels.Value.Row(int(i)) {
			most = max(most, math.Abs(float64(y)-float64(pred.Row(int(i))[j])))
		}
	}
	return most
}

func TestSigmoidOfTargets(t *testing.T) {
	d := karate(t)
	mlp, _ := model.ByName("mlp")
	s := untrained(t, mlp, d, model.SquaredError, 3)
	logits := values(t, load(t, s, 1), d)
	s.Loss = model.BinaryCrossEntropy
	p, err := load(t, s, 1).Predict(d)
	if err != nil {
		t.Fatal(err)
	}
	if p.Class != nil {
		t.Error("targets that do not exclude each other have one class")
	}
	within(t, ref.Of(p.Probability), ref.Of(logits).Map(func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }))
}

func TestLoadSaysWhatIsWrong(t *testing.T) {
	if _, err := infer.Load(t.TempDir(), 1); err == nil || !strings.Contains(err.Error(), "model.safetensors") {
		t.Errorf("a folder without a model: %v", err)
	}
}

func TestOtherFeatures(t *testing.T) {
	d := karate(t)
	gcn, _ := model.ByName("gcn")
	m := load(t, untrained(t, gcn, d, model.CrossEntropy, 2), 1)
	d.X, d.Name = tensor.New(d.Graph.N, 7), "other"
	_, err := m.Predict(d)
	if want := "other has 7 features per vertex, the model reads 34: it was trained on karate"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want …%s", err, want)
	}
}

// TestNothingThatIsNoNumber: neither weights nor features nor results are NaN or
// infinite, for every model.
func TestNothingThatIsNoNumber(t *testing.T) {
	for _, declared := range model.All() {
		d := *karate(t)
		s := untrained(t, declared, &d, model.CrossEntropy, 2)
		refused := func(what string) {
			t.Helper()
			_, err := load(t, s, 1).Predict(&d)
			if err == nil || !strings.Contains(err.Error(), what) {
				t.Errorf("%s: got %v, want …%s…", declared.Name, err, what)
			}
		}
		d.X = d.X.Clone()
		d.X.Row(6)[3] = float32(math.Inf(1))
		refused("feature 3 (counted from 0) of vertex 7 is +Inf")
		for i := range d.X.Data {
			d.X.Data[i] = 3e38
		}
		refused("beyond float32")
		for name, w := range s.Weights {
			kept := w.Clone()
			w.Data[0] = float32(math.NaN())
			path := filepath.Join(t.TempDir(), "model.safetensors")
			if err := s.Write(path); err != nil {
				t.Fatal(err)
			}
			if _, err := infer.Load(path, 1); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("%q is NaN in row 0, column 0", name)) {
				t.Errorf("%s: got %v, want that %s is NaN", declared.Name, err, name)
			}
			copy(w.Data, kept.Data)
		}
	}
}
