package budget

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// Open opens a regular file to be read.
//
// Errors: what is none. The size of a pipe is not known, it cannot be read twice,
// and one to which nobody writes would be waited for without end.
func Open(path string) (*os.File, error) {
	fi, err := os.Stat(path)
	if err != nil {
		if p := (*fs.PathError)(nil); errors.As(err, &p) {
			p.Op = "open" // as a user has it
		}
		return nil, fmt.Errorf("dataset: %w", err)
	}
	if err := Regular(path, fi); err != nil {
		return nil, err
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("dataset: %w", err)
	}
	return f, nil
}

// Regular refuses what is no regular file, and says what it is.
func Regular(path string, fi fs.FileInfo) error {
	what := ""
	switch mode := fi.Mode(); {
	case mode.IsRegular():
		return nil
	case mode.IsDir():
		return fmt.Errorf("dataset: %s is a folder, want a file", path)
	case mode&fs.ModeNamedPipe != 0:
		what = "a pipe"
	case mode&fs.ModeSocket != 0:
		what = "a socket"
	default:
		what = "a device"
	}
	return fmt.Errorf("dataset: %s is %s: data are read from files, so write it to one first", path, what)
}
