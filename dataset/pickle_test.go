package dataset

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/nlpodyssey/gopickle/types"
)

// pickler writes pickles of protocol 2, as NumPy and SciPy make them.
type pickler struct{ b []byte }

func (p *pickler) op(codes string) *pickler { p.b = append(p.b, codes...); return p }

func (p *pickler) global(module, name string) *pickler {
	return p.op("c" + module + "\n" + name + "\n")
}

func (p *pickler) int(v int) *pickler {
	p.b = binary.LittleEndian.AppendUint32(append(p.b, 'J'), uint32(int32(v)))
	return p
}

// raw writes a string of Python 2, which is bytes.
func (p *pickler) raw(s string) *pickler {
	p.b = binary.LittleEndian.AppendUint32(append(p.b, 'T'), uint32(len(s)))
	return p.op(s)
}

// text writes a Unicode string.
func (p *pickler) text(s string) *pickler {
	p.b = binary.LittleEndian.AppendUint32(append(p.b, 'X'), uint32(len(s)))
	return p.op(s)
}

// dtype writes numpy.dtype(name) with its state.
func (p *pickler) dtype(name, order string) *pickler {
	p.global("numpy", "dtype").raw(name).int(0).int(1).op("\x87R")
	p.op("(").int(3).raw(order).op("NNN").int(-1).int(-1).int(0)
	return p.op("tb")
}

// array writes a C-ordered array of raw data.
func (p *pickler) array(name string, data []byte, shape ...int) *pickler {
	p.arrayHead(name, shape...).raw(string(data))
	return p.op("tb")
}

// arrayHead writes an array up to its data.
func (p *pickler) arrayHead(name string, shape ...int) *pickler {
	p.global("numpy.core.multiarray", "_reconstruct").global("numpy", "ndarray")
	p.int(0).op("\x85").raw("b").op("\x87R")
	p.op("(").int(1).op("(")
	for _, s := range shape {
		p.int(s)
	}
	return p.op("t").dtype(name, "<").op("\x89")
}

// csr writes a SciPy matrix of the given rows of (column, value) pairs.
func (p *pickler) csr(cols int, rows ...[][2]float32) *pickler {
	ptr, col, val := []int32{0}, []int32{}, []float32{}
	for _, r := range rows {
		for _, e := range r {
			col, val = append(col, int32(e[0])), append(val, e[1])
		}
		ptr = append(ptr, int32(len(col)))
	}
	p.global("scipy.sparse.csr", "csr_matrix").op(")\x81}(")
	p.raw("format").raw("csr").raw("_shape").int(len(rows)).int(cols).op("\x86")
	p.raw("indptr").array("i4", le(ptr), len(ptr))
	p.raw("indices").array("i4", le(col), len(col))
	p.raw("data").array("f4", le(val), len(val))
	return p.op("ub")
}

// lists writes a defaultdict of vertex → neighbours.
func (p *pickler) lists(neighbours ...[]int) *pickler {
	p.global("collections", "defaultdict").global("__builtin__", "list").op("\x85R(")
	for v, list := range neighbours {
		p.int(v).op("](")
		for _, u := range list {
			p.int(u)
		}
		p.op("e")
	}
	return p.op("u")
}

func (p *pickler) bytes() []byte { return append(slices.Concat([]byte("\x80\x02"), p.b), '.') }

func pickled() *pickler { return &pickler{} }

func TestUnpickleArray(t *testing.T) {
	v, err := unpickle("a", pickled().array("i4", le([]int32{1, 2, 3, 4}), 2, 2).bytes(), freeGuard())
	if err != nil {
		t.Fatal(err)
	}
	a, ok := v.(*array)
	if !ok {
		t.Fatalf("a %T", v)
	}
	if got, err := a.ints(freeGuard()); err != nil || !slices.Equal(got, []int64{1, 2, 3, 4}) || !slices.Equal(a.shape, []int{2, 2}) {
		t.Errorf("%v %v, %v", got, a.shape, err)
	}
}

// TestUnpicklePython3: bytes of Python 3 in protocol 2 are Latin-1 text that
// _codecs.encode turns back.
func TestUnpicklePython3(t *testing.T) {
	p := pickled().arrayHead("i2", 2).global("_codecs", "encode").text("\u0001\u0000\u00ff\u0000").text("latin1").op("\x86Rtb")
	v, err := unpickle("a", p.bytes(), freeGuard())
	if err != nil {
		t.Fatal(err)
	}
	if got, err := v.(*array).ints(freeGuard()); err != nil || !slices.Equal(got, []int64{1, 255}) {
		t.Errorf("%v, %v", got, err)
	}
}

func TestUnpickleObjects(t *testing.T) {
	p := pickled().arrayHead("O8", 2).op("](").text("a").text("b").op("etb")
	a, err := parseNPY("x.npy", shaped("|O", "(2,)", p.bytes()), freeGuard())
	if err != nil {
		t.Fatal(err)
	}
	if got, err := a.text(freeGuard()); err != nil || !slices.Equal(got, []string{"a", "b"}) {
		t.Errorf("%q, %v", got, err)
	}
	p = pickled().arrayHead("O8", 2).op("](").int(5).text("b").op("etb")
	if a, err = parseNPY("x.npy", shaped("|O", "(2,)", p.bytes()), freeGuard()); err != nil {
		t.Fatal(err)
	}
	_, err = a.text(freeGuard())
	wantTextError(t, err, "x.npy", "element 0", "int")
	_, err = a.ints(freeGuard())
	wantTextError(t, err, "x.npy", "element 1", "string")
}

// TestUnpickleRealProtocols reads the same array from the other protocols, as
// CPython 3 and NumPy 2 wrote it.
func TestUnpickleRealProtocols(t *testing.T) {
	for _, file := range []string{"array-protocol2.pickle", "array-protocol3.pickle", "array-protocol4.pickle", "array-protocol5.pickle"} {
		data, err := os.ReadFile(filepath.Join("testdata", file))
		if err != nil {
			t.Fatal(err)
		}
		v, err := unpickle(file, data, freeGuard())
		if err != nil {
			t.Error(err)
			continue
		}
		a, ok := v.(*array)
		if !ok {
			t.Errorf("%s: a %s", file, pyType(v))
			continue
		}
		if got, err := a.ints(freeGuard()); err != nil || !slices.Equal(got, []int64{0, 1, 2, 3, 4, 5}) || !slices.Equal(a.shape, []int{2, 3}) {
			t.Errorf("%s: %v %v, %v", file, got, a.shape, err)
		}
	}
}

// TestUnpickleHostile: what is not on the allow-list, malformed, cyclic or
// states lengths that are not there is an error; nothing panics, runs code or
// takes the memory that is asked for.
func TestUnpickleHostile(t *testing.T) {
	long := func(code byte, n uint64, width int) string {
		return string(append([]byte{code}, binary.LittleEndian.AppendUint64(nil, n)[:width]...))
	}
	for name, c := range map[string]struct {
		data string
		want string
	}{
		"empty":               {"", "cut short"},
		"only a stop":         {".", "pickle"},
		"system":              {"cos\nsystem\n(S'id'\ntR.", "os.system is not allowed"},
		"eval":                {"cbuiltins\neval\n(S'1'\ntR.", "builtins.eval is not allowed"},
		"class by the stack":  {"\x80\x04\x8c\x05posix\x8c\x06system\x93.", "posix.system is not allowed"},
		"array class":         {"carray\n_array_reconstructor\n.", "array._array_reconstructor"},
		"array by the stack":  {"\x80\x04\x8c\x05array\x8c\x14_array_reconstructor\x93.", "array._array_reconstructor"},
		"other sparse":        {"cscipy.sparse.csc\ncsc_matrix\n)\x81.", "csc_matrix is not allowed"},
		"persistent id":       {"Pid\n.", "opcode 0x50 is not allowed"},
		"extension":           {"\x82\x01.", "opcode 0x82 is not allowed"},
		"old-style instance":  {"(ios\nsystem\n.", "opcode 0x69 is not allowed"},
		"set":                 {"\x8f.", "opcode 0x8f is not allowed"},
		"string length":       {long('T', 1<<31-1, 4) + ".", "bytes are needed"},
		"negative length":     {long('T', 1<<32-1, 4) + ".", "negative"},
		"8-byte length":       {long(0x8e, 1<<62, 8) + ".", "bytes are needed"},
		"8-byte overflow":     {long(0x8e, 1<<64-1, 8) + ".", "a length of"},
		"frame":               {long(0x95, 1<<62, 8) + ".", "a frame of"},
		"long of nothing":     {"\x8a\x00.", "0 bytes"},
		"long integer":        {long(0x8b, 1<<20, 4) + ".", "an integer of"},
		"many digits":         {"L" + strings.Repeat("9", 1000) + "L\n.", "digits"},
		"cut argument":        {"J\x01", "bytes are needed"},
		"cut length":          {"T\x01", "cut short"},
		"open line":           {"I12", "without an end"},
		"protocol":            {"\x80\x09N.", "protocol"},
		"escaped text":        {"S'a\\x00'\n.", "protocol 0"},
		"no stop":             {"NNNN", "cut short"},
		"empty stack":         {"\x80\x020.", "stack is empty"},
		"odd dict":            {"(NNNd.", "malformed"},
		"odd setitems":        {"}(Nu.", "malformed"},
		"mark bomb":           {strings.Repeat("(", 1000) + ".", "nested"},
		"absent memo":         {"h\x05(tR.", "REDUCE"},
		"reduce of text":      {"S'a'\n)R.", "REDUCE"},
		"build of nothing":    {string(pickled().global("numpy.core.multiarray", "_reconstruct").op("N").bytes()) + "b.", ""},
		"array of no class":   {string(pickled().global("numpy.core.multiarray", "_reconstruct").op("NNN\x87R").bytes()), "want ndarray"},
		"array of one":        {string(pickled().global("numpy.core.multiarray", "_reconstruct").op("N\x85R").bytes()), "1 arguments"},
		"huge shape":          {string(pickled().array("i4", nil, 1<<30, 1<<30, 1<<30).bytes()), "needs"},
		"negative shape":      {string(pickled().array("i4", nil, -1).bytes()), "not a length"},
		"little data":         {string(pickled().array("i4", []byte{1}, 1).bytes()), "needs 4"},
		"complex":             {string(pickled().array("c8", nil, 0).bytes()), `"c8"`},
		"scalar":              {string(pickled().global("numpy.core.multiarray", "scalar").op("NN\x86R").bytes()), "scalar of"},
		"encode":              {string(pickled().global("_codecs", "encode").text("a").text("utf-7").op("\x86R").bytes()), "latin1"},
		"encode beyond":       {string(pickled().global("_codecs", "encode").text("€").text("latin1").op("\x86R").bytes()), "not in latin1"},
		"sparse of nothing":   {string(pickled().global("scipy.sparse.csr", "csr_matrix").op(")\x81}b").bytes()), "indptr"},
		"sparse without dict": {string(pickled().global("scipy.sparse.csr", "csr_matrix").op(")\x81Nb").bytes()), "want a dict"},
	} {
		t.Run(name, func(t *testing.T) {
			v, err := unpickle("x.pickle", []byte(c.data), freeGuard())
			if c.want == "" {
				return // whatever it means, it did not panic
			}
			if err == nil {
				t.Fatalf("read as a %s", pyType(v))
			}
			wantTextError(t, err, "x.pickle", c.want)
		})
	}
}

// TestUnpickleCycle: a list that holds itself is read, and refused where
// numbers are wanted, without following it.
func TestUnpickleCycle(t *testing.T) {
	v, err := unpickle("x", []byte("]q\x01h\x01a."), freeGuard())
	if err != nil {
		t.Fatal(err)
	}
	l, ok := v.(*types.List)
	if !ok || l.Len() != 1 || (*l)[0] != any(l) {
		t.Fatalf("a %s", pyType(v))
	}
	e := edgeList{path: "x", n: 1}
	wantTextError(t, e.addList(0, v), "the neighbours of 0", "list")
	_, err = unpickle("x", []byte("]q\x01h\x01ah\x01h\x01\x86R."), freeGuard())
	wantTextError(t, err, "invalid arguments")
}

// TestUnpickleSharedData: arrays that share one long string through the memo
// do not multiply it.
func TestUnpickleSharedData(t *testing.T) {
	p := pickled().raw(strings.Repeat("\x00", 1<<20)).op("q\x00") // the string in memo 0
	const n = 500
	p.op("](")
	for range n {
		p.arrayHead("i1", 1<<20).op("h\x00tb")
	}
	data := p.op("e").bytes()
	g := Limits{Floor: 8 << 20, Ratio: 16}.guard("x", int64(len(data)))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	v, err := unpickle("x", data, g)
	runtime.ReadMemStats(&after)
	if err != nil {
		t.Fatal(err)
	}
	if l, ok := v.(*types.List); !ok || l.Len() != n {
		t.Fatalf("a %s", pyType(v))
	}
	if used := after.TotalAlloc - before.TotalAlloc; used > 16<<20 {
		t.Errorf("%d bytes allocated for %d arrays of one string of 1 MiB", used, n)
	}
}

// TestUnpickleBudget: many small objects count too.
func TestUnpickleBudget(t *testing.T) {
	data := []byte("](" + strings.Repeat("}", 1<<16) + "e.")
	if _, err := unpickle("x", data, Limits{}.guard("x", int64(len(data)))); err != nil {
		t.Fatal(err)
	}
	_, err := unpickle("x", data, Limits{Floor: 1, Ratio: 2}.guard("x", int64(len(data))))
	wantTextError(t, err, "x: pickled objects", "over the limit")
}

// planetoidFilesOf writes a set of 4 + 3 vertices: 2 train, 2 more known, 2 test
// in the order 6, 4, so that 5 is a gap. Edges: 0–1 twice, 1–2, 6–4 and a loop
// at 3.
func planetoidFilesOf() map[string]string {
	one := func(c ...int32) []byte {
		var rows []int32
		for _, k := range c {
			row := []int32{0, 0, 0}
			if k >= 0 {
				row[k] = 1
			}
			rows = append(rows, row...)
		}
		return pickled().array("i4", le(rows), len(c), 3).bytes()
	}
	f := map[string][]byte{
		"x":          pickled().csr(2, [][2]float32{{0, 1}}, [][2]float32{{1, 1}}).bytes(),
		"y":          one(0, 1),
		"allx":       pickled().csr(2, [][2]float32{{0, 1}}, [][2]float32{{1, 1}}, [][2]float32{{0, 2}, {1, 3}}, nil).bytes(),
		"ally":       one(0, 1, 2, 0),
		"tx":         pickled().csr(2, [][2]float32{{0, 6}}, [][2]float32{{0, 4}}).bytes(),
		"ty":         one(2, 1),
		"graph":      pickled().lists([]int{1, 1}, []int{0, 2, 0}, []int{1}, []int{3}, []int{6}, nil, []int{4}).bytes(),
		"test.index": []byte("6\n4\n"),
	}
	out := map[string]string{}
	for suffix, data := range f {
		out["ind.tiny."+suffix] = string(data)
	}
	return out
}

func TestPlanetoid(t *testing.T) {
	dir := writeFiles(t, planetoidFilesOf())
	d, err := Open(t.Context(), dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if d.Graph.N != 7 {
		t.Fatalf("%d vertices, want 7", d.Graph.N)
	}
	if got, want := arcsOf(d.Graph), []string{"1→0", "0→1", "2→1", "1→2", "3→3", "6→4", "4→6"}; !slices.Equal(got, want) {
		t.Errorf("arcs %v, want %v", got, want)
	}
	if c := d.Graph.Counts; c.Listed != 9 || c.Duplicates != 2 || c.Loops != 1 || c.Arcs != 6 {
		t.Errorf("%+v", c)
	}
	if want := []float32{1, 0, 0, 1, 2, 3, 0, 0, 4, 0, 0, 0, 6, 0}; !slices.Equal(d.X.Flat(), want) {
		t.Errorf("X %v, want %v", d.X.Data, want)
	}
	if want := []int32{0, 1, 2, 0, 1, -1, 2}; !slices.Equal(d.Labels.Class, want) {
		t.Errorf("classes %v, want %v", d.Labels.Class, want)
	}
	if s := d.Splits[0]; fmt.Sprint(s.Train, s.Val, s.Test) != "[0 1] [2 3] [4 6]" || s.Name != "public" {
		t.Errorf("%+v", s)
	}
	if len(d.Notes) != 1 || !strings.Contains(d.Notes[0], "1 vertices are missing from test.index") {
		t.Errorf("notes %q", d.Notes)
	}
	for _, path := range []string{"ind.tiny", "ind.tiny.graph", "ind.tiny.test.index"} {
		if _, err := Open(t.Context(), filepath.Join(dir, path), Options{}); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
}

func TestPlanetoidFaults(t *testing.T) {
	lists := func(n ...[]int) string { return string(pickled().lists(n...).bytes()) }
	for name, c := range map[string]struct {
		file, content string
		want          []string
	}{
		"missing file":       {"ty", "", []string{"ind.tiny.ty"}},
		"no pickle":          {"allx", "hello", []string{"ind.tiny.allx", "pickle"}},
		"array for rows":     {"allx", string(pickled().array("i4", nil, 0).bytes()), []string{"ind.tiny.allx", "NumPy array", "CSR"}},
		"rows for array":     {"ally", string(pickled().csr(2).bytes()), []string{"ind.tiny.ally", "CSR"}},
		"flat labels":        {"ally", string(pickled().array("i4", nil, 0).bytes()), []string{"ind.tiny.ally", "shape [0]"}},
		"two classes":        {"ty", string(pickled().array("i4", le([]int32{1, 1, 0, 1}), 2, 2).bytes()), []string{"ind.tiny.ty", "row 0", "one-hot"}},
		"fewer labels":       {"ty", string(pickled().array("i4", le([]int32{1, 0, 0}), 1, 3).bytes()), []string{"1×3", "2 rows"}},
		"fewer classes":      {"ty", string(pickled().array("i4", le([]int32{1, 0, 0, 1}), 2, 2).bytes()), []string{"2×2"}},
		"columns":            {"tx", string(pickled().csr(3, nil, nil).bytes()), []string{"ind.tiny.tx", "3 columns", "2"}},
		"column range":       {"allx", string(pickled().csr(2, [][2]float32{{2, 1}}, nil, nil, nil).bytes()), []string{"ind.tiny.allx", "row 0", "column 2"}},
		"test in allx":       {"test.index", "6\n3\n", []string{"test.index:2", "vertex 3"}},
		"test twice":         {"test.index", "6\n6\n", []string{"test.index:2", "twice"}},
		"test is text":       {"test.index", "6\nfour\n", []string{"test.index:2", `"four"`}},
		"blank test":         {"test.index", "6\n\n", []string{"test.index:2", `""`}},
		"test huge":          {"test.index", "6\n99999999999\n", []string{"test.index:2"}},
		"test too far":       {"test.index", "6\n2000000000\n", []string{"features", "limit"}},
		"fewer tests":        {"test.index", "6\n", []string{"1 test vertices", "2 rows"}},
		"list of a dict":     {"graph", "].", []string{"ind.tiny.graph", "list", "dict"}},
		"out of range":       {"graph", lists([]int{7}), []string{"ind.tiny.graph", "neighbours of 0", "vertex 7", "0…6"}},
		"negative":           {"graph", lists([]int{-1}), []string{"vertex -1"}},
		"key range":          {"graph", lists(nil, nil, nil, nil, nil, nil, nil, []int{0}), []string{"neighbours of 7"}},
		"neighbour text":     {"graph", string(pickled().op("}").int(0).op("]").text("a").op("as").bytes()), []string{"neighbours of 0", "string"}},
		"key text":           {"graph", string(pickled().op("}").text("a").op("]s").bytes()), []string{"string: list"}},
		"class in the graph": {"graph", "cos\nsystem\n.", []string{"os.system"}},
	} {
		t.Run(name, func(t *testing.T) {
			files := planetoidFilesOf()
			if files["ind.tiny."+c.file] = c.content; c.content == "" {
				delete(files, "ind.tiny."+c.file)
			}
			_, err := Open(t.Context(), filepath.Join(writeFiles(t, files), "ind.tiny"), Options{})
			wantTextError(t, err, c.want...)
		})
	}
	_, err := Open(t.Context(), t.TempDir(), Options{Format: "planetoid"})
	wantTextError(t, err, "ind.NAME")
}

// TestCiteSeerGaps: the 15 ids that test.index leaves out are vertices without
// features, label or part of the split.
func TestCiteSeerGaps(t *testing.T) {
	d := openReal(t, "citeseer", Options{})
	if d.Graph.N != 3327 {
		t.Fatalf("%d vertices, want 3327", d.Graph.N)
	}
	in := make([]bool, d.Graph.N)
	for _, part := range [][]int32{d.Splits[0].Train, d.Splits[0].Val, d.Splits[0].Test} {
		for _, v := range part {
			in[v] = true
		}
	}
	gaps := 0
	for v := range d.Graph.N {
		if d.Labels.Class[v] >= 0 {
			continue
		}
		gaps++
		if in[v] || slices.ContainsFunc(d.X.Row(v), func(x float32) bool { return x != 0 }) {
			t.Errorf("vertex %d has no label but features or a part of the split", v)
		}
	}
	if gaps != 15 || len(d.Splits[0].Test) != 1000 {
		t.Errorf("%d gaps, %d test vertices; want 15, 1000", gaps, len(d.Splits[0].Test))
	}
}

// TestPublicSplit: 20 training vertices of each class, and then 500 and 1,000.
func TestPublicSplit(t *testing.T) {
	for _, name := range []string{"cora", "citeseer"} {
		d := openReal(t, name, Options{})
		per := make([]int, d.Labels.Classes())
		for _, v := range d.Splits[0].Train {
			per[d.Labels.Class[v]]++
		}
		if slices.ContainsFunc(per, func(k int) bool { return k != 20 }) {
			t.Errorf("%s: %v training vertices per class, want 20", name, per)
		}
		if s := d.Splits[0]; len(s.Val) != 500 || len(s.Test) != 1000 {
			t.Errorf("%s: %d and %d", name, len(s.Val), len(s.Test))
		}
	}
}
