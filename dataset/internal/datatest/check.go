// Package datatest makes the files that tests of data sets read, and checks what
// comes of them.
package datatest

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/weft-gnn/weft/graph"
)

// ArcsOf lists the arcs of a graph as "u→v" or "u→v=w", by destination.
func ArcsOf(g *graph.Graph) []string {
	var out []string
	for v := range g.N {
		for i := g.Ptr[v]; i < g.Ptr[v+1]; i++ {
			arc := fmt.Sprintf("%d→%d", g.Src[i], v)
			if g.Weight != nil {
				arc += fmt.Sprintf("=%v", g.Weight[i])
			}
			out = append(out, arc)
		}
	}
	return out
}

// Allocated returns the bytes that do allocated, freed ones included.
func Allocated(do func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	do()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// WantError checks that err is one short line of this package that contains
// each of parts.
func WantError(t testing.TB, err error, parts ...string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error, want one with %q", parts)
	}
	text := err.Error()
	if !strings.HasPrefix(text, "dataset: ") || strings.Contains(text, "\n") || len(text) > 600 {
		t.Errorf("error is not one short line of package dataset: %q", text)
	}
	for _, p := range parts {
		if !strings.Contains(text, p) {
			t.Errorf("error %q lacks %q", text, p)
		}
	}
}
