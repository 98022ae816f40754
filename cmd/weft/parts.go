package main

import (
	"time"

	"github.com/spf13/cobra"

	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/dataset/parted"
	"github.com/weft-gnn/weft/dataset/source"
	"github.com/weft-gnn/weft/plan"
	"github.com/weft-gnn/weft/train"
)

// divided is a set that was divided among ranks, each of which opens its part.
type divided struct {
	dir      string
	manifest *parted.Manifest
}

// partsOf looks whether the data are divided, nil where they are not.
func (a *app) partsOf(src source.Spec) (*divided, error) {
	dir := src.Divided(a.lookup())
	if dir == "" {
		return nil, nil
	}
	m, err := parted.ReadManifest(dir, parted.ReadOptions{Limits: a.lookup().Limits})
	return &divided{dir, m}, err
}

// divide takes the plan that divided data mean.
//
// Errors: of usage: a plan, a split or a direction that they were not divided for.
func (t *trainRun) divide(c *cobra.Command, src source.Spec) error {
	dir, m, asked := t.parts.dir, t.parts.manifest, t.chose
	if t.plan.plan == "" { // a number of ranks says no more
		asked = nil
		if changed(c, "ranks") != "" && t.plan.ranks != len(m.Parts) {
			p := plan.OnRanks(t.plan.ranks)
			asked = &p
		}
	}
	p, err := train.PlanOf(m, asked)
	if err != nil {
		return usage(err)
	}
	if s := src.Split; s != (dataset.SplitSpec{}) && (s.Kind != dataset.OwnSplit || len(m.Splits) == 0 || s.Name != m.Splits[0].Name) {
		return usagef("--split: %s was divided with the split of its items: `weft partition --split` chooses another", dir)
	}
	if src.Direction != dataset.AsStated {
		return usagef("--%v: %s was divided with the direction that its arcs have: `weft partition --%v` chooses another", src.Direction, dir, src.Direction)
	}
	t.chose = &p
	return nil
}

// called is what the data are called by who published them.
func (t *trainRun) called(src source.Spec) string {
	if t.parts != nil {
		return t.parts.manifest.Name
	}
	return src.Name()
}

// part opens the part of a rank, and holds it against its checksums.
func (t *trainRun) part(rank int) (*parted.Part, error) {
	start := time.Now()
	p, err := parted.Open(t.parts.dir, rank, parted.ReadOptions{Verify: true, Limits: t.lookup().Limits})
	if rank == 0 || t.world != nil {
		t.readS = time.Since(start).Seconds()
	}
	return p, err
}
