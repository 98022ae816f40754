package dataset

import (
	"encoding/binary"
	"fmt"
	"io"
	"iter"
	"slices"
	"strconv"
	"strings"
	"unsafe"

	"github.com/weft-gnn/weft/tensor"
)

// npyMagic starts every .npy file.
const npyMagic = "\x93NUMPY"

// parseNPY reads the .npy file whose bytes are data, which the array aliases.
// Object arrays, whose elements are pickled, go through the same allow-list as
// other pickles.
//
// Source: NumPy Enhancement Proposal 1, "A simple file format for NumPy
// arrays", versions 1 to 3.
func parseNPY(name string, data []byte, g *guard) (*array, error) {
	a := &array{name: name}
	if len(data) < 10 || string(data[:6]) != npyMagic {
		return nil, a.errorf("not a .npy file")
	}
	var start, size int
	switch data[6] {
	case 1:
		start, size = 10, int(binary.LittleEndian.Uint16(data[8:]))
	case 2, 3:
		if len(data) < 12 {
			return nil, a.errorf("the header is cut short")
		}
		start, size = 12, int(binary.LittleEndian.Uint32(data[8:]))
	default:
		return nil, a.errorf(".npy version %d, want 1 to 3", data[6])
	}
	if size > len(data)-start {
		return nil, a.errorf("the header is cut short")
	}
	if err := a.parseHeader(string(data[start : start+size])); err != nil {
		return nil, err
	}
	a.data = data[start+size:]
	if a.dtype.kind == 'O' {
		return a.unpickleObjects(g)
	}
	return a, a.check()
}

// unpickleObjects replaces the data of an object array by its elements.
func (a *array) unpickleObjects(g *guard) (*array, error) {
	v, err := unpickle(a.name, a.data, g)
	if err != nil {
		return nil, err
	}
	p, ok := v.(*array)
	if !ok {
		return nil, a.errorf("the pickled value is a %s, want an array", pyType(v))
	}
	p.name = a.name
	return p, p.check()
}

// parseHeader reads the header, a Python dictionary of exactly the keys descr,
// fortran_order and shape.
func (a *array) parseHeader(h string) error {
	s := literal{text: h}
	seen := map[string]bool{}
	s.expect('{')
	for s.err == nil && !s.accept('}') {
		key := s.str()
		s.expect(':')
		switch key {
		case "descr":
			d := s.str()
			if s.err == nil {
				a.dtype, s.err = parseDtype(d)
			}
		case "fortran_order":
			a.fortran = s.boolean()
		case "shape":
			a.shape = s.tuple()
		default:
			s.fail("a known key")
		}
		if seen[key] {
			s.fail("each key once")
		}
		seen[key] = true
		if !s.accept(',') && !s.at('}') {
			s.fail("a comma or }")
		}
	}
	if s.err == nil && len(seen) != 3 {
		s.fail("the keys descr, fortran_order and shape")
	}
	if s.err != nil {
		return a.errorf("header: %v", s.err)
	}
	return nil
}

// literal reads the few Python literals of a header; the first error stays.
type literal struct {
	text string
	pos  int
	err  error
}

func (s *literal) fail(want string) {
	if s.err == nil {
		s.err = fmt.Errorf("at byte %d, want %s", s.pos, want)
	}
}

func (s *literal) at(c byte) bool {
	for s.pos < len(s.text) && strings.IndexByte(" \t\n\r", s.text[s.pos]) >= 0 {
		s.pos++
	}
	return s.pos < len(s.text) && s.text[s.pos] == c
}

func (s *literal) accept(c byte) bool {
	if s.err != nil || !s.at(c) {
		return false
	}
	s.pos++
	return true
}

func (s *literal) expect(c byte) {
	if !s.accept(c) {
		s.fail(strconv.QuoteRune(rune(c)))
	}
}

func (s *literal) str() string {
	quote := byte('\'')
	if s.at('"') {
		quote = '"'
	}
	s.expect(quote)
	if s.err != nil {
		return ""
	}
	n := strings.IndexByte(s.text[s.pos:], quote)
	if n < 0 {
		s.fail("a closing quote")
		return ""
	}
	out := s.text[s.pos : s.pos+n]
	s.pos += n + 1
	return out
}

func (s *literal) boolean() bool {
	s.at(0) // skips white space
	for text, value := range map[string]bool{"True": true, "False": false} {
		if strings.HasPrefix(s.text[s.pos:], text) {
			s.pos += len(text)
			return value
		}
	}
	s.fail("True or False")
	return false
}

// maxDims is NumPy's own limit.
const maxDims = 64

func (s *literal) tuple() []int {
	shape := []int{}
	s.expect('(')
	for s.err == nil && !s.accept(')') {
		s.at(0)
		end := s.pos
		for end < len(s.text) && s.text[end] >= '0' && s.text[end] <= '9' {
			end++
		}
		v, err := strconv.Atoi(s.text[s.pos:end])
		if err != nil || len(shape) == maxDims {
			s.fail("a length")
			break
		}
		s.pos = end
		s.accept('L') // Python 2's long integers
		shape = append(shape, v)
		if !s.accept(',') && !s.at(')') {
			s.fail("a comma or )")
		}
	}
	return shape
}

// minMapped is the size from which files are mapped: below it, reading is as
// fast and the memory is given back.
const minMapped = 1 << 20

// openNPY maps the .npy file at path into memory and reads its header. The
// mapping lives as long as the process; replacing the file by a rename leaves
// it intact.
func openNPY(path string, g *guard) (*array, error) {
	data, err := mapFile(path)
	if err != nil {
		return nil, fmt.Errorf("dataset: %w", err)
	}
	return parseNPY(path, data, g)
}

// element is a type that .npy files hold as it lies in memory.
type element interface {
	int8 | uint8 | int32 | int64 | float32
}

// npyHeader returns the header of a C-ordered array, padded so that the data
// starts at a multiple of 64 bytes.
func npyHeader(descr string, shape ...int) []byte {
	dims := make([]string, len(shape))
	for i, s := range shape {
		dims[i] = strconv.Itoa(s) + ","
	}
	tuple := strings.Join(dims, " ")
	if len(shape) > 1 {
		tuple = strings.TrimSuffix(tuple, ",")
	}
	dict := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", descr, tuple)
	pad := 63 - (10+len(dict))%64
	dict += strings.Repeat(" ", pad) + "\n"
	h := append([]byte(npyMagic), 1, 0, 0, 0)
	binary.LittleEndian.PutUint16(h[8:], uint16(len(dict)))
	return append(h, dict...)
}

// descrOf returns NumPy's name of T in this machine's byte order.
func descrOf[T element]() string {
	var v T
	kind := "i"
	switch any(v).(type) {
	case float32:
		kind = "f"
	case uint8:
		kind = "u"
	}
	order := "<"
	if d := (dtype{size: 8}); !d.native() {
		order = ">"
	}
	size := unsafe.Sizeof(v)
	if size == 1 {
		order = "|"
	}
	return order + kind + strconv.Itoa(int(size))
}

// writeNPY writes a .npy file to w with the elements of chunks one after
// another, which together have the given shape.
func writeNPY[T element](w io.Writer, shape []int, chunks iter.Seq[[]T]) error {
	want := 1
	for _, s := range shape {
		want *= s
	}
	if _, err := w.Write(npyHeader(descrOf[T](), shape...)); err != nil {
		return err
	}
	got := 0
	for c := range chunks {
		got += len(c)
		if len(c) == 0 {
			continue
		}
		b := unsafe.Slice((*byte)(unsafe.Pointer(&c[0])), len(c)*int(unsafe.Sizeof(c[0])))
		if _, err := w.Write(b); err != nil {
			return err
		}
	}
	if got != want {
		return fmt.Errorf("%d elements for the shape %v", got, shape)
	}
	return nil
}

// chunk is the sequence of a single chunk.
func chunk[T any](v []T) iter.Seq[[]T] {
	return func(yield func([]T) bool) { yield(v) }
}

// converted yields v as int64, a piece at a time.
func converted[T ~int32 | ~int64](v []T) iter.Seq[[]int64] {
	return func(yield func([]int64) bool) {
		var buf [1 << 13]int64
		for piece := range slices.Chunk(v, len(buf)) {
			for i, x := range piece {
				buf[i] = int64(x)
			}
			if !yield(buf[:len(piece)]) {
				return
			}
		}
	}
}

// matrixRows yields the rows of a matrix.
func matrixRows(m tensor.Matrix) iter.Seq[[]float32] {
	return func(yield func([]float32) bool) {
		for i := range m.Rows {
			if !yield(m.Row(i)) {
				return
			}
		}
	}
}
