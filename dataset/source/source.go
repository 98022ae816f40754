// Package source finds data sets by name or path, detects their layout from
// their content, and opens them.
package source

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/dataset/parted"
	"github.com/weft-gnn/weft/dataset/table"
)

// Spec says how a set is opened, so that it can be opened again: it is plain
// data, kept in a run's configuration.
type Spec struct {
	// Data is a name or path, as [Find] takes it; empty where Tables is set.
	Data   string `yaml:"data,omitempty" json:"data,omitempty"`
	Format string `yaml:"format,omitempty" json:"format,omitempty"`
	// Direction and Split replace what the files state.
	Direction dataset.Direction `yaml:"direction,omitempty" json:"direction,omitempty"`
	Split     dataset.SplitSpec `yaml:"split,omitzero" json:"split,omitzero"`
	Tables    *table.Spec       `yaml:"tables,omitempty" json:"tables,omitempty"`
}

// Name is what the set is called: as it was asked for, or its first table. A path that
// ends in no name, such as ".", is made absolute, which does.
func (s Spec) Name() string {
	if s.Tables != nil {
		return s.Tables.Name()
	}
	return named(s.Data)
}

// named returns a path, or name, that ends in a name where there is one.
func named(ref string) string {
	if last := filepath.Base(filepath.Clean(ref)); last != "." && last != ".." || ref == "" {
		return ref
	}
	if abs, err := filepath.Abs(ref); err == nil {
		return abs
	}
	return ref
}

// Open reads the set; opt says where names are looked up and what is allowed.
// Tables are read with what an earlier reading learnt, where prep is not nil:
// see [table.Spec.Prep].
//
// Errors: those of [Open] and [table.Open].
func (s Spec) Open(ctx context.Context, opt dataset.Options, prep *dataset.Prep) (*dataset.Dataset, error) {
	opt.Format, opt.Direction, opt.Split = s.Format, s.Direction, s.Split
	spec, err := s.tables(opt)
	if err != nil {
		return nil, err
	}
	if spec == nil {
		return Open(ctx, s.Data, opt)
	}
	if s.Direction != dataset.AsStated {
		spec.Edges.Direction = s.Direction
	}
	if s.Split.Kind != dataset.OwnSplit {
		spec.Split = s.Split
	}
	spec.Prep = prep
	opt.Limits = opt.Held()
	d, err := table.Open(ctx, *spec, opt)
	if err != nil {
		return nil, err
	}
	d.Name = s.Name()
	if s.Split.Kind == dataset.OwnSplit && s.Split.Name != "" {
		err = d.UseSplit(s.Split)
	}
	return d, err
}

// tables returns the description of the tables that the source names, nil
// where it names a set of another layout.
func (s Spec) tables(opt dataset.Options) (*table.Spec, error) {
	if s.Tables != nil {
		spec := *s.Tables
		return &spec, nil
	}
	e, err := Find(s.Data, opt)
	if err != nil || e.Path == "" {
		return nil, err
	}
	f, err := layoutOf(e, opt)
	if err != nil || f.Name != table.FormatName {
		return nil, err
	}
	spec, err := table.SpecAt(e.Path)
	return &spec, err
}

// Divided returns the folder of the set that the source names, where it was divided
// among ranks, each of which can open its own part; "" for any other source.
func (s Spec) Divided(opt dataset.Options) string {
	if s.Tables != nil || s.Format != "" && s.Format != parted.Format().Name {
		return ""
	}
	e, err := Find(s.Data, opt)
	if err != nil || e.Path == "" {
		return "" // Open says why
	}
	if _, err := os.Stat(filepath.Join(e.Path, parted.ManifestFile)); err != nil {
		return ""
	}
	return e.Path
}

// Kept returns the source as a run records it, so that it means the same in
// another folder and with a table of more rows: paths are absolute, and where
// tables state no split, the one that is drawn is named. Names stay names.
func (s Spec) Kept(opt dataset.Options) (Spec, error) {
	opt.Format = s.Format
	spec, err := s.tables(opt)
	if err != nil {
		return s, err
	}
	if spec != nil && spec.Split.Kind == dataset.OwnSplit && s.Split == (dataset.SplitSpec{}) {
		s.Split = table.DefaultSplit(spec.Split.Seed)
	}
	if s.Tables != nil {
		abs, err := spec.Absolute()
		if err != nil {
			return s, err
		}
		s.Tables = &abs
	} else if e, found := Find(s.Data, opt); found == nil && e.Path == s.Data {
		if s.Data, err = absolute(s.Data); err != nil {
			return s, err
		}
	}
	s.Split.File, err = absolute(s.Split.File)
	return s, err
}

// absolute makes a path absolute; an empty one stays.
func absolute(path string) (string, error) {
	if path == "" {
		return "", nil
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return path, fmt.Errorf("dataset: %w", err)
	}
	return abs, nil
}
