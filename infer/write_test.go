package infer_test

import (
	"encoding/csv"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"codeberg.org/sbinet/npyio"
	"github.com/parquet-go/parquet-go"
	"pgregory.net/rapid"

	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/infer"
	"github.com/weft-gnn/weft/tensor"
)

func classTable() *infer.Table {
	p := &infer.Prediction{
		Class: []int32{1, 0, 1}, Classes: []string{"red, or \"rouge\"", "blue"},
		Probability: tensor.Of(3, 2, []float32{0.25, 0.75, 1, 0, 1e-8, 0.1}),
	}
	return p.Table(dataset.IDs{Text: []string{"anna", "bo,b", "çem"}})
}

func TestCSV(t *testing.T) {
	path := filepath.Join(t.TempDir(), "p.csv")
	if _, err := classTable().WriteFile(path); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const want = `id,prediction,"prob_red, or ""rouge""",prob_blue
anna,blue,0.25,0.75
"bo,b","red, or ""rouge""",1,0
çem,blue,1e-08,0.1
`
	if string(got) != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestColumnNames(t *testing.T) {
	value := func(cols int) []string {
		return (&infer.Prediction{Value: tensor.New(2, cols)}).Table(dataset.IDs{}).Columns()
	}
	for _, c := range []struct{ got, want []string }{
		{value(1), []string{"id", "value"}},
		{value(2), []string{"id", "value_0", "value_1"}},
		{(&infer.Prediction{Probability: tensor.New(2, 2)}).Table(dataset.IDs{}).Columns(), []string{"id", "prob_0", "prob_1"}},
		{infer.EmbeddingTable(tensor.New(2, 3), dataset.IDs{}).Columns(), []string{"id", "h_0", "h_1", "h_2"}},
	} {
		if !slices.Equal(c.got, c.want) {
			t.Errorf("got %v, want %v", c.got, c.want)
		}
	}
}

// rowsOf reads a Parquet file: the columns' names in order, then every row as
// text, floats in their shortest form.
func rowsOf(t *testing.T, path string) [][]string {
	t.Helper()
	raw, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer raw.Close()
	r := parquet.NewReader(raw)
	var names []string
	for _, f := range r.Schema().Fields() {
		names = append(names, f.Name())
	}
	out, buf := [][]string{names}, make([]parquet.Row, 7)
	for {
		n, err := r.ReadRows(buf)
		for _, row := range buf[:n] {
			var cells []string
			for _, v := range row {
				if v.Kind() == parquet.Float {
					cells = append(cells, strconv.FormatFloat(float64(v.Float()), 'g', -1, 32))
					continue
				}
				cells = append(cells, v.String())
			}
			out = append(out, cells)
		}
		if errors.Is(err, io.EOF) {
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestFormsAgree: CSV, Parquet and NPY hold the same rows, for texts and
// integers and vertex numbers as ids, with and without a label, over any number
// of rows (Parquet is written 1024 at a time) and columns (h_10 after h_9).
func TestFormsAgree(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(r *rapid.T) {
		n := rapid.SampledFrom([]int{0, 1, 3, 1024, 1025, 2500}).Draw(r, "rows")
		k := rapid.IntRange(0, 12).Draw(r, "columns")
		table := infer.EmbeddingTable(random(n, k, "forms"), dataset.IDs{})
		switch rapid.IntRange(0, 2).Draw(r, "ids") {
		case 1:
			table.IDs.Int = make([]int64, n)
			for i := range n {
				table.IDs.Int[i] = int64(i)*7 - 9
			}
		case 2:
			table.IDs.Text = make([]string, n)
			for i := range n {
				table.IDs.Text[i] = "v,\n" + strconv.Itoa(i)
			}
		}
		if rapid.Bool().Draw(r, "label") {
			table.Class, table.Classes = make([]int32, n), []string{"a", "b c"}
			for i := range n {
				table.Class[i] = int32(i % 2)
			}
		}
		path := func(ext string) string { return filepath.Join(dir, "t"+ext) }
		for _, ext := range []string{".csv", ".parquet", ".npy"} {
			if _, err := table.WriteFile(path(ext)); err != nil {
				r.Fatal(err)
			}
		}
		f, err := os.Open(path(".csv"))
		if err != nil {
			r.Fatal(err)
		}
		defer f.Close()
		want, err := csv.NewReader(f).ReadAll()
		if err != nil {
			r.Fatal(err)
		}
		got := rowsOf(t, path(".parquet"))
		if !slices.EqualFunc(got, want, slices.Equal) {
			r.Fatalf("Parquet: %d rows, first %v; CSV: %d, %v", len(got), got[0], len(want), want[0])
		}
		checkNPY(r, dir, table)
	})
}

// checkNPY reads t.npy and its ids with another library.
func checkNPY(r *rapid.T, dir string, table *infer.Table) {
	var data []float32
	read(r, filepath.Join(dir, "t.npy"), &data, table.Values.Rows, table.Values.Cols)
	if !tensor.Of(table.Values.Rows, table.Values.Cols, data).Equal(table.Values) {
		r.Fatal("values differ")
	}
	if table.IDs.Text != nil {
		ids, err := os.ReadFile(filepath.Join(dir, "t.ids.csv"))
		if err != nil || strings.Count(string(ids), "v,") != table.Values.Rows || !strings.HasPrefix(string(ids), "id\n") {
			r.Fatalf("ids: %v, %.40q", err, ids)
		}
		return
	}
	var ids []int64
	read(r, filepath.Join(dir, "t.ids.npy"), &ids, table.Values.Rows)
	for v, id := range ids {
		want := int64(v)
		if table.IDs.Int != nil {
			want = table.IDs.Int[v]
		}
		if id != want {
			r.Fatalf("row %d is of %d, want %d", v, id, want)
		}
	}
}

func read(r *rapid.T, path string, to any, shape ...int) {
	f, err := os.Open(path)
	if err != nil {
		r.Fatal(err)
	}
	defer f.Close()
	npy, err := npyio.NewReader(f)
	if err != nil {
		r.Fatal(err)
	}
	if !slices.Equal(npy.Header.Descr.Shape, shape) {
		r.Fatalf("%s has the shape %v, want %v", path, npy.Header.Descr.Shape, shape)
	}
	if err := npy.Read(to); err != nil {
		r.Fatal(err)
	}
}

func TestWriteFileRefuses(t *testing.T) {
	dir := t.TempDir()
	if _, err := classTable().WriteFile(filepath.Join(dir, "p.xlsx")); err == nil || !strings.Contains(err.Error(), ".csv, .parquet, .npy") {
		t.Errorf("an unknown ending: %v", err)
	}
	if _, err := classTable().WriteFile(filepath.Join(dir, "none", "p.csv")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a folder that is not there: %v", err)
	}
	wrong := classTable()
	wrong.IDs.Text = wrong.IDs.Text[:2]
	if _, err := wrong.WriteFile(filepath.Join(dir, "p.csv")); err == nil {
		t.Error("two ids for three rows were written")
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// full is a writer that has room for so many bytes.
type full struct{ room int }

var errFull = errors.New("no space left")

func (f *full) Write(b []byte) (int, error) {
	if f.room < len(b) {
		return 0, errFull
	}
	f.room -= len(b)
	return len(b), nil
}

// TestCSVOnFullDisk: whatever the size of the file, a disk that is one byte too
// small is an error, and one that is large enough is not.
func TestCSVOnFullDisk(t *testing.T) {
	table := infer.EmbeddingTable(random(50, 9, "full"), dataset.IDs{})
	var whole strings.Builder
	if err := table.WriteCSV(&whole); err != nil {
		t.Fatal(err)
	}
	for _, room := range []int{0, 10, whole.Len() - 1} {
		if err := table.WriteCSV(&full{room}); !errors.Is(err, errFull) {
			t.Errorf("room for %d of %d bytes: %v", room, whole.Len(), err)
		}
	}
	if err := table.WriteCSV(&full{whole.Len()}); err != nil {
		t.Error(err)
	}
}
