package layout

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/dataset/internal/datatest"
	"github.com/weft-gnn/weft/dataset/internal/realdata"
	"github.com/weft-gnn/weft/graph"
)

// mtxVerdict says whether a file is valid, why, and what is in it.
type mtxVerdict struct {
	file, why    string
	fault        []string // words of the error; nil for valid files
	n            int
	rows, arcs   int64
	loops, zeros int64
	values       bool
	notes        int
}

// mtxVerdicts has every file of the set. Arcs and loops were counted with SciPy
// 1.17's mmread, which agrees on every verdict but three: it takes "hermitian"
// for matrices that are not complex, and refuses the infinities of matrix_fp32.
var mtxVerdicts = []mtxVerdict{
	{file: "comments_west0067.mtx", why: "comments may stand before the size line; nan is a real", n: 67, rows: 295, arcs: 292, loops: 3, notes: 1},
	{file: "empty.mtx", why: "valid as a matrix, but 3×4 is no graph", fault: []string{"3×4", "as many rows as columns"}},
	{file: "jagmesh7.mtx", why: "a symmetric pattern lists one of each mirrored pair", n: 1138, rows: 4294, arcs: 6312, loops: 1138},
	{file: "karate.mtx", why: "a symmetric pattern", n: 34, rows: 78, arcs: 156},
	{file: "mangled1.mtx", why: "object", fault: []string{":1:", `object "mangled"`, "want matrix"}},
	{file: "mangled2.mtx", why: "format", fault: []string{":1:", `format "mangled"`, "coordinate or array"}},
	{file: "mangled3.mtx", why: "kind of values", fault: []string{":1:", `values "mangled"`, "real, integer or pattern"}},
	{file: "mangled4.mtx", why: "symmetry", fault: []string{":1:", `symmetry "mangled"`, "general, symmetric or skew-symmetric"}},
	{file: "mangled5.mtx", why: "the format has no hermitian pattern", fault: []string{":1:", "only complex matrices are hermitian"}},
	{file: "mangled6.mtx", why: "the format has no hermitian real matrix", fault: []string{":1:", "only complex matrices are hermitian"}},
	{file: "mangled_bool.mtx", why: "2 is no bool, but only the GraphBLAS comment says bool", n: 7, rows: 12, arcs: 12, zeros: 5, values: true},
	{file: "mangled_int8.mtx", why: "−129 is no int8, but only the GraphBLAS comment says int8", n: 7, rows: 12, arcs: 12, zeros: 1, values: true},
	{file: "matrix_bool.mtx", why: "explicit zeros are entries", n: 7, rows: 12, arcs: 12, zeros: 5, values: true},
	{file: "matrix_fp32.mtx", why: "the GraphBLAS comment widens integer to float", n: 7, rows: 12, arcs: 12, notes: 1},
	{file: "matrix_int32.mtx", why: "the ends of int32 are in range", n: 7, rows: 12, arcs: 12, zeros: 1, values: true},
	{file: "skew_fp32.mtx", why: "Aᵀ = −A; inf is a real", n: 6, rows: 10, arcs: 20, notes: 1},
	{file: "structure.mtx", why: "a pattern, whatever type the GraphBLAS comment names", n: 7, rows: 12, arcs: 12},
	{file: "west0067.mtx", why: "a general matrix is directed", n: 67, rows: 294, arcs: 292, loops: 2, values: true},
	{file: "west0067_noheader.mtx", why: "no header", fault: []string{":1:", "no Matrix Market header", `"67 67 294"`}},
}

func TestMTXVerdicts(t *testing.T) {
	for _, v := range mtxVerdicts {
		t.Run(v.file, func(t *testing.T) {
			d, err := openLayout(t.Context(), realdata.File(t, "mtx", v.file), dataset.Options{})
			if v.fault != nil {
				datatest.WantError(t, err, append(v.fault, v.file)...)
				return
			}
			if err != nil {
				t.Fatalf("%v, though: %s", err, v.why)
			}
			c := d.Graph.Counts
			if d.Graph.N != v.n || c.Rows != v.rows || c.Arcs != v.arcs || c.Loops != v.loops || c.Duplicates != 0 {
				t.Errorf("%d vertices, %+v; want %+v", d.Graph.N, c, v)
			}
			if (d.Graph.Weight != nil) != v.values || len(d.Notes) != v.notes {
				t.Errorf("%d weights, notes %q", len(d.Graph.Weight), d.Notes)
			}
			zeros := int64(0)
			for _, w := range d.Graph.Weight {
				if w == 0 {
					zeros++
				}
			}
			if zeros != v.zeros {
				t.Errorf("%d arcs of weight 0, want %d", zeros, v.zeros)
			}
			if d.IDs.Int[0] != 1 || d.IDs.Int[v.n-1] != int64(v.n) {
				t.Errorf("ids %d to %d, want 1 to %d", d.IDs.Int[0], d.IDs.Int[v.n-1], v.n)
			}
			if err := d.Graph.Validate(); err != nil {
				t.Error(err)
			}
		})
	}
}

// Every file of the set has a verdict.
func TestMTXVerdictsAreComplete(t *testing.T) {
	entries, err := os.ReadDir(filepath.Dir(realdata.File(t, "mtx", "karate.mtx")))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if filepath.Ext(e.Name()) != ".mtx" {
			continue
		}
		if !slices.ContainsFunc(mtxVerdicts, func(v mtxVerdict) bool { return v.file == e.Name() }) {
			t.Errorf("%s has no verdict", e.Name())
		}
	}
}

// readText reads a self-made file with the given name.
func readText(t testing.TB, name, text string, opt dataset.Options) (*dataset.Dataset, error) {
	t.Helper()
	return openLayout(t.Context(), filepath.Join(datatest.Files(t, map[string]string{name: text}), name), opt)
}

func TestMTXContent(t *testing.T) {
	const head = "%%MatrixMarket matrix "
	for name, c := range map[string]struct {
		text string
		opt  dataset.Options
		want []string
	}{
		"row to column": {head + "coordinate pattern general\n3 3 2\n1 2\n2 3\n", dataset.Options{}, []string{"0→1", "1→2"}},
		"undirected by option": {head + "coordinate pattern general\n3 3 2\n1 2\n2 3\n", dataset.Options{Direction: dataset.Undirected},
			[]string{"1→0", "0→1", "2→1", "1→2"}},
		"symmetric": {head + "coordinate real symmetric\n3 3 3\n2 1 5\n3 2 -1\n3 3 4\n", dataset.Options{},
			[]string{"1→0=5", "0→1=5", "2→1=-1", "1→2=-1", "2→2=4"}},
		"directed by option": {head + "coordinate real symmetric\n2 2 1\n2 1 5\n", dataset.Options{Direction: dataset.Directed}, []string{"1→0=5"}},
		"skew-symmetric":     {head + "coordinate real skew-symmetric\n3 3 2\n2 1 5\n3 1 -2\n", dataset.Options{}, []string{"1→0=5", "2→0=-2", "0→1=-5", "0→2=2"}},
		"first of equals":    {head + "coordinate integer general\n2 2 2\n1 2 3\n1 2 4\n", dataset.Options{}, []string{"0→1=3"}},
		"all of equals":      {head + "coordinate integer general\n2 2 2\n1 2 3\n1 2 4\n", dataset.Options{Duplicates: dataset.KeepDuplicates}, []string{"0→1=3", "0→1=4"}},
		"zeros are arcs":     {head + "coordinate real general\n2 2 1\n1 2 0\n", dataset.Options{}, []string{"0→1=0"}},
		"array":              {head + "array real general\n2 2\n0\n3\n4\n0\n", dataset.Options{}, []string{"1→0=3", "0→1=4"}},
		"symmetric array":    {head + "array integer symmetric\n2 2\n1\n2\n0\n", dataset.Options{}, []string{"0→0=1", "1→0=2", "0→1=2"}},
		"skew array":         {head + "array real skew-symmetric\n3 3\n1\n0\n2\n", dataset.Options{}, []string{"1→0=1", "0→1=-1", "2→1=2", "1→2=-2"}},
		"any case, blanks, CRLF": {"%%matrixmarket MATRIX Coordinate Pattern General\r\n%x\r\n\r\n  2  2\t1 \r\n\r\n 1   2 \r\n\r\n", dataset.Options{},
			[]string{"0→1"}},
		"byte-order mark":    {"\ufeff" + head + "coordinate pattern general\n1 1 1\n1 1\n", dataset.Options{}, []string{"0→0"}},
		"comment after size": {head + "coordinate pattern general\n1 1 1\n% c\n1 1\n", dataset.Options{}, []string{"0→0"}},
		"isolated vertices":  {head + "coordinate pattern general\n9 9 0\n", dataset.Options{}, nil},
		"no vertices":        {head + "coordinate pattern general\n0 0 0\n", dataset.Options{}, nil},
		"widened by GraphBLAS": {head + "coordinate integer general\n%%GraphBLAS type double\n1 1 1\n1 1 .5\n", dataset.Options{},
			[]string{"0→0=0.5"}},
	} {
		t.Run(name, func(t *testing.T) {
			d, err := readText(t, "a.mtx", c.text, c.opt)
			if err != nil {
				t.Fatal(err)
			}
			if got := datatest.ArcsOf(d.Graph); !slices.Equal(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestMTXFaults(t *testing.T) {
	const head = "%%MatrixMarket matrix coordinate "
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"empty":                 {"", []string{"a.mtx:1", "no Matrix Market header"}},
		"short header":          {"%%MatrixMarket matrix coordinate\n", []string{"a.mtx:1", "3 words"}},
		"complex":               {head + "complex general\n1 1 1\n1 1 1 1\n", []string{"a.mtx:1", "complex"}},
		"complex hermitian":     {head + "complex hermitian\n1 1 1\n1 1 1 1\n", []string{"a.mtx:1", "complex"}},
		"skew pattern":          {head + "pattern skew-symmetric\n1 1 0\n", []string{"a.mtx:1", "pattern"}},
		"array pattern":         {"%%MatrixMarket matrix array pattern general\n1 1\n", []string{"a.mtx:1", "array"}},
		"no size":               {head + "real general\n% only\n", []string{"a.mtx:2", "size line"}},
		"two counts":            {head + "real general\n3 3\n1 1 1\n", []string{"a.mtx:2", "2 counts, want 3"}},
		"four counts":           {head + "real general\n3 3 1 1\n1 1 1\n", []string{"a.mtx:2", "3 counts"}},
		"negative count":        {head + "real general\n3 3 -1\n", []string{"a.mtx:2", "3 counts"}},
		"huge":                  {head + "pattern general\n9999999999 9999999999 1\n1 1\n", []string{"a.mtx:2", "vertices", "9999999999"}},
		"huge for its size":     {head + "pattern general\n2000000000 2000000000 1\n1 1\n", []string{"a.mtx:2", "vertices"}},
		"many entries":          {head + "pattern general\n9 9 999999999999\n1 1\n", []string{"a.mtx:2", "arcs"}},
		"beyond 64 bits":        {head + "pattern general\n99999999999999999999 9 1\n", []string{"a.mtx:2"}},
		"huge array":            {"%%MatrixMarket matrix array real general\n2000000 2000000\n1\n", []string{"a.mtx:2", "arcs"}},
		"symmetric, not square": {head + "pattern symmetric\n2 3 0\n", []string{"a.mtx:2", "2×3"}},
		"row 0":                 {head + "pattern general\n8 8 1\n0 3\n", []string{"a.mtx:3", "row 0", "1 to 8"}},
		"column 9":              {head + "pattern general\n8 8 1\n\n3 9\n", []string{"a.mtx:4", "column 9", "1 to 8"}},
		"no column":             {head + "pattern general\n8 8 1\n3\n", []string{"a.mtx:3", "no column"}},
		"no value":              {head + "real general\n8 8 1\n3 3\n", []string{"a.mtx:3", "no value"}},
		"word":                  {head + "real general\n8 8 1\n3 x 1\n", []string{"a.mtx:3", `column "x"`}},
		"NUL":                   {head + "real general\n8 8 1\n\x00 3 1\n", []string{"a.mtx:3", `"\x00"`}},
		"value":                 {head + "real general\n8 8 1\n3 3 one\n", []string{"a.mtx:3", `"one"`}},
		"fraction":              {head + "integer general\n8 8 1\n3 3 1.5\n", []string{"a.mtx:3", `"1.5"`, "integer"}},
		"beyond float32":        {head + "real general\n8 8 1\n3 3 1e300\n", []string{"a.mtx:3", "1e300"}},
		"fourth column":         {head + "real general\n8 8 1\n3 3 1 7\n", []string{"a.mtx:3", `"7"`}},
		"skew diagonal":         {head + "real skew-symmetric\n8 8 1\n3 3 1\n", []string{"a.mtx:3", "diagonal"}},
		"cut short":             {head + "pattern general\n8 8 3\n3 3\n1 1\n", []string{"a.mtx:4", "2 of 3"}},
		"too many":              {head + "pattern general\n8 8 1\n3 3\n1 1\n", []string{"a.mtx:4", "more than the 1"}},
		"short array":           {"%%MatrixMarket matrix array real general\n2 2\n1\n2\n", []string{"a.mtx:4", "2 of 4"}},
		"long array":            {"%%MatrixMarket matrix array real general\n1 1\n1\n2\n", []string{"a.mtx:4", "more than the 1"}},
		"array row":             {"%%MatrixMarket matrix array real general\n1 2\n1 2\n", []string{"a.mtx:3", "one value"}},
		"million columns":       {head + "real general\n8 8 1\n" + strings.Repeat("1 ", 1_000_000) + "\n", []string{"a.mtx:3"}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := readText(t, "a.mtx", c.text, dataset.Options{})
			datatest.WantError(t, err, c.want...)
		})
	}
}

// Writing a random matrix and reading it gives its arcs: the sum over listed
// entries is the oracle.
func TestMTXRoundTrip(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(1, 9).Draw(rt, "n")
		symmetry := rapid.SampledFrom([]string{"general", "symmetric", "skew-symmetric"}).Draw(rt, "symmetry")
		want := make([]float32, n*n)
		var body strings.Builder
		entries := 0
		for i := range n {
			for j := range n {
				listed := symmetry == "general" || j < i || j == i && symmetry == "symmetric"
				if !listed || !rapid.Bool().Draw(rt, "entry") {
					continue
				}
				w := float32(rapid.IntRange(1, 99).Draw(rt, "weight"))
				fmt.Fprintf(&body, "%d %d %v\n", i+1, j+1, w)
				entries++
				want[i*n+j] = w
				switch {
				case symmetry == "symmetric":
					want[j*n+i] = w
				case symmetry == "skew-symmetric":
					want[j*n+i] = -w
				}
			}
		}
		text := fmt.Sprintf("%%%%MatrixMarket matrix coordinate real %s\n%d %d %d\n%s", symmetry, n, n, entries, body.String())
		l, g, err := linesOf(text)
		if err != nil {
			rt.Fatal(err)
		}
		m, err := parseMTX(l, g)
		if err != nil {
			rt.Fatal(err)
		}
		d, err := m.dataset("in", dataset.Options{})
		if err != nil {
			rt.Fatal(err)
		}
		got := make([]float32, n*n)
		for v := range n {
			for i := d.Graph.Ptr[v]; i < d.Graph.Ptr[v+1]; i++ {
				got[int(d.Graph.Src[i])*n+v] = weightOf(d.Graph, i)
			}
		}
		if !slices.Equal(got, want) {
			rt.Fatalf("%s\ngot  %v\nwant %v", text, got, want)
		}
	})
}

func weightOf(g *graph.Graph, i int64) float32 {
	if g.Weight == nil {
		return float32(math.NaN())
	}
	return g.Weight[i]
}
