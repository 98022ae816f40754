package parted

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"

	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/dataset/budget"
	"github.com/weft-gnn/weft/dataset/numpy"
	"github.com/weft-gnn/weft/tensor"
)

// Part is what one rank has of a divided set. Its slices may be memory-mapped and
// must not be written. A place is an index of Vertex: own vertices come first, by
// number; then the others that arcs end in; then those that arcs only come from.
type Part struct {
	Manifest *Manifest
	Rank     int
	// Own is the number of its own vertices, Rows that of all that arcs end in.
	Own, Rows int
	// Vertex is the number of each vertex in the set that was divided, Identity that
	// in the whole graph; nil where these are equal.
	Vertex   []int32
	Identity []int64
	// Owner is the part of each of the other vertices: of place Own + i at i.
	Owner []int32
	// ArcsInto and Norm are what the set has of arcs into each vertex, of which the
	// part may lack some: their number, and their weights' sum with one loop.
	ArcsInto []int32
	Norm     []float64
	// The arcs into row v are positions Ptr[v] to Ptr[v+1], in the order of the set's
	// graph: places Col of their sources need not ascend.
	Ptr    []int64
	Col    []int32
	Weight []float32 // nil where every weight is 1
	Edge   []int64   // identity of each arc
	// Send are own vertices whose rows other parts fetch; in a vertex-cut, Gather
	// are those of which other parts have partial sums.
	Send, Gather Lists
	// X has a row for each own vertex, EdgeX one for each arc; 0 columns where there
	// are no features.
	X, EdgeX tensor.Matrix
	Labels   dataset.Labels // of own vertices
	// Splits are places of own vertices, or for link prediction positions of arcs.
	Splits []dataset.Split
	IDs    dataset.IDs // of all places; both nil where vertices are called by their numbers
}

// Lists are places for each other part, in the order in which that part has the
// vertices.
type Lists struct {
	ptr   []int64
	place []int32
}

// To is the list for part p; the part's own is empty.
func (l Lists) To(p int) []int32 {
	if l.ptr == nil {
		return nil
	}
	return l.place[l.ptr[p]:l.ptr[p+1]]
}

// Fetched returns the places of the other vertices that arcs come from, for each
// part the ones that it owns, in the order of that part's Send.
//
// Cost: O(arcs of the part + P).
func (p *Part) Fetched() [][]int32 {
	from := make([]bool, len(p.Owner))
	for _, u := range p.Col {
		if int(u) >= p.Own {
			from[int(u)-p.Own] = true
		}
	}
	return p.byOwner(func(i int) bool { return from[i] })
}

// Returned returns the places of the other vertices that arcs end in, for each
// part the ones that it owns, in the order of that part's Gather.
func (p *Part) Returned() [][]int32 {
	return p.byOwner(func(i int) bool { return p.Own+i < p.Rows })
}

func (p *Part) byOwner(has func(i int) bool) [][]int32 {
	of := make([][]int32, len(p.Manifest.Parts))
	for i, owner := range p.Owner {
		if has(i) {
			of[owner] = append(of[owner], int32(p.Own+i))
		}
	}
	return of
}

// ID returns what the vertex at a place is called.
func (p *Part) ID(place int) string {
	if p.IDs.Int == nil && p.IDs.Text == nil {
		return dataset.IDs{}.Of(int(p.Vertex[place]))
	}
	return p.IDs.Of(place)
}

// ReadOptions say how [Open] reads.
type ReadOptions struct {
	// Verify reads all of the part's files and compares their digests with the
	// manifest's; without it, a file that another of the same size and kind has
	// replaced may go unnoticed.
	Verify bool
	// Limits bound the memory that files may make their reader use.
	Limits budget.Limits
}

// Open maps the files of one part, and no others.
//
// Contract: counts are those that the manifest states, and every place, part and
// class is in range.
// Cost: O(n + a) time, n vertices and a arcs of the part; features, the largest
// file, are mapped and not read unless Verify is set.
// Errors: a folder that is no divided set, a rank that it has no part for, and a
// file that is not what the manifest says, which the error names.
func Open(dir string, rank int, opt ReadOptions) (*Part, error) {
	m, err := ReadManifest(dir, opt)
	if err != nil {
		return nil, err
	}
	if rank < 0 || rank >= len(m.Parts) {
		return nil, fmt.Errorf("dataset: %s is divided in %d parts, there is none of rank %d", dir, len(m.Parts), rank)
	}
	r := &reader{dir: filepath.Join(dir, partFolder(rank)), m: m, info: m.Parts[rank]}
	size, err := budget.SizeOf(r.dir)
	if err != nil {
		return nil, fmt.Errorf("dataset: %w", err)
	}
	r.guard = opt.Limits.Guard(r.dir, size)
	if opt.Verify {
		if err := r.verify(); err != nil {
			return nil, err
		}
	}
	p := &Part{Manifest: m, Rank: rank, Own: int(r.info.Vertices), Rows: int(r.info.Rows)}
	for _, step := range []func(*Part){r.structure, r.lists, r.values, r.ids, r.splits} {
		if step(p); r.err != nil {
			return nil, r.err
		}
	}
	return p, nil
}

// maxManifest bounds the size of a manifest: some 100,000 parts.
const maxManifest = 1 << 28

// ReadManifest reads what describes a divided set, and none of its parts.
//
// Errors: a folder that is no divided set; counts that do not agree.
func ReadManifest(dir string, opt ReadOptions) (*Manifest, error) {
	path := filepath.Join(dir, ManifestFile)
	f, err := budget.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxManifest+1))
	if err != nil {
		return nil, fmt.Errorf("dataset: %s: %w", path, err)
	}
	if len(data) > maxManifest {
		return nil, fmt.Errorf("dataset: %s: more than %d bytes", path, maxManifest)
	}
	m := new(Manifest)
	if err := json.Unmarshal(data, m); err != nil {
		return nil, fmt.Errorf("dataset: %s: %w", path, err)
	}
	if err := m.validate(opt.Limits.Guard(path, int64(len(data)))); err != nil {
		return nil, fmt.Errorf("dataset: %s: %w", path, err)
	}
	return m, nil
}

// reader reads the files of one part; the first error stays.
type reader struct {
	dir   string
	m     *Manifest
	info  Info
	guard *budget.Guard
	err   error
}

// verify compares the digests of the part's files with the manifest's.
func (r *reader) verify() error {
	for _, name := range slices.Sorted(maps.Keys(r.info.Files)) {
		if filepath.Base(name) != name {
			return fmt.Errorf("dataset: %s: the manifest names a file %q outside the folder", r.dir, name)
		}
		sum, err := digest(filepath.Join(r.dir, name))
		if err != nil {
			return err
		}
		if want := r.info.Files[name]; sum != want {
			return fmt.Errorf("dataset: %s: the SHA-256 is %s, the manifest has %s: not the file that was written", filepath.Join(r.dir, name), sum, want)
		}
	}
	return nil
}

func digest(path string) (string, error) {
	f, err := budget.Open(path)
	if err != nil {
		return "", err
	}
	h := sha256.New()
	_, err = io.Copy(h, f)
	if err = errors.Join(err, f.Close()); err != nil {
		return "", fmt.Errorf("dataset: %s: %w", path, err)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// fail keeps an error, if it is the first.
func (r *reader) fail(err error) {
	if r.err == nil {
		r.err = err
	}
}

// array maps a file of the given shape; −1 stands for any length.
func (r *reader) array(name string, shape ...int) *numpy.Array {
	if r.err != nil {
		return nil
	}
	if _, ok := r.info.Files[name]; !ok {
		r.fail(fmt.Errorf("dataset: %s: the manifest lacks the file %s", r.dir, name))
		return nil
	}
	a, err := numpy.Open(filepath.Join(r.dir, name), r.guard)
	if err == nil {
		err = a.WantShape(shape...)
	}
	r.fail(err)
	return a
}

// column maps a file of n elements; −1 for any number. Elements that another program
// wrote in another width or place are converted.
func column[T int32 | int64 | float32 | float64](r *reader, name string, n int) []T {
	a := r.array(name, n)
	if r.err != nil {
		return nil
	}
	v, ok := numpy.View[T](a)
	if ok {
		return v
	}
	var err error
	switch to := any(&v).(type) {
	case *[]float32:
		*to, err = a.Floats(r.guard)
	case *[]float64:
		*to, err = a.Doubles(r.guard)
	case *[]int64:
		*to, err = a.Ints(r.guard)
	case *[]int32:
		*to, err = narrowed(a, r.guard)
	}
	r.fail(err)
	return v
}

// narrowed returns the elements as numbers of 32 bits.
func narrowed(a *numpy.Array, g *budget.Guard) ([]int32, error) {
	wide, err := a.Ints(g)
	if err != nil {
		return nil, err
	}
	if err := g.Need(a.Name, int64(len(wide)), 4); err != nil {
		return nil, err
	}
	v := make([]int32, len(wide))
	for i, x := range wide {
		if v[i] = int32(x); int64(v[i]) != x {
			return nil, a.Errorf("entry %d is %d, want a number of 32 bits", i, x)
		}
	}
	return v, nil
}

// matrix maps a file of rows × cols numbers; none where there are no columns.
func (r *reader) matrix(name string, rows, cols int) tensor.Matrix {
	if cols == 0 {
		return tensor.New(rows, 0)
	}
	a := r.array(name, rows, cols)
	if r.err != nil {
		return tensor.Matrix{}
	}
	m, err := a.Matrix(r.guard)
	r.fail(err)
	return m
}

// lists reads what the part sends and gathers.
func (r *reader) lists(p *Part) {
	p.Send = r.list(p, "send")
	if r.m.VertexCut {
		p.Gather = r.list(p, "gather")
	}
}

func (r *reader) list(p *Part, name string) Lists {
	l := Lists{column[int64](r, name+"_ptr.npy", len(r.m.Parts)+1), column[int32](r, name+".npy", -1)}
	r.ascend(name+"_ptr.npy", l.ptr, len(l.place))
	r.within(name+".npy", l.place, 0, p.Own)
	if r.err == nil && len(l.To(p.Rank)) > 0 {
		r.failAt(name+"_ptr.npy", "the part has a list for itself")
	}
	return l
}

// values reads features and labels.
func (r *reader) values(p *Part) {
	p.X = r.matrix("feat.npy", p.Own, r.m.Features)
	p.EdgeX = r.matrix("edge_feat.npy", len(p.Col), r.m.EdgeFeatures)
	p.Labels.Names = r.m.Classes
	if r.m.Labelled {
		p.Labels.Class = column[int32](r, "labels.npy", p.Own)
		r.within("labels.npy", p.Labels.Class, -1, len(r.m.Classes))
	}
	if r.m.Targets > 0 {
		p.Labels.Value = r.matrix("targets.npy", p.Own, r.m.Targets)
	}
}

// ids reads users' ids.
func (r *reader) ids(p *Part) {
	switch r.m.IDs {
	case Integers:
		p.IDs.Int = column[int64](r, "ids.npy", len(p.Vertex))
	case Texts:
		text, at := r.array("ids.npy", -1), r.array("id_starts.npy", len(p.Vertex)+1)
		if r.err == nil {
			texts, err := numpy.JoinedText(text, at, r.guard)
			r.fail(err)
			p.IDs.Text = texts
		}
	}
}

// splits reads the items of each split.
func (r *reader) splits(p *Part) {
	items := p.Own
	if r.m.Task == dataset.LinkPrediction {
		items = len(p.Col)
	}
	for i, split := range r.m.Splits {
		s := dataset.Split{Name: split.Name}
		for k, to := range [3]*[]int32{&s.Train, &s.Val, &s.Test} {
			file := splitFile(i, partNames[k])
			*to = column[int32](r, file, -1)
			r.within(file, *to, 0, items)
		}
		p.Splits = append(p.Splits, s)
	}
}
