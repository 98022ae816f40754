package synth

import (
	"context"
	"fmt"
	"math"
	"math/bits"

	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/internal/rng"
)

// The draws of generators. Counters begin at site 1: site 0 is where the
// streams lie that permute vertices.
const (
	siteEdge uint16 = iota + 1
	siteFeature
	siteCentroid
)

// The streams of generators.
const (
	streamRank uint64 = iota
	streamClass
)

func (o Options) key() rng.Key { return rng.Key{Seed: o.Seed, Purpose: rng.Generate} }

// rmat draws the recursive matrix of Graph500: every level of a source's and a
// target's bits falls into the quadrants with the probabilities .57, .19, .19
// and .05. Vertices are renamed at random, so that ids say nothing of degrees.
//
// Source: Chakrabarti, Zhan and Faloutsos, "R-MAT", SDM'04; the parameters and
// 16 edges per vertex are those of the Graph500 specification.
// Differs: loops and repeated edges are drawn again.
func (o Options) rmat(ctx context.Context, d *dataset.Dataset) error {
	n, err := o.times("vertices", 1<<16)
	if err != nil {
		return err
	}
	if n < 1<<8 {
		return fmt.Errorf("dataset: scale %g leaves %d vertices of an R-MAT graph, want at least %d", o.Scale, n, 1<<8)
	}
	want, err := o.times("edges", 16<<16)
	if err != nil {
		return err
	}
	if err := o.fits(n, want, 0); err != nil {
		return err
	}
	levels := bits.Len(uint(n - 1))
	name := o.key().Permutation(streamRank, n)
	keys, err := drawEdges(ctx, want, o.Threads, func(i uint64) uint64 {
		u, v := o.rmatDraw(i, levels)
		if u >= n || v >= n { // n need not be a power of two
			return noEdge
		}
		return edgeKey(name[u], name[v])
	})
	if err != nil {
		return err
	}
	src, dst := ends(keys)
	return structure(d, n, src, dst)
}

// Bounds of the quadrants among 2³² words.
const (
	rmatA = 57 * (math.MaxUint32 / 100)
	rmatB = rmatA + 19*(math.MaxUint32/100)
	rmatC = rmatB + 19*(math.MaxUint32/100)
)

// rmatDraw draws the ends of edge i, one word for each level.
func (o Options) rmatDraw(i uint64, levels int) (u, v int) {
	var words [32]uint32
	k := o.key()
	for g := 0; g < levels; g += 4 {
		w := k.Block(rng.Counter{Step: uint32(RMAT), Site: siteEdge, Group: uint16(g / 4), ID: i})
		copy(words[g:], w[:])
	}
	for _, w := range words[:levels] {
		u, v = u<<1, v<<1
		switch {
		case w < rmatA:
		case w < rmatB:
			v++
		case w < rmatC:
			u++
		default:
			u++
			v++
		}
	}
	return u, v
}
