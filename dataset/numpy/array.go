// Package numpy reads the formats of NumPy and SciPy: .npy files, which it maps
// into memory, .npz archives, and pickles, of which it executes nothing. Lengths
// that a file states are held against a [budget.Guard] before they are believed.
// It writes .npy.
package numpy

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"unicode/utf8"
	"unsafe"

	"github.com/weft-gnn/weft/dataset/budget"
	"github.com/weft-gnn/weft/tensor"
)

// Array is an n-dimensional array as NumPy's files and pickles store it: raw
// elements and how to read them. Its data may be memory-mapped and is never
// written.
type Array struct {
	Name    string // for errors: "x.npy", "edges in texas.npz"
	Shape   []int  // lengths of the dimensions
	dtype   dtype
	fortran bool   // first index varies fastest
	data    []byte // elements in file order; nil for objects
	objects []any  // elements of dtype O
}

// dtype is the type of an array's elements.
type dtype struct {
	kind byte // b bool, i int, u unsigned, f float, U UTF-32 text, S bytes, O Python objects
	size int  // bytes of one element, 0 for O
	big  bool // big-endian
}

// parseDtype reads NumPy's short form: "<f4", "|b1", "<U7", "|O".
func parseDtype(s string) (dtype, error) {
	t := s
	var d dtype
	if t != "" && strings.IndexByte("<>|=", t[0]) >= 0 {
		d.big = t[0] == '>'
		t = t[1:]
	}
	if t == "O" || t == "O8" {
		return dtype{kind: 'O'}, nil
	}
	if len(t) < 2 {
		return d, fmt.Errorf("type %q is not a plain NumPy type", s)
	}
	d.kind = t[0]
	for _, c := range []byte(t[1:]) {
		if c < '0' || c > '9' || d.size > math.MaxInt32/80 {
			return d, fmt.Errorf("type %q is not a plain NumPy type", s)
		}
		d.size = d.size*10 + int(c-'0')
	}
	switch d.kind {
	case 'U':
		d.size *= 4
		return d, nil
	case 'S':
		return d, nil
	case 'b':
		if d.size == 1 {
			return d, nil
		}
	case 'i', 'u':
		if d.size == 1 || d.size == 2 || d.size == 4 || d.size == 8 {
			return d, nil
		}
	case 'f':
		if d.size == 4 || d.size == 8 {
			return d, nil
		}
	}
	return d, fmt.Errorf("elements of type %q cannot be read: want bool, integers, float32, float64 or text", s)
}

func (d dtype) order() binary.ByteOrder {
	if d.big {
		return binary.BigEndian
	}
	return binary.LittleEndian
}

// native reports whether the elements lie in this machine's byte order.
func (d dtype) native() bool {
	return d.size == 1 || d.big == (binary.NativeEndian.Uint16([]byte{0, 1}) == 1)
}

func (d dtype) String() string {
	switch d.kind {
	case 'O':
		return "object"
	case 'U':
		return fmt.Sprintf("U%d", d.size/4)
	}
	return fmt.Sprintf("%c%d", d.kind, d.size)
}

// len is the number of elements, the product of the shape.
func (a *Array) len() int {
	n := int64(1)
	for _, s := range a.Shape {
		n = budget.Product(n, int64(s))
	}
	return int(n)
}

// check makes sure that the shape and the data agree, so that no other method
// need fear for its indices.
func (a *Array) check() error {
	n := int64(1)
	for _, s := range a.Shape {
		if s < 0 {
			return a.Errorf("negative length in shape %v", a.Shape)
		}
		n = budget.Product(n, int64(s))
	}
	if a.fortran && len(a.Shape) > 2 {
		return a.Errorf("shape %v in Fortran order: only matrices may be", a.Shape)
	}
	if a.dtype.kind == 'O' {
		if int64(len(a.objects)) != n {
			return a.Errorf("%d objects for the shape %v", len(a.objects), a.Shape)
		}
		return nil
	}
	if want := budget.Product(n, int64(a.dtype.size)); want > int64(len(a.data)) {
		return a.Errorf("%d bytes of data, the shape %v of type %v needs %d", len(a.data), a.Shape, a.dtype, want)
	}
	a.data = a.data[:n*int64(a.dtype.size)]
	return nil
}

// Errorf returns an error that names the array.
func (a *Array) Errorf(format string, args ...any) error {
	return fmt.Errorf("dataset: %s: %s", a.Name, fmt.Sprintf(format, args...))
}

// WantShape checks the number of dimensions and, where want is not negative,
// their lengths.
func (a *Array) WantShape(want ...int) error {
	ok := len(a.Shape) == len(want)
	for i := 0; ok && i < len(want); i++ {
		ok = want[i] < 0 || want[i] == a.Shape[i]
	}
	if ok {
		return nil
	}
	text := strings.ReplaceAll(fmt.Sprint(want), "-1", "any")
	return a.Errorf("shape %v, want %s", a.Shape, text)
}

// Ints returns the elements of a bool or integer array in C order.
func (a *Array) Ints(g *budget.Guard) ([]int64, error) {
	if err := g.Need(a.Name, int64(a.len()), 8); err != nil {
		return nil, err
	}
	if a.dtype.kind == 'O' {
		return a.objectInts()
	}
	out, err := decode[int64](a)
	if err != nil {
		return nil, err
	}
	if a.dtype.kind == 'u' && a.dtype.size == 8 {
		for i, v := range out {
			if v < 0 {
				return nil, a.Errorf("element %d is %d, over 2⁶³−1", i, uint64(v))
			}
		}
	}
	return cOrder(a, out), nil
}

func (a *Array) objectInts() ([]int64, error) {
	out := make([]int64, len(a.objects))
	for i, o := range a.objects {
		v, ok := o.(int)
		if !ok {
			return nil, a.Errorf("element %d is a %T, want an integer", i, o)
		}
		out[i] = int64(v)
	}
	return cOrder(a, out), nil
}

// Floats returns the elements of a numeric array as float32 in C order. The
// result aliases the data where these are aligned float32 in native order.
func (a *Array) Floats(g *budget.Guard) ([]float32, error) {
	if v, ok := View[float32](a); ok {
		return v, nil
	}
	if err := g.Need(a.Name, int64(a.len()), 4); err != nil {
		return nil, err
	}
	out, err := decode[float32](a)
	if err != nil {
		return nil, err
	}
	return cOrder(a, out), nil
}

// Doubles returns the elements of a numeric array as float64 in C order. The
// result aliases the data where these are aligned float64 in native order.
func (a *Array) Doubles(g *budget.Guard) ([]float64, error) {
	if v, ok := View[float64](a); ok {
		return v, nil
	}
	if err := g.Need(a.Name, int64(a.len()), 8); err != nil {
		return nil, err
	}
	out, err := decode[float64](a)
	if err != nil {
		return nil, err
	}
	return cOrder(a, out), nil
}

// View returns the elements without a copy where they are T in native order,
// aligned and in C order.
func View[T Element](a *Array) ([]T, bool) {
	want, err := parseDtype(descrOf[T]())
	if err != nil || a.dtype != want || a.fortran && len(a.Shape) > 1 {
		return nil, false
	}
	n := a.len()
	if n == 0 {
		return []T{}, true
	}
	p := unsafe.Pointer(&a.data[0])
	if uintptr(p)%unsafe.Alignof(*new(T)) != 0 {
		return nil, false
	}
	return unsafe.Slice((*T)(p), n), true
}

// Matrix returns a two-dimensional array, or a one-dimensional one as a single
// column, as Floats does.
func (a *Array) Matrix(g *budget.Guard) (tensor.Matrix, error) {
	rows, cols := 0, 1
	switch len(a.Shape) {
	case 1:
		rows = a.Shape[0]
	case 2:
		rows, cols = a.Shape[0], a.Shape[1]
	default:
		return tensor.Matrix{}, a.Errorf("shape %v, want one or two dimensions", a.Shape)
	}
	v, err := a.Floats(g)
	if err != nil {
		return tensor.Matrix{}, err
	}
	return tensor.Of(rows, cols, v), nil
}

// text returns the elements of an array of strings; what is not UTF-8 becomes
// the replacement character.
func (a *Array) text(g *budget.Guard) ([]string, error) {
	if err := g.Need(a.Name, int64(a.len()), int64(16+a.dtype.size)); err != nil {
		return nil, err
	}
	out := make([]string, a.len())
	for i := range out {
		switch a.dtype.kind {
		case 'O':
			s, ok := a.objects[i].(string)
			if !ok {
				return nil, a.Errorf("element %d is a %T, want text", i, a.objects[i])
			}
			out[i] = s
		case 'U':
			out[i] = utf32(a.data[i*a.dtype.size:][:a.dtype.size], a.dtype.order())
		case 'S':
			out[i] = strings.TrimRight(string(a.data[i*a.dtype.size:][:a.dtype.size]), "\x00")
		default:
			return nil, a.Errorf("elements of type %v, want text", a.dtype)
		}
		out[i] = strings.ToValidUTF8(out[i], "\uFFFD")
	}
	return cOrder(a, out), nil
}

// utf32 decodes NumPy's fixed-width text, padded with zeros.
func utf32(b []byte, order binary.ByteOrder) string {
	out := make([]byte, 0, len(b)/4)
	for ; len(b) >= 4; b = b[4:] {
		out = utf8.AppendRune(out, rune(order.Uint32(b)))
	}
	return strings.TrimRight(string(out), "\x00")
}

// decode converts every element, in file order.
func decode[T int64 | float32 | float64](a *Array) ([]T, error) {
	n, b, o := a.len(), a.data, a.dtype.order()
	var at func(i int) T
	switch a.dtype.kind {
	case 'b':
		at = func(i int) T { return T(min(b[i], 1)) }
	case 'i':
		switch a.dtype.size {
		case 1:
			at = func(i int) T { return T(int8(b[i])) }
		case 2:
			at = func(i int) T { return T(int16(o.Uint16(b[2*i:]))) }
		case 4:
			at = func(i int) T { return T(int32(o.Uint32(b[4*i:]))) }
		case 8:
			at = func(i int) T { return T(int64(o.Uint64(b[8*i:]))) }
		}
	case 'u':
		switch a.dtype.size {
		case 1:
			at = func(i int) T { return T(b[i]) }
		case 2:
			at = func(i int) T { return T(o.Uint16(b[2*i:])) }
		case 4:
			at = func(i int) T { return T(o.Uint32(b[4*i:])) }
		case 8:
			at = func(i int) T { return T(o.Uint64(b[8*i:])) }
		}
	case 'f':
		var zero T
		if _, ints := any(zero).(int64); ints {
			return nil, a.Errorf("elements of type %v, want integers", a.dtype)
		}
		switch a.dtype.size {
		case 4:
			at = func(i int) T { return T(math.Float32frombits(o.Uint32(b[4*i:]))) }
		case 8:
			at = func(i int) T { return T(math.Float64frombits(o.Uint64(b[8*i:]))) }
		}
	}
	if at == nil {
		return nil, a.Errorf("elements of type %v, want numbers", a.dtype)
	}
	out := make([]T, n)
	for i := range out {
		out[i] = at(i)
	}
	return out, nil
}

// cOrder puts the elements of a Fortran-ordered matrix in row-major order.
func cOrder[T any](a *Array, v []T) []T {
	if !a.fortran || len(a.Shape) != 2 {
		return v
	}
	rows, cols := a.Shape[0], a.Shape[1]
	out := make([]T, len(v))
	for j := range cols {
		for i := range rows {
			out[i*cols+j] = v[j*rows+i]
		}
	}
	return out
}
