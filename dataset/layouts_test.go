package dataset

import (
	"context"
	"slices"
	"testing"
)

// openLayout reads the set at path in the layout that opt names, or in the one
// that fits it best.
func openLayout(ctx context.Context, path string, opt Options) (*Dataset, error) {
	p, err := probe(path)
	if err != nil {
		return nil, err
	}
	f := slices.MaxFunc(layouts(), func(a, b *Format) int { return int(a.Detect(p)) - int(b.Detect(p)) })
	if i := slices.IndexFunc(layouts(), func(f *Format) bool { return f.Name == opt.Format }); i >= 0 {
		f = layouts()[i]
	}
	d, err := f.Read(ctx, path, opt)
	if err != nil {
		return nil, err
	}
	return d, d.finish(path, path, opt.Split)
}

// openReal opens a file of a real data set, or skips the test.
func openReal(t testing.TB, set, name string) *Dataset {
	t.Helper()
	d, err := openLayout(t.Context(), realFile(t, set, name), Options{})
	if err != nil {
		t.Fatal(err)
	}
	return d
}
