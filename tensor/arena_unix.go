//go:build unix

package tensor

import "golang.org/x/sys/unix"

// reserve maps zeroed memory outside the Go heap; pages exist once touched.
func reserve(bytes int64) ([]byte, func() error, error) {
	raw, err := unix.Mmap(-1, 0, int(bytes), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		return nil, nil, err
	}
	return raw, func() error { return unix.Munmap(raw) }, nil
}
