package infer_test

import (
	"errors"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/dataset/source"
	"github.com/weft-gnn/weft/graph"
	"github.com/weft-gnn/weft/infer"
	"github.com/weft-gnn/weft/model"
	"github.com/weft-gnn/weft/program"
	"github.com/weft-gnn/weft/tensor"
)

// prepared makes a model ready for questions, and returns one who asks.
func prepared(t *testing.T, m *infer.Model, d *dataset.Dataset) (*infer.Prepared, *infer.Query) {
	t.Helper()
	p, err := m.Prepare(d)
	if err != nil {
		t.Fatal(err)
	}
	q := p.Query()
	t.Cleanup(func() { q.Close() })
	return p, q
}

// picked are the given rows of m.
func picked(m tensor.Matrix, rows []int32) tensor.Matrix {
	out := tensor.New(len(rows), m.Cols)
	for i, v := range rows {
		copy(out.Row(i), m.Row(int(v)))
	}
	return out
}

// TestSingleVerticesEqualTheWhole: for every model, any number of layers.
func TestSingleVerticesEqualTheWhole(t *testing.T) {
	d := karate(t)
	for _, declared := range model.All() {
		for _, layers := range []int{1, 2, 4} {
			declared.Defaults.Layers = layers
			m := load(t, untrained(t, declared, d, model.SquaredError, 3), 1)
			want := values(t, m, d)
			p, q := prepared(t, m, d)
			if hops := p.Hops(); hops != layers && declared.Name != "mlp" {
				t.Errorf("%s of %d layers reads %d hops", declared.Name, layers, hops)
			}
			for v := range int32(d.Graph.N) {
				got, err := q.Logits([]int32{v})
				if err != nil {
					t.Fatal(err)
				}
				if !got.Equal(picked(want, []int32{v})) {
					t.Fatalf("%s of %d layers, vertex %d: %v alone, %v in the whole", declared.Name, layers, v, got.Data, want.Row(int(v)))
				}
			}
		}
	}
}

// allocations returns how often f allocates once it has run: the least of some
// tries, for what Go's own threads allocate meanwhile counts too.
func allocations(f func()) float64 {
	least := testing.AllocsPerRun(1, f)
	for try := 0; try < 4 && least > 0; try++ {
		least = min(least, testing.AllocsPerRun(1, f))
	}
	return least
}

// TestCoraVerticesEqualTheWhole: every vertex of Cora alone, without an
// allocation.
func TestCoraVerticesEqualTheWhole(t *testing.T) {
	d := cora(t)
	all := make([]int32, d.Graph.N)
	for v := range all {
		all[v] = int32(v)
	}
	for _, declared := range model.All() {
		m := load(t, untrained(t, declared, d, model.CrossEntropy, 7), 2)
		p, q := prepared(t, m, d)
		l, err := p.Latency(all, 2, func() time.Duration { return 0 })
		if err != nil {
			t.Fatal(err)
		}
		if l.Differ != 0 || l.Difference != 0 {
			t.Errorf("%s: %d vertices differ, by up to %v", declared.Name, l.Differ, l.Difference)
		}
		one := make([]int32, 1)
		n := allocations(func() {
			for v := range all {
				one[0] = int32(v)
				if _, err := q.Logits(one); err != nil {
					t.Fatal(err)
				}
			}
		})
		if n != 0 {
			t.Errorf("%s: %v allocations", declared.Name, n)
		}
	}
}

// TestLatency on a clock that goes on by a microsecond at every look, and once
// by more.
func TestLatency(t *testing.T) {
	d := karate(t)
	gcn, _ := model.ByName("gcn")
	p, _ := prepared(t, load(t, untrained(t, gcn, d, model.CrossEntropy, 2), 1), d)
	vertices := []int32{5, 0, 11, 5}
	looks, clock := 0, time.Duration(0)
	l, err := p.Latency(vertices, 1, func() time.Duration {
		// Two looks a question, four questions a round; the first round is not
		// taken. Vertex 0 is slow in more than half of the others, 11 in one.
		clock += time.Microsecond
		round, at := looks/8, looks%8
		if at == 3 && round >= 4 || at == 5 && round == 2 {
			clock += time.Millisecond
		}
		looks++
		return clock
	})
	if err != nil {
		t.Fatal(err)
	}
	us, slow := time.Microsecond, time.Millisecond+time.Microsecond
	if want := []time.Duration{us, slow, us, us}; !slices.Equal(l.Time, want) || looks != 8*(infer.Rounds+1) {
		t.Errorf("times %v of %d looks, want %v of %d", l.Time, looks, want, 8*(infer.Rounds+1))
	}
	if l.Quantile(0.5) != us || l.Quantile(0.99) != slow || l.Quantile(0) != us {
		t.Errorf("median %v, 99 %% %v, least %v", l.Quantile(0.5), l.Quantile(0.99), l.Quantile(0))
	}
	// vertex 1 of the karate club: two hops reach 25 others
	if l.Slowest != 1 || l.Vertices != 26 || l.Differ != 0 || l.Difference != 0 {
		t.Errorf("%+v", l)
	}
}

// TestPredictChosen: what the whole prediction says of these vertices, for every
// loss, also where a model reads more than what lies around a vertex.
func TestPredictChosen(t *testing.T) {
	d := karate(t)
	pooling := model.Model{Name: "pooling", Defaults: model.Options{Layers: 2, Hidden: 8, Heads: 1, OutHeads: 1, Depth: 1},
		Layer: func(b *program.Builder, h program.Value, l model.Layer) program.Value {
			z := b.Linear(h, l.Out)
			return b.AddValues(z, b.Broadcast(b.MeanPool(z)))
		}}
	gat, _ := model.ByName("gat")
	chosen := []int32{33, 0, 33, 7}
	for _, declared := range []model.Model{gat, pooling} {
		for _, loss := range []model.Loss{model.CrossEntropy, model.SquaredError, model.BinaryCrossEntropy} {
			s := untrained(t, declared, d, loss, 2)
			if loss == model.SquaredError {
				s.Targets = []model.Scaling{{Mean: 3, Scale: 2}, {Mean: -1, Scale: 0.5}}
			}
			m := load(t, s, 1, declared)
			want, err := m.Predict(d)
			if err != nil {
				t.Fatal(err)
			}
			got, err := m.PredictChosen(d, chosen)
			if err != nil {
				t.Fatal(err)
			}
			for i, v := range chosen {
				if want.Class != nil && got.Class[i] != want.Class[v] {
					t.Errorf("%s, %v: class of %d is %d, want %d", declared.Name, loss, v, got.Class[i], want.Class[v])
				}
			}
			if loss == model.SquaredError && !got.Value.Equal(picked(want.Value, chosen)) ||
				loss != model.SquaredError && !got.Probability.Equal(picked(want.Probability, chosen)) {
				t.Errorf("%s, %v: %+v differs from %+v", declared.Name, loss, got, want)
			}
			if _, err := m.PredictChosen(d, []int32{0, 34}); err == nil || !strings.Contains(err.Error(), "vertex 34 is out of range, want 0 ≤ id < 34") {
				t.Errorf("%s: a vertex that is not there: %v", declared.Name, err)
			}
		}
	}
	var spread *program.NotLocalError
	if _, err := load(t, untrained(t, pooling, d, model.CrossEntropy, 2), 1, pooling).Prepare(d); !errors.As(err, &spread) {
		t.Errorf("pooling was prepared: %v", err)
	}
}

func TestPrepareErrors(t *testing.T) {
	d := karate(t)
	gcn, _ := model.ByName("gcn")
	m := load(t, untrained(t, gcn, d, model.SquaredError, 2), 1)
	other := *d
	other.X = tensor.New(d.Graph.N, 3)
	if _, err := m.Prepare(&other); err == nil || !strings.Contains(err.Error(), "has 3 features per vertex, the model reads 34") {
		t.Errorf("other features: %v", err)
	}
	g, err := graph.FromCOO(3, []int32{1, 2}, []int32{0, 1}, []float32{-1, 1}, graph.Policy{})
	if err != nil {
		t.Fatal(err)
	}
	bad := &dataset.Dataset{Name: "bad", Graph: g, X: tensor.New(3, 34), IDs: dataset.IDs{Text: []string{"a", "b", "c"}}}
	if _, err := m.Prepare(bad); err == nil || !strings.Contains(err.Error(), "weights into vertex 0 sum to 0") || !strings.Contains(err.Error(), "is called a") {
		t.Errorf("weights that sum to 0: %v", err)
	}
	// features that overflow: those of vertex 33 alone, which vertex 0 does not see
	far := *d
	far.X = d.X.Clone()
	for j := range far.X.Row(16) {
		far.X.Row(16)[j] = math.MaxFloat32
	}
	_, q := prepared(t, m, &far)
	if _, err := q.Logits([]int32{0, 16}); err == nil || !strings.Contains(err.Error(), "vertex 1 is beyond float32") && !strings.Contains(err.Error(), "vertex 17 is beyond float32") {
		t.Errorf("values beyond float32: %v", err)
	}
	if _, err := q.Logits([]int32{24}); err != nil {
		t.Errorf("vertex 25 is three hops from 17: %v", err)
	}
}

func TestVerticesCalled(t *testing.T) {
	d := karate(t)
	for _, c := range []struct {
		ids  dataset.IDs
		ask  []string
		want []int32
	}{
		{dataset.IDs{}, []string{"3", "0", "3"}, []int32{3, 0, 3}},
		{dataset.IDs{Int: ints(34, 100)}, []string{"133", "100"}, []int32{33, 0}},
		{dataset.IDs{Text: slices.Repeat([]string{"x", "y"}, 17)}, []string{"y", "x"}, []int32{1, 0}}, // the first
	} {
		set := *d
		set.IDs = c.ids
		got, err := infer.VerticesCalled(&set, c.ask...)
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%v: %v, %v, want %v", c.ask, got, err, c.want)
		}
		names := infer.ChosenIDs(c.ids, got)
		for i, id := range c.ask {
			if names.Of(i) != id {
				t.Errorf("row %d of %v is called %s", i, c.ask, names.Of(i))
			}
		}
	}
	if _, err := infer.VerticesCalled(d, "1", "0", "99"); err == nil || !strings.HasSuffix(err.Error(), "karate has no vertex called 0 or 99") {
		t.Errorf("ids that no vertex has: %v", err)
	}
}

// ints are n numbers from first on.
func ints(n, first int) []int64 {
	out := make([]int64, n)
	for i := range out {
		out[i] = int64(first + i)
	}
	return out
}

// cora is the Planetoid set; the test is skipped where it is not at hand.
func cora(t *testing.T) *dataset.Dataset {
	t.Helper()
	d, err := source.Open(t.Context(), "cora", source.Places(os.Getenv))
	var missing *source.NotFoundError
	if errors.As(err, &missing) {
		t.Skip("needs data set cora: set WEFT_DATA or run weft data fetch cora")
	}
	if err != nil {
		t.Fatal(err)
	}
	return d
}
