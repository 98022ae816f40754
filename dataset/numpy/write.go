package numpy

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

// Element is a type that .npy files hold as it lies in memory.
type Element interface {
	int8 | uint8 | int32 | int64 | float32 | float64
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
func descrOf[T Element]() string {
	var v T
	kind := "i"
	switch any(v).(type) {
	case float32, float64:
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

// Write writes a .npy file to w with the elements of chunks one after
// another, which together have the given shape.
func Write[T Element](w io.Writer, shape []int, chunks iter.Seq[[]T]) error {
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

// Whole is the sequence of a single chunk.
func Whole[T any](v []T) iter.Seq[[]T] {
	return func(yield func([]T) bool) { yield(v) }
}

// Converted yields v as int64, a piece at a time.
func Converted[T ~int32 | ~int64](v []T) iter.Seq[[]int64] {
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

// MatrixRows yields the rows of a matrix.
func MatrixRows(m tensor.Matrix) iter.Seq[[]float32] {
	return func(yield func([]float32) bool) {
		for i := range m.Rows {
			if !yield(m.Row(i)) {
				return
			}
		}
	}
}

// WriteMatrix writes a matrix as a .npy of float32, row-major.
func WriteMatrix(w io.Writer, m tensor.Matrix) error {
	return Write(w, []int{m.Rows, m.Cols}, MatrixRows(m))
}

// WriteInts writes integers as a one-dimensional .npy of int64.
func WriteInts(w io.Writer, ids []int64) error {
	return Write(w, []int{len(ids)}, Whole(ids))
}
