package numpy

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	npyio "codeberg.org/sbinet/npyio/npy"
	"pgregory.net/rapid"

	"github.com/weft-gnn/weft/dataset/budget"
	"github.com/weft-gnn/weft/dataset/internal/datatest"
	"github.com/weft-gnn/weft/tensor"
)

func freeGuard() *budget.Guard { return budget.Limits{}.Guard("test", 0) }

// TestNPYReadsOtherWriters: arrays of npyio, an independent writer, are read.
func TestNPYReadsOtherWriters(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		want := rapid.SliceOfN(rapid.Int64(), 1, 20).Draw(r, "values")
		a, err := Parse("a", datatest.NPY(t, want), freeGuard())
		if err != nil {
			r.Fatal(err)
		}
		got, err := a.Ints(freeGuard())
		if err != nil || !slices.Equal(got, want) {
			r.Fatalf("%v, %v; want %v", got, err, want)
		}
	})
	floats := []float32{1, -2.5, float32(math.Inf(1))}
	a, err := Parse("a", datatest.NPY(t, floats), freeGuard())
	if err != nil {
		t.Fatal(err)
	}
	if got, err := a.Floats(freeGuard()); err != nil || !slices.Equal(got, floats) {
		t.Errorf("%v, %v", got, err)
	}
}

// TestNPYReadByOthers: what weft writes, npyio reads.
func TestNPYReadByOthers(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		want := rapid.SliceOf(rapid.Int32()).Draw(r, "values")
		var b bytes.Buffer
		if err := Write(&b, []int{len(want)}, Converted(want)); err != nil {
			r.Fatal(err)
		}
		if b.Len()%8 != 0 || (b.Len()-8*len(want))%64 != 0 {
			r.Fatalf("the header takes %d bytes, want a multiple of 64", b.Len()-8*len(want))
		}
		var got []int64
		if err := npyio.Read(&b, &got); err != nil {
			r.Fatal(err)
		}
		if len(got) != len(want) {
			r.Fatalf("%d values, want %d", len(got), len(want))
		}
		for i, v := range got {
			if v != int64(want[i]) {
				r.Fatalf("%v, want %v", got, want)
			}
		}
	})
}

func TestNPYStridedRows(t *testing.T) {
	m := tensor.Matrix{Rows: 2, Cols: 2, Stride: 3, Data: []float32{1, 2, 9, 3, 4, 9}}
	var b bytes.Buffer
	if err := Write(&b, []int{2, 2}, MatrixRows(m)); err != nil {
		t.Fatal(err)
	}
	var got []float32
	if err := npyio.Read(&b, &got); err != nil || !slices.Equal(got, []float32{1, 2, 3, 4}) {
		t.Errorf("%v, %v", got, err)
	}
	if err := Write(&b, []int{3, 2}, MatrixRows(m)); err == nil {
		t.Error("4 elements were taken for 6")
	}
}

// TestNPYTypes: each element type and order gives the same numbers.
func TestNPYTypes(t *testing.T) {
	for descr, data := range map[string][]byte{
		"|b1": {1, 0, 1}, "|i1": {1, 0, 1}, "|u1": {1, 0, 1},
		"<i2": datatest.LE([]int16{1, 0, 1}), ">i2": datatest.BE([]int16{1, 0, 1}), "<u2": datatest.LE([]int16{1, 0, 1}),
		"<i4": datatest.LE([]int32{1, 0, 1}), ">u4": datatest.BE([]int32{1, 0, 1}), "<i8": datatest.LE([]int64{1, 0, 1}), ">i8": datatest.BE([]int64{1, 0, 1}),
		"<u8": datatest.LE([]int64{1, 0, 1}), "<f4": datatest.LE([]float32{1, 0, 1}), ">f4": datatest.BE([]float32{1, 0, 1}),
		"<f8": datatest.LE([]float64{1, 0, 1}), ">f8": datatest.BE([]float64{1, 0, 1}),
	} {
		a, err := Parse(descr, datatest.Shaped(descr, "(3,)", data), freeGuard())
		if err != nil {
			t.Error(err)
			continue
		}
		f, err := a.Floats(freeGuard())
		if err != nil || !slices.Equal(f, []float32{1, 0, 1}) {
			t.Errorf("%s: %v, %v", descr, f, err)
		}
		n, err := a.Ints(freeGuard())
		switch isFloat := descr[1] == 'f'; {
		case isFloat && err == nil:
			t.Errorf("%s was read as integers", descr)
		case !isFloat && (err != nil || !slices.Equal(n, []int64{1, 0, 1})):
			t.Errorf("%s: %v, %v", descr, n, err)
		}
	}
}

func TestNPYText(t *testing.T) {
	utf := append(datatest.LE([]int32{'a', 'é', 0}), datatest.LE([]int32{'x', 0, 0})...)
	for descr, data := range map[string][]byte{"<U3": utf, "|S3": []byte("a\xc3\xa9x\x00\x00")} {
		a, err := Parse(descr, datatest.Shaped(descr, "(2,)", append(data, 0)), freeGuard())
		if err != nil {
			t.Fatal(err)
		}
		if got, err := a.text(freeGuard()); err != nil || !slices.Equal(got, []string{"aé", "x"}) {
			t.Errorf("%s: %q, %v", descr, got, err)
		}
	}
}

func TestNPYTextNotUTF8(t *testing.T) {
	a, err := Parse("x", datatest.Shaped("|S2", "(1,)", []byte{'a', 0xff}), freeGuard())
	if err != nil {
		t.Fatal(err)
	}
	if got, err := a.text(freeGuard()); err != nil || !slices.Equal(got, []string{"a\ufffd"}) {
		t.Errorf("%q, %v", got, err)
	}
}

func TestNPYFortran(t *testing.T) {
	header := "{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3), }\n"
	a, err := Parse("a", datatest.RawNPY(header, datatest.LE([]float32{1, 4, 2, 5, 3, 6})), freeGuard())
	if err != nil {
		t.Fatal(err)
	}
	m, err := a.Matrix(freeGuard())
	if err != nil || !slices.Equal(m.Flat(), []float32{1, 2, 3, 4, 5, 6}) || m.Rows != 2 {
		t.Errorf("%v %v, %v", m, m.Data, err)
	}
}

// TestNPYZeroCopy: aligned float32 in native order is not copied, and what is
// not aligned is.
func TestNPYZeroCopy(t *testing.T) {
	data := slices.Concat(make([]byte, 1), datatest.NPY(t, []float32{1, 2, 3}))
	for shift := range 2 {
		b := slices.Clone(data)[1-shift:]
		if shift == 1 {
			b = b[1:]
		}
		a, err := Parse("a", b, freeGuard())
		if err != nil {
			t.Fatal(err)
		}
		f, err := a.Floats(freeGuard())
		if err != nil || !slices.Equal(f, []float32{1, 2, 3}) {
			t.Fatalf("%v, %v", f, err)
		}
		before := f[0]
		binary.NativeEndian.PutUint32(a.data, math.Float32bits(7))
		aliased := f[0] != before
		if _, can := View[float32](a); can != aliased {
			t.Errorf("shift %d: aliased %v, view %v", shift, aliased, can)
		}
	}
}

// TestNPYMapped: a large file is mapped, its values are the file's, and they
// outlive the file.
func TestNPYMapped(t *testing.T) {
	want := make([]float32, minMapped/2)
	for i := range want {
		want[i] = float32(i)
	}
	path := filepath.Join(t.TempDir(), "x.npy")
	var file bytes.Buffer
	if err := Write(&file, []int{len(want)}, Whole(want)); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, file.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	a, err := Open(path, freeGuard())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if got, ok := View[float32](a); !ok || !slices.Equal(got, want) {
		t.Errorf("%v: the values would be copied, or are others", ok)
	}
	_, err = Open(path, freeGuard())
	datatest.WantError(t, err, "x.npy")
	_, err = Open(t.TempDir(), freeGuard())
	datatest.WantError(t, err, "want a file")
}

// TestNPYHostile: every malformed file is an error of one line, and none
// allocates for counts that are not there.
func TestNPYHostile(t *testing.T) {
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"empty":           {nil, "not a .npy"},
		"magic":           {[]byte("\x93NUMPX1234567890"), "not a .npy"},
		"version":         {[]byte("\x93NUMPY\x09\x00\x00\x00\x00\x00"), "version 9"},
		"header length":   {[]byte("\x93NUMPY\x01\x00\xff\xff{}"), "cut short"},
		"long header":     {[]byte("\x93NUMPY\x02\x00\xff\xff\xff\xff{}"), "cut short"},
		"cut version 2":   {[]byte("\x93NUMPY\x02\x00\xff\xff"), "cut short"},
		"no dict":         {datatest.RawNPY("hello", nil), "want '{'"},
		"missing key":     {datatest.RawNPY("{'descr': '<f4'}", nil), "the keys"},
		"key twice":       {datatest.RawNPY("{'shape': (1,), 'shape': (1,)}", nil), "each key once"},
		"other key":       {datatest.RawNPY("{'shapes': (1,)}", nil), "a known key"},
		"open quote":      {datatest.RawNPY("{'descr", nil), "closing quote"},
		"record type":     {datatest.RawNPY("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}", nil), "at byte"},
		"order":           {datatest.RawNPY("{'fortran_order': Maybe}", nil), "True or False"},
		"negative":        {datatest.Shaped("<f4", "(-1,)", nil), "a length"},
		"overflow":        {datatest.Shaped("<f4", "(99999999999999999999,)", nil), "a length"},
		"product":         {datatest.Shaped("<f4", "(4294967296, 4294967296, 4294967296)", nil), "needs"},
		"too many dims":   {datatest.Shaped("<f4", "("+strings.Repeat("1,", 65)+")", datatest.LE(float32(1))), "a length"},
		"too little data": {datatest.Shaped("<f4", "(3,)", make([]byte, 11)), "11 bytes of data"},
		"type":            {datatest.Shaped("<c8", "(1,)", make([]byte, 8)), `"<c8"`},
		"half":            {datatest.Shaped("<f2", "(1,)", make([]byte, 8)), `"<f2"`},
		"width":           {datatest.Shaped("<i3", "(1,)", make([]byte, 8)), `"<i3"`},
		"long width":      {datatest.Shaped("<U99999999999999", "(1,)", make([]byte, 8)), "plain NumPy type"},
		"objects":         {datatest.Shaped("|O", "(1,)", []byte("junk")), "pickle"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Parse("x.npy", c.data, freeGuard())
			datatest.WantError(t, err, "x.npy", c.want)
		})
	}
}

// TestNPYEmptyElements: elements of no bytes cannot ask for memory either.
func TestNPYEmptyElements(t *testing.T) {
	a, err := Parse("x.npy", datatest.Shaped("<U0", "(99999999999,)", nil), freeGuard())
	if err != nil {
		t.Fatal(err)
	}
	_, err = a.text(freeGuard())
	datatest.WantError(t, err, "x.npy", "limit")
}

func TestUnsignedOverflow(t *testing.T) {
	a, err := Parse("x.npy", datatest.Shaped("<u8", "(1,)", datatest.LE(uint64(1<<63))), freeGuard())
	if err != nil {
		t.Fatal(err)
	}
	_, err = a.Ints(freeGuard())
	datatest.WantError(t, err, "x.npy", "element 0", "9223372036854775808")
}

// TestArchiveOfTwins: of two members with one name, none is meant.
func TestArchiveOfTwins(t *testing.T) {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, name := range []string{"x.npy", "y.npy", "x.npy"} {
		if _, err := w.Create(name); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	dir := datatest.Files(t, map[string]string{"a.npz": b.String()})
	_, err := OpenArchive(filepath.Join(dir, "a.npz"), budget.Limits{})
	datatest.WantError(t, err, "a.npz", "two members called x.npy")
}
