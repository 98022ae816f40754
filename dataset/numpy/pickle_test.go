package numpy

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nlpodyssey/gopickle/types"

	"github.com/weft-gnn/weft/dataset/budget"
	"github.com/weft-gnn/weft/dataset/internal/datatest"
)

func TestUnpickleArray(t *testing.T) {
	v, err := Unpickle("a", datatest.Pickled().Array("i4", datatest.LE([]int32{1, 2, 3, 4}), 2, 2).Bytes(), freeGuard())
	if err != nil {
		t.Fatal(err)
	}
	a, ok := v.(*Array)
	if !ok {
		t.Fatalf("a %T", v)
	}
	if got, err := a.Ints(freeGuard()); err != nil || !slices.Equal(got, []int64{1, 2, 3, 4}) || !slices.Equal(a.Shape, []int{2, 2}) {
		t.Errorf("%v %v, %v", got, a.Shape, err)
	}
}

// TestUnpicklePython3: bytes of Python 3 in protocol 2 are Latin-1 text that
// _codecs.encode turns back.
func TestUnpicklePython3(t *testing.T) {
	p := datatest.Pickled().ArrayHead("i2", 2).Global("_codecs", "encode").Text("\u0001\u0000\u00ff\u0000").Text("latin1").Op("\x86Rtb")
	v, err := Unpickle("a", p.Bytes(), freeGuard())
	if err != nil {
		t.Fatal(err)
	}
	if got, err := v.(*Array).Ints(freeGuard()); err != nil || !slices.Equal(got, []int64{1, 255}) {
		t.Errorf("%v, %v", got, err)
	}
}

func TestUnpickleObjects(t *testing.T) {
	p := datatest.Pickled().ArrayHead("O8", 2).Op("](").Text("a").Text("b").Op("etb")
	a, err := Parse("x.npy", datatest.Shaped("|O", "(2,)", p.Bytes()), freeGuard())
	if err != nil {
		t.Fatal(err)
	}
	if got, err := a.text(freeGuard()); err != nil || !slices.Equal(got, []string{"a", "b"}) {
		t.Errorf("%q, %v", got, err)
	}
	p = datatest.Pickled().ArrayHead("O8", 2).Op("](").Int(5).Text("b").Op("etb")
	if a, err = Parse("x.npy", datatest.Shaped("|O", "(2,)", p.Bytes()), freeGuard()); err != nil {
		t.Fatal(err)
	}
	_, err = a.text(freeGuard())
	datatest.WantError(t, err, "x.npy", "element 0", "int")
	_, err = a.Ints(freeGuard())
	datatest.WantError(t, err, "x.npy", "element 1", "string")
}

// TestUnpickleRealProtocols reads the same array from the other protocols, as
// CPython 3 and NumPy 2 wrote it.
func TestUnpickleRealProtocols(t *testing.T) {
	for _, file := range []string{"array-protocol2.pickle", "array-protocol3.pickle", "array-protocol4.pickle", "array-protocol5.pickle"} {
		data, err := os.ReadFile(filepath.Join("testdata", file))
		if err != nil {
			t.Fatal(err)
		}
		v, err := Unpickle(file, data, freeGuard())
		if err != nil {
			t.Error(err)
			continue
		}
		a, ok := v.(*Array)
		if !ok {
			t.Errorf("%s: a %s", file, TypeName(v))
			continue
		}
		if got, err := a.Ints(freeGuard()); err != nil || !slices.Equal(got, []int64{0, 1, 2, 3, 4, 5}) || !slices.Equal(a.Shape, []int{2, 3}) {
			t.Errorf("%s: %v %v, %v", file, got, a.Shape, err)
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
		"build of nothing":    {string(datatest.Pickled().Global("numpy.core.multiarray", "_reconstruct").Op("N").Bytes()) + "b.", ""},
		"array of no class":   {string(datatest.Pickled().Global("numpy.core.multiarray", "_reconstruct").Op("NNN\x87R").Bytes()), "want ndarray"},
		"array of one":        {string(datatest.Pickled().Global("numpy.core.multiarray", "_reconstruct").Op("N\x85R").Bytes()), "1 arguments"},
		"huge shape":          {string(datatest.Pickled().Array("i4", nil, 1<<30, 1<<30, 1<<30).Bytes()), "needs"},
		"negative shape":      {string(datatest.Pickled().Array("i4", nil, -1).Bytes()), "not a length"},
		"little data":         {string(datatest.Pickled().Array("i4", []byte{1}, 1).Bytes()), "needs 4"},
		"complex":             {string(datatest.Pickled().Array("c8", nil, 0).Bytes()), `"c8"`},
		"scalar":              {string(datatest.Pickled().Global("numpy.core.multiarray", "scalar").Op("NN\x86R").Bytes()), "scalar of"},
		"encode":              {string(datatest.Pickled().Global("_codecs", "encode").Text("a").Text("utf-7").Op("\x86R").Bytes()), "latin1"},
		"encode beyond":       {string(datatest.Pickled().Global("_codecs", "encode").Text("€").Text("latin1").Op("\x86R").Bytes()), "not in latin1"},
		"sparse of nothing":   {string(datatest.Pickled().Global("scipy.sparse.csr", "csr_matrix").Op(")\x81}b").Bytes()), "indptr"},
		"sparse without dict": {string(datatest.Pickled().Global("scipy.sparse.csr", "csr_matrix").Op(")\x81Nb").Bytes()), "want a dict"},
	} {
		t.Run(name, func(t *testing.T) {
			v, err := Unpickle("x.pickle", []byte(c.data), freeGuard())
			if c.want == "" {
				return // whatever it means, it did not panic
			}
			if err == nil {
				t.Fatalf("read as a %s", TypeName(v))
			}
			datatest.WantError(t, err, "x.pickle", c.want)
		})
	}
}

// TestUnpickleCycle: a list that holds itself is read without following it.
func TestUnpickleCycle(t *testing.T) {
	v, err := Unpickle("x", []byte("]q\x01h\x01a."), freeGuard())
	if err != nil {
		t.Fatal(err)
	}
	l, ok := v.(*types.List)
	if !ok || l.Len() != 1 || (*l)[0] != any(l) {
		t.Fatalf("a %s", TypeName(v))
	}
	_, err = Unpickle("x", []byte("]q\x01h\x01ah\x01h\x01\x86R."), freeGuard())
	datatest.WantError(t, err, "invalid arguments")
}

// TestUnpickleSharedData: arrays that share one long string through the memo
// do not multiply it.
func TestUnpickleSharedData(t *testing.T) {
	p := datatest.Pickled().Raw(strings.Repeat("\x00", 1<<20)).Op("q\x00") // the string in memo 0
	const n = 500
	p.Op("](")
	for range n {
		p.ArrayHead("i1", 1<<20).Op("h\x00tb")
	}
	data := p.Op("e").Bytes()
	g := budget.Limits{Floor: 8 << 20, Ratio: 16}.Guard("x", int64(len(data)))
	var v any
	var err error
	used := datatest.Allocated(func() { v, err = Unpickle("x", data, g) })
	if err != nil {
		t.Fatal(err)
	}
	if l, ok := v.(*types.List); !ok || l.Len() != n {
		t.Fatalf("a %s", TypeName(v))
	}
	if used > 16<<20 {
		t.Errorf("%d bytes allocated for %d arrays of one string of 1 MiB", used, n)
	}
}

// TestUnpickleBudget: many small objects count too.
func TestUnpickleBudget(t *testing.T) {
	data := []byte("](" + strings.Repeat("}", 1<<16) + "e.")
	if _, err := Unpickle("x", data, budget.Limits{}.Guard("x", int64(len(data)))); err != nil {
		t.Fatal(err)
	}
	_, err := Unpickle("x", data, budget.Limits{Floor: 1, Ratio: 2}.Guard("x", int64(len(data))))
	datatest.WantError(t, err, "x: pickled objects", "over the limit")
}
