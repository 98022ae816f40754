package cells

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress"
	"github.com/parquet-go/parquet-go/encoding/delta"
	"github.com/parquet-go/parquet-go/format"
	"pgregory.net/rapid"

	"github.com/weft-gnn/weft/dataset/budget"
	"github.com/weft-gnn/weft/dataset/internal/datatest"
)

// person is a row with every kind of column that is read.
type person struct {
	ID     int64    `parquet:"id"`
	Age    *float64 `parquet:"age,optional"`
	Score  float32  `parquet:"score"`
	City   *string  `parquet:"city,optional,dict"`
	Member bool     `parquet:"member"`
	Level  int32    `parquet:"level,delta"`
	Count  uint32   `parquet:"count"`
	Price  int64    `parquet:"price,decimal(2:18)"`
	Key    [16]byte `parquet:"key,uuid"`
	Note   string   `parquet:"note,delta"`
	Long   string   `parquet:"long"`
}

// people are n rows; every fifth has no age and every seventh no city.
func people(n int) []person {
	rows := make([]person, n)
	for i := range rows {
		age, city := float64(i)/2, fmt.Sprint("c", i%4)
		rows[i] = person{ID: int64(1000 + 3*i), Score: float32(i) * 0.25, Member: i%2 == 0, Level: int32(-i), Count: math.MaxUint32 - uint32(i), Price: int64(i * 125), Note: fmt.Sprint("n", i%3), Long: strings.Repeat("x", i%9)}
		rows[i].Key[15] = byte(i % 5)
		if i%5 != 0 {
			rows[i].Age = &age
		}
		if i%7 != 0 {
			rows[i].City = &city
		}
	}
	return rows
}

// cellsOf reads a whole table as texts; missing cells are "-".
func cellsOf(t testing.TB, path string) (names []string, rows [][]string) {
	t.Helper()
	tab, err := Open(path, Layout{}, budget.Limits{}.Guard(path, 1<<20))
	if err != nil {
		t.Fatal(err)
	}
	wanted := make([]int, len(tab.Columns()))
	for i := range wanted {
		wanted[i] = i
	}
	err = tab.Scan(context.Background(), wanted, func(line int64, row []Cell) error {
		if line != int64(len(rows)+1) {
			return fmt.Errorf("row %d comes as row %d", len(rows)+1, line)
		}
		texts := make([]string, len(row))
		for i, c := range row {
			if texts[i] = c.String(); c.Missing() {
				texts[i] = "-"
			}
		}
		rows = append(rows, texts)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return tab.Columns(), rows
}

func TestParquetCells(t *testing.T) {
	const n = 1000
	rows := people(n)
	codecs := map[string]compress.Codec{
		"none": &parquet.Uncompressed, "snappy": &parquet.Snappy, "gzip": &parquet.Gzip,
		"zstd": &parquet.Zstd, "lz4": &parquet.Lz4Raw, "brotli": &parquet.Brotli,
	}
	for name, codec := range codecs {
		for _, version := range []int{1, 2} {
			t.Run(fmt.Sprintf("%s/v%d", name, version), func(t *testing.T) {
				path := filepath.Join(t.TempDir(), "p.parquet")
				datatest.WriteParquet(t, path, rows, parquet.Compression(codec), parquet.DataPageVersion(version),
					parquet.PageBufferSize(700), parquet.MaxRowsPerRowGroup(300))
				names, got := cellsOf(t, path)
				if want := []string{"id", "age", "score", "city", "member", "level", "count", "price", "key", "note", "long"}; !slices.Equal(names, want) {
					t.Fatalf("columns %v", names)
				}
				if len(got) != n {
					t.Fatalf("%d rows, want %d", len(got), n)
				}
				for i, p := range rows {
					if want := textsOf(p); !slices.Equal(got[i], want) {
						t.Fatalf("row %d: %q, want %q", i, got[i], want)
					}
				}
			})
		}
	}
}

// textsOf are a person's cells as cellsOf gives them.
func textsOf(p person) []string {
	age, city, member := "-", "-", "0"
	if p.Age != nil {
		age = strconv.FormatFloat(*p.Age, 'g', -1, 64)
	}
	if p.City != nil {
		city = *p.City
	}
	if p.Member {
		member = "1"
	}
	return []string{
		fmt.Sprint(p.ID), age, strconv.FormatFloat(float64(p.Score), 'g', -1, 64), city, member, fmt.Sprint(p.Level), fmt.Sprint(p.Count),
		strconv.FormatFloat(float64(p.Price)*0.01, 'g', -1, 64), fmt.Sprintf("00000000-0000-0000-0000-0000000000%02x", p.Key[15]), p.Note, cmp.Or(p.Long, "-"),
	}
}

func TestParquetFaults(t *testing.T) {
	path := filepath.Join(t.TempDir(), "edges.parquet")
	type edge struct {
		A int64 `parquet:"a"`
		B int64 `parquet:"b"`
	}
	datatest.WriteParquet(t, path, []edge{{1, 2}, {2, 3}})
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	open := func(data []byte) error {
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		return scanTwice(path, budget.Limits{}.Guard(path, int64(len(data))))
	}
	if err := open(good); err != nil {
		t.Fatal(err)
	}
	for n := len(ParquetMagic); n < len(good); n++ {
		datatest.WantError(t, open(good[:n]), "edges.parquet")
	}
	huge := bytes.Clone(good)
	copy(huge[len(huge)-8:], "\xff\xff\xff\x7f")
	datatest.WantError(t, open(huge), "metadata")
}

// TestParquetBombs changes a few bytes of good pages so that their run lengths
// or counts ask for gigabytes.
func TestParquetBombs(t *testing.T) {
	path := filepath.Join(t.TempDir(), "v.parquet")
	datatest.WriteParquet(t, path, people(1000), parquet.Compression(&parquet.Uncompressed), parquet.DataPageVersion(1))
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	f, err := parquet.OpenFile(bytes.NewReader(good), int64(len(good)))
	if err != nil {
		t.Fatal(err)
	}
	huge := []byte{0xfe, 0xff, 0xff, 0xff, 0x0f} // 2³¹ − 1 equal values
	for _, c := range []struct {
		column int
		name   string
		patch  func(body []byte)
	}{
		{1, "levels of age", func(b []byte) { copy(b[4:], huge) }},
		{3, "indices of city", func(b []byte) { copy(b[4+binary.LittleEndian.Uint32(b)+1:], huge) }},
		{5, "differences of level", func(b []byte) { copy(b[3:], huge) }},
		{9, "prefixes of note", func(b []byte) { copy(b[3:], huge) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			bad := bytes.Clone(good)
			page := bad[f.Metadata().RowGroups[0].Columns[c.column].MetaData.DataPageOffset:]
			w := &thriftWalk{data: page}
			if err := w.structure(0); err != nil {
				t.Fatal(err)
			}
			c.patch(page[w.at:])
			if err := os.WriteFile(path, bad, 0o600); err != nil {
				t.Fatal(err)
			}
			used := datatest.Allocated(func() {
				err := scanTwice(path, budget.Limits{}.Guard(path, int64(len(bad))), f.Schema().Columns()[c.column][0])
				datatest.WantError(t, err, "v.parquet", "1000 values")
			})
			if used > 16<<20 {
				t.Errorf("%d bytes allocated", used)
			}
		})
	}
}

// TestCheckRuns compares with the decoder's own view of what a run is: a run of
// 10 values of 3 bits and a packed group of 8.
func TestCheckRuns(t *testing.T) {
	runs := []byte{10 << 1, 5, 1<<1 | 1, 1, 2, 3}
	for _, c := range []struct {
		data []byte
		n    int64
		ok   bool
	}{
		{runs, 18, true},
		{runs, 11, true},                     // 7 of the packed group are padding
		{runs, 10, false},                    // more than padding
		{runs[:5], 18, false},                // group cut short
		{[]byte{10 << 1}, 18, false},         // value missing
		{[]byte{0xff, 0xff}, 1 << 30, false}, // count cut short
		{[]byte{0xfe, 0xff, 0xff, 0xff, 0x0f, 5}, 1000, false},
		{[]byte{0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 5}, math.MaxInt32, false},
		{nil, 0, true},
	} {
		if err := checkRuns(c.data, 3, c.n); (err == nil) != c.ok {
			t.Errorf("%v, %d values: %v", c.data, c.n, err)
		}
	}
}

// TestDeltaLengths compares with what parquet-go's encoder was given.
func TestDeltaLengths(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lengths := rapid.SliceOfN(rapid.Int32Range(0, 1<<rapid.IntRange(0, 30).Draw(t, "bits")), 0, 400).Draw(t, "lengths")
		data, err := new(delta.BinaryPackedEncoding).EncodeInt32(nil, lengths)
		if err != nil {
			t.Fatal(err)
		}
		want := int64(0)
		for _, l := range lengths {
			want += int64(l)
		}
		sum, rest, err := deltaLengths(append(data, "rest"...), int64(len(lengths)))
		if err != nil || sum != want || string(rest) != "rest" {
			t.Fatalf("sum %d, rest %q, %v; want %d", sum, rest, err, want)
		}
		if len(lengths) > 0 {
			if _, _, err := deltaLengths(data, int64(len(lengths))-1); err == nil {
				t.Fatal("one length too many was accepted")
			}
			for cut := range data {
				if s, _, err := deltaLengths(data[:cut], int64(len(lengths))); err == nil && s != want {
					t.Fatalf("cut at %d: sum %d", cut, s)
				}
			}
		}
	})
	negative, _ := new(delta.BinaryPackedEncoding).EncodeInt32(nil, []int32{5, -1})
	if _, _, err := deltaLengths(negative, 2); err == nil {
		t.Error("a negative length was accepted")
	}
}

// TestInflateStopsAtTheStatedSize decompresses a megabyte of zeros that is
// stated to be smaller.
func TestInflateStopsAtTheStatedSize(t *testing.T) {
	zeros := make([]byte, 1<<20)
	for name, c := range map[format.CompressionCodec]compress.Codec{
		format.Snappy: &parquet.Snappy, format.Gzip: &parquet.Gzip, format.Zstd: &parquet.Zstd,
		format.Brotli: &parquet.Brotli, format.Lz4Raw: &parquet.Lz4Raw,
	} {
		data, err := c.Encode(nil, zeros)
		if err != nil {
			t.Fatal(err)
		}
		if out, err := inflate(name, data, len(zeros)); err != nil || len(out) != len(zeros) {
			t.Errorf("%v: %d bytes, %v", name, len(out), err)
		}
		used := datatest.Allocated(func() {
			if _, err := inflate(name, data, 1000); err == nil {
				t.Errorf("%v: a page of %d bytes passes for one of 1000", name, len(zeros))
			}
		})
		if name != format.Zstd && name != format.Brotli && used > 512<<10 { // these two have buffers of their own
			t.Errorf("%v: %d bytes allocated", name, used)
		}
	}
	if _, err := inflate(format.LZO, nil, 1); err == nil {
		t.Error("LZO was accepted")
	}
}

func TestThriftWalkRefusesDepthAndCounts(t *testing.T) {
	deep := bytes.Repeat([]byte{1<<4 | thriftStruct}, 1000)
	lists := bytes.Repeat([]byte{1<<4 | thriftList, 1<<4 | thriftList}, 1000)
	many := []byte{1<<4 | thriftList, 0xf0 | thriftStruct, 0xff, 0xff, 0xff, 0xff, 0x07, 0}
	for name, data := range map[string][]byte{"structs": deep, "lists": lists, "count": many, "empty": nil} {
		if err := (&thriftWalk{data: data}).structure(0); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	w := &thriftWalk{data: []byte{1<<4 | 5, 7, 1<<4 | thriftList, 2<<4 | thriftByte, 1, 2, 1<<4 | thriftTrue, 0, 99}}
	if err := w.structure(0); err != nil || w.at != 8 || w.elements != 2 {
		t.Errorf("at %d, %d elements, %v; want 8, 2", w.at, w.elements, err)
	}
	if err := (&thriftWalk{data: []byte{1<<4 | 14, 0}}).structure(0); err == nil || err == io.EOF {
		t.Errorf("unknown type: %v", err)
	}
}

// scanTwice reads all cells of the named columns twice, as readers of tables do.
func scanTwice(path string, g *budget.Guard, columns ...string) error {
	t, err := Open(path, Layout{}, g)
	if err != nil {
		return err
	}
	var wanted []int
	for i, name := range t.Columns() {
		if len(columns) == 0 || slices.Contains(columns, name) {
			wanted = append(wanted, i)
		}
	}
	for range 2 {
		if err := t.Scan(context.Background(), wanted, func(int64, []Cell) error { return nil }); err != nil {
			return err
		}
	}
	return nil
}

// FuzzParquet: a file is read or refused with one line of error; it never
// panics, and does not allocate more than its size allows.
func FuzzParquet(f *testing.F) {
	limits := budget.Limits{Floor: 4 << 20, Ratio: 64}
	dir := f.TempDir()
	seed := filepath.Join(dir, "seed.parquet")
	for _, codec := range []compress.Codec{&parquet.Uncompressed, &parquet.Snappy, &parquet.Zstd, &parquet.Gzip, &parquet.Lz4Raw} {
		for _, version := range []int{1, 2} {
			datatest.WriteParquet(f, seed, people(8), parquet.Compression(codec), parquet.DataPageVersion(version))
			data, err := os.ReadFile(seed)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(data)
		}
	}
	path := filepath.Join(dir, "v.parquet")
	f.Fuzz(func(t *testing.T, data []byte) {
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		used := datatest.Allocated(func() {
			if err := scanTwice(path, limits.Guard(path, int64(len(data)))); err != nil && !strings.HasPrefix(err.Error(), "dataset: ") {
				t.Errorf("error without the package: %v", err)
			}
		})
		// Two passes of a row group after the other, each within the budget, and
		// the decoder's pools.
		if limit := uint64(32*limits.Floor) + 4096*uint64(len(data)); used > limit {
			t.Errorf("%d bytes allocated for a file of %d", used, len(data))
		}
	})
}
