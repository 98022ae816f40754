package dataset

import (
	"context"
	"fmt"
	"strings"
)

// Format is one on-disk layout. Each lives in a file of its own, as a package
// variable that [formats] lists.
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
	// [Entry]. It need not apply Options.Split, nor set Dataset.Name: [Open] does.
	Read func(ctx context.Context, path string, opt Options) (*Dataset, error)
}

// formats are the layouts weft reads. It is the one list to add a layout to.
func formats() []*Format {
	return []*Format{
		// One line a format, in the order in which help texts list them.
		&ondiskFormat,
		&planetoidFormat,
		&npzFormat,
		&tuFormat,
		&ginFormat,
		&ogbFormat,
		&mtxFormat,
		&metisFormat,
		&snapFormat,
		&tablesFormat,
	}
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

// Direction says what a listed edge u, v means.
type Direction int

// The directions. AsStated takes what the file or its layout says; a layout
// that says nothing states its own default in its Format's documentation.
const (
	AsStated   Direction = iota
	Directed             // one arc u→v
	Undirected           // the arcs u→v and v→u; listing both is the same as listing one
)

// Duplicates says what becomes of equal arcs.
type Duplicates int

// The policies. LayoutDefault is MergeDuplicates for every layout but those
// whose edges carry features or times of their own, which keep them and say so
// in Notes.
const (
	LayoutDefault   Duplicates = iota
	MergeDuplicates            // the first listed arc stays, with its weight and features
	KeepDuplicates             // parallel arcs, in listing order
)

// Options say how to find and read a set. The zero value detects the layout
// and takes what the files state.
type Options struct {
	Format     string // name of a Format; "" detects it from the content
	Direction  Direction
	Duplicates Duplicates
	Split      SplitSpec // the zero value keeps the set's own splits
	DataPath   []string  // folders that names are looked up in, in order
	CacheDir   string    // looked up after DataPath; "" is none
	Limits     Limits
}

// undirected says whether listed edges stand for both arcs, given what the
// file or its layout states.
func (o Options) undirected(stated bool) bool {
	if o.Direction == AsStated {
		return stated
	}
	return o.Direction == Undirected
}

// Formats returns the layouts that [Open] knows, in the order of help texts.
func Formats() []*Format { return formats() }

// formatByName finds a layout, or says which names there are.
func formatByName(name string) (*Format, error) {
	all := formats()
	names := make([]string, len(all))
	for i, f := range all {
		if strings.EqualFold(f.Name, name) {
			return f, nil
		}
		names[i] = f.Name
	}
	return nil, fmt.Errorf("dataset: unknown format %q%s: one of %s",
		name, didYouMean(name, names), strings.Join(names, ", "))
}

// fits returns the layouts with the highest score for p, none for No.
func fits(p Probe) ([]*Format, Score) {
	var best []*Format
	top := No
	for _, f := range formats() {
		switch s := f.Detect(p); {
		case s == No || s < top:
		case s > top:
			best, top = []*Format{f}, s
		default:
			best = append(best, f)
		}
	}
	return best, top
}

// detect returns the one layout that fits p best.
func detect(p Probe) (*Format, error) {
	switch best, _ := fits(p); len(best) {
	case 1:
		return best[0], nil
	case 0:
		return nil, errNoLayout(p)
	default:
		return nil, fmt.Errorf("dataset: %s fits the layouts %s: choose one with --format", p.Path, formatNames(best))
	}
}

func formatNames(fs []*Format) string {
	names := make([]string, len(fs))
	for i, f := range fs {
		names[i] = f.Name
	}
	return strings.Join(names, ", ")
}
