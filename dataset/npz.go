package dataset

import (
	"archive/zip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
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
var npzFormat = Format{
	Name:   "npz",
	About:  "one graph in a NumPy archive: adj_*, attr_*, labels; or node_features, edges, …",
	Detect: detectNPZ,
	Read:   readNPZ,
}

func detectNPZ(p Probe) Score {
	switch {
	case p.Dir || len(p.HasSuffix(".npy")) == 0:
		return No
	case npzLayoutOf(p.Has) != nil:
		return Certain
	}
	return Possible // to say what is missing
}

// npzLayout is one choice of array names.
type npzLayout struct {
	needs []string
	read  func(z *npzFile, opt Options) (*Dataset, error)
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

func readNPZ(ctx context.Context, path string, opt Options) (*Dataset, error) {
	z, err := openNPZ(path, opt)
	if err != nil {
		return nil, err
	}
	defer z.Close()
	l := npzLayoutOf(z.has)
	if l == nil {
		if z.has("format.npy") && z.has("shape.npy") {
			return nil, fmt.Errorf("dataset: %s: one sparse matrix of SciPy, not a graph with its labels", path)
		}
		return nil, fmt.Errorf("dataset: %s: arrays %s: want adj_* (with attr_*, labels) or node_features, node_labels, edges", path, strings.Join(z.names(), ", "))
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return l.read(z, opt)
}

// npzFile is an open archive of arrays.
type npzFile struct {
	path  string
	file  *os.File
	zip   *zip.Reader
	guard *guard
}

func openNPZ(path string, opt Options) (*npzFile, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("dataset: %w", err)
	}
	fi, err := f.Stat()
	if err == nil {
		var z *zip.Reader
		if z, err = zip.NewReader(f, fi.Size()); err == nil {
			return &npzFile{path: path, file: f, zip: z, guard: opt.Limits.guard(path, fi.Size())}, nil
		}
	}
	f.Close()
	return nil, fmt.Errorf("dataset: %s: %w", path, err)
}

// Close closes the archive's file.
func (z *npzFile) Close() error { return z.file.Close() }

func (z *npzFile) has(member string) bool {
	return slices.ContainsFunc(z.zip.File, func(f *zip.File) bool { return f.Name == member })
}

func (z *npzFile) names() []string {
	var names []string
	for _, f := range z.zip.File {
		names = append(names, strings.TrimSuffix(f.Name, ".npy"))
	}
	return names
}

// array reads the array called name.
func (z *npzFile) array(name string) (*array, error) {
	where := z.path + ": " + name
	for _, f := range z.zip.File {
		if f.Name == name+".npy" {
			data, err := readMember(f, where, z.guard)
			if err != nil {
				return nil, err
			}
			return parseNPY(where, data, z.guard)
		}
	}
	return nil, fmt.Errorf("dataset: %s: %w", where, fs.ErrNotExist)
}

// optional is array, nil where it is not there.
func (z *npzFile) optional(name string) (*array, error) {
	a, err := z.array(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return a, err
}

// readMember reads a member of a zip archive whole. The size it states is
// taken from the budget before it is believed.
func readMember(f *zip.File, where string, g *guard) ([]byte, error) {
	size := f.UncompressedSize64
	if err := g.need(where, int64(min(size, 1<<62)), 1); err != nil {
		return nil, err
	}
	r, err := f.Open()
	if err != nil {
		return nil, fmt.Errorf("dataset: %s: %w", where, err)
	}
	defer r.Close()
	// Growing as it is read, the buffer is never far over what is there.
	data, err := io.ReadAll(io.LimitReader(r, int64(size)+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("dataset: %s: %w", where, err)
	case uint64(len(data)) != size:
		return nil, fmt.Errorf("dataset: %s: the archive states %d bytes and holds %d or more", where, size, len(data))
	}
	return data, nil
}
