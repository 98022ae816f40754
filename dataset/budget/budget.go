// Package budget bounds what a file may make its reader use: counts that a file
// states are not believed before they are compared with its size.
package budget

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

const bytes = "bytes"

// LimitError says that a file asks for more than the [Limits] allow.
type LimitError struct {
	Path string // the file
	What string // what is too large: "vertices", "array x.npy", …
	Want int64  // what the file asks for; −1 where its reading was cut short
	Max  int64
	Unit string // of both: "bytes", or "" for a count of What
	// Memory says that it is all memory that is used up, [Limits].Bytes, not what
	// a file of its size may ask for.
	Memory bool
}

func (e *LimitError) Error() string {
	if e.Memory && e.Want >= 0 {
		return fmt.Sprintf("dataset: %s: %s: %d bytes of memory are needed, %d are left", e.Path, e.What, e.Want, e.Max)
	}
	unit := ""
	if e.Unit != "" {
		unit = " " + e.Unit
	}
	if e.Want < 0 {
		return fmt.Sprintf("dataset: %s: %s: more than the limit of %d%s", e.Path, e.What, e.Max, unit)
	}
	return fmt.Sprintf("dataset: %s: %s: %d%s is over the limit of %d%s", e.Path, e.What, e.Want, unit, e.Max, unit)
}

// Guard keeps one reader within its limits. Readers ask it before they
// allocate anything whose size the file states.
type Guard struct {
	Path   string // of the set, for errors
	Limits Limits // none is zero
	left   int64  // bytes that may still be allocated
	memory bool   // they were all that Limits.Bytes allows
}

// Left returns the bytes that may still be allocated.
func (g *Guard) Left() int64 { return g.left }

// Memory reports whether the budget is all that Limits.Bytes allows, whatever the
// file's size.
func (g *Guard) Memory() bool { return g.memory }

// Take uses up bytes of the budget that are known to be left.
func (g *Guard) Take(n int64) { g.left -= n }

// Guard returns the guard of a set whose files have size bytes in all.
func (l Limits) Guard(path string, size int64) *Guard {
	l = l.withDefaults()
	held := l.held(size)
	return &Guard{Path: path, Limits: l, left: held, memory: held == l.Bytes}
}

// held is min(Bytes, Floor + Ratio·size), without overflow.
func (l Limits) held(size int64) int64 {
	if size > (l.Bytes-l.Floor)/l.Ratio {
		return l.Bytes
	}
	return min(l.Bytes, l.Floor+l.Ratio*max(size, 0))
}

// Need takes count·width bytes from the budget for what, or returns a
// [LimitError]. A negative count is an error too.
func (g *Guard) Need(what string, count, width int64) error {
	if count < 0 {
		return fmt.Errorf("dataset: %s: %s: negative count %d", g.Path, what, count)
	}
	if width > 0 && count > g.left/width {
		return &LimitError{Path: g.Path, What: what, Want: Product(count, width), Max: g.left, Unit: bytes, Memory: g.memory}
	}
	g.left -= count * width
	return nil
}

// NeedMatrix is Need for rows × cols values of width bytes.
func (g *Guard) NeedMatrix(what string, rows, cols, width int64) error {
	if rows < 0 || cols < 0 {
		return fmt.Errorf("dataset: %s: %s: negative shape %d×%d", g.Path, what, rows, cols)
	}
	return g.Need(what, Product(rows, cols), width)
}

// Counts checks the numbers of vertices and arcs that a file states and takes
// the memory of their compressed rows (8 bytes a vertex, 12 an arc) from the
// budget.
func (g *Guard) Counts(vertices, arcs int64) error {
	if vertices > g.Limits.Vertices {
		return &LimitError{Path: g.Path, What: "vertices", Want: vertices, Max: g.Limits.Vertices}
	}
	if arcs > g.Limits.Arcs {
		return &LimitError{Path: g.Path, What: "arcs", Want: arcs, Max: g.Limits.Arcs}
	}
	if err := g.Need("vertices", vertices, 8); err != nil {
		return err
	}
	return g.Need("arcs", arcs, 12)
}

// Reader caps what can be read from r, the decompressed form of compressed
// bytes: a [LimitError] takes the place of io.EOF where the stream goes on
// past Floor + Ratio·compressed bytes. It does not use up the budget.
func (g *Guard) Reader(what string, r io.Reader, compressed int64) io.Reader {
	limit := g.Limits.held(compressed)
	return &cappedReader{r: r, left: limit, err: &LimitError{Path: g.Path, What: what, Want: -1, Max: limit, Unit: bytes, Memory: limit == g.Limits.Bytes}}
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

// Product is a·b for a, b ≥ 0, or the largest int64 if that is less.
func Product(a, b int64) int64 {
	if b != 0 && a > math.MaxInt64/b {
		return math.MaxInt64
	}
	return a * b
}

// SizeOf returns the bytes of the regular files at path, a file or a folder
// and what lies directly or one folder below it.
func SizeOf(path string) (int64, error) {
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
