package source

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/dataset/layout"
)

// Nameable checks that a set which is put into the cache under a name, a path
// below it with slashes, is then what the name means.
//
// Errors: a name that is a set's already, or that cannot be found: one in more
// folders than are searched, or hidden.
func Nameable(name string, opt dataset.Options) error {
	parts := strings.Split(name, "/")
	isHidden := func(part string) bool { return strings.HasPrefix(part, ".") }
	switch {
	case layout.Builtin(name) != nil || slices.ContainsFunc(planetoidNames, func(p string) bool { return sameName(p, name) }):
		return fmt.Errorf("%s means a well-known set already: choose another name", name)
	case len(parts) > searchDepth+1 || slices.ContainsFunc(parts, isHidden):
		return fmt.Errorf("%s: want at most %d words, none of which begins with a dot", name, searchDepth+1)
	}
	own := filepath.Join(opt.CacheDir, filepath.FromSlash(name))
	found, err := search(opt, func(c candidate) bool { return c.matches(name) && !sameFile(c.path, own) })
	if err != nil {
		return err
	}
	if len(found) > 0 {
		return fmt.Errorf("%s means %s already (%s): choose another name", name, found[0].Name, found[0].Path)
	}
	return nil
}
