package tensor

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nlpodyssey/safetensors"
)

// WriteSafetensors writes named matrices and text metadata as a safetensors
// file, readable by every system that knows the format. The file appears
// whole or not at all: it is written beside its place, synced, and renamed.
//
// Errors: whatever the file system reports, with the path; nothing is left.
func WriteSafetensors(path string, named map[string]Matrix, meta map[string]string) error {
	views := map[string]safetensors.TensorView{}
	for name, m := range named {
		v, err := safetensors.NewTensorView(safetensors.F32, []uint64{uint64(m.Rows), uint64(m.Cols)}, encode(m))
		if err != nil {
			return fmt.Errorf("tensor: %s: %w", name, err)
		}
		views[name] = v
	}
	return WriteAtomic(path, func(w io.Writer) error {
		return safetensors.SerializeToWriter(views, meta, w)
	})
}

// encode returns the little-endian bytes of a matrix.
func encode(m Matrix) []byte {
	out := make([]byte, 0, 4*m.Rows*m.Cols)
	for r := range m.Rows {
		for _, v := range m.Row(r) {
			out = binary.LittleEndian.AppendUint32(out, math.Float32bits(v))
		}
	}
	return out
}

// ReadSafetensors reads a safetensors file of float32 matrices. A tensor of one
// dimension is a row.
//
// Errors: a file that is truncated or not in the format, a tensor of another
// type or of more than two dimensions; what is no regular file, and so might
// never end.
func ReadSafetensors(path string) (map[string]Matrix, map[string]string, error) {
	fi, err := os.Stat(path)
	if err != nil {
		return nil, nil, fmt.Errorf("tensor: %w", err)
	}
	if !fi.Mode().IsRegular() {
		return nil, nil, fmt.Errorf("tensor: %s is not a regular file", path)
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, nil, fmt.Errorf("tensor: %w", err)
	}
	st, err := safetensors.Deserialize(raw)
	if err != nil {
		return nil, nil, fmt.Errorf("tensor: %s is not a safetensors file: %w", path, err)
	}
	_, header, err := safetensors.ReadMetadata(raw)
	if err != nil {
		return nil, nil, fmt.Errorf("tensor: %s: %w", path, err)
	}
	out := map[string]Matrix{}
	for _, t := range st.Tensors() {
		m, err := decode(t.TensorView)
		if err != nil {
			return nil, nil, fmt.Errorf("tensor: %s: %s: %w", path, t.Name, err)
		}
		out[t.Name] = m
	}
	return out, maps.Clone(header.Metadata()), nil
}

func decode(v safetensors.TensorView) (Matrix, error) {
	shape := v.Shape()
	if v.DType() != safetensors.F32 || len(shape) > 2 {
		return Matrix{}, fmt.Errorf("got %v of shape %v, want F32 of at most two dimensions", v.DType(), shape)
	}
	shape = append(slices.Repeat([]uint64{1}, 2-len(shape)), shape...)
	if shape[0] > math.MaxInt32 || shape[1] > math.MaxInt32 || shape[0]*shape[1]*4 != v.DataLen() {
		return Matrix{}, fmt.Errorf("shape %v does not fit %d bytes", shape, v.DataLen())
	}
	m := New(int(shape[0]), int(shape[1]))
	for i := range m.Data {
		m.Data[i] = math.Float32frombits(binary.LittleEndian.Uint32(v.Data()[4*i:]))
	}
	return m, nil
}

// WriteAtomic writes a file through write so that path holds either what it
// held before or all of the new content: the content goes to a temporary file
// in the same folder, is synced to disk, and takes the name at the end. A process that
// is killed leaves that file: see [HalfOf].
func WriteAtomic(path string, write func(io.Writer) error) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		if bad := (*fs.PathError)(nil); errors.As(err, &bad) {
			err = bad.Err // its path is of a name that is drawn
		}
		return fmt.Errorf("tensor: write %s: %w", path, err)
	}
	defer func() {
		if err != nil {
			err = fmt.Errorf("tensor: write %s: %w", path, errors.Join(err, os.Remove(f.Name())))
		}
	}()
	if err = errors.Join(write(f), f.Sync(), f.Chmod(0o644), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// HalfOf returns the name of the file that one in the same folder was to become, which
// [WriteAtomic] left there because its process was killed. ok is false for any other.
func HalfOf(name string) (of string, ok bool) {
	of, hidden := strings.CutPrefix(name, ".")
	dot := strings.LastIndexByte(of, '.')
	if !hidden || dot < 1 || dot == len(of)-1 || strings.Trim(of[dot+1:], "0123456789") != "" {
		return "", false
	}
	return of[:dot], true
}
