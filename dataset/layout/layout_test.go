package layout

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/dataset/budget"
	"github.com/weft-gnn/weft/dataset/internal/lines"
	"github.com/weft-gnn/weft/dataset/internal/realdata"
)

// openLayout reads the set at path in the layout that opt names, or in the one
// that fits it best.
func openLayout(ctx context.Context, path string, opt dataset.Options) (*dataset.Dataset, error) {
	p, err := dataset.Look(path)
	if err != nil {
		return nil, err
	}
	f := slices.MaxFunc(Formats(), func(a, b *dataset.Format) int { return int(a.Detect(p)) - int(b.Detect(p)) })
	if i := slices.IndexFunc(Formats(), func(f *dataset.Format) bool { return f.Name == opt.Format }); i >= 0 {
		f = Formats()[i]
	}
	d, err := f.Read(ctx, path, opt)
	if err != nil {
		return nil, err
	}
	return d, d.Finish(path, path, opt.Split)
}

// openReal opens a file of a real data set, or skips the test.
func openReal(t testing.TB, set, name string) *dataset.Dataset {
	t.Helper()
	d, err := openLayout(t.Context(), realdata.File(t, set, name), dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// linesOf reads text as a file called "in", as readers do.
func linesOf(text string) (*lines.Reader, *budget.Guard, error) {
	g := budget.Limits{}.Guard("in", int64(len(text)))
	l, err := lines.New(context.Background(), "in", strings.NewReader(text), g)
	return l, g, err
}
