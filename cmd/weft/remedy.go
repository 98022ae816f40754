package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/dataset/fetch"
	"github.com/weft-gnn/weft/dataset/source"
	"github.com/weft-gnn/weft/dataset/synth"
	"github.com/weft-gnn/weft/train"
)

// choiceOf is how users make a choice: by a flag, or by a key in a description of
// tables, "" where it has none.
type choiceOf struct{ name, flag, key string }

var choices = map[dataset.Option]choiceOf{
	dataset.LabelOption:    {"label", "--label COLUMN names what is learnt", "vertices: {label: COLUMN} names what is learnt"},
	dataset.FeaturesOption: {"features", "--features COLUMNS names what is learnt from", "vertices: {features: [COLUMNS]} names what is learnt from"},
	dataset.VerticesOption: {"vertices", "--vertices FILE names it", "vertices: {file: FILE} names it"},
	dataset.TaskOption:     {"task", "--task chooses", "task: chooses"},
	dataset.UnknownOption:  {"unknown", "--unknown add makes vertices of them, --unknown drop leaves their edges out", "unknown: add makes vertices of them, unknown: drop leaves their edges out"},
	dataset.SplitOption:    {"split", "--split chooses, such as --split random:0.6,0.2,0.2", ""},
}

// remedy says, in parentheses, what on the command line would mend an error; ""
// where nothing is known to, or the command does not take it.
func remedy(c *cobra.Command, err error) string {
	if errors.Is(err, train.ErrHoldsRun) {
		return " (--resume goes on with it, --out names another)"
	}
	if absent := (*source.NotFoundError)(nil); errors.As(err, &absent) {
		return remedyOfAbsent(absent)
	}
	var lacking *dataset.OptionError
	if !errors.As(err, &lacking) {
		return ""
	}
	choice := choices[lacking.Option]
	switch flag := c.Flags().Lookup(choice.name); {
	case flag == nil || flag.Hidden:
	case choice.name == "split", changed(c, "vertices", "edges") != "":
		return " (" + choice.flag + ")"
	case isDescription(c) && choice.key != "":
		return " (" + choice.key + ")"
	}
	return ""
}

// remedyOfAbsent says how to get a set that is not there, or what there is.
func remedyOfAbsent(e *source.NotFoundError) string {
	var kind synth.Kind
	switch err := kind.UnmarshalText([]byte(e.Ref)); {
	case slices.Contains(fetch.Names(), e.Ref):
		return fmt.Sprintf(" (`weft data fetch %s` brings it)", e.Ref)
	case err == nil:
		return fmt.Sprintf(" (`weft data gen %s --out %[1]s` makes one)", e.Ref)
	case len(e.Looked) > 0:
		return " (`weft data list` shows what is there)"
	}
	return ""
}

// isDescription reports whether a command's data are a description of tables.
func isDescription(c *cobra.Command) bool {
	data := c.Flags().Arg(0)
	if f := c.Flags().Lookup("data"); f != nil && f.Changed {
		data = f.Value.String()
	}
	ext := strings.ToLower(filepath.Ext(data))
	return ext == ".yaml" || ext == ".yml"
}
