package dataset

import "context"

// Open finds the set that ref names, a name or a path, and reads it.
func Open(ctx context.Context, ref string, opt Options) (*Dataset, error) {
	e, err := Find(ref, opt)
	if err != nil {
		return nil, err
	}
	d, err := readAs(ctx, e.Path, opt)
	if err != nil {
		return nil, err
	}
	d.Name = e.Name
	return d, nil
}
