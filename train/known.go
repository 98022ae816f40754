package train

import (
	"fmt"
	"sync"

	"github.com/weft-gnn/weft/cost"
	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/dataset/parted"
	"github.com/weft-gnn/weft/program"
	"github.com/weft-gnn/weft/tensor"
)

// known is what a trainer knows of the set that all ranks train on, whether it has
// read all of it or opened its part alone.
type known struct {
	weighted bool
	// symmetric finds whether every edge has its reverse, of the same weight.
	symmetric func() bool
	nonzeros  int64 // entries of the features that models read
	split     parted.Split
	// env gives the symbols of the graph's sizes their values.
	env func(...*program.Program) cost.Env
	// fingerprint is that of the set; it takes a while.
	fingerprint func() string
	// lines say what the data are, for ranks to compare.
	lines []string
}

// knownOf counts what a whole set has; its first split is used.
func knownOf(d *dataset.Dataset, x tensor.Matrix) known {
	g, split := d.Graph, d.Splits[0]
	return known{
		weighted: g.Weight != nil, symmetric: g.Block().SymmetricWeights, nonzeros: program.Nonzeros(x), split: parted.SplitOf(d, split),
		env:         func(ps ...*program.Program) cost.Env { return program.ExtentOf(g, ps...).Env() },
		fingerprint: sync.OnceValue(d.Fingerprint),
		lines: []string{
			fmt.Sprintf("%d vertices", g.N),
			fmt.Sprintf("%d arcs", len(g.Src)),
			fmt.Sprintf("arcs with the checksums %08x and %08x", checksum(g.Ptr), checksum(g.Src)),
			fmt.Sprintf("%d training items with the checksum %08x", len(split.Train), checksum(split.Train)),
			fmt.Sprintf("%d validation items", len(split.Val)),
			fmt.Sprintf("%d test items", len(split.Test)),
		},
	}
}
