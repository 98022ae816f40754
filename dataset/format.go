package dataset

import (
	"context"
)

// Format is one on-disk layout.
type Format struct {
	// Name is what Options.Format and `--format` take, and the group under
	// which sets of this layout can be asked for ("planetoid/cora").
	Name string
	// About is one line for help texts.
	About string
	// Detect says how well what the probe saw fits this layout. It does no I/O
	// beyond what a few more bytes of the named files cost.
	Detect func(p Probe) Score
	// Sets lists the sets of this layout that lie side by side in the folder
	// of p as several files each; nil where a set is one file or one folder.
	Sets func(p Probe) []Entry
	// Read reads the set at path, an existing file or folder or the Path of an
	// [Entry]. It need not apply Options.Split, nor set Dataset.Name: source.Open does.
	Read func(ctx context.Context, path string, opt Options) (*Dataset, error)
}

// Score is how well a file fits a layout; the highest wins, and two layouts
// with the same highest score are an error that asks for Options.Format.
type Score int

// The scores.
const (
	No       Score = iota
	Possible       // the content could be read so: two columns of numbers
	Likely         // content and name agree: numbers, and the name ends in .graph
	Certain        // a signature, or a set of file names that no other layout has
)

// Entry is a set that source.Open opens.
type Entry struct {
	Name   string // as Open takes it: "tu/MUTAG"
	Format string // name of its Format; "" is detected when it is read
	Path   string // "" for the sets that weft itself contains
}
