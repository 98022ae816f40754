package ondisk

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/dataset/numpy"
)

// readWeft reads the file that metadata.Weft names, nil where it names none.
func (r *reader) readWeft() (*metaWeft, error) {
	if r.meta.Weft == "" {
		return nil, nil
	}
	path, err := metaFile{Path: r.meta.Weft}.in(r.dir)
	if err != nil {
		return nil, err
	}
	fi, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("dataset: %w", err)
	}
	// A slice of empty strings takes 16 bytes for 3 of its text, twice while it grows.
	if err := r.guard.Need(path, fi.Size(), 12); err != nil {
		return nil, err
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("dataset: %w", err)
	}
	w := new(metaWeft)
	if err := json.Unmarshal(data, w); err != nil {
		return nil, fmt.Errorf("dataset: %s: %w", path, err)
	}
	if w.Version != weftVersion {
		return nil, fmt.Errorf("dataset: %s: version is %d, want %d: written by another version of weft", path, w.Version, weftVersion)
	}
	if w.Prep != nil {
		if err := w.Prep.Validate(); err != nil {
			return nil, fmt.Errorf("dataset: %s: prep: %w", path, err)
		}
	}
	return w, nil
}

// extra takes what is in that file and the arrays it names.
func (r *reader) extra(d *dataset.Dataset) error {
	w := r.weft
	if w == nil {
		return nil
	}
	d.Order = w.Order
	d.Task, d.Metric, d.Prep, d.Notes = w.Task, dataset.ParseMetric(w.Metric), w.Prep, append(d.Notes, w.Notes...)
	for _, step := range []func(*dataset.Dataset, *metaWeft) error{r.offsets, r.labels, r.splits, r.ids} {
		if err := step(d, w); err != nil {
			return err
		}
	}
	return nil
}

func (r *reader) offsets(d *dataset.Dataset, w *metaWeft) error {
	if w.Offsets == "" {
		return nil
	}
	a, err := r.npy(w.Offsets)
	if err != nil {
		return err
	}
	if err := a.WantShape(-1); err != nil {
		return err
	}
	d.Offsets, err = a.Ints(r.guard)
	if err != nil {
		return err
	}
	return d.Validate()
}

func (r *reader) labels(d *dataset.Dataset, w *metaWeft) error {
	d.Labels.Names = w.Classes
	if w.Labels != "" {
		a, err := r.npy(w.Labels)
		if err != nil {
			return err
		}
		class, classes, err := a.Classes(r.guard)
		if err != nil {
			return err
		}
		if classes > len(w.Classes) {
			return a.Errorf("the class %d, %d classes are named", classes-1, len(w.Classes))
		}
		d.Labels.Class = class
	}
	if w.Targets != "" {
		a, err := r.npy(w.Targets)
		if err != nil {
			return err
		}
		if d.Labels.Value, err = a.Matrix(r.guard); err != nil {
			return err
		}
	}
	return d.Validate()
}

func (r *reader) splits(d *dataset.Dataset, w *metaWeft) error {
	for _, m := range w.Splits {
		s := dataset.Split{Name: m.Name}
		for _, part := range []struct {
			path string
			to   *[]int32
		}{{m.Train, &s.Train}, {m.Val, &s.Val}, {m.Test, &s.Test}} {
			a, err := r.npy(part.path)
			if err != nil {
				return err
			}
			if *part.to, err = a.Items(d.Items(), r.guard); err != nil {
				return err
			}
		}
		d.Splits = append(d.Splits, s)
	}
	return nil
}

func (r *reader) ids(d *dataset.Dataset, w *metaWeft) error {
	if w.IDs == nil {
		return nil
	}
	if w.IDs.Int != "" {
		a, err := r.npy(w.IDs.Int)
		if err != nil {
			return err
		}
		d.IDs.Int, err = a.Ints(r.guard)
		return err
	}
	text, err := r.npy(w.IDs.Bytes)
	if err != nil {
		return err
	}
	at, err := r.npy(w.IDs.Starts)
	if err != nil {
		return err
	}
	d.IDs.Text, err = numpy.JoinedText(text, at, r.guard)
	return err
}
