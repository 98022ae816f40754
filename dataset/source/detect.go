package source

import (
	"fmt"
	"slices"
	"strings"

	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/dataset/layout"
	"github.com/weft-gnn/weft/dataset/ondisk"
	"github.com/weft-gnn/weft/dataset/parted"
	"github.com/weft-gnn/weft/dataset/table"
	"github.com/weft-gnn/weft/internal/nearest"
)

// formats are the layouts weft reads. It is the one list to add a layout to.
func formats() []*dataset.Format {
	return slices.Concat([]*dataset.Format{ondisk.Format(), parted.Format()}, layout.Formats(), []*dataset.Format{table.Format()})
}

// Formats returns the layouts that [Open] knows, in the order of help texts.
func Formats() []*dataset.Format { return formats() }

// formatByName finds a layout, or says which names there are.
func formatByName(name string) (*dataset.Format, error) {
	all := formats()
	names := make([]string, len(all))
	for i, f := range all {
		if strings.EqualFold(f.Name, name) {
			return f, nil
		}
		names[i] = f.Name
	}
	return nil, fmt.Errorf("dataset: unknown format %q%s: one of %s",
		name, nearest.DidYouMean(name, names), strings.Join(names, ", "))
}

// fits returns the layouts with the highest score for p, none for No.
func fits(p dataset.Probe) ([]*dataset.Format, dataset.Score) {
	var best []*dataset.Format
	top := dataset.No
	for _, f := range formats() {
		switch s := f.Detect(p); {
		case s == dataset.No || s < top:
		case s > top:
			best, top = []*dataset.Format{f}, s
		default:
			best = append(best, f)
		}
	}
	return best, top
}

// detect returns the one layout that fits p best.
func detect(p dataset.Probe) (*dataset.Format, error) {
	switch best, _ := fits(p); len(best) {
	case 1:
		return best[0], nil
	case 0:
		return nil, errNoLayout(p)
	default:
		return nil, fmt.Errorf("dataset: %s fits the layouts %s: choose one with --format", p.Path, formatNames(best))
	}
}

func formatNames(fs []*dataset.Format) string {
	names := make([]string, len(fs))
	for i, f := range fs {
		names[i] = f.Name
	}
	return strings.Join(names, ", ")
}
