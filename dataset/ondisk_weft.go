package dataset

import (
	"encoding/json"
	"fmt"
	"os"
)

// readWeft reads the file that metadata.Weft names, nil where it names none.
func (r *ondiskReader) readWeft() (*metaWeft, error) {
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
	if err := r.guard.need(path, fi.Size(), 12); err != nil {
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
func (r *ondiskReader) extra(d *Dataset) error {
	w := r.weft
	if w == nil {
		return nil
	}
	d.Task, d.Metric, d.Prep, d.Notes = w.Task, parseMetric(w.Metric), w.Prep, append(d.Notes, w.Notes...)
	for _, step := range []func(*Dataset, *metaWeft) error{r.offsets, r.labels, r.splits, r.ids} {
		if err := step(d, w); err != nil {
			return err
		}
	}
	return nil
}

func (r *ondiskReader) offsets(d *Dataset, w *metaWeft) error {
	if w.Offsets == "" {
		return nil
	}
	a, err := r.npy(w.Offsets)
	if err != nil {
		return err
	}
	if err := a.wantShape(-1); err != nil {
		return err
	}
	d.Offsets, err = a.ints(r.guard)
	if err != nil {
		return err
	}
	return d.Validate()
}

func (r *ondiskReader) labels(d *Dataset, w *metaWeft) error {
	d.Labels.Names = w.Classes
	if w.Labels != "" {
		a, err := r.npy(w.Labels)
		if err != nil {
			return err
		}
		class, classes, err := a.classes(r.guard)
		if err != nil {
			return err
		}
		if classes > len(w.Classes) {
			return a.errorf("the class %d, %d classes are named", classes-1, len(w.Classes))
		}
		d.Labels.Class = class
	}
	if w.Targets != "" {
		a, err := r.npy(w.Targets)
		if err != nil {
			return err
		}
		if d.Labels.Value, err = a.matrix(r.guard); err != nil {
			return err
		}
	}
	return d.Validate()
}

func (r *ondiskReader) splits(d *Dataset, w *metaWeft) error {
	for _, m := range w.Splits {
		s := Split{Name: m.Name}
		for _, part := range []struct {
			path string
			to   *[]int32
		}{{m.Train, &s.Train}, {m.Val, &s.Val}, {m.Test, &s.Test}} {
			a, err := r.npy(part.path)
			if err != nil {
				return err
			}
			if *part.to, err = a.items(d.Items(), r.guard); err != nil {
				return err
			}
		}
		d.Splits = append(d.Splits, s)
	}
	return nil
}

func (r *ondiskReader) ids(d *Dataset, w *metaWeft) error {
	if w.IDs == nil {
		return nil
	}
	if w.IDs.Int != "" {
		a, err := r.npy(w.IDs.Int)
		if err != nil {
			return err
		}
		d.IDs.Int, err = a.ints(r.guard)
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
	d.IDs.Text, err = joinedText(text, at, r.guard)
	return err
}
