package dataset_test

import (
	"encoding/json"
	"errors"
	"maps"
	"math"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/dataset/internal/realdata"
	"github.com/weft-gnn/weft/dataset/source"
)

// counted is what testdata/counts.py found in a set.
type counted struct {
	dataset.Facts
	SplitCount int `json:"split_count"`
}

// TestInfoAgainstCounts compares every real set with the numbers of an
// independent reader, testdata/counts.py.
func TestInfoAgainstCounts(t *testing.T) {
	text, err := os.ReadFile("testdata/counts.json")
	if err != nil {
		t.Fatal(err)
	}
	var sets map[string]counted
	if err := json.Unmarshal(text, &sets); err != nil {
		t.Fatal(err)
	}
	for _, name := range slices.Sorted(maps.Keys(sets)) {
		t.Run(name, func(t *testing.T) {
			d := openReal(t, name)
			if err := d.Graph.Validate(); err != nil {
				t.Error(err)
			}
			got, want := dataset.Info(d), sets[name]
			if len(got.SplitNames) != want.SplitCount {
				t.Errorf("splits %q, want %d", got.SplitNames, want.SplitCount)
			}
			// Sums of float64 in another order and divisions in two steps.
			for _, pair := range [][2]float64{{got.Density, want.Density}, {got.Degree.Mean, want.Degree.Mean}} {
				if math.Abs(pair[0]-pair[1]) > 1e-12*pair[1] {
					t.Errorf("density and mean degree %v %v, want %v %v", got.Density, got.Degree.Mean, want.Density, want.Degree.Mean)
				}
			}
			got.Density, got.Degree.Mean = want.Density, want.Degree.Mean
			got.Name, got.Task, got.SplitNames, got.Notes = "", dataset.NoTask, nil, nil
			if !reflect.DeepEqual(got, want.Facts) {
				t.Errorf("got  %+v\nwant %+v", got, want.Facts)
			}
			if sum := got.Arcs + got.Loops + got.Duplicates; got.Listed != sum {
				t.Errorf("listed %d, want arcs + loops + duplicates = %d", got.Listed, sum)
			}
		})
	}
}

// TestInfoJSON: the keys that scripts read.
func TestInfoJSON(t *testing.T) {
	d, err := source.Open(t.Context(), "karate", dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(dataset.Info(d))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"vertices":34`, `"arcs":156`, `"listed":156`, `"duplicates":0`, `"loops":0`, `"isolated":0`,
		`"features":34`, `"classes":2`, `"degree":{"max":17,"mean":4.58`, `"p50":3,"p99":17}`, `"density":0.1349`,
		`"splits":{"test":18,"train":8,"val":8}`, `"task":"vertex-classification"`} {
		if !strings.Contains(string(text), want) {
			t.Errorf("%s lacks %s", text, want)
		}
	}
	d.Splits = nil
	if text, err = json.Marshal(dataset.Info(d)); err != nil || !strings.Contains(string(text), `"splits":null`) {
		t.Errorf("%s, %v: want null for splits that are not known", text, err)
	}
}

func TestInfoOfPartlyLabelled(t *testing.T) {
	d := openReal(t, "citeseer")
	if f := dataset.Info(d); f.Labelled != 3312 || f.Vertices != 3327 {
		t.Errorf("%d of %d labelled, want 3312 of 3327", f.Labelled, f.Vertices)
	}
}

// openReal opens a real set by name, or skips the test.
func openReal(t testing.TB, name string) *dataset.Dataset {
	t.Helper()
	d, err := source.Open(t.Context(), name, source.Places(os.Getenv))
	var missing *source.NotFoundError
	if errors.As(err, &missing) {
		t.Skip(realdata.Needs(name))
	}
	if err != nil {
		t.Fatal(err)
	}
	return d
}
