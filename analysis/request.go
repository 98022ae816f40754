package analysis

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/weft-gnn/weft/graph"
	"github.com/weft-gnn/weft/model"
	"github.com/weft-gnn/weft/plan"
	"github.com/weft-gnn/weft/program"
	"github.com/weft-gnn/weft/tensor"
)

// Mode says what is analysed: a forward pass or a training step.
type Mode int

// The modes.
const (
	Inference Mode = iota
	Training
)

// String returns the mode as `--mode` takes it.
func (m Mode) String() string { return [...]string{"inference", "train"}[m] }

// MarshalText writes the mode.
func (m Mode) MarshalText() ([]byte, error) { return []byte(m.String()), nil }

// Formulation says how messages run.
type Formulation int

// The formulations of [PDG]: Global runs them as products with matrices over
// A's pattern, Local edge by edge, every message a row of its own; a model that
// reads no edges has neither.
const (
	Global Formulation = iota
	Local
	NoMessages
)

// String returns the formulation as `--formulation` takes it.
func (f Formulation) String() string { return [...]string{"global", "local", "none"}[f] }

// MarshalText writes the formulation.
func (f Formulation) MarshalText() ([]byte, error) { return []byte(f.String()), nil }

// Request is what to analyse.
type Request struct {
	Model   model.Model
	Options model.Options
	// Data is what the model runs on; the zero Data leaves sizes symbolic.
	Data Data
	Mode Mode
	// Formulation is Global or Local; Local skips the passes attend, fuse and chunk.
	Formulation Formulation
	// Plan, where set, makes the program that of one of several ranks.
	Plan *plan.Plan
	// Owners says who has what under the plan; it goes with a graph.
	Owners *plan.Owners
	rank   int // of whose program
	// Loss, Decay and Optimizer make the training step; inference has none.
	Loss      model.Loss
	Decay     model.Decay
	Optimizer program.Optimizer
	// Storage says how features and activations are kept. What is stored in bfloat16
	// is chosen by sizes: without data everything stays as it is.
	Storage program.Storage
	// Skip names passes that are not run, or "none" for all optional ones.
	Skip map[string]bool
	// Steps is over how many runs what is computed once is spread; 0 stands for
	// one in inference and for 200 in training.
	Steps int64
	// FoldBytes bounds the memory of values computed once, coefficients apart;
	// 0 stands for 1 GiB where there are several steps and for none where there
	// is one, negative is no bound.
	FoldBytes int64
}

// Data are the facts of a data set that costs depend on.
type Data struct {
	Name string
	// Graph is nil where sizes stay symbolic.
	Graph *graph.Graph
	// X is the input, one row per vertex; the zero Matrix where its values are not
	// at hand. Its entries that are not zero are counted and kept sparse where that
	// costs less; an input of which only the columns are known is dense.
	X tensor.Matrix
	// Features and Classes are the columns of the input and of the prediction;
	// 0 stands for those of X, and for the hidden width.
	Features, Classes int
	// Targets is the number of vertices whose prediction the loss compares, and
	// Present that of their values that are not missing; 0 stands for all.
	Targets, Present int64
	// Items lists those vertices, ascending. Where ranks share a graph it goes with
	// Targets: each compares its own.
	Items []int32
	// Values are what predictions are compared with, NaN where missing; the zero
	// Matrix where they are classes, or all there.
	Values tensor.Matrix
}

// Validate checks what a user chose.
func (r Request) Validate() error {
	switch {
	case r.Model.Layer == nil:
		return errors.New("analysis: no model to analyse")
	case r.Steps < 0:
		return fmt.Errorf("analysis: %d steps, want at least 0", r.Steps)
	case r.Data.Features < 0 || r.Data.Classes < 0 || r.Data.Targets < 0 || r.Data.Present < 0:
		return fmt.Errorf("analysis: negative sizes: %d features, %d classes, %d targets, %d values",
			r.Data.Features, r.Data.Classes, r.Data.Targets, r.Data.Present)
	case r.Data.Graph != nil && r.Data.Graph.N == 0:
		return errors.New("analysis: the graph has no vertices")
	case r.Data.X.Cols > 0 && (r.Data.Graph == nil || r.Data.X.Rows != r.Data.Graph.N):
		return fmt.Errorf("analysis: the input is %v, want a row per vertex of a graph", r.Data.X)
	case r.Data.X.Cols > 0 && r.Data.Features > 0 && r.Data.Features != r.Data.X.Cols:
		return fmt.Errorf("analysis: the input is %v, want %d features", r.Data.X, r.Data.Features)
	}
	for name := range r.Skip {
		if name != "none" && !slices.Contains(optional(), name) {
			return fmt.Errorf("analysis: no pass is called %q; there are %s", name, strings.Join(optional(), ", "))
		}
	}
	return r.Options.Validate()
}

// validatePlan checks that costs under the plan can be told.
func (r Request) validatePlan() error {
	switch {
	case r.Plan == nil:
		return nil
	case r.Data.Graph != nil && r.Owners == nil:
		return errors.New("analysis: a plan on a graph, and nobody says who owns its vertices")
	case r.Data.Graph != nil && int64(len(r.Data.Items)) != r.Data.Targets:
		return fmt.Errorf("analysis: %d vertices are compared, %d are listed: ranks must know theirs", r.Data.Targets, len(r.Data.Items))
	}
	return r.Plan.Validate()
}

// optional returns the names of the passes that may be skipped.
func optional() []string {
	var names []string
	for _, p := range program.Passes() {
		if !p.Needed {
			names = append(names, p.Name)
		}
	}
	return names
}

// withDefaults fills what the request leaves open.
func (r Request) withDefaults() Request {
	r.Data.Features = cmp.Or(r.Data.Features, r.Data.X.Cols, r.Options.Hidden)
	r.Data.Classes = cmp.Or(r.Data.Classes, r.Options.Hidden)
	if r.Mode == Training {
		r.Steps = cmp.Or(r.Steps, trainingSteps)
	}
	r.Steps = cmp.Or(r.Steps, 1)
	if r.Steps > 1 {
		r.FoldBytes = cmp.Or(r.FoldBytes, foldBytes)
	}
	return r
}

// The defaults of training: epochs, and memory for what is computed once.
const (
	trainingSteps = 200
	foldBytes     = 1 << 30
)
