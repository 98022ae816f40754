package dataset

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
)

// fileSet is a folder or a zip archive that holds a set's files.
type fileSet struct {
	fs.FS
	path  string // of the folder or archive
	bytes int64  // on disk
	close func() error
}

// openFiles opens the folder or zip archive at path.
func openFiles(path string) (*fileSet, error) {
	bytes, err := sizeOf(path)
	if err != nil {
		return nil, fmt.Errorf("dataset: %w", err)
	}
	s := &fileSet{path: path, bytes: bytes}
	fi, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("dataset: %w", err)
	}
	if fi.IsDir() {
		s.FS, s.close = os.DirFS(path), func() error { return nil }
		return s, nil
	}
	z, err := zip.OpenReader(path)
	if err != nil {
		return nil, fmt.Errorf("dataset: %s: %w", path, err)
	}
	s.FS, s.close = z, z.Close
	return s, nil
}

// lines opens a file of the set, named by its path inside it.
func (s *fileSet) lines(ctx context.Context, name string, g *guard) (*lineReader, error) {
	f, err := s.Open(name)
	if err != nil {
		return nil, fmt.Errorf("dataset: %s: %w", s.path, err)
	}
	l, err := newLines(ctx, filepath.Join(s.path, filepath.FromSlash(name)), f, g)
	if err != nil {
		f.Close()
		return nil, err
	}
	l.close = f.Close
	return l, nil
}

// has reports whether the set holds the named file.
func (s *fileSet) has(name string) bool {
	fi, err := fs.Stat(s, name)
	return err == nil && !fi.IsDir()
}

// find returns the files whose path ends in suffix, at the top or in one folder
// below it, in ascending order.
func (s *fileSet) find(suffix string) ([]string, error) {
	var found []string
	for _, pattern := range []string{"*" + suffix, "*/*" + suffix} {
		names, err := fs.Glob(s, pattern)
		if err != nil {
			return nil, fmt.Errorf("dataset: %s: %w", s.path, err)
		}
		found = append(found, names...)
	}
	slices.Sort(found)
	return slices.Compact(found), nil
}

// only returns the one file that find finds without suffix, or says what was
// found instead.
func (s *fileSet) only(suffix string) (string, error) {
	found, err := s.find(suffix)
	if err != nil {
		return "", err
	}
	switch len(found) {
	case 1:
		return strings.TrimSuffix(found[0], suffix), nil
	case 0:
		return "", fmt.Errorf("dataset: %s: no file is named *%s", s.path, suffix)
	}
	for i, f := range found {
		found[i] = path.Base(strings.TrimSuffix(f, suffix))
	}
	return "", fmt.Errorf("dataset: %s holds %d sets (%s, …): open one of them", s.path, len(found), strings.Join(found[:2], ", "))
}

// openLines opens the text file at path, and a guard for what is read from it.
func openLines(ctx context.Context, path string, limits Limits) (*lineReader, *guard, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, fmt.Errorf("dataset: %w", err)
	}
	fi, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, nil, fmt.Errorf("dataset: %w", err)
	}
	g := limits.guard(path, fi.Size())
	l, err := newLines(ctx, path, f, g)
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	l.close = f.Close
	return l, g, nil
}

// readIndices reads a file with the number of an item on each line. taken[i] is
// the file that has named item i; naming it again is an error.
func readIndices(ctx context.Context, s *fileSet, name string, taken []string, g *guard) ([]int32, error) {
	l, err := s.lines(ctx, name, g)
	if err != nil {
		return nil, err
	}
	defer l.close()
	index := []int32{}
	for line, ok := l.next(); ok; line, ok = l.next() {
		field := bytes.TrimSpace(line)
		if len(field) == 0 {
			continue
		}
		i, isInt := parseInt(field)
		switch {
		case !isInt:
			return nil, l.errorf("%s is not the number of an item", show(field))
		case i < 0 || i >= int64(len(taken)):
			return nil, l.errorf("item %d is out of range, want 0 to %d", i, len(taken)-1)
		case taken[i] != "":
			return nil, l.errorf("item %d stands in %s already", i, taken[i])
		}
		taken[i] = path.Base(name)
		index = append(index, int32(i))
	}
	return index, l.err
}
