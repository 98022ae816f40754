// Package folder writes folders of files that appear whole or not at all.
package folder

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"

	"github.com/weft-gnn/weft/dataset/numpy"
)

// CreateFunc opens a file for writing.
type CreateFunc func(path string) (OutFile, error)

// OutFile is a file that is written, and then brought to the disk.
type OutFile interface {
	io.WriteCloser
	Sync() error
}

// Create is the system's CreateFunc.
func Create(path string) (OutFile, error) { return os.Create(path) }

// Writer writes files into one folder; the first error stays and makes all
// further calls do nothing.
type Writer struct {
	Dir string
	// Err is the first error.
	Err error
	// Digests holds the SHA-256 of each file that was written, in hexadecimal;
	// nil where nobody wants them.
	Digests map[string]string

	create CreateFunc
}

// File writes one file, to the disk and not only to the system's memory.
func (w *Writer) File(name string, write func(io.Writer) error) {
	if w.Err != nil {
		return
	}
	if err := w.file(name, write); err != nil {
		w.Err = fmt.Errorf("dataset: writing %s: %w", name, err)
	}
}

func (w *Writer) file(name string, write func(io.Writer) error) (err error) {
	f, err := w.create(filepath.Join(w.Dir, name))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	digest := sha256.New()
	out := io.Writer(f)
	if w.Digests != nil {
		out = io.MultiWriter(f, digest)
	}
	b := bufio.NewWriterSize(out, 1<<20)
	if err := write(b); err != nil {
		return err
	}
	if err := b.Flush(); err != nil {
		return err
	}
	if w.Digests != nil {
		w.Digests[name] = hex.EncodeToString(digest.Sum(nil))
	}
	return f.Sync()
}

// Bytes writes a file of the given content.
func (w *Writer) Bytes(name string, content func() ([]byte, error)) {
	w.File(name, func(out io.Writer) error {
		b, err := content()
		if err == nil {
			_, err = out.Write(b)
		}
		return err
	})
}

// JSON writes v as indented JSON.
func (w *Writer) JSON(name string, v any) {
	w.Bytes(name, func() ([]byte, error) { return json.MarshalIndent(v, "", "  ") })
}

// In makes a folder below this one and has it filled. Its files have digests if
// digests is set.
func (w *Writer) In(name string, digests bool, fill func(*Writer)) (sums map[string]string) {
	if w.Err != nil {
		return nil
	}
	sub := &Writer{Dir: filepath.Join(w.Dir, name), create: w.create}
	if digests {
		sub.Digests = map[string]string{}
	}
	if err := os.Mkdir(sub.Dir, 0o777); err != nil {
		w.Err = fmt.Errorf("dataset: %w", err)
		return nil
	}
	fill(sub)
	w.Err = sub.Err
	return sub.Digests
}

// Array writes the .npy file called name.
func Array[T numpy.Element](w *Writer, name string, shape []int, chunks iter.Seq[[]T]) {
	w.File(name, func(out io.Writer) error { return numpy.Write(out, shape, chunks) })
}

// Column is Array for one dimension.
func Column[T numpy.Element](w *Writer, name string, v []T) {
	Array(w, name, []int{len(v)}, numpy.Whole(v))
}

// Replace fills a new folder beside dir and moves it there once it is whole. What
// is at dir before stays until then; with overwrite it is removed after. On an
// error nothing new is left.
func Replace(dir string, overwrite bool, create CreateFunc, fill func(*Writer)) (err error) {
	parent, base := filepath.Split(filepath.Clean(dir))
	if parent == "" {
		parent = "."
	}
	if err := os.MkdirAll(parent, 0o777); err != nil {
		return fmt.Errorf("dataset: %w", err)
	}
	tmp, err := os.MkdirTemp(parent, "."+base+".new-*")
	if err != nil {
		return fmt.Errorf("dataset: %w", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(tmp))
		}
	}()
	// MkdirTemp makes a private folder; a data set is as open as others.
	if err := os.Chmod(tmp, 0o755); err != nil {
		return fmt.Errorf("dataset: %w", err)
	}
	w := &Writer{Dir: tmp, create: create}
	if fill(w); w.Err != nil {
		return w.Err
	}
	return move(tmp, dir, overwrite)
}

// Kind is what a folder is.
type Kind struct {
	Name   string   // such as "data set"
	Marker string   // the file without which it is none
	Others []string // patterns, see [filepath.Match], of what else it has
}

// has reports whether folders of the kind have something of the name.
func (k Kind) has(name string) bool {
	return name == k.Marker || slices.ContainsFunc(k.Others, func(pattern string) bool {
		ok, err := filepath.Match(pattern, name)
		return ok && err == nil
	})
}

// MayReplace refuses to put a folder where something else lies than one of the same
// kind, where that may not be replaced, or has what is not of its kind, such as the runs
// of somebody who trained in it.
func MayReplace(dir string, kind Kind, overwrite bool) error {
	names, err := os.ReadDir(dir)
	switch {
	case os.IsNotExist(err), err == nil && len(names) == 0:
		return nil
	case err != nil:
		return fmt.Errorf("dataset: %w", err)
	case !overwrite:
		return fmt.Errorf("dataset: %s is there already: choose another folder, or ask to overwrite it", dir)
	}
	if _, err := os.Stat(filepath.Join(dir, kind.Marker)); err != nil {
		return fmt.Errorf("dataset: %s is not a %s (it has no %s) and is not overwritten", dir, kind.Name, kind.Marker)
	}
	for _, e := range names {
		if !kind.has(e.Name()) {
			return fmt.Errorf("dataset: %s is of no %s, and would be lost: %s is not overwritten", filepath.Join(dir, e.Name()), kind.Name, dir)
		}
	}
	return nil
}

// move renames from to dir, with what is at dir moved out of the way first and
// back on an error.
func move(from, dir string, overwrite bool) error {
	if !overwrite {
		return moveNew(from, dir)
	}
	old := from + ".old"
	switch err := os.Rename(dir, old); {
	case os.IsNotExist(err):
		old = ""
	case err != nil:
		return fmt.Errorf("dataset: %w", err)
	}
	switch err := os.Rename(from, dir); {
	case errors.Is(err, fs.ErrExist): // what was there is replaced, if not by this
		return errors.Join(fmt.Errorf("dataset: another process has written %s meanwhile, and that stays", dir), remove(old))
	case err != nil:
		if old != "" {
			err = errors.Join(err, os.Rename(old, dir))
		}
		return fmt.Errorf("dataset: %w", err)
	}
	return remove(old)
}

// remove removes a folder with all that is in it, if it has a name.
func remove(dir string) error {
	if dir == "" {
		return nil
	}
	if err := os.RemoveAll(dir); err != nil {
		return fmt.Errorf("dataset: %w", err)
	}
	return nil
}

// moveNew renames from to dir, where nothing is or an empty folder.
func moveNew(from, dir string) error {
	if fi, err := os.Lstat(dir); err == nil && fi.IsDir() {
		// os.Rename replaces no folder, and os.Remove takes away none that has anything.
		if err := os.Remove(dir); err != nil {
			return fmt.Errorf("dataset: %w", err)
		}
	}
	if err := os.Rename(from, dir); err != nil {
		return fmt.Errorf("dataset: %w", err)
	}
	return nil
}
