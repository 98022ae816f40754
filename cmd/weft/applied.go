package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/dataset/source"
	"github.com/weft-gnn/weft/infer"
	"github.com/weft-gnn/weft/train"
)

// applied is what eval, predict and embed have in common: a trained model and
// the data it is applied to.
type applied struct {
	*app
	path    string
	data    dataFlags
	threads int
	json    bool
	all     bool // every vertex counts, whatever its part in a split

	model *infer.Model
	// config is that of the run that the model is of; nil for a model
	// file that lies elsewhere.
	config *train.Config
	set    *dataset.Dataset
}

func (p *applied) register(c *cobra.Command) {
	c.Flags().SortFlags = false
	c.Flags().StringVar(&p.path, "run", "", "run `DIR` of weft train, or a model file (required)")
	title(c, "Model")
	p.data.register(p.app, c, "", " (default: the run's)")
	threadsFlag(c, &p.threads)
	jsonFlag(c, &p.json)
	quietFlag(p.app, c)
	title(c, "Run and result")
}

// load reads the model and the data: those the command line names, or the run's.
func (p *applied) load(c *cobra.Command) error {
	if p.path == "" {
		return usagef("%s needs --run, a run directory or a model file", name(c))
	}
	src, err := p.source(c)
	if err != nil {
		return err
	}
	if p.model, err = infer.Load(p.path, p.threads); err != nil {
		return p.unfinished(err)
	}
	if err := p.agree(); err != nil {
		return err
	}
	if p.all {
		src.Split = dataset.SplitSpec{Kind: dataset.NoSplit}
	}
	if p.set, err = src.Open(c.Context(), p.lookup(), p.model.Saved.Prep); err != nil {
		return err
	}
	p.say("%s", describe(p.set))
	p.noteAll(p.set)
	return context.Cause(c.Context())
}

// agree checks a label that is named where none is read.
func (p *applied) agree() error {
	prep := p.model.Saved.Prep
	if label := p.data.label; p.all && prep != nil && label != "" && label != prep.Label {
		return usagef("--label %s: the model predicts %s; it needs no label", label, prep.Label)
	}
	return nil
}

// source returns how the data are opened.
func (p *applied) source(c *cobra.Command) (source.Spec, error) {
	fi, err := os.Stat(p.path)
	if err != nil {
		return source.Spec{}, fmt.Errorf("--run: %w", err)
	}
	if fi.IsDir() {
		cfg, err := train.ReadConfig(p.path)
		if err != nil {
			return source.Spec{}, err
		}
		p.config = &cfg
	}
	switch {
	case p.data.given(c):
		return p.data.choose(c)
	case p.config == nil:
		return source.Spec{}, usagef("%s is a model file: name its data with --data, or --vertices and --edges", p.path)
	}
	if name := changed(c, append(tableFlags, "format", "directed", "undirected")...); name != "" {
		return source.Spec{}, usagef("--%s is about other data than the run's: name them with --data, or --vertices and --edges", name)
	}
	return p.ownData()
}

// ownData returns the run's data, with another split where one is asked for.
func (p *applied) ownData() (source.Spec, error) {
	src := p.config.Source
	if p.data.split == "" {
		return src, nil
	}
	return src, usage(src.Split.UnmarshalText([]byte(p.data.split)))
}

// unfinished explains a run directory without a model.
func (p *applied) unfinished(err error) error {
	if p.config != nil && errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s holds no model yet: its run did not end; go on with `weft train --resume %s`", p.path, shellWord(p.path))
	}
	return err
}
