package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/weft-gnn/weft/dataset/source"
	"github.com/weft-gnn/weft/train"
)

// withResume are the flags that go with --resume: they change no result.
var withResume = []string{"resume", "data", "split", "epochs", "threads", "plan", "ranks", "save-every", "stall-limit", "json", "quiet"}

// resume goes on with a run.
func (t *trainRun) resume(c *cobra.Command) error {
	if name := otherThan(c, withResume...); name != "" {
		return usagef("--%s does not go with --resume: the run keeps its settings; --%s may be given", name, strings.Join(withResume[1:], ", --"))
	}
	dir, epochs := t.flags.resume, 0
	if c.Flags().Changed("epochs") {
		if epochs = t.flags.epochs; epochs < 1 {
			return usagef("--epochs %d: want at least 1", epochs)
		}
	}
	cfg, err := train.ReadConfig(dir)
	if err != nil {
		return err
	}
	src, err := t.source(c, cfg)
	if err != nil {
		return err
	}
	if err := t.ranks(c, src); err != nil {
		return err
	}
	d, err := t.open(c.Context(), src, nil)
	if err != nil {
		return err
	}
	if d != nil {
		d.Name = cfg.Data
	}
	bar := t.progress(max(epochs, cfg.Epochs), "")
	set, err := t.settings(bar)
	if err != nil {
		return err
	}
	r, err := t.train(c.Context(), bar, d, cfg, set, func(set train.Settings) (*train.Trainer, error) {
		return train.Resume(dir, d, epochs, set)
	})
	if err != nil {
		return err
	}
	return t.result([]*train.Result{r})
}

// source says where the data of a run lie: where they lay, or where the command line
// says that they do now, whole or divided.
func (t *trainRun) source(c *cobra.Command, cfg train.Config) (source.Spec, error) {
	if changed(c, "data") == "" {
		if changed(c, "split") != "" {
			return cfg.Source, usagef("--split goes with --resume where --data does, and names the split that the run has")
		}
		return cfg.Source, nil
	}
	src, err := t.data.choose(c)
	if err == nil && changed(c, "split") == "" && src.Divided(t.lookup()) == "" {
		src.Split = cfg.Source.Split
	}
	return src, err
}

// otherThan returns a flag that was given and is none of names, "" for none.
func otherThan(c *cobra.Command, names ...string) string {
	other := ""
	c.Flags().Visit(func(f *pflag.Flag) {
		if other == "" && !slices.Contains(names, f.Name) {
			other = f.Name
		}
	})
	return other
}
