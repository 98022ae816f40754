package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/weft-gnn/weft/analysis"
	"github.com/weft-gnn/weft/model"
)

func (a *app) modelsCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "models [NAME]",
		Short: "List the models, or describe one",
		Long: `List the models that there are, or describe one: its formula, class, source,
options and published recipes.

Classes ([PDG], arXiv 2205.09702, Eqs. 6 to 8) say what a message may depend on:
  C-GNN   c_vu·ψ(h_u)          a coefficient fixed by the graph
  A-GNN   a(h_v, h_u)·ψ(h_u)   a learned scalar
  MP-GNN  ψ(h_v, h_u)          an arbitrary vector`,
		Example:   "  weft models\n  weft models gat\n  weft models gat --json",
		Args:      args(0, 1, "one model's name"),
		ValidArgs: model.Names(),
		RunE: func(_ *cobra.Command, words []string) error {
			if len(words) == 0 {
				return a.listModels(asJSON)
			}
			m, err := model.ByName(words[0])
			if err != nil {
				return usagef("no model is called %q%s", words[0], accepted(words[0], model.Names()))
			}
			return a.describeModel(m, asJSON)
		},
	}
	jsonFlag(c, &asJSON)
	return c
}

// modelFacts is the JSON of one model.
type modelFacts struct {
	Name    string         `json:"name"`
	Title   string         `json:"title"`
	Formula string         `json:"formula"`
	Class   analysis.Class `json:"class"`
	Source  string         `json:"source"`
	Options model.Options  `json:"options"`
	Recipes []model.Recipe `json:"recipes"`
}

func factsOf(m model.Model) (modelFacts, error) {
	r, err := analysis.Analyze(analysis.Request{Model: m, Options: m.Defaults})
	if err != nil {
		return modelFacts{}, err
	}
	return modelFacts{m.Name, m.Title, m.Formula, r.Class, m.Source, m.Defaults, m.Recipes}, nil
}

func (a *app) listModels(asJSON bool) error {
	all := struct {
		Models []modelFacts `json:"models"`
	}{}
	var b strings.Builder
	for _, m := range model.All() {
		f, err := factsOf(m)
		if err != nil {
			return err
		}
		all.Models = append(all.Models, f)
		fmt.Fprintf(&b, "%-6s %-7v %s\n", m.Name, f.Class, m.Title)
	}
	if asJSON {
		return a.printJSON(all)
	}
	b.WriteString("\nweft models NAME describes one\n")
	return a.print("%s", b.String())
}

func (a *app) describeModel(m model.Model, asJSON bool) error {
	f, err := factsOf(m)
	if err != nil {
		return err
	}
	if asJSON {
		return a.printJSON(f)
	}
	var b strings.Builder
	line := func(name, format string, args ...any) {
		fmt.Fprintf(&b, "%-8s %s\n", name, fmt.Sprintf(format, args...))
	}
	line("name", "%s: %s", m.Name, m.Title)
	line("formula", "%s", m.Formula)
	line("class", "%v: %s", f.Class, f.Class.Formula())
	line("source", "%s", m.Source)
	options, err := optionsOf(m, m.Defaults)
	if err != nil {
		return err
	}
	line("options", "%s", options.text())
	for _, r := range m.Recipes {
		if options, err = optionsOf(m, r.Options); err != nil {
			return err
		}
		text := fmt.Sprintf("%s: %s (%s)", r.Data, recipeText(r, options), r.Note)
		line("recipe", "%s", strings.Join(wrap(text, helpWidth-9), "\n           "))
	}
	return a.print("%s", b.String())
}

// optionTexts are choices as flags of weft train and, where there is none, in
// words.
type optionTexts struct{ flags, words []string }

func (t optionTexts) text() string {
	return strings.Join(append([]string{strings.Join(t.flags, " ")}, t.words...), ", ")
}

// optionsOf lists the options that a model reads.
func optionsOf(m model.Model, o model.Options) (t optionTexts, err error) {
	reads := func(change func(*model.Options)) bool {
		other := o
		change(&other)
		same, fault := m.Same(o, other)
		if err == nil {
			err = fault
		}
		return !same
	}
	t.flags = []string{fmt.Sprintf("--layers %d --hidden %d", o.Layers, o.Hidden)}
	if o.Heads > 1 && reads(func(o *model.Options) { o.Heads = 1 }) {
		t.flags = append(t.flags, fmt.Sprintf("--heads %d", o.Heads))
	}
	if reads(func(o *model.Options) { o.OutHeads++ }) {
		t.flags = append(t.flags, fmt.Sprintf("--out-heads %d", o.OutHeads))
	}
	t.flags = append(t.flags, fmt.Sprintf("--dropout %g", o.Dropout))
	if reads(func(o *model.Options) { o.Depth++ }) {
		t.words = append(t.words, "MLPs of "+plural(int64(o.Depth), "layer", "layers"))
	}
	if o.LearnEps && reads(func(o *model.Options) { o.LearnEps = false }) {
		t.words = append(t.words, "ε learned")
	}
	if o.Normalize && reads(func(o *model.Options) { o.Normalize = false }) {
		t.words = append(t.words, "rows of length one after each layer")
	}
	if o.MessageDropout && reads(func(o *model.Options) { o.MessageDropout = false }) {
		t.words = append(t.words, "dropout of the projected rows too")
	}
	return t, err
}

// recipeText is what weft train does for --recipe paper.
func recipeText(r model.Recipe, t optionTexts) string {
	t.flags = append(t.flags, fmt.Sprintf("--epochs %d --lr %g --weight-decay %g", r.Epochs, r.LR, r.Decay.Lambda))
	if r.Patience > 0 {
		t.flags = append(t.flags, fmt.Sprintf("--patience %d --monitor %v", r.Patience, r.Monitor))
	}
	if r.RowNormalize {
		t.words = append(t.words, "rows of features divided by their sums")
	}
	if r.Decay.FirstLayer {
		t.words = append(t.words, "decay of the first layer only")
	}
	return t.text()
}
