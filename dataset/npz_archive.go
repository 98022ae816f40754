package dataset

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
)

// npzFile is an open archive of arrays.
type npzFile struct {
	path  string
	file  *os.File
	zip   *zip.Reader
	guard *guard
}

// openNPZ opens the archive at path.
func openNPZ(path string, limits Limits) (*npzFile, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("dataset: %w", err)
	}
	fi, err := f.Stat()
	if err == nil {
		var z *zip.Reader
		if z, err = zip.NewReader(f, fi.Size()); err == nil {
			return &npzFile{path: path, file: f, zip: z, guard: limits.guard(path, fi.Size())}, nil
		}
	}
	f.Close()
	return nil, fmt.Errorf("dataset: %s: %w", path, err)
}

// Close closes the archive's file.
func (z *npzFile) Close() error { return z.file.Close() }

func (z *npzFile) has(member string) bool {
	return slices.ContainsFunc(z.zip.File, func(f *zip.File) bool { return f.Name == member })
}

func (z *npzFile) names() []string {
	var names []string
	for _, f := range z.zip.File {
		names = append(names, strings.TrimSuffix(f.Name, ".npy"))
	}
	return names
}

// array reads the array called name.
func (z *npzFile) array(name string) (*array, error) {
	where := z.path + ": " + name
	for _, f := range z.zip.File {
		if f.Name == name+".npy" {
			data, err := readMember(f, where, z.guard)
			if err != nil {
				return nil, err
			}
			return parseNPY(where, data, z.guard)
		}
	}
	return nil, fmt.Errorf("dataset: %s: %w", where, fs.ErrNotExist)
}

// optional is array, nil where it is not there.
func (z *npzFile) optional(name string) (*array, error) {
	a, err := z.array(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return a, err
}

// readMember reads a member of a zip archive whole. The size it states is
// taken from the budget before it is believed.
func readMember(f *zip.File, where string, g *guard) ([]byte, error) {
	size := f.UncompressedSize64
	if err := g.need(where, int64(min(size, 1<<62)), 1); err != nil {
		return nil, err
	}
	r, err := f.Open()
	if err != nil {
		return nil, fmt.Errorf("dataset: %s: %w", where, err)
	}
	defer r.Close()
	// Growing as it is read, the buffer is never far over what is there.
	data, err := io.ReadAll(io.LimitReader(r, int64(size)+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("dataset: %s: %w", where, err)
	case uint64(len(data)) != size:
		return nil, fmt.Errorf("dataset: %s: the archive states %d bytes and holds %d or more", where, size, len(data))
	}
	return data, nil
}

// sparse reads the matrix kept as prefix_data, _indices, _indptr and _shape.
func (z *npzFile) sparse(prefix string) (*sparseRows, error) {
	s := &sparseRows{name: z.path + ": " + prefix}
	for _, part := range []struct {
		name string
		to   **array
	}{{"indptr", &s.ptr}, {"indices", &s.col}, {"data", &s.value}} {
		a, err := z.array(prefix + "_" + part.name)
		if err != nil {
			return nil, err
		}
		*part.to = a
	}
	shape, err := z.array(prefix + "_shape")
	if err != nil {
		return nil, err
	}
	if err := shape.wantShape(2); err != nil {
		return nil, err
	}
	dims, err := shape.ints(z.guard)
	if err != nil {
		return nil, err
	}
	s.rows, s.cols = int(dims[0]), int(dims[1])
	return s, nil
}

// optionalText reads n strings, any number for n < 0, nil where there are none.
func (z *npzFile) optionalText(name string, n int) ([]string, error) {
	a, err := z.optional(name)
	if err != nil || a == nil {
		return nil, err
	}
	if err := a.wantShape(n); err != nil {
		return nil, err
	}
	return a.text(z.guard)
}
