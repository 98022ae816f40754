package source

import (
	"context"

	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/dataset/layout"
	"github.com/weft-gnn/weft/dataset/ondisk"
)

// Open finds the set that ref names, a name or a path as [Find] takes them,
// reads it, and gives it the split that opt asks for.
//
// Errors: those of Find; a file that is not what its layout says, with the
// file and the line, row or field; a count over the limits, as a budget.LimitError;
// a split the set does not have; ctx's.
func Open(ctx context.Context, ref string, opt dataset.Options) (*dataset.Dataset, error) {
	e, err := Find(ref, opt)
	if err != nil {
		return nil, err
	}
	d, err := read(ctx, e, opt)
	if err != nil {
		return nil, err
	}
	if err := d.Finish(named(ref), e.Path, opt.Split); err != nil {
		return nil, err
	}
	return d, nil
}

// read reads the entry in the layout that opt names, the entry's own, or the
// one its content has.
func read(ctx context.Context, e dataset.Entry, opt dataset.Options) (*dataset.Dataset, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if e.Path == "" {
		return layout.Builtin(e.Name)(opt)
	}
	f, err := layoutOf(e, opt)
	if err != nil {
		return nil, err
	}
	if f != ondisk.Format() { // which maps what it reads
		opt.Limits = opt.Held()
	}
	return f.Read(ctx, e.Path, opt)
}

// layoutOf returns the layout that read reads the entry in.
func layoutOf(e dataset.Entry, opt dataset.Options) (*dataset.Format, error) {
	switch {
	case opt.Format != "":
		return formatByName(opt.Format)
	case e.Format != "":
		return formatByName(e.Format)
	}
	p, err := dataset.Look(e.Path)
	if err != nil {
		return nil, err
	}
	return detect(p)
}
