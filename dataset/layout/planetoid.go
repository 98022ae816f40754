package layout

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/nlpodyssey/gopickle/types"

	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/dataset/budget"
	"github.com/weft-gnn/weft/dataset/numpy"
	"github.com/weft-gnn/weft/tensor"
)

// planetoidFormat is the citation sets as Planetoid published them: eight
// files ind.NAME.x, .y, .tx, .ty, .allx, .ally, .graph, .test.index.
//
// Vertices 0…|allx|−1 are the rows of allx, the first |x| of which are the
// training set; the rows of tx belong to the vertices that test.index lists.
// Ids missing from the range of test.index (15 in CiteSeer) are vertices with
// zero features, no label and no split. The adjacency lists state every edge
// from both ends, some of them twice, with some loops: duplicates are merged,
// loops are kept and counted.
//
// Source: Yang, Cohen and Salakhutdinov, "Revisiting semi-supervised learning
// with graph embeddings", ICML 2016; the split by Kipf and Welling, ICLR 2017:
// 20 vertices of each class, the 500 after them, the 1,000 of test.index.
var planetoidFormat = dataset.Format{
	Name:   Planetoid,
	About:  "citation sets, eight files ind.NAME.x … ind.NAME.test.index",
	Detect: detectPlanetoid,
	Sets:   planetoidSets,
	Read:   readPlanetoid,
}

// Planetoid is the name of the layout of the citation sets.
const Planetoid = "planetoid"

var planetoidSuffixes = []string{"x", "y", "tx", "ty", "allx", "ally", "graph", "test.index"}

// planetoidValidation is the size of the public validation set.
const planetoidValidation = 500

// planetoidPrefix cuts ".x" or another suffix off "ind.cora.x"; a prefix
// without one stays.
func planetoidPrefix(base string) (string, bool) {
	if !strings.HasPrefix(base, "ind.") {
		return "", false
	}
	for _, suffix := range planetoidSuffixes {
		if p, ok := strings.CutSuffix(base, "."+suffix); ok && len(p) > len("ind.") {
			return p, true
		}
	}
	return base, len(base) > len("ind.")
}

func detectPlanetoid(p dataset.Probe) dataset.Score {
	if p.Dir {
		if len(planetoidSets(p)) > 0 {
			return dataset.Certain
		}
		return dataset.No
	}
	if _, ok := planetoidPrefix(p.Base()); ok && strings.Count(p.Base(), ".") >= 1 {
		return dataset.Certain
	}
	return dataset.No
}

func planetoidSets(p dataset.Probe) []dataset.Entry {
	var sets []dataset.Entry
	for _, graph := range p.HasSuffix(".graph") {
		prefix, ok := planetoidPrefix(graph)
		if ok && p.Has(prefix+".x") {
			sets = append(sets, dataset.Entry{Name: strings.TrimPrefix(prefix, "ind."), Path: filepath.Join(p.Path, prefix)})
		}
	}
	return sets
}

// planetoidFiles reads the files of one set.
type planetoidFiles struct {
	prefix string // folder and ind.NAME
	guard  *budget.Guard
}

func readPlanetoid(ctx context.Context, path string, opt dataset.Options) (*dataset.Dataset, error) {
	prefix, err := resolvePlanetoid(path)
	if err != nil {
		return nil, err
	}
	f := planetoidFiles{prefix: prefix}
	var size int64
	for _, suffix := range planetoidSuffixes {
		fi, err := os.Stat(f.path(suffix))
		if err != nil {
			return nil, fmt.Errorf("dataset: %w", err)
		}
		size += fi.Size()
	}
	f.guard = opt.Limits.Guard(prefix, size)
	d := &dataset.Dataset{Name: strings.TrimPrefix(filepath.Base(prefix), "ind."), Task: dataset.VertexClassification}
	for _, step := range []func(*dataset.Dataset, dataset.Options) error{f.vertices, f.edges} {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := step(d, opt); err != nil {
			return nil, err
		}
	}
	return d, nil
}

// resolvePlanetoid turns a folder, a file or a prefix into folder/ind.NAME.
func resolvePlanetoid(path string) (string, error) {
	if fi, err := os.Stat(path); err == nil && fi.IsDir() {
		p, err := dataset.Look(path)
		if err != nil {
			return "", err
		}
		switch sets := planetoidSets(p); len(sets) {
		case 0:
			return "", fmt.Errorf("dataset: %s: no files ind.NAME.x, ind.NAME.graph, …", path)
		case 1:
			return sets[0].Path, nil
		default:
			names := make([]string, len(sets))
			for i, s := range sets {
				names[i] = s.Path
			}
			return "", fmt.Errorf("dataset: %s holds several sets: choose one of %s", path, strings.Join(names, ", "))
		}
	}
	base, ok := planetoidPrefix(filepath.Base(path))
	if !ok {
		return "", fmt.Errorf("dataset: %s: want a name like ind.NAME.graph", path)
	}
	return filepath.Join(filepath.Dir(path), base), nil
}

func (f planetoidFiles) path(suffix string) string { return f.prefix + "." + suffix }

func (f planetoidFiles) unpickle(suffix string) (any, error) {
	file, err := budget.Open(f.path(suffix))
	if err != nil {
		return nil, err
	}
	defer file.Close()
	data, err := io.ReadAll(file)
	if err != nil {
		return nil, fmt.Errorf("dataset: %w", err)
	}
	return numpy.Unpickle(f.path(suffix), data, f.guard)
}

func (f planetoidFiles) sparse(suffix string) (*numpy.CSR, error) {
	v, err := f.unpickle(suffix)
	if err != nil {
		return nil, err
	}
	s, ok := v.(*numpy.CSR)
	if !ok {
		return nil, fmt.Errorf("dataset: %s: a %s, want a SciPy CSR matrix", f.path(suffix), numpy.TypeName(v))
	}
	s.Rename(f.path(suffix))
	return s, nil
}

// classes reads a one-hot matrix: the class of each row, −1 for a row of
// zeros, and the number of classes.
func (f planetoidFiles) classes(suffix string) ([]int32, int, error) {
	v, err := f.unpickle(suffix)
	if err != nil {
		return nil, 0, err
	}
	a, ok := v.(*numpy.Array)
	if !ok {
		return nil, 0, fmt.Errorf("dataset: %s: a %s, want a NumPy array", f.path(suffix), numpy.TypeName(v))
	}
	a.Name = f.path(suffix)
	if err := a.WantShape(-1, -1); err != nil {
		return nil, 0, err
	}
	m, err := a.Matrix(f.guard)
	if err != nil {
		return nil, 0, err
	}
	if err := f.guard.Need("labels", int64(m.Rows), 4); err != nil {
		return nil, 0, err
	}
	class := make([]int32, m.Rows)
	for i := range class {
		if class[i], err = oneHot(m.Row(i)); err != nil {
			return nil, 0, fmt.Errorf("dataset: %s: row %d: %w", f.path(suffix), i, err)
		}
	}
	return class, m.Cols, nil
}

func oneHot(row []float32) (int32, error) {
	class := int32(-1)
	for j, v := range row {
		switch {
		case v == 0:
		case v != 1 || class >= 0:
			return 0, fmt.Errorf("not one-hot")
		default:
			class = int32(j)
		}
	}
	return class, nil
}

// vertices reads features, labels and the split.
func (f planetoidFiles) vertices(d *dataset.Dataset, _ dataset.Options) error {
	all, err := f.sparse("allx")
	if err != nil {
		return err
	}
	tx, err := f.sparse("tx")
	if err != nil {
		return err
	}
	test, err := f.testIndex(all.Rows, tx.Rows)
	if err != nil {
		return err
	}
	n := all.Rows
	if len(test) > 0 {
		n = max(n, int(slices.Max(test))+1)
	}
	if tx.Cols != all.Cols {
		return fmt.Errorf("dataset: %s: %d columns, allx has %d", tx.Name, tx.Cols, all.Cols)
	}
	if err := f.guard.NeedMatrix("features", int64(n), int64(all.Cols), 4); err != nil {
		return err
	}
	d.X = tensor.New(n, all.Cols)
	if err := all.AddTo(d.X, func(i int) int { return i }, f.guard); err != nil {
		return err
	}
	if err := tx.AddTo(d.X, func(i int) int { return int(test[i]) }, f.guard); err != nil {
		return err
	}
	return f.labels(d, n, all.Rows, test)
}

func (f planetoidFiles) labels(d *dataset.Dataset, n, allRows int, test []int32) error {
	train, classes, err := f.classes("y")
	if err != nil {
		return err
	}
	known, k, err := f.classes("ally")
	if err != nil {
		return err
	}
	tested, kt, err := f.classes("ty")
	if err != nil {
		return err
	}
	if len(known) != allRows || len(tested) != len(test) || k != classes || kt != classes || len(train) > allRows {
		return fmt.Errorf("dataset: %s: labels of %d×%d, %d×%d and %d×%d in y, ally and ty for %d and %d rows in allx and tx",
			f.prefix, len(train), classes, len(known), k, len(tested), kt, allRows, len(test))
	}
	d.Labels.Class = slices.Repeat([]int32{-1}, n)
	copy(d.Labels.Class, known)
	for i, v := range test {
		d.Labels.Class[v] = tested[i]
	}
	d.Labels.Names = dataset.NumberedClasses(classes)
	val := min(len(train)+planetoidValidation, allRows)
	s := dataset.Split{Name: "public", Train: span(0, len(train)), Val: span(len(train), val), Test: slices.Sorted(slices.Values(test))}
	d.Splits = []dataset.Split{s}
	if gaps := n - allRows - len(test); gaps > 0 {
		d.Notes = append(d.Notes, fmt.Sprintf("%d vertices are missing from test.index: zero features, no label, in no split", gaps))
	}
	return nil
}

// testIndex reads the vertex of each row of tx: distinct ids after the rows of
// allx.
func (f planetoidFiles) testIndex(first, rows int) ([]int32, error) {
	path := f.path("test.index")
	file, err := budget.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var ids []int32
	seen := map[int32]bool{}
	scan := bufio.NewScanner(file)
	for line := 1; scan.Scan(); line++ {
		v, err := strconv.ParseInt(strings.TrimSpace(scan.Text()), 10, 32)
		id := int32(v)
		switch {
		case err != nil:
			return nil, fmt.Errorf("dataset: %s:%d: %q is not a vertex number", path, line, scan.Text())
		case int(id) < first || v >= f.guard.Limits.Vertices:
			return nil, fmt.Errorf("dataset: %s:%d: vertex %d: test vertices follow the %d rows of allx", path, line, id, first)
		case seen[id]:
			return nil, fmt.Errorf("dataset: %s:%d: vertex %d is listed twice", path, line, id)
		}
		seen[id] = true
		ids = append(ids, id)
	}
	if err := scan.Err(); err != nil {
		return nil, fmt.Errorf("dataset: %s: %w", path, err)
	}
	if len(ids) != rows {
		return nil, fmt.Errorf("dataset: %s: %d test vertices for the %d rows of tx", path, len(ids), rows)
	}
	return ids, nil
}

// edges reads the adjacency lists. Row i of the edge list is the i-th
// neighbour in the order of the file.
func (f planetoidFiles) edges(d *dataset.Dataset, opt dataset.Options) error {
	v, err := f.unpickle("graph")
	if err != nil {
		return err
	}
	lists, ok := v.(*types.Dict)
	if !ok {
		return fmt.Errorf("dataset: %s: a %s, want a dict of lists", f.path("graph"), numpy.TypeName(v))
	}
	e := dataset.EdgeList{Path: f.path("graph"), N: d.X.Rows, Undirected: true}
	var arcs int64
	for _, item := range *lists {
		if l, ok := item.Value.(*types.List); ok {
			arcs += int64(l.Len())
		}
	}
	if err := f.guard.Counts(int64(e.N), 2*arcs); err != nil {
		return err
	}
	for _, item := range *lists {
		if err := addList(&e, item.Key, item.Value); err != nil {
			return err
		}
	}
	d.Graph, err = e.Build(opt)
	return err
}

// addList lists the arcs from a vertex to its neighbours, Python numbers all.
func addList(e *dataset.EdgeList, key, value any) error {
	v, ok := key.(int)
	l, isList := value.(*types.List)
	if !ok || !isList {
		return fmt.Errorf("dataset: %s: entry %s: %s, want a number and a list", e.Path, numpy.TypeName(key), numpy.TypeName(value))
	}
	for _, item := range *l {
		u, ok := item.(int)
		if !ok {
			return fmt.Errorf("dataset: %s: the neighbours of %d hold a %s, want numbers", e.Path, v, numpy.TypeName(item))
		}
		for _, id := range [2]int{v, u} {
			if id < 0 || id >= e.N {
				return fmt.Errorf("dataset: %s: the neighbours of %d: vertex %d is outside 0…%d", e.Path, v, id, e.N-1)
			}
		}
		e.Src = append(e.Src, int32(v))
		e.Dst = append(e.Dst, int32(u))
	}
	return nil
}

// span is lo, lo+1, …, hi−1.
func span(lo, hi int) []int32 {
	out := make([]int32, 0, hi-lo)
	for i := lo; i < hi; i++ {
		out = append(out, int32(i))
	}
	return out
}
