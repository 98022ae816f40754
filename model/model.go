// Package model declares graph neural networks, each in one short file.
//
// A model is one function that declares a layer as a program over vertices and
// edges. Inference, training, analysis and every parallel execution are derived
// from that declaration; nothing else is written for a model. A new one is a
// new file and a line in the table of [All].
package model

import (
	"fmt"
	"slices"
	"strings"

	"github.com/weft-gnn/weft/kernel"
	"github.com/weft-gnn/weft/program"
)

// Model is a declaration and what there is to say about it.
type Model struct {
	Name string
	// Title is the model in a few words; Formula one layer, in the symbols of
	// package graph; Source the paper.
	Title, Formula, Source string
	// Layer declares one layer: h has one row per vertex, the result l.Out columns.
	Layer func(b *program.Builder, h program.Value, l Layer) program.Value
	// Activation follows every layer but the last.
	Activation kernel.Func
	// Defaults are the options where nothing else is said.
	Defaults Options
	// Recipes are published settings, per data set.
	Recipes []Recipe
	// Bounds are the work and depth that the literature states per layer.
	Bounds Bounds
}

// Layer is what a layer is to be.
type Layer struct {
	Out   program.Dim
	Index int
	// Heads is the number of attention heads.
	Heads program.Dim
	// Last says that the layer's result is the prediction; its heads are averaged.
	Last bool
	Options
}

// Options are the choices that models leave open; 0 stands for a model's
// default where a choice needs a value.
type Options struct {
	Layers int `yaml:"layers" json:"layers"` // number of layers
	Hidden int `yaml:"hidden" json:"hidden"` // total width of hidden layers, all heads together
	Heads  int `yaml:"heads" json:"heads"`   // attention heads of hidden layers
	// OutHeads is the number of heads of the last layer, which are averaged.
	OutHeads int `yaml:"out_heads" json:"out_heads"`
	// Dropout is the probability with which each layer's input is dropped,
	// EdgeDropout that for attention coefficients.
	Dropout     float64 `yaml:"dropout" json:"dropout"`
	EdgeDropout float64 `yaml:"edge_dropout" json:"edge_dropout"`
	// MessageDropout drops the projected rows that attention sums, as the
	// authors' GAT does.
	MessageDropout bool `yaml:"message_dropout" json:"message_dropout"`
	// Depth is the number of layers of an MLP inside a layer.
	Depth int `yaml:"depth" json:"depth"`
	// Normalize scales every row to length one after each layer.
	Normalize bool `yaml:"normalize" json:"normalize"`
	// LearnEps lets GIN learn ε from 0.
	LearnEps bool `yaml:"learn_eps" json:"learn_eps"`
}

// All returns the models in the order in which `weft models` lists them.
func All() []Model { return []Model{mlp, gcn, sage, gin, gat} }

// Names returns the models' names.
func Names() []string {
	var names []string
	for _, m := range All() {
		names = append(names, m.Name)
	}
	return names
}

// ByName returns the model called name, from the caller's own or from All.
func ByName(name string, own ...Model) (Model, error) {
	for _, m := range slices.Concat(own, All()) {
		if m.Name == name {
			return m, nil
		}
	}
	return Model{}, fmt.Errorf("model: no model is called %q; there are %s", name, strings.Join(Names(), ", "))
}

// Recipe returns the model's recipe for a data set.
func (m Model) Recipe(data string) (Recipe, bool) {
	i := slices.IndexFunc(m.Recipes, func(r Recipe) bool { return r.Data == data })
	if i < 0 {
		return Recipe{}, false
	}
	return m.Recipes[i], true
}

// Validate checks options that the user gave.
func (o Options) Validate() error {
	switch {
	case o.Layers < 1 || o.Layers > 1<<10:
		return fmt.Errorf("model: %d layers, want 1 to 1024", o.Layers)
	case o.Hidden < 1:
		return fmt.Errorf("model: hidden width %d, want at least 1", o.Hidden)
	case o.Heads < 1:
		return fmt.Errorf("model: %d heads, want at least 1", o.Heads)
	case o.Hidden%o.Heads != 0:
		return fmt.Errorf("model: %d heads do not divide the hidden width %d", o.Heads, o.Hidden)
	case o.OutHeads < 1:
		return fmt.Errorf("model: %d heads in the last layer, want at least 1", o.OutHeads)
	case !probability(o.Dropout) || !probability(o.EdgeDropout):
		return fmt.Errorf("model: dropout %g and %g, want 0 ≤ p < 1", o.Dropout, o.EdgeDropout)
	case o.Depth < 1:
		return fmt.Errorf("model: an MLP of %d layers, want at least 1", o.Depth)
	}
	return nil
}

// probability reports whether p can be one of dropping; it is used in float32,
// where what lies closest below 1 is 1.
func probability(p float64) bool { return p >= 0 && float32(p) < 1 }
