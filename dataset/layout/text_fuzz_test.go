package layout

import (
	"bytes"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/nlpodyssey/gopickle/types"

	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/dataset/budget"
	"github.com/weft-gnn/weft/dataset/internal/datatest"
	"github.com/weft-gnn/weft/dataset/internal/lines"
	"github.com/weft-gnn/weft/dataset/numpy"
)

// fuzzLimits are small, so that a reader which allocates what a count states
// shows: its input is short.
var fuzzLimits = budget.Limits{Floor: 1 << 20, Ratio: 64}

// fuzzLines reads fuzzed text under fuzzLimits.
func fuzzLines(t *testing.T, text []byte) (*lines.Reader, *budget.Guard, bool) {
	g := fuzzLimits.Guard("in", int64(len(text)))
	l, err := lines.New(t.Context(), "in", bytes.NewReader(text), g)
	if err != nil {
		datatest.WantError(t, err)
	}
	return l, g, err == nil
}

// checkRead checks that what was read is a set that agrees with itself, or err
// one line.
func checkRead(t *testing.T, d *dataset.Dataset, err error) {
	t.Helper()
	if err != nil {
		datatest.WantError(t, err)
		return
	}
	if err := d.Graph.Validate(); err != nil {
		t.Error(err)
	}
	if err := d.Validate(); err != nil {
		t.Error(err)
	}
}

func FuzzMatrixMarket(f *testing.F) {
	for _, body := range []string{
		"coordinate real general\n2 2 2\n1 2 .5\n2 2 -1e3\n",
		"coordinate pattern symmetric\n%c\n\n3 3 2\n2 1\n3 3\n",
		"coordinate integer skew-symmetric\n%%GraphBLAS type float\n2 2 1\n2 1 inf\n",
		"array real general\n2 2\n1\n0\nnan\n4\n",
		"array integer skew-symmetric\n3 3\n1\n2\n3\n",
		"coordinate real general\n9999999999 9999999999 1\n1 1 1\n",
	} {
		f.Add([]byte("%%MatrixMarket matrix " + body))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		l, g, ok := fuzzLines(t, text)
		if !ok {
			return
		}
		m, err := parseMTX(l, g)
		if err != nil {
			datatest.WantError(t, err)
			return
		}
		d, err := m.dataset("in", dataset.Options{})
		checkRead(t, d, err)
	})
}

func FuzzMETIS(f *testing.F) {
	for _, text := range []string{
		"3 2\n2 3\n1\n1\n", "2 1 1\n2 7\n1 7\n", "% c\n2 1 010 2\n1 2 2\n3 4 1\n", "3 0\n\n\n\n", "9999999999 9999999999\n", "2 1 111\n9 5 2 7\n8 6 1 7",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		l, g, ok := fuzzLines(t, text)
		if !ok {
			return
		}
		m, err := parseMETIS(l, g)
		if err != nil {
			datatest.WantError(t, err)
			return
		}
		d, err := m.dataset("in", dataset.Options{})
		checkRead(t, d, err)
	})
}

func FuzzSNAP(f *testing.F) {
	f.Add([]byte("# Directed graph\n1\t2\n2\t40\n"), []byte("1 7\n2 7\n"))
	f.Add([]byte("1,2,.5\n9223372036854775807,-5,1e3\n"), []byte("1\n2\n3\n4\n"))
	f.Add([]byte("\xef\xbb\xbf0 1\r\n\r\n"), []byte("0 1\n0 1\n"))
	f.Fuzz(func(t *testing.T, text, labels []byte) {
		l, _, ok := fuzzLines(t, text)
		if !ok {
			return
		}
		s, err := parseSNAP(l)
		if err != nil {
			datatest.WantError(t, err)
			return
		}
		d := &dataset.Dataset{Task: dataset.VertexClassification}
		var y *snapLabels
		if l, _, ok := fuzzLines(t, labels); ok {
			if y, err = parseSNAPLabels(l); err == nil {
				err = y.match(l, &s.ids)
			}
			if err != nil {
				datatest.WantError(t, err)
				return
			}
		}
		e := s.edges("in")
		if y != nil {
			d.Labels = y.labels(&s.ids)
		}
		d.X.Rows, d.IDs.Int = e.N, s.ids.IDs()
		d.Graph, err = e.Build(dataset.Options{})
		checkRead(t, d, err)
	})
}

func FuzzGIN(f *testing.F) {
	for _, text := range []string{"2\n2 1\n0 1 1\n0 1 0\n1 -1\n5 0\n", "1\n2 0\n0 1 1 .5\n3 1 0 1e1\n", "3\n0 1\n1 2\n7 0\n0 1\n", "9999999999\n9999999999 1\n"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		l, g, ok := fuzzLines(t, text)
		if !ok {
			return
		}
		s, err := parseGIN(l)
		if err != nil {
			datatest.WantError(t, err)
			return
		}
		d, err := s.dataset("in", dataset.Options{}, g)
		checkRead(t, d, err)
	})
}

// fuzzSet is a set of files that are separated by a line "-- NAME".
func fuzzSet(text []byte) *lines.Files {
	files := fstest.MapFS{}
	for part := range strings.SplitSeq(string(text), "-- ") {
		name, body, _ := strings.Cut(part, "\n")
		files[name] = &fstest.MapFile{Data: []byte(body)}
	}
	return &lines.Files{FS: files, Path: "in", Bytes: int64(len(text)), Close: func() error { return nil }}
}

func FuzzTU(f *testing.F) {
	f.Add([]byte("-- S_A.txt\n1, 2\n2, 1\n-- S_graph_indicator.txt\n1\n1\n3\n-- S_graph_labels.txt\n-1\n1\n-1\n" +
		"-- S_node_labels.txt\n5\n0\n5\n-- S_edge_attributes.txt\n.5, 1\n2, 3\n"))
	f.Add([]byte("-- S_A.txt\n-- S_graph_indicator.txt\n9000000000000000000\n"))
	f.Add([]byte("-- S_A.txt\n1, 1\n-- S_graph_indicator.txt\n1\n-- S_graph_attributes.txt\n1,,nan\n-- S_edge_labels.txt\n1\n-- S_node_attributes.txt\n1\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		files := fuzzSet(text)
		r := &tuReader{files: files, prefix: "S", guard: fuzzLimits.Guard("in", files.Bytes)}
		d, err := r.read(t.Context(), dataset.Options{})
		checkRead(t, d, err)
	})
}

func FuzzOGB(f *testing.F) {
	f.Add([]byte("-- raw/edge.csv\n0,1\n0,2\n-- raw/num-node-list.csv\n2\n3\n-- raw/num-edge-list.csv\n1\n1\n-- raw/graph-label.csv\n0,\n1,nan\n"+
		"-- split/s/train.csv\n0\n-- split/s/valid.csv\n-- split/s/test.csv\n1\n"), []byte(",s\ntask type,binary classification\nadd_inverse_edge,True\n"))
	f.Add([]byte("-- raw/edge.csv\n0,1\n-- raw/num-node-list.csv\n2\n-- raw/num-edge-list.csv\n1\n-- raw/node-label.csv\n0\n9\n"+
		"-- raw/node-feat.csv\n1,2\n3,4\n-- raw/edge-feat.csv\n1\n"), []byte(",a,s\ntask type,x,multiclass classification\nnum classes,1,10\nsplit,,s\n"))
	f.Add([]byte("-- raw/edge.csv\n-- raw/num-node-list.csv\n4294967295\n-- raw/num-edge-list.csv\n4294967295\n"), []byte(""))
	f.Fuzz(func(t *testing.T, text, master []byte) {
		files := fuzzSet(text)
		r := &ogbReader{files: files, root: ".", guard: fuzzLimits.Guard("in", files.Bytes)}
		var err error
		if r.meta, _, err = parseOGBMaster("in", bytes.NewReader(master), []string{"s"}); err != nil {
			datatest.WantError(t, err)
			return
		}
		d, err := r.read(t.Context(), dataset.Options{})
		checkRead(t, d, err)
	})
}

// Short inputs that state large counts make their readers allocate little.
func TestHostileCountsAllocateLittle(t *testing.T) {
	const most = 24 << 20 // some times fuzzLimits.Floor, and far below any count
	for name, c := range map[string]struct {
		format string
		files  map[string]string
	}{
		"mtx":           {"mtx", map[string]string{"S": "%%MatrixMarket matrix coordinate pattern general\n2147483647 2147483647 4294967295\n1 1\n"}},
		"mtx, array":    {"mtx", map[string]string{"S": "%%MatrixMarket matrix array real general\n2147483647 2147483647\n1\n"}},
		"metis":         {"metis", map[string]string{"S": "2147483647 1099511627776 111 1024\n"}},
		"gin, graphs":   {"gin-txt", map[string]string{"S": "9223372036854775807\n1 1\n0 0\n"}},
		"gin, vertices": {"gin-txt", map[string]string{"S": "1\n2147483647 1\n0 2147483646\n"}},
		"snap":          {"snap", map[string]string{"S": "9223372036854775807 2147483647\n1099511627776 0\n"}},
		"tu":            {"tu", map[string]string{"S/S_A.txt": "", "S/S_graph_indicator.txt": "2147483647\n"}},
		"ogb":           {"ogb", map[string]string{"S/raw/edge.csv": "", "S/raw/num-node-list.csv": "2147483647\n", "S/raw/num-edge-list.csv": "0\n"}},
		"ogb, classes": {"ogb", map[string]string{"S/raw/edge.csv": "", "S/raw/num-node-list.csv": "1\n", "S/raw/num-edge-list.csv": "0\n",
			"S/raw/node-label.csv": "16777216\n"}},
	} {
		t.Run(name, func(t *testing.T) {
			path := datatest.Files(t, c.files) + "/S"
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := openLayout(t.Context(), path, dataset.Options{Format: c.format, Limits: fuzzLimits})
			runtime.ReadMemStats(&after)
			if got := after.TotalAlloc - before.TotalAlloc; got > most {
				t.Errorf("%d bytes allocated", got)
			}
			if name != "snap" {
				datatest.WantError(t, err)
			}
		})
	}
}

// FuzzAdjacencyLists: any pickled dictionary becomes arcs or an error.
func FuzzAdjacencyLists(f *testing.F) {
	f.Add(datatest.Pickled().Lists([]int{1}, []int{0}).Bytes())
	f.Add(datatest.Pickled().Op("}").Int(0).Op("]").Text("a").Op("as").Bytes())
	f.Add([]byte("}K\x00]q\x01h\x01as."))
	f.Fuzz(func(t *testing.T, data []byte) {
		v, err := numpy.Unpickle("x", data, fuzzLimits.Guard("x", int64(len(data))))
		lists, ok := v.(*types.Dict)
		if err != nil || !ok {
			return
		}
		e := dataset.EdgeList{Path: "x", N: 3}
		for _, item := range *lists {
			if err := addList(&e, item.Key, item.Value); err != nil {
				datatest.WantError(t, err)
			}
		}
		if _, err := e.Build(dataset.Options{}); err != nil {
			t.Error(err)
		}
	})
}
