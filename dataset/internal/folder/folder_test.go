package folder

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

func fill(w *Writer) {
	w.Bytes("a", func() ([]byte, error) { return []byte("text"), nil })
	w.In("sub", true, func(w *Writer) { Column(w, "b.npy", []int32{1, 2}) })
}

func has(t *testing.T, dir string, names ...string) {
	t.Helper()
	for _, name := range names {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
}

// TestReplace: a folder is made where there is none or an empty one, and where
// another may be replaced; what is there stays otherwise.
func TestReplace(t *testing.T) {
	home := t.TempDir()
	fresh, empty, full := filepath.Join(home, "deep", "fresh"), filepath.Join(home, "empty"), filepath.Join(home, "full")
	for _, dir := range []string{empty, full} {
		if err := os.Mkdir(dir, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(full, "letter"), []byte("dear"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{fresh, empty} {
		if err := Replace(dir, false, Create, fill); err != nil {
			t.Error(err)
		}
		has(t, dir, "a", "sub/b.npy")
	}
	if err := Replace(full, false, Create, fill); err == nil {
		t.Error("a folder that is not empty was replaced")
	}
	has(t, full, "letter")
	if err := Replace(full, true, Create, fill); err != nil {
		t.Error(err)
	}
	has(t, full, "a", "sub/b.npy")
	if _, err := os.Stat(filepath.Join(full, "letter")); err == nil {
		t.Error("what was there before is there still")
	}
	if left, err := os.ReadDir(home); err != nil || len(left) != 3 {
		t.Errorf("left %v (%v)", left, err)
	}
}

// TestReplaceAtOnce: where several replace a folder at the same time one of them is there
// in the end, whole, and nothing is beside it; who came to nothing says why.
func TestReplaceAtOnce(t *testing.T) {
	home := t.TempDir()
	dir := filepath.Join(home, "data")
	if err := Replace(dir, false, Create, fill); err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for range 6 {
		all.Go(func() {
			for range 20 {
				if err := Replace(dir, true, Create, fill); err != nil && !strings.Contains(err.Error(), "another process has written "+dir) {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	has(t, dir, "a", "sub/b.npy")
	if left, err := os.ReadDir(home); err != nil || len(left) != 1 {
		t.Errorf("left %v (%v)", left, err)
	}
}

// TestDigests: a digest is that of the file.
func TestDigests(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "set")
	var sums map[string]string
	err := Replace(dir, false, Create, func(w *Writer) {
		sums = w.In("sub", true, func(w *Writer) { Column(w, "b.npy", []int32{1, 2}) })
		if w.In("plain", false, func(w *Writer) { Column(w, "c.npy", []int32{1}) }) != nil {
			t.Error("digests that nobody wants")
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(dir, "sub", "b.npy"))
	if err != nil {
		t.Fatal(err)
	}
	if sum := sha256.Sum256(data); len(sums) != 1 || sums["b.npy"] != hex.EncodeToString(sum[:]) {
		t.Errorf("digests %v, want that of %x", sums, sum)
	}
}

// TestFirstErrorStays: after an error nothing is written, and nothing is left.
func TestFirstErrorStays(t *testing.T) {
	home, why := t.TempDir(), errors.New("why")
	err := Replace(filepath.Join(home, "set"), false, Create, func(w *Writer) {
		w.File("a", func(io.Writer) error { return why })
		w.In("sub", true, func(*Writer) { t.Error("a folder was filled after an error") })
		w.File("b", func(io.Writer) error { t.Error("a file was written after an error"); return nil })
	})
	if !errors.Is(err, why) {
		t.Errorf("got %v, want %v", err, why)
	}
	if left, err := os.ReadDir(home); err != nil || len(left) != 0 {
		t.Errorf("left %v (%v)", left, err)
	}
}

// TestMayReplace: only a folder of the same kind may be replaced, if asked to and where
// nothing else is lost.
func TestMayReplace(t *testing.T) {
	home, mine, others := t.TempDir(), t.TempDir(), t.TempDir()
	for _, path := range []string{filepath.Join(home, "letter"), filepath.Join(mine, "letter"), filepath.Join(mine, "part-0"), filepath.Join(others, "letter"), filepath.Join(others, "runs")} {
		if err := os.WriteFile(path, nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		dir, marker    string
		overwrite, may bool
	}{
		{filepath.Join(home, "none"), "letter", false, true},
		{t.TempDir(), "letter", false, true},
		{home, "letter", false, false},
		{home, "letter", true, true},
		{home, "other", true, false},
		{mine, "letter", true, true},
		{others, "letter", true, false},
		{filepath.Join(home, "letter"), "letter", true, false},
	} {
		if err := MayReplace(c.dir, Kind{"set", c.marker, []string{"part-*"}}, c.overwrite); (err == nil) != c.may {
			t.Errorf("%+v: %v", c, err)
		}
	}
}
