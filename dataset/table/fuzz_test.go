package table

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/dataset/budget"
)

// smallLimits keep what a fuzzed file may use far below what it could ask for.
var smallLimits = budget.Limits{Vertices: 1 << 16, Arcs: 1 << 18, Floor: 4 << 20, Ratio: 64}

// checkTables checks what holds of any reading of tables: one line of error
// that names the package, or a set that agrees with itself and has finite
// features.
func checkTables(t *testing.T, d *dataset.Dataset, err error) {
	t.Helper()
	if err != nil {
		if !strings.HasPrefix(err.Error(), "dataset: ") {
			t.Errorf("error without the package: %v", err)
		}
		return
	}
	if err := d.Validate(); err != nil {
		t.Error(err)
	}
	if err := d.Prep.Validate(); err != nil {
		t.Error(err)
	}
	for _, x := range append(d.X.Data, d.EdgeX.Data...) {
		if x != x || math.IsInf(float64(x), 0) {
			t.Fatalf("feature %v", x)
		}
	}
}

func FuzzCSVTable(f *testing.F) {
	dir := f.TempDir()
	f.Add([]byte(trainPeople), []byte(trainKnows), byte(0))
	f.Add([]byte("id\tx\n1\t2\n"), []byte("1,1\n"), byte(1))
	f.Add([]byte("\xef\xbb\xbfid;x\r\n\"a\"\"b\";1e3\r\n"), []byte("a|b\nx|y\n"), byte(2))
	f.Add([]byte("id,x\n1,1e308\n2,-1e308\n"), []byte{0x1f, 0x8b, 8, 0}, byte(3))
	f.Fuzz(func(t *testing.T, vertices, edges []byte, how byte) {
		s := Spec{Vertices: Vertices{File: filepath.Join(dir, "v.csv")}, Edges: Edges{File: filepath.Join(dir, "e.csv")}}
		if os.WriteFile(s.Vertices.File, vertices, 0o600) != nil || os.WriteFile(s.Edges.File, edges, 0o600) != nil {
			t.Fatal("cannot write the tables")
		}
		s.Unknown = Unknown(how % 3)
		s.Scale = Scaling(how / 3 % 2)
		if how&64 != 0 {
			s.Vertices.File = ""
		}
		if how&128 != 0 {
			s.Vertices.Label = "team"
			if s.Vertices.File == "" {
				s.Vertices.Label = ""
			}
		}
		d, err := Open(context.Background(), s, dataset.Options{Limits: smallLimits})
		checkTables(t, d, err)
		if err != nil {
			return
		}
		// What was learnt applies to the table it was learnt from.
		s.Prep = d.Prep
		again, err := Open(context.Background(), s, dataset.Options{Limits: smallLimits})
		if err != nil {
			t.Fatalf("read, but not again: %v", err)
		}
		if !closeRow(d.X.Flat(), again.X.Flat()) {
			t.Errorf("features %v, then %v", d.X.Flat(), again.X.Flat())
		}
	})
}

func FuzzTableYAML(f *testing.F) {
	f.Add([]byte("vertices: {file: people.csv, id: id, features: [age], label: team}\nedges: {file: k.csv, directed: true}\n"))
	f.Add([]byte("task: link-prediction\nsplit:\n  random: [0.6, 0.2, 0.2]\n  seed: 3\nunknown: add\nscale: none\n"))
	f.Add([]byte("edges: &a\n  file: |\n    x\n  delimiter: \"\\t\"\n? a : *a\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > maxSpec {
			t.Skip("longer than ReadSpec reads")
		}
		s, err := parseSpec("spec.yaml", data)
		if err == nil {
			s.resolve("/data")
			err = s.Validate()
		}
		if err != nil && !strings.HasPrefix(err.Error(), "dataset: ") {
			t.Errorf("error without the package: %v", err)
		}
	})
}
