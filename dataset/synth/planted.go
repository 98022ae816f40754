package synth

import (
	"context"
	"fmt"
	"math"

	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/graph"
	"github.com/weft-gnn/weft/internal/rng"
	"github.com/weft-gnn/weft/tensor"
)

// modelSet is what a look-alike is modelled on.
type modelSet struct {
	vertices, edges float64
	largest         float64 // degree
	planted         Planted
	split           [3]float64
}

// The real sets. Counts and splits are those that the sets' papers state, edges
// are undirected; the largest degrees and the homophily are those commonly
// reported.
//
// Source: Hu et al., "Open graph benchmark", NeurIPS'20; Hamilton, Ying and
// Leskovec, "Inductive representation learning", NeurIPS'17.
var modelSets = [...]modelSet{
	ArxivLike: {169_343, 1_157_799, 13_161, Planted{128, 40, 0.655, 2},
		[3]float64{90_941. / 169_343, 29_799. / 169_343, 48_603. / 169_343}},
	ProductsLike: {2_449_029, 61_859_140, 17_481, Planted{100, 47, 0.808, 2},
		[3]float64{196_615. / 2_449_029, 39_323. / 2_449_029, 2_213_091. / 2_449_029}},
	RedditLike: {232_965, 57_307_946, 21_657, Planted{602, 41, 0.756, 2},
		[3]float64{153_431. / 232_965, 23_831. / 232_965, 55_703. / 232_965}},
}

// lookAlike makes a graph like a real one. The scale multiplies vertices and
// arcs; features and classes stay those of the real set, so that a small
// look-alike has the widths, and a step the shape, of the large one.
func (o Options) lookAlike(ctx context.Context, d *dataset.Dataset, kind Kind) error {
	r := modelSets[kind]
	p := planted{kind: kind, largest: r.largest, split: r.split, Planted: r.planted}
	var err error
	if p.n, err = o.times("vertices", r.vertices); err != nil {
		return err
	}
	if p.edges, err = o.times("edges", r.edges); err != nil {
		return err
	}
	return o.plant(ctx, d, &p)
}

// sbm makes a graph of equally likely vertices.
func (o Options) sbm(ctx context.Context, d *dataset.Dataset) error {
	p := planted{kind: SBM, split: [3]float64{0.6, 0.2, 0.2}, Planted: Planted{Features: 32, Classes: 7, Homophily: 0.8, Signal: 2}}
	var err error
	if p.n, err = o.times("vertices", 10_000); err != nil {
		return err
	}
	if p.edges, err = o.times("edges", 50_000); err != nil {
		return err
	}
	return o.plant(ctx, d, &p)
}

// planted is a graph with classes in the making.
type planted struct {
	Planted
	kind    Kind
	n       int
	edges   int     // undirected
	largest float64 // expected degree of the first rank; 0 where all are equal
	split   [3]float64

	key    rng.Key
	shift  float64 // i₀ of the ranks' weights, see weights
	lo, hi float64 // the integral's fifth roots at both ends

	class    []int32 // of each vertex
	atRank   []int32 // vertex of each rank, that of the largest degree first
	members  []int32 // vertices, class by class, each in the order of ranks
	classAt  []int32 // class c has members[classAt[c]:classAt[c+1]]
	centroid tensor.Matrix
}

const maxPlantedFeatures = 2 << 16 // what the random numbers' counter tells apart

// densest is the largest share of all pairs that may be edges: beyond it,
// drawing distinct ones takes long and the degrees no longer follow their law.
const densest = 0.25

func (o Options) plant(ctx context.Context, d *dataset.Dataset, p *planted) error {
	if o.Planted != nil {
		p.Planted = *o.Planted
	}
	if err := o.fits(p.n, p.edges, p.Features); err != nil {
		return err
	}
	p.key = o.key()
	if pairs := float64(p.n) * float64(p.n-1) / 2; float64(p.edges) > densest*pairs {
		return fmt.Errorf("dataset: scale %g is too small for %v: %d edges between %d vertices; want a scale of at least %.2g",
			o.Scale, p.kind, p.edges, p.n, 1.01*o.Scale*float64(p.edges)/(densest*max(pairs, 1)))
	}
	if p.n < p.Classes || p.n < 10 {
		return fmt.Errorf("dataset: scale %g leaves %d vertices of %v for %d classes, want 10 at least and one for each", o.Scale, p.n, p.kind, p.Classes)
	}
	if p.Features > maxPlantedFeatures {
		return fmt.Errorf("dataset: scale %g makes %d features, more than %d", o.Scale, p.Features, maxPlantedFeatures)
	}
	p.classes()
	p.weights()
	keys, err := drawEdges(ctx, p.edges, o.Threads, p.edge)
	if err != nil {
		return err
	}
	src, dst := ends(keys)
	if d.Graph, err = graph.FromCOO(p.n, src, dst, nil, graph.Policy{Symmetrise: true}); err != nil {
		return fmt.Errorf("dataset: %w", err)
	}
	d.Task = dataset.VertexClassification
	d.Labels = dataset.Labels{Class: p.class, Names: dataset.NumberedClasses(p.Classes)}
	if d.X, err = p.features(ctx, o.Threads); err != nil {
		return err
	}
	return d.UseSplit(dataset.SplitSpec{Kind: dataset.RandomSplit, Fractions: p.split, Seed: o.Seed})
}

// classes gives vertices classes, whose sizes fall like 1/√(c+1), and ranks,
// both at random.
func (p *planted) classes() {
	p.atRank = p.key.Permutation(streamRank, p.n)
	shuffled := p.key.Permutation(streamClass, p.n)
	total := 0.0
	for c := range p.Classes {
		total += 1 / math.Sqrt(float64(c+1))
	}
	p.class = make([]int32, p.n)
	p.classAt = make([]int32, p.Classes+1)
	sum := 0.0
	for c := range p.Classes {
		sum += 1 / math.Sqrt(float64(c+1))
		// Every class has a vertex, and leaves one to each after it.
		end := max(int(p.classAt[c])+1, int(math.Round(sum/total*float64(p.n))))
		p.classAt[c+1] = int32(min(end, p.n-(p.Classes-c-1)))
		for _, v := range shuffled[p.classAt[c]:p.classAt[c+1]] {
			p.class[v] = int32(c)
		}
	}
	next := append([]int32(nil), p.classAt...)
	p.members = shuffled
	for _, v := range p.atRank {
		c := p.class[v]
		p.members[next[c]] = v
		next[c]++
	}
}

// weights finds i₀ so that expected degrees w_i = largest · (i₀ / (i + i₀))^α of
// the ranks i have the mean 2·edges/n. With α = 4/5 the degrees' density falls
// like w^(−9/4), and the integral of w inverts to a fifth power.
//
// Source: the model is that of Chung and Lu, PNAS 99 (2002).
func (p *planted) weights() {
	if p.largest == 0 {
		return
	}
	n, mean := float64(p.n), 2*float64(p.edges)/float64(p.n)
	largest := max(min(p.largest, n/8), 2*mean)
	fifth := func(x float64) float64 { return math.Pow(x, 0.2) }
	meanAt := func(shift float64) float64 {
		return largest * math.Pow(shift, 0.8) * 5 * (fifth(n+shift) - fifth(shift)) / n
	}
	lo, hi := 0.0, n*n
	for range 200 {
		if mid := (lo + hi) / 2; meanAt(mid) < mean {
			lo = mid
		} else {
			hi = mid
		}
	}
	p.shift, p.lo, p.hi = hi, fifth(hi), fifth(n+hi)
}

// rank draws a rank in [0, n), not rounded: with u uniform in [0, 1), the place
// where the integral of the weights is the share u of the whole.
func (p *planted) rank(u float64) float64 {
	if p.largest == 0 {
		return u * float64(p.n)
	}
	t := p.lo + u*(p.hi-p.lo)
	return min(max(t*t*t*t*t-p.shift, 0), math.Nextafter(float64(p.n), 0))
}

// edge draws edge i: one end by its weight; then, for the share Homophily, the
// other by its weight in the same class, or else in another class, which is
// that of a vertex drawn evenly.
func (p *planted) edge(i uint64) uint64 {
	w := p.key.Block(rng.Counter{Step: uint32(p.kind), Site: siteEdge, ID: i})
	const unit = 0x1p-32
	u := p.atRank[int(p.rank(float64(w[0])*unit))]
	c := int(p.class[u])
	if float64(w[1])*unit >= p.Homophily {
		lo, hi := int(p.classAt[c]), int(p.classAt[c+1])
		at := int(float64(w[2]) * unit * float64(p.n-(hi-lo)))
		if at >= lo {
			at += hi - lo
		}
		c = int(p.class[p.members[at]])
	}
	return edgeKey(u, p.member(c, float64(w[3])*unit))
}

// member draws a vertex of class c by its weight: the members' ranks are spread
// evenly over all ranks, so that a rank drawn over all, shrunk to the class's
// size, finds a member of about that rank.
func (p *planted) member(c int, u float64) int32 {
	lo, hi := p.classAt[c], p.classAt[c+1]
	return p.members[lo+int32(p.rank(u)/float64(p.n)*float64(hi-lo))]
}

// featurePiece is how many rows of features a goroutine draws at once.
const featurePiece = 256

func (p *planted) features(ctx context.Context, threads int) (tensor.Matrix, error) {
	p.centroid = tensor.New(p.Classes, p.Features)
	for c := range p.Classes {
		p.normals(p.centroid.Row(c), siteCentroid, uint64(c))
		for j := range p.Features {
			p.centroid.Row(c)[j] *= float32(p.Signal / math.Sqrt(float64(p.Features)))
		}
	}
	x := tensor.New(p.n, p.Features)
	err := parallel(ctx, p.n, featurePiece, threads, func(lo, hi int) {
		for v := lo; v < hi; v++ {
			row := x.Row(v)
			p.normals(row, siteFeature, uint64(v))
			for j, m := range p.centroid.Row(int(p.class[v])) {
				row[j] += m
			}
		}
	})
	return x, err
}

// normals fills row with standard normal numbers, two from each block.
func (p *planted) normals(row []float32, site uint16, id uint64) {
	for j := 0; j < len(row); j += 2 {
		a, b := rng.Normal(p.key.Block(rng.Counter{Step: uint32(p.kind), Site: site, Group: uint16(j / 2), ID: id}))
		row[j] = float32(a)
		if j+1 < len(row) {
			row[j+1] = float32(b)
		}
	}
}
