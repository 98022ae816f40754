package layout

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/dataset/numpy"
)

// npzFormat is one graph in a NumPy archive, by the names of its arrays:
//
//   - adj_data, adj_indices, adj_indptr, adj_shape, the same of attr, labels:
//     citation and co-purchase graphs of Shchur et al., "Pitfalls of graph
//     neural network evaluation", 2018. The listed edges are citations, read as
//     undirected, as there, unless Options say otherwise.
//   - node_features, node_labels, edges, train_masks, val_masks, test_masks:
//     Platonov et al., "A critical look at the evaluation of GNNs under
//     heterophily", ICLR 2023. Each undirected edge is listed once; ten splits.
var npzFormat = dataset.Format{
	Name:   "npz",
	About:  "one graph in a NumPy archive: adj_*, attr_*, labels; or node_features, edges, …",
	Detect: detectNPZ,
	Read:   readNPZ,
}

func detectNPZ(p dataset.Probe) dataset.Score {
	switch {
	case p.Dir || len(p.HasSuffix(".npy")) == 0:
		return dataset.No
	case npzLayoutOf(p.Has) != nil:
		return dataset.Certain
	}
	return dataset.Possible // to say what is missing
}

// npzSet reads the parts of a set from an archive.
type npzSet struct{ *numpy.Archive }

// npzLayout is one choice of array names.
type npzLayout struct {
	needs []string
	read  func(z npzSet, opt dataset.Options) (*dataset.Dataset, error)
}

func npzLayouts() []npzLayout {
	return []npzLayout{
		{[]string{"adj_indices", "adj_indptr", "adj_shape"}, readShchur},
		{[]string{"node_features", "node_labels", "edges"}, readMasked},
	}
}

// npzLayoutOf returns the layout whose arrays are all there, or nil.
func npzLayoutOf(has func(member string) bool) *npzLayout {
	for _, l := range npzLayouts() {
		if !slices.ContainsFunc(l.needs, func(n string) bool { return !has(n + ".npy") }) {
			return &l
		}
	}
	return nil
}

func readNPZ(ctx context.Context, path string, opt dataset.Options) (*dataset.Dataset, error) {
	z, err := numpy.OpenArchive(path, opt.Limits)
	if err != nil {
		return nil, err
	}
	defer z.Close()
	l := npzLayoutOf(z.Has)
	if l == nil {
		if z.Has("format.npy") && z.Has("shape.npy") {
			return nil, fmt.Errorf("dataset: %s: one sparse matrix of SciPy, not a graph with its labels", path)
		}
		return nil, fmt.Errorf("dataset: %s: arrays %s: want adj_* (with attr_*, labels) or node_features, node_labels, edges", path, strings.Join(z.Names(), ", "))
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return l.read(npzSet{z}, opt)
}
