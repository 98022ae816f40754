package lines

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/weft-gnn/weft/dataset/budget"
)

// Files is a folder or a zip archive that holds a set's files.
type Files struct {
	fs.FS
	Path  string // of the folder or archive
	Bytes int64  // on disk
	Close func() error
}

// Stat describes a file without opening it, which would wait for a pipe's writer.
func (s *Files) Stat(name string) (fs.FileInfo, error) { return fs.Stat(s.FS, name) }

// ReadDir lists a folder, and waits for no pipe either.
func (s *Files) ReadDir(name string) ([]fs.DirEntry, error) { return fs.ReadDir(s.FS, name) }

// OpenFiles opens the folder or zip archive at path.
func OpenFiles(path string) (*Files, error) {
	bytes, err := budget.SizeOf(path)
	if err != nil {
		return nil, fmt.Errorf("dataset: %w", err)
	}
	s := &Files{Path: path, Bytes: bytes}
	fi, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("dataset: %w", err)
	}
	if fi.IsDir() {
		s.FS, s.Close = os.DirFS(path), func() error { return nil }
		return s, nil
	}
	if err := budget.Regular(path, fi); err != nil {
		return nil, err
	}
	z, err := zip.OpenReader(path)
	if err != nil {
		return nil, fmt.Errorf("dataset: %s: %w", path, err)
	}
	s.FS, s.Close = z, z.Close
	return s, nil
}

// Lines opens a file of the set, named by its path inside it.
func (s *Files) Lines(ctx context.Context, name string, g *budget.Guard) (*Reader, error) {
	path := filepath.Join(s.Path, filepath.FromSlash(name))
	fi, err := s.Stat(name)
	if err != nil {
		return nil, fmt.Errorf("dataset: %s: %w", s.Path, err)
	}
	if err := budget.Regular(path, fi); err != nil {
		return nil, err
	}
	f, err := s.Open(name)
	if err != nil {
		return nil, fmt.Errorf("dataset: %s: %w", s.Path, err)
	}
	l, err := New(ctx, path, f, g)
	if err != nil {
		f.Close()
		return nil, err
	}
	l.Close = f.Close
	return l, nil
}

// Has reports whether the set holds the named file.
func (s *Files) Has(name string) bool {
	fi, err := s.Stat(name)
	return err == nil && !fi.IsDir()
}

// find returns the files whose path ends in suffix, at the top or in one folder
// below it, in ascending order.
func (s *Files) find(suffix string) ([]string, error) {
	var found []string
	for _, pattern := range []string{"*" + suffix, "*/*" + suffix} {
		names, err := fs.Glob(s, pattern)
		if err != nil {
			return nil, fmt.Errorf("dataset: %s: %w", s.Path, err)
		}
		found = append(found, names...)
	}
	slices.Sort(found)
	return slices.Compact(found), nil
}

// Only returns the path, without suffix, of the one file that ends in it, or
// says what was found instead.
func (s *Files) Only(suffix string) (string, error) {
	found, err := s.find(suffix)
	if err != nil {
		return "", err
	}
	switch len(found) {
	case 1:
		return strings.TrimSuffix(found[0], suffix), nil
	case 0:
		return "", fmt.Errorf("dataset: %s: no file is named *%s", s.Path, suffix)
	}
	for i, f := range found {
		found[i] = path.Base(strings.TrimSuffix(f, suffix))
	}
	return "", fmt.Errorf("dataset: %s holds %d sets (%s, …): open one of them", s.Path, len(found), strings.Join(found[:2], ", "))
}

// Open opens the text file at path, and a guard for what is read from it.
func Open(ctx context.Context, path string, limits budget.Limits) (*Reader, *budget.Guard, error) {
	f, err := budget.Open(path)
	if err != nil {
		return nil, nil, err
	}
	fi, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, nil, fmt.Errorf("dataset: %w", err)
	}
	g := limits.Guard(path, fi.Size())
	l, err := New(ctx, path, f, g)
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	l.Close = f.Close
	return l, g, nil
}

// Indices reads a file with the number of an item on each line. taken[i] is
// the file that has named item i; naming it again is an error.
func Indices(ctx context.Context, s *Files, name string, taken []string, g *budget.Guard) ([]int32, error) {
	l, err := s.Lines(ctx, name, g)
	if err != nil {
		return nil, err
	}
	defer l.Close()
	index := []int32{}
	for line, ok := l.Next(); ok; line, ok = l.Next() {
		field := bytes.TrimSpace(line)
		if len(field) == 0 {
			continue
		}
		i, isInt := Int(field)
		switch {
		case !isInt:
			return nil, l.Errorf("%s is not the number of an item", Quote(field))
		case i < 0 || i >= int64(len(taken)):
			return nil, l.Errorf("item %d is out of range, want 0 to %d", i, len(taken)-1)
		case taken[i] != "":
			return nil, l.Errorf("item %d stands in %s already", i, taken[i])
		}
		taken[i] = path.Base(name)
		index = append(index, int32(i))
	}
	return index, l.Err
}
