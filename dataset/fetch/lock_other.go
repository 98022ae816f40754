//go:build !unix

package fetch

import (
	"context"
	"errors"
	"os"
	"path/filepath"
)

// errPartGone is not used where files have no locks.
var errPartGone = errors.New("the partial file is gone")

// lockPart opens a partial file of its own for every caller, so that no two
// write one; a download that was cut off is not resumed by the next process.
func lockPart(_ context.Context, path string) (*os.File, error) {
	return os.CreateTemp(filepath.Dir(path), filepath.Base(path)+"-*")
}

// publish gives the partial file its final name and lets go of it.
func publish(part *os.File, to string) error {
	if err := part.Close(); err != nil {
		return err
	}
	return os.Rename(part.Name(), to)
}

// release removes a partial file that did not become whole: none resumes it.
func release(part *os.File, spoilt bool) {
	part.Close()
	os.Remove(part.Name())
}
