package model

import (
	"slices"
	"strings"
	"testing"

	"github.com/weft-gnn/weft/program"
)

// TestDecaySparesOffsets: the objective penalises every matrix and attention
// vector of every model, and neither a bias nor GIN's ε.
func TestDecaySparesOffsets(t *testing.T) {
	spared := func(name string) bool { return strings.HasSuffix(name, "bias") || strings.HasSuffix(name, "eps") }
	for _, m := range All() {
		for _, first := range []bool{false, true} {
			p, err := m.Objective(EqualWidths(m.Defaults), m.Defaults, CrossEntropy, Decay{Lambda: 0.1, FirstLayer: first})
			if err != nil {
				t.Fatal(err)
			}
			var got, want []string
			for _, n := range p.Nodes {
				switch op := n.Op.(type) {
				case program.Penalty:
					got = append(got, p.Nodes[n.In[0]].Op.(program.Param).Name)
				case program.Param:
					if !spared(op.Name) && (!first || n.Layer == 0) {
						want = append(want, op.Name)
					}
				}
			}
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) || len(got) == 0 {
				t.Errorf("%s, first layer only %v: decayed %q, want %q", m.Name, first, got, want)
			}
		}
	}
}

// TestRecipes: every model has settings for the sets that bench/accuracy
// trains it on, they can be trained with, and say where they come from.
func TestRecipes(t *testing.T) {
	for _, m := range All() {
		for _, data := range []string{"cora", "citeseer", "pubmed"} {
			r, ok := m.Recipe(data)
			if !ok {
				t.Errorf("%s has no recipe for %s", m.Name, data)
				continue
			}
			if err := r.Options.Validate(); err != nil || r.Note == "" || r.Split != "public" {
				t.Errorf("%s on %s: %v, note %q, split %q", m.Name, data, err, r.Note, r.Split)
			}
		}
	}
}

// TestGATOnPubMed: Veličković et al., section 3.3.
func TestGATOnPubMed(t *testing.T) {
	r, _ := gat.Recipe("pubmed")
	if r.LR != 0.01 || r.Decay.Lambda != 0.001 || r.Options.OutHeads != 8 {
		t.Errorf("rate %v, decay %v, %d output heads, want 0.01, 0.001, 8", r.LR, r.Decay.Lambda, r.Options.OutHeads)
	}
	r, _ = gat.Recipe("citeseer")
	if r.LR != 0.005 || r.Decay.Lambda != 0.0005 || r.Options.OutHeads != 1 {
		t.Errorf("rate %v, decay %v, %d output heads, want 0.005, 0.0005, 1", r.LR, r.Decay.Lambda, r.Options.OutHeads)
	}
}

// TestSame: options that a model does not read change nothing, those that it
// reads do.
func TestSame(t *testing.T) {
	change := map[string]func(*Options){
		"heads":     func(o *Options) { o.Heads *= 2 },
		"out heads": func(o *Options) { o.OutHeads++ },
		"hidden":    func(o *Options) { o.Hidden *= 2 },
		"depth":     func(o *Options) { o.Depth++ },
		"ε":         func(o *Options) { o.LearnEps = !o.LearnEps },
		"normalize": func(o *Options) { o.Normalize = !o.Normalize },
		"dropout":   func(o *Options) { o.Dropout = 0.3 },
		"edges":     func(o *Options) { o.EdgeDropout = 0.3 },
	}
	reads := map[string][]string{
		"mlp":  {"dropout", "hidden"},
		"gcn":  {"dropout", "hidden"},
		"sage": {"dropout", "hidden", "normalize"},
		"gin":  {"depth", "dropout", "hidden", "ε"},
		"gat":  {"dropout", "edges", "heads", "hidden", "out heads"},
	}
	for _, m := range All() {
		for _, layers := range []int{1, 2} {
			var got, want []string
			for name, f := range change {
				a := m.Defaults
				a.Layers = layers
				b := a
				f(&b)
				same, err := m.Same(a, b)
				if err != nil {
					t.Fatal(err)
				}
				if !same {
					got = append(got, name)
				}
			}
			for _, name := range reads[m.Name] {
				if layers > 1 || name != "hidden" && name != "heads" {
					want = append(want, name)
				}
			}
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Errorf("%s of %d layers reads %q, want %q", m.Name, layers, got, want)
			}
		}
	}
}
