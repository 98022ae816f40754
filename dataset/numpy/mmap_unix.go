//go:build unix

package numpy

import (
	"fmt"
	"io"

	"golang.org/x/sys/unix"

	"github.com/weft-gnn/weft/dataset/budget"
)

// mapFile returns the content of the file at path, read-only. A large file is
// mapped for the life of the process: slices of it may be kept anywhere, so
// that no moment to unmap it is known.
func mapFile(path string) ([]byte, error) {
	f, err := budget.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	fi, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("dataset: %w", err)
	}
	size := fi.Size()
	switch {
	case int64(int(size)) != size:
		return nil, fmt.Errorf("dataset: %s: %d bytes are too many to map", path, size)
	case size < minMapped:
		b := make([]byte, size)
		if _, err := io.ReadFull(f, b); err != nil {
			return nil, fmt.Errorf("dataset: %s: %w", path, err)
		}
		return b, nil
	}
	b, err := unix.Mmap(int(f.Fd()), 0, int(size), unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return nil, fmt.Errorf("dataset: %s: %w", path, err)
	}
	return b, nil
}
