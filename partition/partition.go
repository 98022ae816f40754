package partition

import (
	"context"
	"fmt"
	"log/slog"
	"math"

	"github.com/weft-gnn/weft/graph"
	"github.com/weft-gnn/weft/internal/rng"
)

// Options say how a graph is divided.
type Options struct {
	// Parts is P, the number of parts, 1 or more.
	Parts int
	// Method is Multilevel where it is not set.
	Method Method
	// Seed decides where the method draws lots.
	Seed uint64
	// Balance is what [Vertices] makes equal; [Edges] makes arcs equal.
	Balance Balance
	// Slack is by how much a part may exceed the mean: 0.05 is 5 %, and 0 stands for
	// [DefaultSlack]. Where whole vertices do not fit that, it is exceeded by less
	// than one vertex.
	Slack float64
	// Masks are sets of vertices that every part should have equally many of, such
	// as those to train on; each has an entry per vertex. Only [Vertices] takes
	// them, and not for Hash and Range.
	Masks [][]bool
	// Log is told what the method does, at the level of debugging; nil for nobody.
	Log *slog.Logger
}

// maxParts bounds the parts: no machine has so many, and methods take memory for each.
const maxParts = 1 << 16

// DefaultSlack is what a Slack of 0 stands for. All ranks wait for the one with the
// largest part, and cuts are no better with more: of Cora, 4elt and the look-alikes of
// ogbn-arxiv and ogbn-products they differ by less than seeds make them differ.
const DefaultSlack = 0.02

func (o Options) withDefaults() Options {
	if o.Slack == 0 {
		o.Slack = DefaultSlack
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return o
}

// Validate returns an error that says what is wrong with the options for a graph
// of n vertices.
func (o Options) Validate(n int) error {
	switch {
	case o.Parts < 1 || o.Parts > maxParts:
		return fmt.Errorf("partition: %d parts, want 1 to %d", o.Parts, maxParts)
	case !o.Method.valid():
		return fmt.Errorf("partition: no method has the number %d", int(o.Method))
	case !o.Balance.valid():
		return fmt.Errorf("partition: no balance has the number %d", int(o.Balance))
	case !(o.Slack >= 0) || math.IsInf(o.Slack, 0):
		return fmt.Errorf("partition: slack %v, want 0 or more", o.Slack)
	}
	for i, mask := range o.Masks {
		if len(mask) != n {
			return fmt.Errorf("partition: mask %d has %d entries for %d vertices", i, len(mask), n)
		}
	}
	return o.together()
}

// together checks that the method does what the other options ask for.
func (o Options) together() error {
	switch m := o.Method; {
	case len(o.Masks) > 0 && (m == Hash || m == Range || m.VertexCut()):
		return fmt.Errorf("partition: %v cannot balance sets of vertices: want %v, %v, %v or %v", m, Multilevel, Random, LDG, Fennel)
	case o.Balance != ByVertices && m == Hash:
		return fmt.Errorf("partition: %v balances vertices only, and these in expectation: %v balances %v", m, Random, o.Balance)
	}
	return nil
}

// Vertices assigns each vertex of g to a part.
//
// Contract: entry v is the part, from 0, of vertex v; it depends on the graph and
// the options alone. Hash and Random depend on identities: a graph in another
// order of vertices is divided the same way. One part has all vertices.
// Cost: Hash and Range O(n + m) time; Random O(n (log n + log P)); LDG and Fennel
// O(m + nP); Multilevel some tens of passes over the arcs. Where g is not symmetric
// LDG, Fennel and Multilevel copy its structure, 16 bytes per arc. Multilevel keeps
// all levels: 16 bytes per arc where each has half the edges of the one before, some
// 50 where degrees follow a power law and edges hardly merge.
// Errors: options that are not valid, a method that assigns arcs, and ctx's.
func Vertices(ctx context.Context, g *graph.Graph, o Options) ([]int32, error) {
	if err := o.Validate(g.N); err != nil {
		return nil, err
	}
	if o.Method.VertexCut() {
		return nil, fmt.Errorf("partition: %v assigns arcs, not vertices", o.Method)
	}
	o = o.withDefaults()
	if o.Parts == 1 {
		return make([]int32, g.N), context.Cause(ctx)
	}
	b := g.Block()
	var part []int32
	var err error
	switch o.Method {
	case Multilevel:
		part, err = multilevel(ctx, b, o)
	case Hash:
		part = hashed(b, o)
	case Range:
		part = ranges(b, o)
	case Random:
		part = dealt(b, o)
	case LDG, Fennel:
		part, err = stream(ctx, b, o)
	}
	if err != nil {
		return nil, err
	}
	return part, context.Cause(ctx)
}

// key names the random numbers of a division.
func (o Options) key() rng.Key { return rng.Key{Seed: o.Seed, Purpose: rng.Partition} }

// What random numbers are for: sites of counters, and ids of streams.
const (
	ofHashes     = iota // counters: what a vertex or a pair is hashed to
	ofOrder             // counters: in which order vertices come
	ofMultilevel        // a stream: what the multilevel method draws
	ofEdgeOrder         // a stream: in which order pairs come
)

// none is the second identity of a hash of a single one.
const none = -1

// hash is a number below n that looks random of one or two identities.
//
// Source: the reduction of Lemire, "Fast random integer generation in an interval",
// TOMACS 29 (2019); it is off by less than n in 2³², which no balance shows.
func hash(k rng.Key, id, second int64, n int) int32 {
	// Identities below 2⁴⁸ differ in the 48 bits that the counter has room for.
	w := k.Block(rng.Counter{Site: ofHashes, Step: uint32(second), Group: uint16(second >> 32), ID: uint64(id)})
	return int32(uint64(w[0]) * uint64(n) >> 32)
}

// identity is the global number of a vertex of a block.
func identity(b *graph.Block, v int32) int64 {
	if b.Vertex == nil {
		return int64(v)
	}
	return b.Vertex[v]
}
