package parted

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/graph"
	"github.com/weft-gnn/weft/tensor"
)

// Format returns the layout of divided sets, as who reads all parts of one sees it:
// the set that was divided. Ranks that train open their parts instead.
func Format() *dataset.Format {
	return &dataset.Format{
		Name:  "parted",
		About: "a set that weft partition divided: parts.json, and a folder for each part",
		Detect: func(p dataset.Probe) dataset.Score {
			if p.Dir && p.Has(ManifestFile) {
				return dataset.Certain
			}
			return dataset.No
		},
		Read: Join,
	}
}

// Join reads all parts of a divided set, and puts them together.
//
// Contract: the set is the one that was divided, but that each arc is a row of its
// edge list, and that features are held, not mapped.
// Errors: those of [Open]; parts that are not those of one set; a direction other
// than the one that the arcs have.
func Join(ctx context.Context, dir string, opt dataset.Options) (*dataset.Dataset, error) {
	if opt.Direction != dataset.AsStated {
		return nil, fmt.Errorf("dataset: %s is divided, and its arcs are as they were then: choose their direction of the set itself", dir)
	}
	m, err := ReadManifest(dir, ReadOptions{Limits: opt.Limits})
	if err != nil {
		return nil, err
	}
	j := &joint{m: m}
	for rank := range m.Parts {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		p, err := Open(dir, rank, ReadOptions{Limits: opt.Limits, Verify: true})
		if err != nil {
			return nil, err
		}
		j.parts = append(j.parts, p)
	}
	if err := j.whole(); err != nil {
		return nil, fmt.Errorf("dataset: %s: %w", dir, err)
	}
	d := j.set()
	if err := d.Graph.Validate(); err != nil {
		return nil, fmt.Errorf("dataset: %s: the parts make no graph: %w", dir, err)
	}
	return d, nil
}

// joint puts parts together.
type joint struct {
	m     *Manifest
	parts []*Part
	arcs  []partArc // in the order of the set
	ptr   []int64
}

// partArc is an arc of a part.
type partArc struct {
	src  int32
	part int32
	at   int64
}

// whole checks that every vertex is of one part.
func (j *joint) whole() error {
	owned := make([]bool, j.m.Vertices)
	for rank, p := range j.parts {
		for _, v := range p.Vertex[:p.Own] {
			if owned[v] {
				return fmt.Errorf("vertex %d is owned by part %d and by one before it", v, rank)
			}
			owned[v] = true
		}
	}
	return nil // as many as there are, and none twice
}

// set assembles the set.
func (j *joint) set() *dataset.Dataset {
	m, n := j.m, int(j.m.Vertices)
	j.order()
	d := j.parts[0].OwnSet()
	d.X, d.Labels, d.Splits, d.IDs = tensor.New(n, m.Features), dataset.Labels{Names: m.Classes}, nil, dataset.IDs{}
	if m.Labelled {
		d.Labels.Class = make([]int32, n)
	}
	if m.Targets > 0 {
		d.Labels.Value = tensor.New(n, m.Targets)
	}
	switch m.IDs {
	case Integers:
		d.IDs.Int = make([]int64, n)
	case Texts:
		d.IDs.Text = make([]string, n)
	}
	for _, p := range j.parts {
		for place, v := range p.Vertex[:p.Own] {
			copy(d.X.Row(int(v)), p.X.Row(place))
			if m.Labelled {
				d.Labels.Class[v] = p.Labels.Class[place]
			}
			if m.Targets > 0 {
				copy(d.Labels.Value.Row(int(v)), p.Labels.Value.Row(place))
			}
			switch m.IDs {
			case Integers:
				d.IDs.Int[v] = p.IDs.Int[place]
			case Texts:
				d.IDs.Text[v] = p.IDs.Text[place]
			}
		}
	}
	d.Graph = j.graph()
	if m.EdgeFeatures > 0 {
		d.EdgeX = tensor.New(len(j.arcs), m.EdgeFeatures)
		for i, a := range j.arcs {
			copy(d.EdgeX.Row(i), j.parts[a.part].EdgeX.Row(int(a.at)))
		}
	}
	j.splits(d)
	return d
}

// order lists all arcs by destination, source, and, of parallel ones, identity,
// which is the order of the edge list.
func (j *joint) order() {
	j.ptr, j.arcs = make([]int64, j.m.Vertices+1), make([]partArc, j.m.Arcs)
	for _, p := range j.parts {
		for row := range p.Rows {
			j.ptr[p.Vertex[row]+1] += p.Ptr[row+1] - p.Ptr[row]
		}
	}
	for v := range j.m.Vertices {
		j.ptr[v+1] += j.ptr[v]
	}
	next := slices.Clone(j.ptr)
	for rank, p := range j.parts {
		for row := range p.Rows {
			to := &next[p.Vertex[row]]
			for i := p.Ptr[row]; i < p.Ptr[row+1]; i++ {
				j.arcs[*to] = partArc{p.Vertex[p.Col[i]], int32(rank), i}
				*to++
			}
		}
	}
	for v := range j.m.Vertices {
		slices.SortFunc(j.arcs[j.ptr[v]:j.ptr[v+1]], func(a, b partArc) int {
			return cmp.Or(cmp.Compare(a.src, b.src), cmp.Compare(j.identity(a), j.identity(b)))
		})
	}
}

func (j *joint) identity(a partArc) int64 { return j.parts[a.part].Edge[a.at] }

// graph assembles the graph.
func (j *joint) graph() *graph.Graph {
	m := j.m
	g := &graph.Graph{N: int(m.Vertices), Ptr: j.ptr, Src: make([]int32, len(j.arcs)), Counts: m.Counts}
	if m.Weighted {
		g.Weight = make([]float32, len(j.arcs))
	}
	if m.Identified {
		g.Origin = &graph.Origin{Vertex: make([]int64, m.Vertices), Edge: make([]int64, len(j.arcs)), N: m.Whole.Vertices, M: m.Whole.Arcs}
	}
	for i, a := range j.arcs {
		if g.Src[i] = a.src; m.Weighted {
			g.Weight[i] = j.parts[a.part].Weight[a.at]
		}
		if m.Identified {
			g.Origin.Edge[i] = j.identity(a)
		}
	}
	for _, p := range j.parts {
		for place, v := range p.Vertex[:p.Own] {
			if m.Identified {
				g.Origin.Vertex[v] = p.Identity[place]
			}
		}
	}
	g.Counts.Rows = int64(len(j.arcs))
	return g
}

// splits gathers the items, ascending.
func (j *joint) splits(d *dataset.Dataset) {
	item := func(p *Part, place int32) int32 { return p.Vertex[place] }
	if j.m.Task == dataset.LinkPrediction {
		at := make([][]int32, len(j.parts)) // where each part's arcs went
		for rank, p := range j.parts {
			at[rank] = make([]int32, len(p.Col))
		}
		for i, a := range j.arcs {
			at[a.part][a.at] = int32(i)
		}
		item = func(p *Part, place int32) int32 { return at[p.Rank][place] }
	}
	for i, s := range j.m.Splits {
		split := dataset.Split{Name: s.Name}
		for _, p := range j.parts {
			of := p.Splits[i]
			for k, to := range [3]*[]int32{&split.Train, &split.Val, &split.Test} {
				for _, place := range [3][]int32{of.Train, of.Val, of.Test}[k] {
					*to = append(*to, item(p, place))
				}
			}
		}
		for _, items := range [3][]int32{split.Train, split.Val, split.Test} {
			slices.Sort(items)
		}
		d.Splits = append(d.Splits, split)
	}
}
