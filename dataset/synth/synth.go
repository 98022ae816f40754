// Package synth makes synthetic graphs: look-alikes of well-known data sets, with
// classes to be learnt, and graphs of pure structure.
package synth

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"strings"

	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/dataset/budget"
	"github.com/weft-gnn/weft/graph"
	"github.com/weft-gnn/weft/internal/nearest"
	"github.com/weft-gnn/weft/tensor"
)

// Kind is a kind of graph that [Generate] makes.
type Kind int

// The kinds. Look-alikes have a real set's vertices and arcs times the scale,
// its features and classes, its split and its share of arcs inside classes;
// their degrees follow a power law.
const (
	ArxivLike    Kind = iota // ogbn-arxiv: 169,343 vertices, 2,315,598 arcs both ways, 128 features, 40 classes
	ProductsLike             // ogbn-products: 2,449,029 vertices, 123,718,280 arcs, 100 features, 47 classes
	RedditLike               // Reddit: 232,965 vertices, 114,615,892 arcs, 602 features, 41 classes
	SBM                      // stochastic block model: 10,000 vertices of mean degree 10, 32 features, 7 classes
	RMAT                     // Graph500's R-MAT: 2¹⁶ vertices, 16 edges for each, both ways
	Grid                     // 100 × 100 vertices, each joined to up to 4 beside it
	Star                     // a centre, vertex 0, and 1,000 leaves
)

var kindNames = [...]string{
	ArxivLike: "arxiv", ProductsLike: "products", RedditLike: "reddit", SBM: "sbm", RMAT: "rmat", Grid: "grid", Star: "star",
}

func (k Kind) String() string {
	if k < 0 || int(k) >= len(kindNames) {
		return fmt.Sprintf("Kind(%d)", int(k))
	}
	return kindNames[k]
}

// UnmarshalText reads a kind's name, such as "arxiv" or "rmat".
func (k *Kind) UnmarshalText(text []byte) error {
	for i, name := range kindNames {
		if name == string(text) {
			*k = Kind(i)
			return nil
		}
	}
	names := kindNames[:]
	return fmt.Errorf("dataset: kind %q is not one of %s%s", text, strings.Join(names, ", "), nearest.DidYouMean(string(text), names))
}

// Kinds returns all kinds, in the order of help texts.
func Kinds() []Kind {
	kinds := make([]Kind, len(kindNames))
	for i := range kinds {
		kinds[i] = Kind(i)
	}
	return kinds
}

// Options say how large a graph to make, and from which random numbers.
type Options struct {
	// Scale multiplies the kind's vertices and arcs; 0 is 1.
	Scale float64
	Seed  uint64
	// Threads is the number of goroutines that draw; 0 is one per processor.
	// The result does not depend on it.
	Threads int
	// Memory is how many bytes there are for the graph; 0 does not check.
	Memory int64
	// Planted replaces what a kind with classes plants; nil is the kind's own.
	// Kinds without classes refuse it.
	Planted *Planted
}

// Planted says what there is to learn in a synthetic graph.
//
// The features of a vertex of class c are Signal · μ_c + N(0, 1), where μ_c has
// about unit length whatever the number of features. With 40 classes, a Signal
// of 2 lets features alone tell two vertices in five, and a graph model more.
type Planted struct {
	Features, Classes int
	// Homophily is the share of edges whose ends have the same class.
	Homophily float64
	Signal    float64
}

// Generate makes a synthetic graph. The result depends on kind, Scale, Seed and
// Planted alone.
//
// Cost: O(n·k + m) time, some 24 bytes per edge while edges are drawn.
// Errors: a scale that is not positive or leaves too few vertices for the arcs
// or classes; ctx's.
func Generate(ctx context.Context, kind Kind, opt Options) (*dataset.Dataset, error) {
	opt, err := opt.withDefaults(kind)
	if err != nil {
		return nil, err
	}
	d := &dataset.Dataset{}
	switch kind {
	case SBM:
		err = opt.sbm(ctx, d)
	case RMAT:
		err = opt.rmat(ctx, d)
	case Grid:
		err = opt.grid(d)
	case Star:
		err = opt.star(d)
	default:
		err = opt.lookAlike(ctx, d, kind)
	}
	if err != nil {
		return nil, err
	}
	d.Name = fmt.Sprintf("%v@%g", kind, opt.Scale)
	d.Notes = append(d.Notes, fmt.Sprintf("synthetic: %v at scale %g, seed %d: %d vertices, %d arcs", kind, opt.Scale, opt.Seed, d.Graph.N, d.Graph.Counts.Arcs))
	return d, d.Validate()
}

func (o Options) withDefaults(kind Kind) (Options, error) {
	if o.Scale == 0 {
		o.Scale = 1
	}
	if o.Threads <= 0 {
		o.Threads = runtime.GOMAXPROCS(0)
	}
	switch {
	case kind < 0 || int(kind) >= len(kindNames):
		return o, fmt.Errorf("dataset: no synthetic graph has the number %d", int(kind))
	case !(o.Scale > 0) || math.IsInf(o.Scale, 0):
		return o, fmt.Errorf("dataset: scale %v, want a positive number", o.Scale)
	case o.Planted == nil:
		return o, nil
	case kind == RMAT || kind == Grid || kind == Star:
		return o, fmt.Errorf("dataset: %v has no classes to plant", kind)
	}
	p := *o.Planted
	if p.Features < 0 || p.Features > maxPlantedFeatures || p.Classes < 1 || !(p.Homophily >= 0 && p.Homophily <= 1) || !(math.Abs(p.Signal) <= math.MaxFloat64) {
		return o, fmt.Errorf("dataset: planted %+v: want 0 to %d features, at least 1 class, homophily from 0 to 1 and a finite signal", p, maxPlantedFeatures)
	}
	if p.Classes == 1 && p.Homophily < 1 {
		return o, fmt.Errorf("dataset: planted: homophily %v needs a second class", p.Homophily)
	}
	return o, nil
}

// times returns count·scale, rounded. Errors: more than an int32 holds.
func (o Options) times(what string, count float64) (int, error) {
	x := math.Round(count * o.Scale)
	if x > math.MaxInt32 {
		return 0, fmt.Errorf("dataset: scale %g makes %.4g %s, more than %d", o.Scale, x, what, math.MaxInt32)
	}
	return int(x), nil
}

// fits refuses a graph that is larger than the memory at hand: 8 bytes a vertex
// and 4 a feature, and an edge 24 bytes, while it is drawn and as two arcs.
func (o Options) fits(n, edges, features int) error {
	need := int64(n)*(8+4*int64(features)) + 24*int64(edges)
	if o.Memory > 0 && need > o.Memory {
		return &budget.LimitError{Path: "synthetic", What: fmt.Sprintf("%d vertices and %d edges at scale %g", n, edges, o.Scale), Want: need, Max: o.Memory, Unit: "bytes", Memory: true}
	}
	return nil
}

// grid joins each vertex to those left, right, above and below it; rows and
// columns are 100·√Scale.
func (o Options) grid(d *dataset.Dataset) error {
	cells, err := o.times("vertices", 100*100)
	if err != nil {
		return err
	}
	if err := o.fits(cells, 2*cells, 0); err != nil {
		return err
	}
	side := int(math.Round(math.Sqrt(float64(cells))))
	var src, dst []int32
	for i := range side {
		for j := range side {
			v := int32(i*side + j)
			if j+1 < side {
				src, dst = append(src, v), append(dst, v+1)
			}
			if i+1 < side {
				src, dst = append(src, v), append(dst, v+int32(side))
			}
		}
	}
	return structure(d, side*side, src, dst)
}

// star joins 1,000·Scale leaves to vertex 0.
func (o Options) star(d *dataset.Dataset) error {
	leaves, err := o.times("vertices", 1000)
	if err != nil {
		return err
	}
	if err := o.fits(leaves, leaves, 0); err != nil {
		return err
	}
	src, dst := make([]int32, leaves), make([]int32, leaves)
	for i := range src {
		src[i] = int32(i + 1)
	}
	return structure(d, leaves+1, src, dst)
}

// structure makes d the undirected graph of the listed edges, without features.
func structure(d *dataset.Dataset, n int, src, dst []int32) error {
	g, err := graph.FromCOO(n, src, dst, nil, graph.Policy{Symmetrise: true})
	if err != nil {
		return fmt.Errorf("dataset: %w", err)
	}
	d.Graph = g
	d.X = tensor.New(n, 0)
	return nil
}
