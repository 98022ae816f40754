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
)

// Folders are searched this deep below those of the data path, and no further
// than so many files: a data path that names a home folder must not hang.
const (
	searchDepth = 3
	searchFiles = 200_000
)

// errTooMany ends a search early.
var errTooMany = errors.New("too many files")

// List returns the sets in the given folders, in ascending order of name
// within each, after those that weft contains.
func List(dataPath []string) ([]dataset.Entry, error) {
	out := []dataset.Entry{{Name: "karate"}}
	found, err := search(dataset.Options{DataPath: dataPath}, func(c candidate) bool { return c.listed })
	return append(out, found...), err
}

// roots are the folders that names are looked up in, in order.
func roots(opt dataset.Options) []string {
	var out []string
	for _, r := range append(slices.Clone(opt.DataPath), opt.CacheDir) {
		if r != "" && !slices.Contains(out, r) {
			out = append(out, r)
		}
	}
	return out
}

// candidate is a file, folder or prefix that may be a set.
type candidate struct {
	root   string
	rel    []string // folders between the root and the set
	stem   string
	path   string
	looked bool            // whether format is known
	format *dataset.Format // nil where several fit
	// listed is set where the layout is certain enough to be shown unasked.
	listed bool
}

// name is the qualified name, "tu/MUTAG".
func (c candidate) name() string { return strings.Join(append(slices.Clone(c.rel), c.stem), "/") }

// matches reports whether ref names the candidate: its stem, after any of its
// folders (the data folder's own name among them) or the name of its layout.
func (c candidate) matches(ref string) bool {
	parts := strings.Split(strings.Trim(filepath.ToSlash(ref), "/"), "/")
	last := parts[len(parts)-1]
	if !sameName(c.stem, last) && !sameName(c.stem, dataset.Stem(last)) && !sameName(c.stem, dataset.FolderStem(last)) {
		return false
	}
	groups := parts[:len(parts)-1]
	folders := append([]string{filepath.Base(c.root)}, c.rel...)
	if len(groups) == 1 && !c.looked || c.format != nil && len(groups) == 1 && sameName(groups[0], c.format.Name) {
		return true
	}
	if len(groups) > len(folders) {
		return false
	}
	return slices.EqualFunc(groups, folders[len(folders)-len(groups):], sameName)
}

// sameName compares names regardless of case and of - or _.
func sameName(a, b string) bool {
	return strings.EqualFold(strings.ReplaceAll(a, "_", "-"), strings.ReplaceAll(b, "_", "-"))
}

// search walks the data folders and returns the sets that keep asks for. It is
// asked about a candidate before its content is looked at, to spare the look
// where its name alone rules it out, and again after.
func search(opt dataset.Options, keep func(candidate) bool) ([]dataset.Entry, error) {
	var out []dataset.Entry
	for _, root := range roots(opt) {
		w := walker{root: root, keep: keep}
		err := w.folder(root, nil)
		switch {
		case errors.Is(err, fs.ErrNotExist), errors.Is(err, errTooMany):
			// A folder that is not there holds nothing; one too large is
			// searched as far as it was.
		case err != nil && root == opt.CacheDir:
			// Nobody need have named it: a system's user may have none that can
			// be read, and sets of other folders all the same.
		case err != nil:
			return nil, err
		}
		slices.SortFunc(w.found, func(a, b dataset.Entry) int { return strings.Compare(a.Name, b.Name) })
		earlier := out
		for _, e := range w.found {
			if !slices.ContainsFunc(earlier, func(o dataset.Entry) bool { return o.Name == e.Name }) {
				out = append(out, e)
			}
		}
	}
	return out, nil
}

// walker searches one data folder.
type walker struct {
	root  string
	keep  func(candidate) bool
	files int
	found []dataset.Entry
}

func (w *walker) folder(dir string, rel []string) error {
	p, err := dataset.Look(dir)
	if err != nil {
		return err
	}
	if !p.Dir {
		return fmt.Errorf("dataset: %s: not a folder", dir)
	}
	if w.files += len(p.Names); w.files > searchFiles {
		return errTooMany
	}
	var claimed []string
	for _, f := range formats() {
		if f.Sets == nil {
			continue
		}
		for _, e := range f.Sets(p) {
			claimed = append(claimed, filepath.Base(e.Path)+".")
			w.add(candidate{root: w.root, rel: rel, stem: e.Name, path: e.Path, looked: true, format: f, listed: true})
		}
	}
	for _, name := range p.Names {
		isClaimed := func(prefix string) bool { return strings.HasPrefix(name, prefix) }
		if strings.HasPrefix(name, ".") || slices.ContainsFunc(claimed, isClaimed) {
			continue
		}
		if err := w.entry(filepath.Join(dir, name), rel); err != nil {
			return err
		}
	}
	return nil
}

// entry considers one file or folder.
func (w *walker) entry(path string, rel []string) error {
	fi, err := os.Stat(path)
	if err != nil {
		return nil // a dangling link is no set
	}
	c := candidate{root: w.root, rel: rel, stem: dataset.Stem(filepath.Base(path)), path: path, listed: true}
	if fi.IsDir() {
		c.stem = dataset.FolderStem(filepath.Base(path))
		return w.subfolder(c)
	}
	if w.keep(c) {
		if p, err := dataset.Look(path); err == nil { // a file that cannot be read is no set
			w.consider(c, p)
		}
	}
	return nil
}

// subfolder takes a folder as one set where it is one, and else descends.
func (w *walker) subfolder(c candidate) error {
	p, err := dataset.Look(c.path)
	if err != nil {
		return nil // a folder that cannot be read holds nothing
	}
	if w.consider(c, p) || len(c.rel) >= searchDepth {
		return nil
	}
	if err := w.folder(c.path, append(slices.Clip(c.rel), filepath.Base(c.path))); errors.Is(err, errTooMany) {
		return err
	}
	return nil
}

// consider adds a file or folder that fits a layout, and reports whether it is
// one set. What fits several layouts, or is known not to be read, is found by
// its name alone, so that reading it says why not.
func (w *walker) consider(c candidate, p dataset.Probe) bool {
	best, score := fits(p)
	c.looked, c.listed = true, score >= dataset.Likely && len(best) == 1
	switch {
	case len(best) == 0 && unreadKind(p) == "", len(best) > 0 && best[0].Sets != nil:
		return false
	case len(best) == 1:
		c.format = best[0]
	}
	w.add(c)
	return true
}

func (w *walker) add(c candidate) {
	if !w.keep(c) {
		return
	}
	e := dataset.Entry{Name: c.name(), Path: c.path}
	if c.format != nil {
		e.Format = c.format.Name
	}
	w.found = append(w.found, e)
}
