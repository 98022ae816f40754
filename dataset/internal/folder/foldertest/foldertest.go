// Package foldertest has the disks that tests of written folders write to: one that
// is full, and one that is not waited for.
package foldertest

import (
	"errors"
	"os"
	"testing"

	"github.com/weft-gnn/weft/dataset/internal/folder"
)

// unsynced is a file that is left to the system's memory, where it is as good to a
// test that does not pull the plug.
type unsynced struct{ *os.File }

func (unsynced) Sync() error { return nil }

// CreateUnsynced creates a file that is not flushed to the disk.
func CreateUnsynced(path string) (folder.OutFile, error) {
	f, err := os.Create(path)
	return unsynced{f}, err
}

// ErrFull is what a [FullDisk] says.
var ErrFull = errors.New("no space left on device")

// FullDisk fails the operation number Left of all creations, writes, flushes to the
// disk and closings, and every one after it.
type FullDisk struct{ Left int }

func (d *FullDisk) use() error {
	if d.Left--; d.Left < 0 {
		return ErrFull
	}
	return nil
}

// Create creates a file on the disk.
func (d *FullDisk) Create(path string) (folder.OutFile, error) {
	if err := d.use(); err != nil {
		return nil, err
	}
	f, err := os.Create(path)
	return &diskFile{f, d}, err
}

type diskFile struct {
	*os.File
	disk *FullDisk
}

func (f *diskFile) Write(b []byte) (int, error) {
	if err := f.disk.use(); err != nil {
		n, _ := f.File.Write(b[:len(b)/2])
		return n, err
	}
	return f.File.Write(b)
}

func (f *diskFile) Sync() error { return f.disk.use() }

func (f *diskFile) Close() error { return errors.Join(f.File.Close(), f.disk.use()) }

// NamesIn lists what is in a folder.
func NamesIn(t testing.TB, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}
