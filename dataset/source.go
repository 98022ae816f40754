package dataset

import (
	"context"
)

// Source says how a set is opened, so that it can be opened again: it is plain
// data, kept in a run's configuration.
type Source struct {
	// Data is a name or path, as [Find] takes it; empty where Tables is set.
	Data   string `yaml:"data,omitempty" json:"data,omitempty"`
	Format string `yaml:"format,omitempty" json:"format,omitempty"`
	// Direction and Split replace what the files state.
	Direction Direction  `yaml:"direction,omitempty" json:"direction,omitempty"`
	Split     SplitSpec  `yaml:"split,omitzero" json:"split,omitzero"`
	Tables    *TableSpec `yaml:"tables,omitempty" json:"tables,omitempty"`
}

// Name is what the set is called: as it was asked for, or its first table.
func (s Source) Name() string {
	if s.Tables != nil {
		return s.Tables.name()
	}
	return s.Data
}

// Open reads the set; opt says where names are looked up and what is allowed.
// Tables are read with what an earlier reading learnt, where prep is not nil:
// see [TableSpec.Prep].
//
// Errors: those of [Open] and [OpenTables].
func (s Source) Open(ctx context.Context, opt Options, prep *Prep) (*Dataset, error) {
	opt.Format, opt.Direction, opt.Split = s.Format, s.Direction, s.Split
	spec, err := s.tables(opt)
	if err != nil {
		return nil, err
	}
	if spec == nil {
		return Open(ctx, s.Data, opt)
	}
	if s.Direction != AsStated {
		spec.Edges.Direction = s.Direction
	}
	if s.Split.Kind != OwnSplit {
		spec.Split = s.Split
	}
	spec.Prep = prep
	d, err := OpenTables(ctx, *spec, opt)
	if err != nil {
		return nil, err
	}
	d.Name = s.Name()
	if s.Split.Kind == OwnSplit && s.Split.Name != "" {
		err = d.applySplit(s.Split)
	}
	return d, err
}

// tables returns the description of the tables that the source names, nil
// where it names a set of another layout.
func (s Source) tables(opt Options) (*TableSpec, error) {
	if s.Tables != nil {
		spec := *s.Tables
		return &spec, nil
	}
	e, err := Find(s.Data, opt)
	if err != nil || e.Path == "" {
		return nil, err
	}
	f, err := layoutOf(e, opt)
	if err != nil || f.Name != tablesFormat.Name {
		return nil, err
	}
	spec, err := tableSpecAt(e.Path)
	return &spec, err
}

// Kept returns the source as a run records it, so that it means the same in
// another folder and with a table of more rows: paths are absolute, and where
// tables state no split, the one that is drawn is named. Names stay names.
func (s Source) Kept(opt Options) (Source, error) {
	opt.Format = s.Format
	spec, err := s.tables(opt)
	if err != nil {
		return s, err
	}
	if spec != nil && spec.Split.Kind == OwnSplit && s.Split == (SplitSpec{}) {
		s.Split = defaultSplit(spec.Split.Seed)
	}
	if s.Tables != nil {
		s.Tables = spec // a copy
		err = absolute(&spec.Vertices.File, &spec.Edges.File, &spec.Split.File)
	} else if e, found := Find(s.Data, opt); found == nil && e.Path == s.Data {
		err = absolute(&s.Data)
	}
	if err != nil {
		return s, err
	}
	return s, absolute(&s.Split.File)
}
