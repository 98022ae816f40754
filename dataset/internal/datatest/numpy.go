package datatest

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"testing"

	npyio "codeberg.org/sbinet/npyio/npy"
)

// NPY is the .npy file of v, written by an independent library.
func NPY(t testing.TB, v any) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := npyio.Write(&b, v); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// RawNPY is a .npy file with any header text and data.
func RawNPY(header string, data []byte) []byte {
	b := append([]byte("\x93NUMPY"), 1, 0, 0, 0)
	binary.LittleEndian.PutUint16(b[8:], uint16(len(header)))
	return slices.Concat(b, []byte(header), data)
}

// Shaped is RawNPY of a C-ordered array.
func Shaped(descr string, shape string, data []byte) []byte {
	return RawNPY(fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': %s, }\n", descr, shape), data)
}

// NPZ packs .npy files by array name.
func NPZ(t testing.TB, arrays map[string][]byte) []byte {
	t.Helper()
	files := map[string]string{}
	for name, data := range arrays {
		files[name+".npy"] = string(data)
	}
	return []byte(Zip(t, files))
}

// LE returns the little-endian bytes of a number or of a slice of numbers.
func LE(v any) []byte {
	var b bytes.Buffer
	if err := binary.Write(&b, binary.LittleEndian, v); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// BE is LE, big-endian.
func BE(v any) []byte {
	var b bytes.Buffer
	if err := binary.Write(&b, binary.BigEndian, v); err != nil {
		panic(err)
	}
	return b.Bytes()
}
