package source

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/dataset/layout"
	"github.com/weft-gnn/weft/internal/nearest"
)

// planetoidNames are the bare names that always mean the Planetoid set, even
// where another copy of it is the only one at hand.
var planetoidNames = []string{"cora", "citeseer", "pubmed"}

// Find resolves what a user calls a set: a name, looked up in every folder of
// opt.DataPath and then in opt.CacheDir, or a path.
//
// A name is what its file or folder is called without extension, alone
// ("MUTAG") or after its folder or layout ("tu/MUTAG"). "karate" is contained
// in weft; "cora", "citeseer" and "pubmed" mean the Planetoid sets. A set in an
// earlier folder hides one of the same full name in a later one.
//
// Errors: an [AmbiguousError] where two sets match, a [NotFoundError] where
// none does; that of a path which is there and cannot be read.
func Find(ref string, opt dataset.Options) (dataset.Entry, error) {
	if ref == "" {
		return dataset.Entry{}, fmt.Errorf("dataset: no data was named")
	}
	if layout.Builtin(ref) != nil {
		return dataset.Entry{Name: ref}, nil
	}
	path, pathErr := pathEntry(ref)
	if isPathOnly(ref) {
		return path, pathErr
	}
	_, statErr := os.Stat(ref)
	onlyPrefix := statErr != nil // files called ref.something: what the name means where no set has it
	if pathErr == nil && onlyPrefix && !isPrefixOfSet(ref) {
		pathErr = statErr
	}
	found, err := search(opt, func(c candidate) bool { return c.matches(ref) })
	if err != nil {
		return dataset.Entry{}, err
	}
	if slices.Contains(planetoidNames, strings.ToLower(ref)) {
		others := found
		found = slices.DeleteFunc(slices.Clone(found), func(e dataset.Entry) bool { return e.Format != layout.Planetoid })
		if len(found) == 1 {
			return found[0], nil
		}
		if len(found) == 0 && len(others) > 0 && pathErr != nil {
			return dataset.Entry{}, fmt.Errorf("dataset: %q means the Planetoid set, which was not found; name %s to take that one", ref, entryNames(others))
		}
	}
	found = preferExact(found, ref)
	if pathErr == nil && !(onlyPrefix && len(found) > 0) && !slices.ContainsFunc(found, func(e dataset.Entry) bool { return sameFile(e.Path, path.Path) }) {
		path.Name = "./" + ref
		found = append(found, path)
	}
	switch len(found) {
	case 0:
		if pathErr != nil && !errors.Is(pathErr, fs.ErrNotExist) {
			return dataset.Entry{}, pathErr // it is there, and cannot be read
		}
		return dataset.Entry{}, notFound(ref, opt)
	case 1:
		return found[0], nil
	}
	return dataset.Entry{}, &AmbiguousError{Ref: ref, Found: found}
}

// preferExact drops sets that match by a part of their name, or by their
// layout's, where others have the whole name.
func preferExact(found []dataset.Entry, ref string) []dataset.Entry {
	isOther := func(e dataset.Entry) bool { return !sameName(e.Name, filepath.ToSlash(ref)) }
	if exact := slices.DeleteFunc(slices.Clone(found), isOther); len(exact) > 0 {
		return exact
	}
	return found
}

// isPathOnly reports whether ref can only be meant as a path.
func isPathOnly(ref string) bool {
	first, _, _ := strings.Cut(filepath.ToSlash(ref), "/")
	return filepath.IsAbs(ref) || first == "." || first == ".."
}

func pathEntry(ref string) (dataset.Entry, error) {
	if _, err := dataset.Look(ref); err != nil {
		return dataset.Entry{}, err
	}
	return dataset.Entry{Name: dataset.Stem(filepath.Base(filepath.Clean(named(ref)))), Path: ref}, nil
}

// isPrefixOfSet reports whether files called ref.something are a set: predictions
// written to cora.csv are none called cora.
func isPrefixOfSet(ref string) bool {
	p, err := dataset.Look(ref)
	best, _ := fits(p)
	return err == nil && len(best) > 0
}

func sameFile(a, b string) bool {
	fa, errA := os.Stat(a)
	fb, errB := os.Stat(b)
	if errA != nil || errB != nil {
		return filepath.Clean(a) == filepath.Clean(b)
	}
	return os.SameFile(fa, fb)
}

// AmbiguousError says that a name matches several sets.
type AmbiguousError struct {
	Ref   string
	Found []dataset.Entry
}

func (e *AmbiguousError) Error() string {
	return fmt.Sprintf("dataset: %q matches several sets: choose one of %s", e.Ref, entryNames(e.Found))
}

// entryNames lists sets by name, and by path where names are equal.
func entryNames(entries []dataset.Entry) string {
	out := make([]string, len(entries))
	for i, e := range entries {
		out[i] = e.Name
		for j, other := range entries {
			if i != j && other.Name == e.Name {
				out[i] = e.Path
			}
		}
	}
	return strings.Join(out, ", ")
}

// NotFoundError says that neither a set nor a file has the name.
type NotFoundError struct {
	Ref    string
	Looked []string // folders
	Near   []string // names of sets that are there, nearest first
}

func (e *NotFoundError) Error() string {
	s := fmt.Sprintf("dataset: no set or file is called %q", e.Ref)
	if len(e.Looked) > 0 {
		s += ", looked in " + strings.Join(e.Looked, ", ")
	}
	if len(e.Near) > 0 {
		s += "; did you mean " + strings.Join(e.Near, " or ") + "?"
	}
	if len(e.Looked) == 0 {
		s += " (no data folder: set WEFT_DATA, or give a path)"
	}
	return s
}

// Unwrap makes errors.Is(err, fs.ErrNotExist) hold.
func (e *NotFoundError) Unwrap() error { return fs.ErrNotExist }

func notFound(ref string, opt dataset.Options) error {
	names := append([]string{"karate"}, planetoidNames...)
	known, err := search(opt, func(c candidate) bool { return c.listed })
	if err != nil {
		return err
	}
	for _, e := range known {
		names = append(names, e.Name, e.Name[strings.LastIndexByte(e.Name, '/')+1:])
	}
	// What is well known and absent is no suggestion for itself.
	names = slices.DeleteFunc(names, func(n string) bool { return sameName(n, ref) })
	near := nearest.Names(ref, names)
	for _, e := range known {
		if group, _, found := strings.Cut(e.Name, "/"); found && sameName(group, ref) && len(near) < 3 && !slices.Contains(near, e.Name) {
			near = append(near, e.Name) // of a folder of sets
		}
	}
	return &NotFoundError{Ref: ref, Looked: roots(opt), Near: near}
}
