package train

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/weft-gnn/weft/tensor"
)

// A run may take several attempts: each resumes what those before it have left.
// They are numbered from 1.

const (
	stateName    = "checkpoint"
	stateEnding  = ".safetensors"
	finishedFile = "finished"
)

// stateFile is the checkpoint of an attempt.
func stateFile(attempt int) string {
	if attempt == 1 {
		return stateName + stateEnding
	}
	return fmt.Sprintf("%s-%d%s", stateName, attempt, stateEnding)
}

// attemptOf returns the attempt whose checkpoint a file is, 0 for none.
func attemptOf(file string) int {
	middle, ok := strings.CutPrefix(file, stateName)
	middle, ends := strings.CutSuffix(middle, stateEnding)
	if !ok || !ends {
		return 0
	}
	if middle == "" {
		return 1
	}
	n, err := strconv.Atoi(strings.TrimPrefix(middle, "-"))
	if err != nil || stateFile(n) != file {
		return 0
	}
	return n
}

// Newest returns the number of the newest attempt that has a checkpoint in a run
// directory, 0 where none has or there is no such directory.
func Newest(dir string) (attempt int, err error) {
	files, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return 0, fmt.Errorf("train: %w", err)
	}
	for _, f := range files {
		attempt = max(attempt, attemptOf(f.Name()))
	}
	return attempt, nil
}

// current refuses to go on where a later attempt has.
func (t *Trainer) current() error {
	newest, err := Newest(t.dir.path)
	if err == nil && newest > t.attempt {
		err = fmt.Errorf("train: attempt %d of the run in %s has been given up: attempt %d has taken over", t.attempt, t.dir.path, newest)
	}
	return err
}

// removeOlder removes the checkpoints of earlier attempts, half-written ones too.
func (d *runDir) removeOlder(attempt int) error {
	return d.remove(func(name string, _ bool) bool {
		n := attemptOf(name)
		return n > 0 && n < attempt
	})
}

// removeHalves removes what processes that were killed wrote in part. Nobody else
// writes while the directory is held.
func (d *runDir) removeHalves() error {
	return d.remove(func(name string, half bool) bool {
		return half && (attemptOf(name) > 0 || slices.Contains([]string{configFile, modelFile, resultFile, finishedFile}, name))
	})
}

// remove removes the files that are asked for by name, of one that was written in part
// that of the whole.
func (d *runDir) remove(asked func(name string, half bool) bool) error {
	files, err := os.ReadDir(d.path)
	if err != nil {
		return fmt.Errorf("train: %w", err)
	}
	for _, f := range files {
		of, half := tensor.HalfOf(f.Name())
		if !half {
			of = f.Name()
		}
		if asked(of, half) {
			if err := removeFile(filepath.Join(d.path, f.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}

// markFinished writes, last of all, that the run has come to its end, and in which
// attempt.
func (d *runDir) markFinished(attempt int) error {
	return tensor.WriteAtomic(filepath.Join(d.path, finishedFile), func(w io.Writer) error {
		_, err := fmt.Fprintln(w, attempt)
		return err
	})
}

// Finished returns the attempt in which the run in a directory came to its end, 0
// where it has not: what a process's exit says is less certain.
func Finished(dir string) (attempt int, err error) {
	text, err := os.ReadFile(filepath.Join(dir, finishedFile))
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("train: %w", err)
	}
	if attempt, err = strconv.Atoi(strings.TrimSpace(string(text))); err != nil || attempt < 1 {
		return 0, fmt.Errorf("train: %s holds %q, want the number of an attempt", filepath.Join(dir, finishedFile), text)
	}
	return attempt, nil
}
