package ondisk

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/dataset/budget"
	"github.com/weft-gnn/weft/dataset/internal/lines"
	"github.com/weft-gnn/weft/dataset/numpy"
	"github.com/weft-gnn/weft/dataset/yamldoc"
	"github.com/weft-gnn/weft/tensor"
)

// reader reads the files of one folder.
type reader struct {
	dir   string
	meta  metadata
	weft  *metaWeft // nil in folders that weft did not write
	guard *budget.Guard
	n     int
}

func read(ctx context.Context, path string, opt dataset.Options) (*dataset.Dataset, error) {
	r := reader{dir: path}
	if filepath.Base(path) == metadataFile {
		r.dir = filepath.Dir(path)
	}
	size, err := budget.SizeOf(r.dir)
	if err != nil {
		return nil, fmt.Errorf("dataset: %w", err)
	}
	r.guard = opt.Limits.Guard(r.dir, size)
	if err := yamldoc.Decode(r.metaPath(), maxMetadata, &r.meta); err != nil {
		return nil, err
	}
	if r.weft, err = r.readWeft(); err != nil {
		return nil, err
	}
	n, edges, err := r.meta.homogeneous(r.metaPath())
	if err != nil {
		return nil, err
	}
	if err := r.guard.Counts(n, 0); err != nil {
		return nil, err
	}
	r.n = int(n)
	d := &dataset.Dataset{Name: r.meta.Name}
	if d.Graph, err = r.graph(ctx, edges, opt); err != nil {
		return nil, err
	}
	for _, step := range []func(*dataset.Dataset) error{r.features, r.readTask, r.extra} {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := step(d); err != nil {
			return nil, err
		}
	}
	return d, nil
}

func (r *reader) metaPath() string { return filepath.Join(r.dir, metadataFile) }

// array maps the file of the metadata.
func (r *reader) array(f metaFile) (*numpy.Array, error) {
	if f.Format != "numpy" {
		return nil, fmt.Errorf("dataset: %s: %s has the format %q: only numpy is read (save it with numpy.save)", r.metaPath(), f.Path, f.Format)
	}
	path, err := f.in(r.dir)
	if err != nil {
		return nil, err
	}
	return numpy.Open(path, r.guard)
}

// npy is array for the files that metaWeft names, which are .npy all.
func (r *reader) npy(path string) (*numpy.Array, error) {
	return r.array(metaFile{Format: "numpy", Path: path})
}

// edgeColumns reads sources and destinations: a 2 × m array, or two columns of
// comma-separated text.
func (r *reader) edgeColumns(ctx context.Context, f metaFile) (src, dst []int64, err error) {
	if f.Format == "csv" {
		return r.edgesCSV(ctx, f)
	}
	a, err := r.array(f)
	if err != nil {
		return nil, nil, err
	}
	if err := a.WantShape(2, -1); err != nil {
		return nil, nil, err
	}
	m := a.Shape[1]
	if err := r.guard.Counts(0, int64(m)); err != nil {
		return nil, nil, err
	}
	both, err := a.Ints(r.guard)
	if err != nil {
		return nil, nil, err
	}
	return both[:m:m], both[m:], nil
}

// edgesCSV reads two vertices on each line.
func (r *reader) edgesCSV(ctx context.Context, f metaFile) (src, dst []int64, err error) {
	path, err := f.in(r.dir)
	if err != nil {
		return nil, nil, err
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, nil, fmt.Errorf("dataset: %w", err)
	}
	defer file.Close()
	l, err := lines.New(ctx, path, file, r.guard)
	if err != nil {
		return nil, nil, err
	}
	err = l.Records(func(line []byte) error {
		ends, err := l.Pair(line)
		src, dst = append(src, ends[0]), append(dst, ends[1])
		return err
	})
	return src, dst, err
}

// features reads the vertices' features, called feat or the only ones there
// are, and the edges'.
func (r *reader) features(d *dataset.Dataset) error {
	d.X = tensor.New(r.n, 0)
	for _, domain := range []struct {
		name string
		rows int
		to   *tensor.Matrix
	}{{"node", r.n, &d.X}, {"edge", int(d.Graph.Counts.Rows), &d.EdgeX}} {
		f, others := chooseFeature(r.meta.Features, domain.name)
		if f == nil {
			continue
		}
		if len(others) > 0 {
			d.Notes = append(d.Notes, fmt.Sprintf("of the %s features, %s is read and %s are not", domain.name, f.Name, strings.Join(others, ", ")))
		}
		a, err := r.array(f.File)
		if err != nil {
			return err
		}
		if *domain.to, err = a.RowsFor(domain.rows, domain.name+"s", r.guard); err != nil {
			return err
		}
	}
	return nil
}

// chooseFeature returns the feature of a domain to read and the others' names.
func chooseFeature(all []metaFeature, domain string) (chosen *metaFeature, others []string) {
	for i, f := range all {
		switch {
		case f.Domain != domain:
		case chosen == nil:
			chosen = &all[i]
		case f.Name == "feat" && chosen.Name != "feat":
			others = append(others, chosen.Name)
			chosen = &all[i]
		default:
			others = append(others, f.Name)
		}
	}
	return chosen, others
}

// readTask reads the first task of the set: its split and the labels of the
// items in it. Folders that weft wrote say more in another place: see extra.
func (r *reader) readTask(d *dataset.Dataset) error {
	if r.weft != nil || len(r.meta.Tasks) == 0 {
		return nil
	}
	t := r.meta.Tasks[0]
	if len(r.meta.Tasks) > 1 {
		d.Notes = append(d.Notes, fmt.Sprintf("of %d tasks, the first, %q, is read", len(r.meta.Tasks), t.Name))
	}
	if strings.Contains(t.Name, "link") || strings.Contains(t.Name, "edge") {
		d.Notes = append(d.Notes, fmt.Sprintf("the task %q is about edges: its parts are not read, use a random split", t.Name))
		d.Task = dataset.LinkPrediction
		return nil
	}
	d.Task = dataset.VertexClassification
	s := dataset.Split{Name: "public"}
	class := slices.Repeat([]int32{-1}, r.n)
	classes := 0
	for _, part := range []struct {
		sets []metaSet
		to   *[]int32
	}{{t.Train, &s.Train}, {t.Val, &s.Val}, {t.Test, &s.Test}} {
		for _, set := range part.sets {
			items, top, err := r.part(set, class)
			if err != nil {
				return err
			}
			*part.to = append(*part.to, items...)
			classes = max(classes, top)
		}
	}
	if t.Classes > 0 && classes > t.Classes {
		return fmt.Errorf("dataset: %s: task %q: label %d, num_classes is %d", r.metaPath(), t.Name, classes-1, t.Classes)
	}
	if t.Classes > classes {
		if err := r.guard.Need("class names", int64(t.Classes), 32); err != nil {
			return err
		}
		classes = t.Classes
	}
	d.Labels = dataset.Labels{Class: class, Names: dataset.NumberedClasses(classes)}
	d.Splits = []dataset.Split{s}
	return nil
}

// part reads the seeds of one part of a split, and their labels into class;
// it returns the seeds and one more than the largest label.
func (r *reader) part(set metaSet, class []int32) (items []int32, classes int, err error) {
	var seeds, labels *numpy.Array
	for _, f := range set.Data {
		switch f.Name {
		case "seeds", "seed_nodes", "indexes":
			seeds, err = r.array(f.File)
		case "labels":
			labels, err = r.array(f.File)
		}
		if err != nil {
			return nil, 0, err
		}
	}
	if seeds == nil || labels == nil {
		return nil, 0, fmt.Errorf("dataset: %s: a part of the split without seeds or labels", r.metaPath())
	}
	if items, err = seeds.Items(r.n, r.guard); err != nil {
		return nil, 0, err
	}
	if err := labels.WantShape(len(items)); err != nil {
		return nil, 0, err
	}
	of, classes, err := labels.Classes(r.guard)
	if err != nil {
		return nil, 0, err
	}
	for i, item := range items {
		class[item] = of[i]
	}
	return items, classes, nil
}
