//go:build unix

package fetch

import (
	"context"
	"errors"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// errPartGone says that the partial file got its final name, or was removed,
// while its lock was awaited.
var errPartGone = errors.New("the partial file is gone")

// lockPart opens the partial file at path and waits until no other process
// holds it. The lock ends when the file is closed, also by a crash.
func lockPart(ctx context.Context, path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, err
	}
	for {
		err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if err == nil {
			break
		}
		if !errors.Is(err, unix.EWOULDBLOCK) && !errors.Is(err, unix.EINTR) {
			f.Close()
			return nil, err
		}
		select {
		case <-ctx.Done():
			f.Close()
			return nil, ctx.Err()
		case <-time.After(50 * time.Millisecond):
		}
	}
	held, err1 := f.Stat()
	now, err2 := os.Stat(path)
	if err1 != nil || err2 != nil || !os.SameFile(held, now) {
		f.Close()
		return nil, errPartGone
	}
	return f, nil
}

// publish gives the partial file its final name and lets go of it.
func publish(part *os.File, to string) error {
	if err := os.Rename(part.Name(), to); err != nil {
		return err
	}
	return part.Close()
}

// release lets go of a partial file that did not become whole: it stays, for
// another try to go on, unless it is spoilt.
func release(part *os.File, spoilt bool) {
	if spoilt {
		os.Remove(part.Name()) // while it is locked, so that it is nobody else's
	}
	part.Close()
}
