package train_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/weft-gnn/weft/comm/local"
	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/graph"
	"github.com/weft-gnn/weft/model"
	"github.com/weft-gnn/weft/plan"
	"github.com/weft-gnn/weft/program"
	"github.com/weft-gnn/weft/tensor"
	"github.com/weft-gnn/weft/train"
)

// The rows of the edge cases that are about ranks.

// small is a data set of vertices with these arcs, and features and classes that
// differ; all vertices but the last are trained on.
func small(t *testing.T, n int, src, dst []int32) *dataset.Dataset {
	t.Helper()
	g, err := graph.FromCOO(n, src, dst, nil, graph.Policy{})
	if err != nil {
		t.Fatal(err)
	}
	d := &dataset.Dataset{Name: "small", Task: dataset.VertexClassification, Graph: g, X: tensor.New(n, 3), Labels: dataset.Labels{Names: dataset.NumberedClasses(2)}}
	items := make([]int32, n)
	for v := range n {
		d.Labels.Class = append(d.Labels.Class, int32(v%2))
		for j := range d.X.Cols {
			d.X.Row(v)[j] = float32(math.Sin(float64(3*v + j)))
		}
		items[v] = int32(v)
	}
	d.Splits = []dataset.Split{{Train: items[:n-1], Val: items[n-1:], Test: items}}
	return d
}

// ownedBy trains on ranks that own the vertices that it says.
func ownedBy(t *testing.T, cfg train.Config, d *dataset.Dataset, ranks int, owner []int32) *train.Result {
	t.Helper()
	m := team(ranks, local.Options{})
	m.Owners = &plan.Owners{Ranks: ranks, Edges: program.ByDst, Vertex: owner}
	return together(t, m, train.Settings{}, begins(cfg, d))
}

// near holds a curve against that of one rank, and what was counted against what was
// predicted. The loss of a step shows the weights of the step before.
func near(t *testing.T, what string, got, want *train.Result, relative float64) {
	t.Helper()
	if len(got.Loss) != len(want.Loss) || got.Counted != got.Predicted {
		t.Errorf("%s: %d epochs, want %d; counted %+v, predicted %+v", what, len(got.Loss), len(want.Loss), got.Counted, got.Predicted)
		return
	}
	for i, loss := range want.Loss {
		if far := math.Abs(float64(got.Loss[i] - loss)); !(far <= relative*math.Abs(float64(loss))) {
			t.Errorf("%s: the loss of epoch %d is %v, want %v", what, i, got.Loss[i], loss)
			return
		}
	}
}

// ring lists the arcs of a cycle, both ways.
func ring(n int32) (src, dst []int32) {
	for v := range n {
		src, dst = append(src, v, (v+1)%n), append(dst, (v+1)%n, v)
	}
	return src, dst
}

// TestUnevenRanks: ten training vertices of which three ranks have 4, 4 and 2, and
// one of which the second rank has none, have the curve of one rank.
func TestUnevenRanks(t *testing.T) {
	src, dst := ring(11)
	d, cfg := small(t, 11, src, dst), config(t, "gcn", 10)
	one, _ := run(t, cfg, d, train.Settings{})
	near(t, "4, 4 and 2", ownedBy(t, cfg, d, 3, []int32{0, 1, 0, 1, 2, 0, 1, 2, 0, 1, 2}), one, 1e-6)
	d.Splits[0].Train = []int32{4}
	one, _ = run(t, cfg, d, train.Settings{})
	near(t, "1 and 0", ownedBy(t, cfg, d, 2, []int32{0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0}), one, 1e-6)
}

// TestMeanOfMeans: nine items whose loss is 2 on one rank and one whose loss is 12
// on the other have the mean 3, not 7, and the same steps as on one rank.
func TestMeanOfMeans(t *testing.T) {
	d, cfg := small(t, 10, nil, nil), config(t, "gcn", 10)
	d.X = tensor.New(10, 1)
	for v := range 10 {
		// Logits x and 0, of which the second is right: the loss is ln(1 + eˣ).
		d.Labels.Class[v], d.X.Data[v] = 1, float32(math.Log(math.Expm1(2)))
	}
	d.X.Data[9] = float32(math.Log(math.Expm1(12)))
	d.Splits[0].Train = d.Splits[0].Test
	cfg.Options.Layers, cfg.Options.Dropout, cfg.Decay = 1, 0, model.Decay{}
	start := train.Settings{}
	fresh, err := train.New(cfg, d, start)
	if err != nil {
		t.Fatal(err)
	}
	start.Init = map[string]tensor.Matrix{}
	for name, w := range fresh.Model().Weights {
		start.Init[name] = tensor.New(w.Rows, w.Cols)
		if w.Rows*w.Cols == 2 && !strings.Contains(name, "bias") {
			start.Init[name].Data[0] = 1
		}
	}
	fresh.Close()
	one, _ := run(t, cfg, d, start)
	m := team(2, local.Options{})
	m.Owners = &plan.Owners{Ranks: 2, Edges: program.ByDst, Vertex: []int32{0, 0, 0, 0, 0, 0, 0, 0, 0, 1}}
	two := together(t, m, start, begins(cfg, d))
	if math.Abs(float64(two.Loss[0])-3) > 1e-6 {
		t.Errorf("the mean is %v, want 3", two.Loss[0])
	}
	near(t, "two ranks", two, one, 1e-6)
}

// TestParts: six vertices in a directed path, and without edges, on 1, 6 and 10
// ranks, four of which have nothing.
func TestParts(t *testing.T) {
	path := []int32{0, 1, 2, 3, 4, 5}
	for name, d := range map[string]*dataset.Dataset{"no edges": small(t, 6, nil, nil), "path": small(t, 6, path[:5], path[1:])} {
		for _, m := range []string{"gcn", "gat"} {
			cfg := config(t, m, 3)
			one, _ := run(t, cfg, d, train.Settings{})
			for _, text := range []string{
				"algorithm=1d,partition=1", "algorithm=1d,partition=6", "algorithm=1d,partition=10", "algorithm=1d-allgather,partition=10",
				"algorithm=vertexcut,partition=6", "algorithm=vertexcut,partition=10", "algorithm=replicas,replica=10", "algorithm=2d,partition=5x2",
			} {
				r, err := trainedUnder(t, cfg, d, text, local.Options{})
				if err != nil {
					t.Errorf("%s of %s under %s: %v", m, name, text, err)
					continue
				}
				near(t, fmt.Sprintf("%s of %s under %s", m, name, text), r, one, 1e-5)
			}
		}
	}
}

// TestMissingLabelsOnRanks: items without a class, and values that are missing,
// count for nothing; where all are missing nothing moves. Items may be listed in any
// order.
func TestMissingLabelsOnRanks(t *testing.T) {
	src, dst := ring(8)
	classes := small(t, 8, src, dst)
	classes.Labels.Class[2], classes.Labels.Class[5] = -1, -1
	classes.Splits[0].Train = []int32{6, 2, 7, 0, 5, 1}
	values := *classes
	values.Labels = dataset.Labels{Value: tensor.New(8, 2)}
	none := values
	none.Labels = dataset.Labels{Value: tensor.New(8, 2)}
	for i := range values.Labels.Value.Data {
		if values.Labels.Value.Data[i] = float32(i % 2); i%3 == 0 || i/2 == 5 {
			values.Labels.Value.Data[i] = float32(math.NaN())
		}
		none.Labels.Value.Data[i] = float32(math.NaN())
	}
	cfg := config(t, "sage", 10)
	for name, d := range map[string]*dataset.Dataset{"classes": classes, "values": &values, "none": &none} {
		if name == "none" {
			cfg.Decay = model.Decay{}
		}
		one, _ := run(t, cfg, d, train.Settings{})
		for _, text := range []string{"algorithm=1d,partition=3", "algorithm=replicas,replica=3", "algorithm=vertexcut,partition=2"} {
			r, err := trainedUnder(t, cfg, d, text, local.Options{})
			if err != nil {
				t.Fatal(err)
			}
			near(t, name+" under "+text, r, one, 1e-5)
			if name == "none" && slices.Max(r.Loss) != 0 {
				t.Errorf("under %s the losses without labels are %v", text, r.Loss)
			}
		}
	}
}

// TestNothingToTrainOnRanks: an empty training part is an error before anything
// starts, and the error is that of one rank; an empty validation part has no score.
func TestNothingToTrainOnRanks(t *testing.T) {
	src, dst := ring(6)
	d, cfg := small(t, 6, src, dst), config(t, "gcn", 3)
	d.Splits[0].Val = nil
	r, err := trainedUnder(t, cfg, d, "algorithm=1d,partition=3", local.Options{})
	if err != nil || r.Score.Val != nil || r.BestEpoch != nil {
		t.Errorf("without validation: %v, %+v", err, r)
	}
	d.Splits[0].Train = nil
	_, want := train.New(cfg, d, train.Settings{})
	_, err = trainedUnder(t, cfg, d, "algorithm=1d,partition=3", local.Options{})
	if err == nil || want == nil || err.Error() != want.Error() {
		t.Errorf("ranks say %v, one says %v", err, want)
	}
}
