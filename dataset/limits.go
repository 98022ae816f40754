package dataset

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
)

// Limits bound the memory that a file may make its reader use. The zero value
// takes the default of each field.
//
// A reader may hold Floor + Ratio · (bytes on disk) bytes, and never more than
// Bytes: a small file cannot ask for much, however large the counts it states.
type Limits struct {
	Vertices int64 // most vertices; default 2³¹−1, what a 32-bit id can name
	Arcs     int64 // most arcs, mirrored ones included; default 2⁴⁰
	Bytes    int64 // most bytes held for one set; default 256 GiB
	Floor    int64 // bytes that even an empty file may use; default 64 MiB
	Ratio    int64 // bytes held per byte on disk; default 512
}

func (l Limits) withDefaults() Limits {
	set := func(v *int64, d int64) {
		if *v <= 0 {
			*v = d
		}
	}
	set(&l.Vertices, math.MaxInt32)
	set(&l.Arcs, 1<<40)
	set(&l.Bytes, 256<<30)
	set(&l.Floor, 64<<20)
	set(&l.Ratio, 512)
	return l
}

// LimitError says that a file asks for more than the [Limits] allow.
type LimitError struct {
	Path string // the file
	What string // what is too large: "vertices", "array x.npy", …
	Want int64  // what the file asks for; −1 where its reading was cut short
	Max  int64
}

func (e *LimitError) Error() string {
	if e.Want < 0 {
		return fmt.Sprintf("dataset: %s: %s: more than the limit of %d bytes", e.Path, e.What, e.Max)
	}
	return fmt.Sprintf("dataset: %s: %s: %d is over the limit of %d", e.Path, e.What, e.Want, e.Max)
}

// guard keeps one reader within its limits. Readers ask it before they
// allocate anything whose size the file states.
type guard struct {
	path   string
	limits Limits
	left   int64 // bytes that may still be allocated
}

// take uses up bytes of the budget that are known to be left.
func (g *guard) take(bytes int64) { g.left -= bytes }

// guard returns the guard of a set whose files have size bytes in all.
func (l Limits) guard(path string, size int64) *guard {
	l = l.withDefaults()
	return &guard{path: path, limits: l, left: l.budget(size)}
}

// budget is min(Bytes, Floor + Ratio·size), without overflow.
func (l Limits) budget(size int64) int64 {
	if size > (l.Bytes-l.Floor)/l.Ratio {
		return l.Bytes
	}
	return min(l.Bytes, l.Floor+l.Ratio*max(size, 0))
}

// need takes count·width bytes from the budget for what, or returns a
// [LimitError]. A negative count is an error too.
func (g *guard) need(what string, count, width int64) error {
	if count < 0 {
		return fmt.Errorf("dataset: %s: %s: negative count %d", g.path, what, count)
	}
	if width > 0 && count > g.left/width {
		return &LimitError{Path: g.path, What: what, Want: saturatedProduct(count, width), Max: g.left}
	}
	g.left -= count * width
	return nil
}

// needMatrix is need for rows × cols values of width bytes.
func (g *guard) needMatrix(what string, rows, cols, width int64) error {
	if rows < 0 || cols < 0 {
		return fmt.Errorf("dataset: %s: %s: negative shape %d×%d", g.path, what, rows, cols)
	}
	return g.need(what, saturatedProduct(rows, cols), width)
}

// counts checks the numbers of vertices and arcs that a file states and takes
// the memory of their compressed rows (8 bytes a vertex, 12 an arc) from the
// budget.
func (g *guard) counts(vertices, arcs int64) error {
	if vertices > g.limits.Vertices {
		return &LimitError{Path: g.path, What: "vertices", Want: vertices, Max: g.limits.Vertices}
	}
	if arcs > g.limits.Arcs {
		return &LimitError{Path: g.path, What: "arcs", Want: arcs, Max: g.limits.Arcs}
	}
	if err := g.need("vertices", vertices, 8); err != nil {
		return err
	}
	return g.need("arcs", arcs, 12)
}

// reader caps what can be read from r, the decompressed form of compressed
// bytes: a [LimitError] takes the place of io.EOF where the stream goes on
// past Floor + Ratio·compressed bytes. It does not use up the budget.
func (g *guard) reader(what string, r io.Reader, compressed int64) io.Reader {
	limit := g.limits.budget(compressed)
	return &cappedReader{r: r, left: limit, err: &LimitError{Path: g.path, What: what, Want: -1, Max: limit}}
}

type cappedReader struct {
	r    io.Reader
	left int64
	err  error
}

func (c *cappedReader) Read(p []byte) (int, error) {
	if c.left <= 0 {
		// Exactly at the limit is allowed: only a further byte is too many.
		var one [1]byte
		switch n, err := io.ReadFull(c.r, one[:]); {
		case n > 0:
			return 0, c.err
		case errors.Is(err, io.ErrUnexpectedEOF):
			return 0, io.EOF
		default:
			return 0, err
		}
	}
	n, err := c.r.Read(p[:min(int64(len(p)), c.left)])
	c.left -= int64(n)
	return n, err
}

// saturatedProduct is a·b for a, b ≥ 0, or the largest int64 if that is less.
func saturatedProduct(a, b int64) int64 {
	if b != 0 && a > math.MaxInt64/b {
		return math.MaxInt64
	}
	return a * b
}

// sizeOf returns the bytes of the regular files at path, a file or a folder
// and what lies directly or one folder below it.
func sizeOf(path string) (int64, error) {
	fi, err := os.Stat(path)
	if err != nil {
		return 0, err
	}
	if !fi.IsDir() {
		return fi.Size(), nil
	}
	var sum int64
	folder := os.DirFS(path)
	for _, pattern := range []string{"*", "*/*"} {
		names, err := fs.Glob(folder, pattern)
		if err != nil {
			return 0, err
		}
		for _, name := range names {
			if fi, err := fs.Stat(folder, name); err == nil && fi.Mode().IsRegular() {
				sum += fi.Size()
			}
		}
	}
	return sum, nil
}
