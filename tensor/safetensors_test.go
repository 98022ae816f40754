package tensor_test

import (
	"errors"
	"io"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/weft-gnn/weft/tensor"
)

// TestSafetensorsRoundTrip: bits come back, those of NaN and of views with a
// stride too.
func TestSafetensorsRoundTrip(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.safetensors")
	want := map[string]tensor.Matrix{
		"a": tensor.Of(2, 2, []float32{1, float32(math.NaN()), float32(math.Inf(-1)), math.SmallestNonzeroFloat32}),
		"b": {Rows: 2, Cols: 1, Stride: 3, Data: []float32{5, 6, 7, 8}},
		"c": tensor.New(0, 4),
	}
	meta := map[string]string{"k": "v"}
	if err := tensor.WriteSafetensors(path, want, meta); err != nil {
		t.Fatal(err)
	}
	got, back, err := tensor.ReadSafetensors(path)
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != len(want) || !maps.Equal(back, meta) {
		t.Errorf("read %d tensors and %v, want %d and %v", len(got), back, len(want), meta)
	}
	for name, m := range want {
		if !got[name].Equal(m) {
			t.Errorf("%s is %v, want %v", name, got[name], m)
		}
	}
}

// TestSafetensorsRefuses what is cut short, and files without an end.
func TestSafetensorsRefuses(t *testing.T) {
	dir := t.TempDir()
	whole := filepath.Join(dir, "whole")
	if err := tensor.WriteSafetensors(whole, map[string]tensor.Matrix{"a": tensor.New(3, 3)}, nil); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(whole)
	if err != nil {
		t.Fatal(err)
	}
	for n := range len(text) {
		path := filepath.Join(dir, "cut")
		if err := os.WriteFile(path, text[:n], 0o644); err != nil {
			t.Fatal(err)
		}
		if _, _, err := tensor.ReadSafetensors(path); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("the first %d of %d bytes: %v", n, len(text), err)
		}
	}
	endless := os.DevNull // a device, as /dev/zero is
	if _, _, err := tensor.ReadSafetensors(endless); err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("a device: %v", err)
	}
}

// TestWriteAtomicNamesTheFile: a folder that is not there is told of the file that was
// asked for, not of one that nobody knows.
func TestWriteAtomicNamesTheFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "absent", "p.csv")
	err := tensor.WriteAtomic(path, func(io.Writer) error { return nil })
	if !errors.Is(err, fs.ErrNotExist) || !strings.HasPrefix(err.Error(), "tensor: write "+path+": ") || strings.Contains(err.Error(), ".p.csv.") {
		t.Errorf("got %v, want that %s is in no folder", err, path)
	}
}

// TestHalfOf: what a killed writer leaves is told from what others keep beside it.
func TestHalfOf(t *testing.T) {
	dir, left := t.TempDir(), ""
	err := tensor.WriteAtomic(filepath.Join(dir, "a.b"), func(io.Writer) error {
		files, err := os.ReadDir(dir) // as a kill would leave it now
		if err == nil {
			left = files[0].Name()
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{left: "a.b", ".finished.12": "finished", "a.b": "", ".a.b": "", ".a.": "", ".1": "", "..1": "", ".": "", "": "", "a.1": ""} {
		if of, ok := tensor.HalfOf(name); of != want || ok != (want != "") {
			t.Errorf("%q is half of %q, %v; want %q", name, of, ok, want)
		}
	}
}
