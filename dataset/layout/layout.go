// Package layout reads the layouts in which others publish data sets. Each is a
// file of this package, whose [dataset.Format] says in its comment what is read
// and what is made of it.
package layout

import "github.com/weft-gnn/weft/dataset"

// Formats returns the layouts that others publish their sets in, in the order in
// which help texts list them. It is the one list to add a layout to.
func Formats() []*dataset.Format {
	return []*dataset.Format{
		&planetoidFormat,
		&npzFormat,
		&tuFormat,
		&ginFormat,
		&ogbFormat,
		&mtxFormat,
		&metisFormat,
		&snapFormat,
	}
}

// Builtin returns how to make a set that weft contains, or nil.
func Builtin(name string) func(dataset.Options) (*dataset.Dataset, error) {
	if name == "karate" {
		return readKarate
	}
	return nil
}
