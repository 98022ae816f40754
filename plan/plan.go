package plan

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/weft-gnn/weft/comm"
	"github.com/weft-gnn/weft/graph"
	"github.com/weft-gnn/weft/partition"
	"github.com/weft-gnn/weft/program"
)

// Plan says how a training step runs on several ranks. It is plain data.
//
// Its mesh is a product: Replica times what the algorithm makes of Partition, each of
// whose ranks is Feature ranks that share out its columns, as ReduceScatter has it.
type Plan struct {
	Algorithm Algorithm
	// Partition is the grid of ranks that share the graph: P, R × S, or R × S × C.
	Partition []int
	// Feature is the number of ranks that share the columns, Replica that of those
	// that share the items to train on, or of groups that do; 0 stands for 1.
	Feature, Replica int
	// Resplit is a choice of Feature.
	Resplit Resplit
	// Replication is c of OneAndAHalfD, which divides P; 0 stands for 1. ThreeD says it
	// in Partition.
	Replication int
	// Partitioner divides the graph; where it is not set Partitioned is false, and
	// it is the algorithm's default.
	Partitioner partition.Method
	Partitioned bool
	// Exchange says on which side of products with weights ranks exchange rows, and
	// Recompute that they compute rows of others again where that sends fewer words: see
	// [program.Distribution].
	Exchange  program.Side
	Recompute bool
	// Backward says what ranks send in backward where sums over edges are transposed.
	Backward program.Return
	// Blocking lets ranks do nothing while they exchange; without it they compute
	// meanwhile what does not need what the exchange brings.
	Blocking bool
}

// OnRanks returns the plan of an edge-cut over so many ranks.
func OnRanks(ranks int) Plan { return Plan{Partition: []int{ranks}} }

// Ranks returns the number of ranks.
func (p Plan) Ranks() int { return max(1, p.Feature) * max(1, p.Replica) * p.parts() }

// parts is the number of ranks that share the graph.
func (p Plan) parts() int {
	n := 1
	for _, r := range p.Partition {
		n *= r
	}
	return n
}

// divided is the number of parts that the graph is divided into.
func (p Plan) divided() int {
	if p.Algorithm == ThreeD {
		return p.Partition[0] * p.Partition[1]
	}
	return p.parts()
}

// tooMany reports whether there are too many ranks, or less than one, along an axis
// or in all; the product of the axes may not fit a number.
func (p Plan) tooMany() bool {
	n := 1
	for _, r := range append([]int{max(1, p.Feature), max(1, p.Replica)}, p.Partition...) {
		if r < 1 || r > maxRanks/n {
			return true
		}
		n *= r
	}
	return false
}

// copies is how many ranks have the same vertices.
func (p Plan) copies() int { return max(1, p.Replication) }

// maxRanks bounds the number of ranks, which some tables are as long as.
const maxRanks = 1 << 16

// Validate says why a plan cannot run, whatever the graph.
func (p Plan) Validate() error {
	dims := cmp.Or(map[Algorithm]int{TwoD: 2, ThreeD: 3}[p.Algorithm], 1)
	for _, axis := range []struct {
		name  string
		ranks int
		only  Algorithm // that takes it
		any   bool      // do
	}{
		{"feature", p.Feature, Feature, p.Algorithm != Replicas},
		{"replica", p.Replica, Replicas, true},
		{"replication", p.Replication, OneAndAHalfD, p.Algorithm == ThreeD},
	} {
		if axis.ranks < 0 || axis.ranks > maxRanks {
			return fmt.Errorf("plan: %s %d: want 1 to %d", axis.name, axis.ranks, maxRanks)
		}
		if axis.ranks > 1 && !axis.any && p.Algorithm != axis.only {
			return fmt.Errorf("plan: %s %d goes with the algorithm %v, not with %v", axis.name, axis.ranks, axis.only, p.Algorithm)
		}
	}
	switch {
	case p.Algorithm == ThreeD && p.Replication > 1:
		return fmt.Errorf("plan: replication %d: %v says it in partition, as the last of %s", p.Replication, p.Algorithm, p.grid())
	case p.Algorithm == ThreeD && p.Feature > 1:
		return fmt.Errorf("plan: feature %d: %v shares out columns itself, over the last of partition %s", p.Feature, p.Algorithm, p.grid())
	case p.whole() && !slices.Equal(p.Partition, []int{1}):
		return fmt.Errorf("plan: partition %s: with %v every rank has all vertices' structure: say %s=%s", p.grid(), p.Algorithm, p.axis(), p.grid())
	case p.whole() && p.Partitioned:
		return fmt.Errorf("plan: the partitioner %v: %v divides no graph", p.Partitioner, p.Algorithm)
	case len(p.Partition) != dims:
		return fmt.Errorf("plan: partition %s: %v takes %s", p.grid(), p.Algorithm, []string{1: "a number P of ranks", 2: "a grid RxS of ranks", 3: "a grid RxSxC of ranks"}[dims])
	case p.tooMany():
		return fmt.Errorf("plan: %v: want 1 to %d ranks", p, maxRanks)
	case p.parts()%p.copies() != 0:
		return fmt.Errorf("plan: replication %d does not divide the %d ranks of the partition", p.Replication, p.parts())
	case p.Resplit != AllToAll && p.Algorithm != Feature:
		return fmt.Errorf("plan: resplit %v goes with the algorithm %v, not with %v", p.Resplit, Feature, p.Algorithm)
	case p.String() != p.Plain().String() && !p.sided():
		return fmt.Errorf("plan: exchange, halo and backward go with algorithms under which edges read rows of others as these are, not with %v", p.Algorithm)
	case p.Partitioned && p.Partitioner.VertexCut() != (p.Algorithm == VertexCut):
		return fmt.Errorf("plan: the partitioner %v assigns %s, the algorithm %v %s", p.Partitioner, cuts(p.Partitioner.VertexCut()), p.Algorithm, cuts(p.Algorithm == VertexCut))
	}
	return nil
}

// whole reports whether every rank has the whole structure.
func (p Plan) whole() bool { return p.axis() != "" }

// axis names the axis of the mesh that an algorithm's ranks lie along, where it does not
// divide the graph.
func (p Plan) axis() string {
	return map[Algorithm]string{Feature: "feature", Weights: "feature", Replicas: "replica"}[p.Algorithm]
}

func cuts(vertex bool) string {
	if vertex {
		return "edges"
	}
	return "vertices"
}

func (p Plan) grid() string {
	words := make([]string, len(p.Partition))
	for i, r := range p.Partition {
		words[i] = fmt.Sprint(r)
	}
	return strings.Join(words, "x")
}

// partitioner returns the method that divides the graph.
func (p Plan) partitioner() partition.Method {
	switch {
	case p.Partitioned:
		return p.Partitioner
	case p.Algorithm == VertexCut:
		return partition.HDRF
	case p.Algorithm == OneD:
		return partition.Multilevel
	}
	return partition.Random // what is sent does not depend on the cut: equal parts are best
}

// String writes the plan as Parse reads it.
func (p Plan) String() string {
	var words []string
	for _, w := range p.words() {
		words = append(words, w.key+"="+w.value)
	}
	return strings.Join(words, ",")
}

// word is a key with its value.
type word struct{ key, value string }

// words are what a plan is written with.
func (p Plan) words() []word {
	all := []word{{"algorithm", p.Algorithm.String()}}
	if !p.whole() {
		all = append(all, word{"partition", p.grid()})
	}
	if p.Algorithm == OneAndAHalfD {
		all = append(all, word{"replication", fmt.Sprint(p.copies())})
	}
	if p.Feature > 1 || p.axis() == "feature" {
		all = append(all, word{"feature", fmt.Sprint(max(1, p.Feature))})
	}
	if p.Resplit != AllToAll {
		all = append(all, word{"resplit", p.Resplit.String()})
	}
	if p.Replica > 1 || p.axis() == "replica" {
		all = append(all, word{"replica", fmt.Sprint(max(1, p.Replica))})
	}
	if !p.whole() {
		all = append(all, word{"partitioner", p.partitioner().String()})
	}
	if p.Exchange != program.AfterProducts {
		all = append(all, word{"exchange", exchangeNames[p.Exchange]})
	}
	if p.Recompute {
		all = append(all, word{"halo", haloNames[1]})
	}
	if p.Backward != program.ReturnSums {
		all = append(all, word{"backward", backwardNames[p.Backward]})
	}
	if p.Blocking {
		all = append(all, word{"overlap", "false"})
	}
	return all
}

// Distribution is what the pass that distributes programs asks for, for one of all
// ranks.
func (p Plan) Distribution(rank int) *program.Distribution {
	d := p.division().Distribution(rank)
	d.Overlap, d.Exchange, d.Recompute, d.Backward = !p.Blocking, p.Exchange, p.Recompute, p.Backward
	return d
}

// division is who has what but for the graph.
func (p Plan) division() Owners {
	o := Owners{Ranks: p.divided() / p.copies(), Edges: p.edges(), Copies: p.copies(), Features: max(1, p.Feature), Replicas: max(1, p.Replica)}
	if p.Algorithm == ThreeD {
		o.Features = p.Partition[2]
		o.Ranged = o.Features > 1 // of one it is TwoD
	}
	switch {
	case o.Edges == program.Shared:
		o.Ranks, o.Features = o.Features, 1
	case p.Algorithm != Weights && o.Features > 1:
		o.Rest = program.Columns
	}
	return o
}

// edges says who has an edge.
func (p Plan) edges() program.Owner {
	switch p.Algorithm {
	case TwoD, ThreeD, VertexCut:
		return program.Free
	case OneAndAHalfD:
		return program.Copied
	case Feature, Weights, Replicas:
		if p.Algorithm == Feature && p.Resplit == AllToAll {
			return program.Shared
		}
		return program.AllEdges
	}
	return program.ByDst
}

// Owners divides a graph as the plan says.
//
// Contract: masks are sets of vertices, such as those to train on, of which ranks
// are to have equally many where the partitioner can.
// Errors: a plan that is not valid, and the partitioner's.
func (p Plan) Owners(ctx context.Context, g *graph.Graph, seed uint64, masks ...[]bool) (Owners, error) {
	if err := p.Validate(); err != nil {
		return Owners{}, err
	}
	o := p.division()
	if o.Replicas > 1 {
		o.Item = evenly(g.N, o.Replicas, masks)
	}
	if p.whole() {
		o.Vertex = evenly(g.N, o.Ranks, nil)
		return o, nil
	}
	options := partition.Options{Parts: p.divided(), Method: p.partitioner(), Seed: seed}
	if m := options.Method; m != partition.Hash && m != partition.Range && !m.VertexCut() {
		options.Masks = masks
	}
	if p.partitioner() != partition.Hash && p.Algorithm == OneD {
		options.Balance = partition.ByWork // arcs lie with their destinations
	}
	var err error
	if p.Algorithm == VertexCut {
		return vertexCut(ctx, g, o, options)
	}
	if o.Vertex, err = partition.Vertices(ctx, g, options); err != nil {
		return o, err
	}
	switch p.Algorithm {
	case OneDAllGather:
		o.Has = func(int, program.Map, int32) bool { return true }
	case TwoD:
		p.blocks(&o)
	case ThreeD:
		p.blocks(&o)
		if o.Ranged {
			o.Copy = o.byRange()
		}
	case OneAndAHalfD:
		p.groups(&o)
	}
	return o, nil
}

// evenly gives ranks consecutive vertices, or those of them that are in the first mask,
// as many each.
func evenly(n, ranks int, masks [][]bool) []int32 {
	owner := make([]int32, n)
	var items []int32
	for v := range int32(n) {
		if len(masks) == 0 || masks[0][v] {
			items = append(items, v)
		}
	}
	for r := range ranks {
		lo, hi := comm.Cut(len(items), r, ranks)
		for _, v := range items[lo:hi] {
			owner[v] = int32(r)
		}
	}
	return owner
}

// groups makes c parts that follow each other one group's, whose ranks share out
// the edges by the part of their source.
func (p Plan) groups(o *Owners) {
	c := int32(p.copies())
	o.Copy = make([]int32, len(o.Vertex))
	for v, part := range o.Vertex {
		o.Vertex[v], o.Copy[v] = part/c, part%c
	}
	o.Has = func(int, program.Map, int32) bool { return true }
}

// blocks lets rank i·S + j have the edges from vertices of ranks of column j to
// those of ranks of row i.
func (p Plan) blocks(o *Owners) {
	s := int32(p.Partition[1])
	owner := o.Vertex
	o.Edge = func(_ int64, u, v int32) int32 { return owner[v]/s*s + owner[u]%s }
	o.Has = func(rank int, end program.Map, v int32) bool {
		if end == program.Src {
			return owner[v]%s == int32(rank)%s
		}
		return owner[v]/s == int32(rank)/s
	}
}

// vertexCut assigns arcs.
func vertexCut(ctx context.Context, g *graph.Graph, o Owners, options partition.Options) (Owners, error) {
	arc, master, err := partition.Edges(ctx, g.Block(), options)
	if err != nil {
		return o, err
	}
	o.Vertex = master
	o.Edge = func(at int64, _, _ int32) int32 { return arc[at] }
	return o, nil
}
