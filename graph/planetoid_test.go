package graph_test

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"

	"github.com/weft-gnn/weft/graph"
	"github.com/weft-gnn/weft/internal/graphcase"
	"github.com/weft-gnn/weft/internal/place"
)

// The published counts of the Planetoid lists, which name both directions; the
// numbers of vertices are those of the data sets' papers.
func TestPlanetoidCounts(t *testing.T) {
	for name, want := range map[string]struct {
		n int
		graph.Counts
	}{
		"cora":     {2708, graph.Counts{Rows: 10858, Listed: 10858, Arcs: 10556, Duplicates: 302}},
		"citeseer": {3327, graph.Counts{Rows: 9464, Listed: 9464, Arcs: 9104, Loops: 124, Duplicates: 236}},
	} {
		t.Run(name, func(t *testing.T) {
			c := readAdjacency(t, name)
			c.Name, c.N = name, want.n
			// The lists are symmetric, so that symmetrising adds nothing.
			for _, symmetrise := range []bool{false, true} {
				g := build(t, c, graph.Policy{Symmetrise: symmetrise})
				if g.Counts != want.Counts {
					t.Errorf("symmetrise %v: got %+v, want %+v", symmetrise, g.Counts, want.Counts)
				}
			}
		})
	}
}

// dataFile reads a file of the set called name, or skips the test.
func dataFile(t *testing.T, name string) []byte {
	t.Helper()
	data, cache := place.Folders(os.Getenv)
	for _, dir := range append(data, cache) {
		if b, err := os.ReadFile(filepath.Join(dir, "planetoid", "ind."+name+".graph")); err == nil {
			return b
		}
	}
	t.Skipf("needs data set %s: set WEFT_DATA or run weft data fetch %s", name, name)
	return nil
}

// readAdjacency reads a pickled dictionary from vertices to lists of vertices,
// protocol 2, by the few opcodes that such a file has.
func readAdjacency(t *testing.T, name string) graphcase.Case {
	t.Helper()
	b := dataFile(t, name)
	// The class of the dictionary and its argument come first, then a mark.
	_, b, _ = bytes.Cut(b, []byte("Rq\x03("))
	var c graphcase.Case
	var ints []int32
	key := int32(-1)
	for len(b) > 0 {
		op, size := b[0], 1
		switch op {
		case 'K': // one byte
			ints, size = append(ints, int32(b[1])), 2
		case 'M': // two bytes
			ints, size = append(ints, int32(binary.LittleEndian.Uint16(b[1:]))), 3
		case ']': // a list begins; the number before it is its key
			key, ints = ints[len(ints)-1], ints[:0]
		case 'a', 'e': // the numbers so far are in the list
			for _, u := range ints {
				c.Src, c.Dst = append(c.Src, u), append(c.Dst, key)
			}
			ints = ints[:0]
		case 'q': // memo with a number of one byte
			size = 2
		case 'r': // memo with a number of four bytes
			size = 5
		case '(', 'u', '.': // mark, set items, stop
		default:
			t.Fatalf("%s: opcode %q, %d bytes before the end", name, op, len(b))
		}
		b = b[size:]
	}
	return c
}
