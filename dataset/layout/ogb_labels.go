package layout

import (
	"context"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"

	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/dataset/budget"
	"github.com/weft-gnn/weft/dataset/internal/lines"
	"github.com/weft-gnn/weft/tensor"
)

// readLabels reads what is to be learnt of each graph or vertex and returns how
// many of these there are. A set without labels has no task; its items are its
// vertices.
func (r *ogbReader) readLabels(ctx context.Context, d *dataset.Dataset) (items int, err error) {
	graphFile, ofGraphs := r.file("raw/graph-label")
	vertexFile, ofVertices := r.file("raw/node-label")
	if ofGraphs || len(r.rows) != 1 {
		d.Offsets, d.Graph.Graphs = r.offset, r.offset
	}
	var file string
	var tasks [2]dataset.Task // of classes, of real numbers
	switch {
	case ofGraphs:
		file, items, tasks = graphFile, len(r.rows), [2]dataset.Task{dataset.GraphClassification, dataset.GraphRegression}
	case ofVertices:
		file, items, tasks = vertexFile, d.Graph.N, [2]dataset.Task{dataset.VertexClassification, dataset.VertexRegression}
	default:
		return d.Graph.N, nil
	}
	t, err := lines.NumbersOf(ctx, r.files, file, int64(items), r.guard, lines.TargetField)
	if err != nil {
		return 0, err
	}
	task := r.meta.task
	if task == ogbUnknown {
		task = inferOGBTask(t)
	}
	if d.Task = tasks[0]; task == ogbRegression {
		d.Task = tasks[1]
	}
	d.Labels, err = ogbLabels(filepath.Join(r.files.Path, file), task, r.meta.classes, t, r.guard)
	return items, err
}

// inferOGBTask takes values that are all 0 or 1 for a binary task, one column of
// natural numbers for classes, and anything else for a regression.
func inferOGBTask(t *lines.Table[float32]) ogbTask {
	task := ogbBinary
	for _, x := range t.Data {
		switch {
		case x != x || x == 0 || x == 1:
		case isNatural(x) && t.Cols == 1:
			task = ogbMulticlass
		default:
			return ogbRegression
		}
	}
	return task
}

// isNatural reports whether x is one of 0, 1, …, 2²⁴, which float32 has all.
func isNatural(x float32) bool { return x >= 0 && x <= 1<<24 && x == float32(int32(x)) }

// ogbLabels checks the values of a file of labels against the task. Classes 0
// means that there are as many as the values name.
func ogbLabels(file string, task ogbTask, classes int, t *lines.Table[float32], g *budget.Guard) (dataset.Labels, error) {
	values := tensor.Of(t.Rows(), t.Cols, t.Data)
	if task == ogbRegression {
		return dataset.Labels{Value: values}, nil
	}
	if task == ogbBinary {
		for i, x := range t.Data {
			if x == x && x != 0 && x != 1 {
				return dataset.Labels{}, fmt.Errorf("dataset: %s:%d: %v is no 0/1 label", file, i/t.Cols+1, x)
			}
		}
		return dataset.Labels{Value: values}, nil
	}
	if t.Cols > 1 {
		return dataset.Labels{}, fmt.Errorf("dataset: %s: %d columns, want one class on each line", file, t.Cols)
	}
	class := make([]int32, len(t.Data))
	count := classes
	for i, x := range t.Data {
		switch {
		case x != x:
			class[i] = -1
			continue
		case !isNatural(x) || classes > 0 && int(x) >= classes:
			return dataset.Labels{}, fmt.Errorf("dataset: %s:%d: %v is no class: want %s", file, i+1, x, classRange(classes))
		}
		class[i] = int32(x)
		count = max(count, int(x)+1)
	}
	if err := g.Need("classes", int64(count), 32); err != nil {
		return dataset.Labels{}, err
	}
	return dataset.Labels{Class: class, Names: dataset.NumberedClasses(count)}, nil
}

func classRange(classes int) string {
	if classes == 0 {
		return "0, 1, 2, …"
	}
	return fmt.Sprintf("0 to %d", classes-1)
}

// readSplits reads split/NAME/{train,valid,test} for each NAME, of items 0 to
// items−1. The split that OGB uses is the first.
func (r *ogbReader) readSplits(ctx context.Context, items int) ([]dataset.Split, error) {
	folders, err := fs.Glob(r.files, path.Join(r.root, "split", "*"))
	if err != nil {
		return nil, fmt.Errorf("dataset: %s: %w", r.files.Path, err)
	}
	var splits []dataset.Split
	for _, folder := range folders {
		s := dataset.Split{Name: path.Base(folder)}
		if _, ok := r.file(path.Join("split", s.Name, "train")); !ok {
			continue
		}
		taken := make([]string, items)
		for _, part := range []struct {
			name  string
			items *[]int32
		}{{"train", &s.Train}, {"valid", &s.Val}, {"test", &s.Test}} {
			file, _ := r.file(path.Join("split", s.Name, part.name))
			if *part.items, err = lines.Indices(ctx, r.files, file, taken, r.guard); err != nil {
				return nil, err
			}
		}
		splits = append(splits, s)
	}
	if i := slices.IndexFunc(splits, func(s dataset.Split) bool { return s.Name == r.meta.split }); i > 0 {
		own := splits[i]
		splits = slices.Insert(slices.Delete(splits, i, i+1), 0, own)
	}
	return splits, nil
}
