package layout

import (
	"bytes"
	"context"
	"fmt"

	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/dataset/internal/lines"
	"github.com/weft-gnn/weft/graph"
	"github.com/weft-gnn/weft/tensor"
)

// mtxFormat reads Matrix Market files as adjacency matrices: the entry in row i
// and column j is the edge i→j, and its value the edge's weight.
//
// A symmetric or skew-symmetric header states undirected edges, a general one
// directed edges. An entry of a coordinate file is an edge whatever its value,
// zero included; an array file lists every entry, and there a zero is no edge.
// Complex values are refused, since weights are real. Vertices are called by
// their row, from 1.
//
// Source: Boisvert, Pozo and Remington, "The Matrix Market exchange formats",
// NISTIR 5935, 1996; the "%%GraphBLAS type" comment is LAGraph_MMRead's.
var mtxFormat = dataset.Format{
	Name:   "mtx",
	About:  "Matrix Market coordinate and array files (*.mtx)",
	Detect: detectMTX,
	Read:   readMTX,
}

func detectMTX(p dataset.Probe) dataset.Score {
	switch {
	case isMTXBanner(bytes.TrimPrefix(p.Head, []byte("\ufeff"))):
		return dataset.Certain
	case p.Ext() == ".mtx" && !p.Dir:
		return dataset.Likely // what its banner lacks is the reader's to say
	}
	return dataset.No
}

func isMTXBanner(line []byte) bool {
	return len(line) >= len(mtxBanner) && bytes.EqualFold(line[:len(mtxBanner)], []byte(mtxBanner))
}

func readMTX(ctx context.Context, path string, opt dataset.Options) (*dataset.Dataset, error) {
	l, g, err := lines.Open(ctx, path, opt.Limits)
	if err != nil {
		return nil, err
	}
	defer l.Close()
	m, err := parseMTX(l, g)
	if err != nil {
		return nil, err
	}
	return m.dataset(path, opt)
}

// dataset makes a graph of a square matrix.
func (m *mtxMatrix) dataset(path string, opt dataset.Options) (*dataset.Dataset, error) {
	if m.rows != m.cols {
		return nil, fmt.Errorf("dataset: %s: a %d×%d matrix is no graph: want as many rows as columns, one for each vertex", path, m.rows, m.cols)
	}
	n := int(m.rows)
	e := dataset.EdgeList{Path: path, N: n, Src: m.row, Dst: m.col, Weight: m.value, Undirected: m.symmetry != mtxGeneral}
	d := &dataset.Dataset{X: tensor.New(n, 0), IDs: dataset.IDs{Int: countFrom(1, n)}}
	if m.notFinite > 0 {
		e.Weight = nil
		d.Notes = append(d.Notes, fmt.Sprintf("%d of %d values are not finite, the first on line %d: no value is used as a weight", m.notFinite, len(m.row), m.notFiniteLine))
	}
	var err error
	if d.Graph, err = e.Build(opt); err != nil {
		return nil, err
	}
	if m.symmetry == mtxSkew {
		negateMirrored(d.Graph, m.col)
	}
	return d, nil
}

// negateMirrored gives each arc that symmetrising added the negative of its
// original's weight: Aᵀ = −A. An arc was added where it points away from its
// row's destination.
func negateMirrored(g *graph.Graph, dst []int32) {
	if g.Weight == nil {
		return
	}
	for v := range g.N {
		for i := g.Ptr[v]; i < g.Ptr[v+1]; i++ {
			row := i
			if g.Listing != nil {
				row = g.Listing[i]
			}
			if dst[row] != int32(v) {
				g.Weight[i] = -g.Weight[i]
			}
		}
	}
}
