//go:build unix

package train

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// errLocked says that another holds the lock.
var errLocked = errors.New("locked")

// lockFile takes the lock of an open file, which ends when the file is closed,
// also by a crash. File systems without locks lock nothing.
func lockFile(f *os.File) error {
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); errors.Is(err, unix.EWOULDBLOCK) {
		return errLocked
	}
	return nil
}
