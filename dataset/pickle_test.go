package dataset

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nlpodyssey/gopickle/types"
)

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
	wantError(t, err, "x.npy", "element 0", "int")
	_, err = a.ints(freeGuard())
	wantError(t, err, "x.npy", "element 1", "string")
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
			wantError(t, err, "x.pickle", c.want)
		})
	}
}

// TestUnpickleCycle: a list that holds itself is read without following it.
func TestUnpickleCycle(t *testing.T) {
	v, err := unpickle("x", []byte("]q\x01h\x01a."), freeGuard())
	if err != nil {
		t.Fatal(err)
	}
	l, ok := v.(*types.List)
	if !ok || l.Len() != 1 || (*l)[0] != any(l) {
		t.Fatalf("a %s", pyType(v))
	}
	_, err = unpickle("x", []byte("]q\x01h\x01ah\x01h\x01\x86R."), freeGuard())
	wantError(t, err, "invalid arguments")
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
	var v any
	var err error
	used := allocated(func() { v, err = unpickle("x", data, g) })
	if err != nil {
		t.Fatal(err)
	}
	if l, ok := v.(*types.List); !ok || l.Len() != n {
		t.Fatalf("a %s", pyType(v))
	}
	if used > 16<<20 {
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
	wantError(t, err, "x: pickled objects", "over the limit")
}
