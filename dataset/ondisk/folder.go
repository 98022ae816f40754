package ondisk

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"

	"github.com/weft-gnn/weft/dataset/numpy"
)

// createFunc opens a file for writing.
type createFunc func(path string) (outFile, error)

type outFile interface {
	io.WriteCloser
	Sync() error
}

func createFile(path string) (outFile, error) { return os.Create(path) }

// folderWriter writes files into one folder; the first error stays and makes
// all further calls do nothing.
type folderWriter struct {
	dir    string
	create createFunc
	err    error
}

// file writes one file, to the disk and not only to the system's memory.
func (w *folderWriter) file(name string, write func(io.Writer) error) {
	if w.err != nil {
		return
	}
	w.err = func() (err error) {
		f, err := w.create(filepath.Join(w.dir, name))
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, f.Close()) }()
		b := bufio.NewWriterSize(f, 1<<20)
		if err := write(b); err != nil {
			return err
		}
		if err := b.Flush(); err != nil {
			return err
		}
		return f.Sync()
	}()
	if w.err != nil {
		w.err = fmt.Errorf("dataset: writing %s: %w", name, w.err)
	}
}

func (w *folderWriter) bytes(name string, content func() ([]byte, error)) {
	w.file(name, func(out io.Writer) error {
		b, err := content()
		if err == nil {
			_, err = out.Write(b)
		}
		return err
	})
}

func (w *folderWriter) json(name string, v any) {
	w.bytes(name, func() ([]byte, error) { return json.MarshalIndent(v, "", "  ") })
}

// writeArray writes the .npy file called name.
func writeArray[T numpy.Element](w *folderWriter, name string, shape []int, chunks iter.Seq[[]T]) {
	w.file(name, func(out io.Writer) error { return numpy.Write(out, shape, chunks) })
}

// writeColumn is writeArray for one dimension.
func writeColumn[T numpy.Element](w *folderWriter, name string, v []T) {
	writeArray(w, name, []int{len(v)}, numpy.Whole(v))
}

// replaceFolder fills a new folder beside dir and moves it there once it is
// whole. What is at dir before stays until then; with overwrite it is removed
// after. On an error nothing new is left.
func replaceFolder(dir string, overwrite bool, create createFunc, fill func(*folderWriter)) (err error) {
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
	w := &folderWriter{dir: tmp, create: create}
	if fill(w); w.err != nil {
		return w.err
	}
	return moveFolder(tmp, dir, overwrite)
}

// moveFolder renames from to dir, with what is at dir moved out of the way
// first and back on an error.
func moveFolder(from, dir string, overwrite bool) error {
	if !overwrite {
		// A rename replaces an empty folder and fails on any other.
		if err := os.Rename(from, dir); err != nil {
			return fmt.Errorf("dataset: %w", err)
		}
		return nil
	}
	old := from + ".old"
	switch err := os.Rename(dir, old); {
	case os.IsNotExist(err):
		old = ""
	case err != nil:
		return fmt.Errorf("dataset: %w", err)
	}
	if err := os.Rename(from, dir); err != nil {
		if old != "" {
			err = errors.Join(err, os.Rename(old, dir))
		}
		return fmt.Errorf("dataset: %w", err)
	}
	if old == "" {
		return nil
	}
	if err := os.RemoveAll(old); err != nil {
		return fmt.Errorf("dataset: %w", err)
	}
	return nil
}
