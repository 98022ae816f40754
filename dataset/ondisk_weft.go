package dataset

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
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
	return d.checkOffsets()
}

func (r *ondiskReader) labels(d *Dataset, w *metaWeft) error {
	d.Labels.Names = w.Classes
	if w.Labels != "" {
		a, err := r.npy(w.Labels)
		if err != nil {
			return err
		}
		v, err := a.ints(r.guard)
		if err != nil {
			return err
		}
		if classes, err := a.classesOf(v, r.guard); err != nil {
			return err
		} else if classes > len(w.Classes) {
			return a.errorf("the class %d, %d classes are named", classes-1, len(w.Classes))
		}
		d.Labels.Class = make([]int32, len(v))
		for i, c := range v {
			d.Labels.Class[i] = int32(c)
		}
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
	return d.checkLabels()
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

// joinedText cuts bytes into texts at the given starts, the last being the end.
func joinedText(text, at *array, g *guard) ([]string, error) {
	if text.dtype.size != 1 {
		return nil, text.errorf("elements of type %v, want bytes", text.dtype)
	}
	start, err := at.ints(g)
	if err != nil {
		return nil, err
	}
	if len(start) == 0 || start[0] != 0 || start[len(start)-1] != int64(len(text.data)) || !slices.IsSorted(start) {
		return nil, at.errorf("the starts do not ascend from 0 to %d", len(text.data))
	}
	if err := g.need(text.name, int64(len(start)), 16); err != nil {
		return nil, err
	}
	if err := g.need(text.name, int64(len(text.data)), 1); err != nil {
		return nil, err
	}
	all := string(text.data)
	out := make([]string, len(start)-1)
	for i := range out {
		out[i] = all[start[i]:start[i+1]]
	}
	return out, nil
}
