package synth

import (
	"context"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/dataset/internal/datatest"
	"github.com/weft-gnn/weft/graph"
)

func generate(t testing.TB, kind Kind, opt Options) *dataset.Dataset {
	t.Helper()
	d, err := Generate(context.Background(), kind, opt)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// within checks got against want to a relative tolerance.
func within(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if math.Abs(got-want) > tolerance*math.Abs(want) {
		t.Errorf("%s: %.6g, want %.6g within %g %%", what, got, want, 100*tolerance)
	}
}

func TestLookAlikes(t *testing.T) {
	for _, c := range []struct {
		kind                            Kind
		scale                           float64
		vertices, arcs, features, class float64
		homophily, merged               float64 // merged: the share that repeated edges inside classes cost
		split                           [3]float64
	}{
		{ArxivLike, 0.1, 169_343, 2_315_598, 128, 40, 0.655, 0.1, [3]float64{0.54, 0.18, 0.28}},
		{ProductsLike, 0.02, 2_449_029, 123_718_280, 100, 47, 0.808, 0.1, [3]float64{0.08, 0.02, 0.90}},
		{RedditLike, 0.03, 232_965, 114_615_892, 602, 41, 0.756, 0.5, [3]float64{0.66, 0.10, 0.24}},
	} {
		t.Run(c.kind.String(), func(t *testing.T) {
			d := generate(t, c.kind, Options{Scale: c.scale, Seed: 1})
			n := float64(d.Graph.N)
			within(t, "vertices", n, c.scale*c.vertices, 0.001)
			within(t, "arcs", float64(d.Graph.Counts.Arcs), c.scale*c.arcs, 0.02)
			within(t, "features", float64(d.X.Cols), c.features, 0)
			within(t, "classes", float64(d.Labels.Classes()), c.class, 0)
			// Hubs' repeated edges, most of them inside a class, are merged: of
			// Reddit's 492 neighbours a vertex, three in four would be among the
			// 170 vertices that a class has at this scale.
			if h := homophily(d); h > c.homophily || h < (1-c.merged)*c.homophily {
				t.Errorf("homophily %.3f, want at most %.3f and at most %g %% less", h, c.homophily, 100*c.merged)
			}
			for i, part := range [][]int32{d.Splits[0].Train, d.Splits[0].Val, d.Splits[0].Test} {
				if share := float64(len(part)) / n; math.Abs(share-c.split[i]) > 0.01 {
					t.Errorf("part %d has the share %.3f, want %.2f", i, share, c.split[i])
				}
			}
			if loops := d.Graph.Counts.Loops; loops != 0 {
				t.Errorf("%d loops", loops)
			}
		})
	}
}

// homophily is the share of arcs between vertices of one class.
func homophily(d *dataset.Dataset) float64 {
	same := 0
	for v := range d.Graph.N {
		for _, u := range d.Graph.Src[d.Graph.Ptr[v]:d.Graph.Ptr[v+1]] {
			if d.Labels.Class[u] == d.Labels.Class[v] {
				same++
			}
		}
	}
	return float64(same) / float64(len(d.Graph.Src))
}

// TestLookAlikeDegreesFollowAPowerLaw estimates the exponent of the largest
// tenth of the degrees as Hill did: 1 + 1/mean(log(d / d_min)). The weights'
// density falls like w^(−9/4); shifted by i₀, their tail is a little steeper.
func TestLookAlikeDegreesFollowAPowerLaw(t *testing.T) {
	d := generate(t, ArxivLike, Options{Scale: 0.3, Seed: 2})
	degree := make([]float64, d.Graph.N)
	for v := range degree {
		degree[v] = float64(d.Graph.Ptr[v+1] - d.Graph.Ptr[v])
	}
	slices.Sort(degree)
	slices.Reverse(degree)
	tail := degree[:len(degree)/10]
	sum := 0.0
	for _, x := range tail {
		sum += math.Log(x / tail[len(tail)-1])
	}
	if exponent := 1 + float64(len(tail))/sum; exponent < 2.0 || exponent > 2.6 {
		t.Errorf("exponent %.2f, want about 2.25", exponent)
	}
	if mean := float64(len(d.Graph.Src)) / float64(d.Graph.N); degree[0] < 50*mean {
		t.Errorf("largest degree %v, mean %v: no hubs", degree[0], mean)
	}
}

// TestPlantedClassesCanBeLearnt classifies vertices by the nearest class mean,
// from their own features and from the mean over their neighbours.
func TestPlantedClassesCanBeLearnt(t *testing.T) {
	d := generate(t, SBM, Options{Scale: 0.3, Seed: 3, Planted: &Planted{Features: 32, Classes: 7, Homophily: 0.8, Signal: 1.5}})
	own := nearestMean(d, d.X.Data)
	smooth := slices.Clone(d.X.Data)
	k := d.X.Cols
	for v := range d.Graph.N {
		for _, u := range d.Graph.Src[d.Graph.Ptr[v]:d.Graph.Ptr[v+1]] {
			for j, x := range d.X.Row(int(u)) {
				smooth[v*k+j] += x
			}
		}
	}
	around := nearestMean(d, smooth)
	if own < 0.3 || own > 0.8 || around < own+0.15 {
		t.Errorf("accuracy %.2f from features, %.2f from neighbours: want features to help and neighbours to help more", own, around)
	}
	without := generate(t, SBM, Options{Scale: 0.3, Seed: 3, Planted: &Planted{Features: 32, Classes: 7, Homophily: 0.8}})
	if chance := nearestMean(without, without.X.Data); chance > 0.35 {
		t.Errorf("accuracy %.2f without a signal", chance)
	}
}

// nearestMean is the accuracy of the nearest mean of the training vertices of a
// class on the test vertices.
func nearestMean(d *dataset.Dataset, x []float32) float64 {
	k, classes := d.X.Cols, d.Labels.Classes()
	mean := make([]float64, classes*k)
	count := make([]float64, classes)
	for _, v := range d.Splits[0].Train {
		c := int(d.Labels.Class[v])
		count[c]++
		for j := range k {
			mean[c*k+j] += float64(x[int(v)*k+j])
		}
	}
	right := 0
	for _, v := range d.Splits[0].Test {
		best, least := 0, math.Inf(1)
		for c := range classes {
			distance := 0.0
			for j := range k {
				e := float64(x[int(v)*k+j]) - mean[c*k+j]/count[c]
				distance += e * e
			}
			if distance < least {
				best, least = c, distance
			}
		}
		if best == int(d.Labels.Class[v]) {
			right++
		}
	}
	return float64(right) / float64(len(d.Splits[0].Test))
}

func TestGenerateDoesNotDependOnThreads(t *testing.T) {
	for _, kind := range Kinds() {
		scale := map[Kind]float64{ArxivLike: 0.05, ProductsLike: 0.01, RedditLike: 0.01, RMAT: 0.05}[kind]
		one := generate(t, kind, Options{Scale: scale, Seed: 7, Threads: 1})
		for _, threads := range []int{2, 5} {
			if many := generate(t, kind, Options{Scale: scale, Seed: 7, Threads: threads}); !sameDataset(one, many) {
				t.Errorf("%v differs between 1 and %d threads", kind, threads)
			}
		}
		if kind == Grid || kind == Star {
			continue
		}
		if other := generate(t, kind, Options{Scale: scale, Seed: 8}); slices.Equal(one.Graph.Src, other.Graph.Src) {
			t.Errorf("%v is the same for seeds 7 and 8", kind)
		}
	}
}

func sameDataset(a, b *dataset.Dataset) bool {
	return slices.Equal(a.Graph.Ptr, b.Graph.Ptr) && slices.Equal(a.Graph.Src, b.Graph.Src) &&
		slices.Equal(a.X.Data, b.X.Data) && slices.Equal(a.Labels.Class, b.Labels.Class) &&
		slices.EqualFunc(a.Splits, b.Splits, func(x, y dataset.Split) bool {
			return slices.Equal(x.Train, y.Train) && slices.Equal(x.Val, y.Val) && slices.Equal(x.Test, y.Test)
		})
}

func TestRMAT(t *testing.T) {
	d := generate(t, RMAT, Options{Scale: 0.25, Seed: 1})
	within(t, "arcs", float64(d.Graph.Counts.Arcs), 2*16*float64(d.Graph.N), 0.02)
	if d.Graph.N != 1<<14 {
		t.Errorf("%d vertices", d.Graph.N)
	}
	// Of the first level's draws, a quadrant each.
	var share [4]float64
	opt := Options{Seed: 5}
	const draws = 1 << 16
	for i := range uint64(draws) {
		u, v := opt.rmatDraw(i, 1)
		share[2*u+v] += 1. / draws
	}
	for q, want := range []float64{.57, .19, .19, .05} {
		// Four standard deviations of a share of 65,536 draws.
		if math.Abs(share[q]-want) > 4*math.Sqrt(want*(1-want)/draws) {
			t.Errorf("quadrant %d: %.4f, want %.2f", q, share[q], want)
		}
	}
	odd := generate(t, RMAT, Options{Scale: 0.03})
	if odd.Graph.N != 1966 {
		t.Errorf("%d vertices, want the scale's 1966", odd.Graph.N)
	}
}

func TestGridAndStar(t *testing.T) {
	d := generate(t, Grid, Options{Scale: 0.0009})
	if want := []int64{0, 2, 5, 7, 10, 14, 17, 19, 22, 24}; !slices.Equal(d.Graph.Ptr, want) {
		t.Errorf("3 × 3 grid: %v, want %v", d.Graph.Ptr, want)
	}
	if in := d.Graph.Src[10:14]; !slices.Equal(in, []int32{1, 3, 5, 7}) {
		t.Errorf("the middle's neighbours are %v", in)
	}
	d = generate(t, Star, Options{Scale: 0.004})
	if !slices.Equal(d.Graph.Src, []int32{1, 2, 3, 4, 0, 0, 0, 0}) {
		t.Errorf("star of 4: %v", d.Graph.Src)
	}
	if d.Task != dataset.NoTask || d.X.Rows != 5 || d.X.Cols != 0 {
		t.Errorf("task %v, features %v", d.Task, d.X)
	}
}

func TestGenerateFaults(t *testing.T) {
	plant := &Planted{Features: 1, Classes: 2, Homophily: 0.5}
	for _, c := range []struct {
		kind Kind
		opt  Options
		want string
	}{
		{ArxivLike, Options{Scale: -1}, "positive"},
		{ArxivLike, Options{Scale: math.NaN()}, "positive"},
		{ArxivLike, Options{Scale: 1e-5}, "2 vertices"},
		{ArxivLike, Options{Scale: 1e9}, "more than 2147483647"},
		{RedditLike, Options{Scale: 0.001}, "at least 0.0086"},
		{RMAT, Options{Scale: 0.001}, "at least 256"},
		{Grid, Options{Planted: plant}, "no classes"},
		{SBM, Options{Planted: &Planted{Classes: 0}}, "at least 1 class"},
		{SBM, Options{Planted: &Planted{Classes: 1}}, "second class"},
		{SBM, Options{Planted: &Planted{Classes: 2, Homophily: 2}}, "homophily"},
		{Kind(99), Options{}, "number 99"},
	} {
		_, err := Generate(context.Background(), c.kind, c.opt)
		datatest.WantError(t, err, c.want)
	}
	generate(t, RedditLike, Options{Scale: 0.0086}) // what the error says is enough
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Generate(ctx, RMAT, Options{}); err != context.Canceled {
		t.Errorf("error %v, want %v", err, context.Canceled)
	}
	var kind Kind
	datatest.WantError(t, kind.UnmarshalText([]byte("arxi")), `did you mean "arxiv"`)
	if err := kind.UnmarshalText([]byte("rmat")); err != nil || kind != RMAT {
		t.Errorf("rmat is %v, %v", kind, err)
	}
}

func TestRadixSortAndUnion(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		bits := rapid.IntRange(1, 64).Draw(t, "bits")
		key := rapid.Uint64Range(0, 1<<bits-1)
		a, b := rapid.SliceOfN(key, 0, 500).Draw(t, "a"), rapid.SliceOfN(key, 0, 500).Draw(t, "b")
		wantA, both := slices.Clone(a), slices.Concat(a, b)
		slices.Sort(wantA)
		a = radixSort(a)
		if !slices.Equal(a, wantA) {
			t.Fatalf("sorted %v, want %v", a, wantA)
		}
		slices.Sort(both)
		both = slices.Compact(both)
		if got := union(slices.Compact(a), slices.Compact(radixSort(b))); !slices.Equal(got, both) {
			t.Fatalf("union %v, want %v", got, both)
		}
	})
}

func BenchmarkGenerate(b *testing.B) {
	for _, c := range []struct {
		kind  Kind
		scale float64
	}{{ArxivLike, 1}, {RedditLike, 0.2}, {RMAT, 1}} {
		b.Run("graph="+c.kind.String(), func(b *testing.B) {
			var g *graph.Graph
			for b.Loop() {
				g = generate(b, c.kind, Options{Scale: c.scale}).Graph
			}
			b.ReportMetric(float64(g.Counts.Arcs)/b.Elapsed().Seconds()*float64(b.N), "arcs/s")
		})
	}
}
