package numpy

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/weft-gnn/weft/dataset/budget"
)

// Archive is an open .npz file: a zip archive of .npy files.
type Archive struct {
	Path  string
	Guard *budget.Guard // of what is read from it
	file  *os.File
	zip   *zip.Reader
}

// OpenArchive opens the archive at path.
//
// Errors: a file that is none, or holds a member twice: which of the two was
// meant, only its writer knows.
func OpenArchive(path string, limits budget.Limits) (*Archive, error) {
	f, err := budget.Open(path)
	if err != nil {
		return nil, err
	}
	fi, err := f.Stat()
	if err == nil {
		var z *zip.Reader
		if z, err = zip.NewReader(f, fi.Size()); err == nil {
			err = distinct(z.File)
		}
		if err == nil {
			return &Archive{Path: path, file: f, zip: z, Guard: limits.Guard(path, fi.Size())}, nil
		}
	}
	f.Close()
	return nil, fmt.Errorf("dataset: %s: %w", path, err)
}

// distinct checks that no member is there twice.
func distinct(files []*zip.File) error {
	seen := make(map[string]bool, len(files))
	for _, f := range files {
		if seen[f.Name] {
			return fmt.Errorf("there are two members called %s", f.Name)
		}
		seen[f.Name] = true
	}
	return nil
}

// Close closes the archive's file.
func (z *Archive) Close() error { return z.file.Close() }

// Has reports whether there is a member of that name, such as "x.npy".
func (z *Archive) Has(member string) bool {
	return slices.ContainsFunc(z.zip.File, func(f *zip.File) bool { return f.Name == member })
}

// Names returns the names of all arrays.
func (z *Archive) Names() []string {
	var names []string
	for _, f := range z.zip.File {
		names = append(names, strings.TrimSuffix(f.Name, ".npy"))
	}
	return names
}

// Array reads the array called name.
func (z *Archive) Array(name string) (*Array, error) {
	where := z.Path + ": " + name
	for _, f := range z.zip.File {
		if f.Name == name+".npy" {
			data, err := readMember(f, where, z.Guard)
			if err != nil {
				return nil, err
			}
			return Parse(where, data, z.Guard)
		}
	}
	return nil, fmt.Errorf("dataset: %s: %w", where, fs.ErrNotExist)
}

// Optional is Array, nil where it is not there.
func (z *Archive) Optional(name string) (*Array, error) {
	a, err := z.Array(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return a, err
}

// readMember reads a member of a zip archive whole. The size it states is
// taken from the budget before it is believed.
func readMember(f *zip.File, where string, g *budget.Guard) ([]byte, error) {
	size := f.UncompressedSize64
	if err := g.Need(where, int64(min(size, 1<<62)), 1); err != nil {
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

// Sparse reads the matrix kept as prefix_data, _indices, _indptr and _shape.
func (z *Archive) Sparse(prefix string) (*CSR, error) {
	s := &CSR{Name: z.Path + ": " + prefix}
	for _, part := range []struct {
		name string
		to   **Array
	}{{"indptr", &s.Ptr}, {"indices", &s.Col}, {"data", &s.Value}} {
		a, err := z.Array(prefix + "_" + part.name)
		if err != nil {
			return nil, err
		}
		*part.to = a
	}
	shape, err := z.Array(prefix + "_shape")
	if err != nil {
		return nil, err
	}
	if err := shape.WantShape(2); err != nil {
		return nil, err
	}
	dims, err := shape.Ints(z.Guard)
	if err != nil {
		return nil, err
	}
	s.Rows, s.Cols = int(dims[0]), int(dims[1])
	return s, nil
}

// OptionalText reads n strings, any number for n < 0, nil where there are none.
func (z *Archive) OptionalText(name string, n int) ([]string, error) {
	a, err := z.Optional(name)
	if err != nil || a == nil {
		return nil, err
	}
	if err := a.WantShape(n); err != nil {
		return nil, err
	}
	return a.text(z.Guard)
}
