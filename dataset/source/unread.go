package source

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/weft-gnn/weft/dataset"
)

// errNoLayout says that no layout fits p: which sets lie in it, or what it looks
// like where that is a kind of data that weft does not read, or holds; and what
// weft does read.
func errNoLayout(p dataset.Probe) error {
	what := "no layout that weft knows"
	switch kind := unreadKind(p); {
	case kind != "":
		what = kind + ", which weft does not read"
	case p.Dir && len(p.Names) == 0:
		return fmt.Errorf("dataset: %s is an empty folder", p.Path)
	case p.Dir:
		if sets := setsIn(p.Path); len(sets) > 0 {
			return fmt.Errorf("dataset: %s is a folder of sets: choose one of them, %s", p.Path, someOf(sets))
		}
		what += " (it holds " + someOf(p.Names) + ")"
	}
	return fmt.Errorf("dataset: %s: %s; it reads %s (--format chooses one)", p.Path, what, formatNames(formats()))
}

// setsIn returns the paths of the sets in a folder.
func setsIn(dir string) []string {
	w := walker{root: dir, keep: func(c candidate) bool { return c.listed }}
	// A folder that cannot be searched to its end holds what was found so far.
	_ = w.folder(dir, nil)
	var paths []string
	for _, e := range w.found {
		paths = append(paths, e.Path)
	}
	slices.Sort(paths)
	return paths
}

// someOf lists names for an error, the first eight at most.
func someOf(names []string) string {
	const most = 8
	if len(names) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
	}
	return strings.Join(names, ", ")
}

// unreadKind names the kind of data in p, "" where it is not recognised.
func unreadKind(p dataset.Probe) string {
	if p.Dir {
		return unreadFolder(p)
	}
	head := bytes.TrimSpace(bytes.TrimPrefix(p.Head, []byte("\ufeff")))
	switch ext := p.Ext(); {
	case isTar(p.Head):
		return "a tar archive"
	case ext == ".nt" || ext == ".ttl" || ext == ".rdf" || bytes.HasPrefix(head, []byte("<http")):
		return "RDF triples"
	case ext == ".pkl" || ext == ".pickle":
		return "a Python pickle of no known set"
	case ext == ".pt" || ext == ".pth":
		return "a PyTorch file"
	case bytes.HasPrefix(head, []byte("{")) || bytes.HasPrefix(head, []byte("[")):
		return "a JSON document"
	case isTriples(p):
		return "a knowledge graph (triples of names)"
	}
	return ""
}

func unreadFolder(p dataset.Probe) string {
	switch {
	case p.Has("train.txt") && p.Has("valid.txt"):
		return "a knowledge graph (triples of names)"
	case len(p.HasSuffix("_feat.npz")) > 1:
		return "a graph of several kinds of vertices"
	case p.Has("adj_mx.pkl") || p.Has("graph_sensor_ids.txt"):
		return "a traffic network's time series"
	}
	for _, name := range p.Names {
		if strings.HasSuffix(strings.TrimSuffix(name, ".gz"), ".nt") {
			return "RDF triples"
		}
	}
	return ""
}

// isTar reports whether head, decompressed, starts a tar archive.
func isTar(head []byte) bool {
	const at = 257 // of the magic in the first header
	return len(head) >= at+5 && string(head[at:at+5]) == "ustar"
}

// isTriples reports whether all lines are three tab-separated names.
func isTriples(p dataset.Probe) bool {
	lines := p.Lines()
	notTriple := func(line []byte) bool { return bytes.Count(line, []byte("\t")) != 2 }
	return len(lines) > 1 && filepath.Ext(p.Path) == ".txt" && !slices.ContainsFunc(lines, notTriple)
}
