package dataset

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"testing"

	"codeberg.org/sbinet/npyio"
)

// npyBytes is the .npy file of v, written by an independent library.
func npyBytes(t testing.TB, v any) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := npyio.Write(&b, v); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// rawNPY is a .npy file with any header text and data.
func rawNPY(header string, data []byte) []byte {
	b := append([]byte("\x93NUMPY"), 1, 0, 0, 0)
	binary.LittleEndian.PutUint16(b[8:], uint16(len(header)))
	return slices.Concat(b, []byte(header), data)
}

// shaped is rawNPY of a C-ordered array.
func shaped(descr string, shape string, data []byte) []byte {
	return rawNPY(fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': %s, }\n", descr, shape), data)
}

// npzOf packs .npy files by array name.
func npzOf(t testing.TB, arrays map[string][]byte) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for name, data := range arrays {
		w, err := z.Create(name + ".npy")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(data); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func le(v any) []byte {
	var b bytes.Buffer
	if err := binary.Write(&b, binary.LittleEndian, v); err != nil {
		panic(err)
	}
	return b.Bytes()
}

func be(v any) []byte {
	var b bytes.Buffer
	if err := binary.Write(&b, binary.BigEndian, v); err != nil {
		panic(err)
	}
	return b.Bytes()
}
