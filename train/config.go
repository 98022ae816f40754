// Package train trains a model on a data set and keeps what it learnt.
//
// A [Config] states everything that determines a run, but not where or on how
// many threads it runs: equal configurations give equal loss curves, bit for
// bit. A [Trainer] runs it, epoch by epoch, and saves enough to go on exactly
// where it stopped.
package train

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/dataset/source"
	"github.com/weft-gnn/weft/model"
	"github.com/weft-gnn/weft/program"
)

// Config determines a run. The zero value of a field that a recipe or a model
// has a default for is filled by Resolve; explicit values stand.
type Config struct {
	// Data is how the set was asked for, Source how it is opened again; both
	// are recorded, neither is opened.
	Data   string      `yaml:"data" json:"data"`
	Source source.Spec `yaml:"source" json:"source"`
	Model  string      `yaml:"model" json:"model"`
	// Recipe is "paper" for published settings, or empty.
	Recipe  string        `yaml:"recipe,omitempty" json:"recipe,omitempty"`
	Options model.Options `yaml:"options" json:"options"`
	Seed    uint64        `yaml:"seed" json:"seed"`
	// Epochs is the number of training steps at most; exactly, without Patience.
	Epochs int `yaml:"epochs" json:"epochs"`
	// Patience is the number of epochs without improvement after which a run
	// stops; 0 never stops early.
	Patience int `yaml:"patience" json:"patience"`
	// Monitor is what improves on the validation items.
	Monitor model.Monitor `yaml:"monitor" json:"monitor"`
	// Metric is what is reported; chosen by the task where it is not set.
	Metric    Metric                `yaml:"metric" json:"metric"`
	LR        float64               `yaml:"lr" json:"lr"`
	Schedule  Schedule              `yaml:"schedule" json:"schedule"`
	Optimizer program.OptimizerKind `yaml:"optimizer" json:"optimizer"`
	Momentum  float64               `yaml:"momentum,omitempty" json:"momentum,omitempty"`
	// Decay is L2 regularisation in the loss; with AdamW its factor is the
	// decoupled decay instead.
	Decay        model.Decay `yaml:"decay" json:"decay"`
	RowNormalize bool        `yaml:"row_normalize" json:"row_normalize"`
	// Storage says how features and activations are kept; their numbers are then
	// other ones, and losses differ from those in float32.
	Storage program.Storage `yaml:"storage,omitempty" json:"storage,omitempty"`
	// SkipPasses names passes that are not run; "none" skips all optional ones.
	SkipPasses []string `yaml:"skip_passes,omitempty" json:"skip_passes,omitempty"`
	// FoldBytes bounds the memory of values computed once per run.
	FoldBytes int64 `yaml:"fold_bytes" json:"fold_bytes"`
}

// Defaults returns the configuration of a model without a recipe.
func Defaults(m model.Model) Config {
	return Config{
		Model: m.Name, Options: m.Defaults, Epochs: 200, LR: 0.01, Optimizer: program.AdamKind,
		Decay: model.Decay{Lambda: 5e-4}, Monitor: model.ValMetric, FoldBytes: 1 << 30,
	}
}

// FromRecipe returns the published configuration of a model for a data set.
//
// Errors: there is none; the error lists the sets that have one.
func FromRecipe(m model.Model, data string) (Config, error) {
	r, ok := m.Recipe(data)
	if !ok {
		var known []string
		for _, r := range m.Recipes {
			known = append(known, r.Data)
		}
		if len(known) == 0 {
			return Config{}, fmt.Errorf("train: there is no paper recipe for %s", m.Name)
		}
		return Config{}, fmt.Errorf("train: %s has no paper recipe for %q: it has them for %s", m.Name, data, strings.Join(known, ", "))
	}
	c := Defaults(m)
	c.Recipe, c.Options, c.Epochs, c.Patience, c.Monitor = "paper", r.Options, r.Epochs, r.Patience, r.Monitor
	c.LR, c.Optimizer, c.Decay, c.RowNormalize = r.LR, r.Optimizer, r.Decay, r.RowNormalize
	return c, nil
}

// Validate checks what a user may have set.
func (c Config) Validate() error {
	switch {
	case c.Epochs < 1 || c.Epochs > math.MaxInt32:
		return fmt.Errorf("train: %d epochs, want 1 to 2³¹−1", c.Epochs)
	case c.Patience < 0:
		return fmt.Errorf("train: patience %d, want 0 (never stop early) or more", c.Patience)
	case !(float32(c.LR) > 0 && c.LR <= math.MaxFloat32): // steps are taken in float32
		return fmt.Errorf("train: learning rate %v, want a positive number of float32's range", c.LR)
	case !(c.Decay.Lambda >= 0 && c.Decay.Lambda <= math.MaxFloat32):
		return fmt.Errorf("train: weight decay %v, want 0 or more, in float32's range", c.Decay.Lambda)
	case !(c.Momentum >= 0 && c.Momentum < 1):
		return fmt.Errorf("train: momentum %v, want 0 ≤ μ < 1", c.Momentum)
	case c.Momentum != 0 && c.Optimizer != program.SGDKind:
		return fmt.Errorf("train: momentum goes with the optimizer sgd, not with %v", c.Optimizer)
	}
	return errors.Join(c.Options.Validate(), c.Schedule.Validate(), c.passesKnown())
}

func (c Config) passesKnown() error {
	known := map[string]bool{"none": true}
	var names []string
	for _, p := range program.Passes() {
		if !p.Needed {
			known[p.Name] = true
			names = append(names, p.Name)
		}
	}
	for _, s := range c.SkipPasses {
		if !known[s] {
			return fmt.Errorf("train: no pass is called %q that could be skipped; there are %v", s, names)
		}
	}
	return nil
}

// problem is what a data set asks a model to do.
type problem struct {
	task   dataset.Task
	loss   model.Loss
	out    int
	metric Metric
	// targets says how the values to be predicted are scaled.
	targets []model.Scaling
}

// problemOf reads the task from the data.
//
// Errors: tasks that full-batch vertex training does not do, and missing labels.
func problemOf(d *dataset.Dataset, metric Metric) (problem, error) {
	p := problem{task: d.Task}
	switch d.Task {
	case dataset.VertexClassification:
		p.loss, p.out = model.CrossEntropy, d.Labels.Classes()
		if d.Labels.Class == nil {
			p.loss, p.out = model.BinaryCrossEntropy, d.Labels.Value.Cols
		}
	case dataset.VertexRegression:
		p.loss, p.out = model.SquaredError, d.Labels.Value.Cols
	default:
		return p, dataset.Lacking(dataset.LabelOption, "train: the task of %s is %v; full-batch training does vertex-classification and vertex-regression", d.Name, d.Task)
	}
	if p.out == 0 {
		return p, dataset.Lacking(dataset.LabelOption, "train: %s has no labels", d.Name)
	}
	var err error
	p.metric, err = ChooseMetric(d, p.loss, metric)
	return p, err
}
