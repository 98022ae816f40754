//go:build unix

package budget_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/dataset/budget"
	"github.com/weft-gnn/weft/dataset/source"
	"github.com/weft-gnn/weft/dataset/table"
)

// TestNothingWaitsForAPipe: whatever is read is refused at once where it is a
// pipe that nobody writes to.
func TestNothingWaitsForAPipe(t *testing.T) {
	dir := t.TempDir()
	pipe := func(name string) string {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := syscall.Mkfifo(path, 0o600); err != nil {
			t.Skip(err)
		}
		return path
	}
	vertices := filepath.Join(dir, "v.csv")
	if err := os.WriteFile(vertices, []byte("id,x,y\na,1,p\nb,2,q\nc,3,p\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	open := func(s source.Spec) error {
		_, err := s.Open(t.Context(), dataset.Options{}, nil)
		return err
	}
	for name, read := range map[string]func() error{
		"file":     func() error { f, err := budget.Open(pipe("a")); f.Close(); return err },
		"vertices": func() error { return open(source.Spec{Tables: &table.Spec{Vertices: table.Vertices{File: pipe("v")}}}) },
		"edges":    func() error { return open(source.Spec{Tables: &table.Spec{Edges: table.Edges{File: pipe("e")}}}) },
		"data":     func() error { return open(source.Spec{Data: pipe("d.csv")}) },
		"YAML":     func() error { _, err := table.ReadSpec(pipe("d.yaml")); return err },
		"TU": func() error {
			pipe("T/T_graph_indicator.txt")
			return open(source.Spec{Data: filepath.Dir(pipe("T/T_A.txt")), Format: "tu"})
		},
		"planetoid": func() error {
			for _, suffix := range []string{"x", "y", "tx", "ty", "allx", "ally", "graph", "test.index"} {
				pipe("ind.s." + suffix)
			}
			return open(source.Spec{Data: filepath.Join(dir, "ind.s"), Format: "planetoid"})
		},
		"split": func() error {
			return open(source.Spec{Tables: &table.Spec{Vertices: table.Vertices{File: vertices, Label: "y"}, Split: dataset.SplitSpec{Kind: dataset.FileSplit, File: pipe("s")}}})
		},
		"karate's split": func() error {
			return open(source.Spec{Data: "karate", Split: dataset.SplitSpec{Kind: dataset.FileSplit, File: pipe("k")}})
		},
	} {
		done := make(chan error, 1)
		go func() { done <- read() }()
		select {
		case err := <-done:
			if err == nil || !strings.Contains(err.Error(), "is a pipe") {
				t.Errorf("%s: %v", name, err)
			}
		case <-time.After(10 * time.Second):
			t.Errorf("%s: waited for", name)
		}
	}
	if _, err := budget.Open(os.DevNull); err == nil || !strings.Contains(err.Error(), "is a device") {
		t.Errorf("%s: %v", os.DevNull, err)
	}
	if _, err := budget.Open(dir); err == nil || !strings.Contains(err.Error(), "is a folder") {
		t.Errorf("a folder: %v", err)
	}
}
