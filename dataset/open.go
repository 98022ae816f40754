package dataset

import (
	"context"
	"fmt"
)

// Open finds the set that ref names, a name or a path as [Find] takes them,
// reads it, and gives it the split that opt asks for.
//
// Errors: those of Find; a file that is not what its layout says, with the
// file and the line, row or field; a count over the limits, as a [LimitError];
// a split the set does not have; ctx's.
func Open(ctx context.Context, ref string, opt Options) (*Dataset, error) {
	e, err := Find(ref, opt)
	if err != nil {
		return nil, err
	}
	d, err := e.read(ctx, opt)
	if err != nil {
		return nil, err
	}
	d.Name = ref
	if d.Offsets != nil && d.Graph.Graphs == nil {
		d.Graph.Graphs = d.Offsets
	}
	if err := d.Validate(); err != nil {
		return nil, fmt.Errorf("%w (in %s)", err, e.Path)
	}
	if err := d.applySplit(opt.Split); err != nil {
		return nil, err
	}
	return d, nil
}

// read reads the entry in the layout that opt names, the entry's own, or the
// one its content has.
func (e Entry) read(ctx context.Context, opt Options) (*Dataset, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if e.Path == "" {
		return builtin(e.Name)(opt)
	}
	f, err := e.layout(opt)
	if err != nil {
		return nil, err
	}
	return f.Read(ctx, e.Path, opt)
}

func (e Entry) layout(opt Options) (*Format, error) {
	switch {
	case opt.Format != "":
		return formatByName(opt.Format)
	case e.Format != "":
		return formatByName(e.Format)
	}
	p, err := probe(e.Path)
	if err != nil {
		return nil, err
	}
	return detect(p)
}
