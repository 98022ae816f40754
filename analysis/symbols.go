package analysis

import (
	"fmt"
	"maps"
	"slices"

	"github.com/weft-gnn/weft/cost"
	"github.com/weft-gnn/weft/program"
)

// meanings are the symbols of package graph, of package model's widths and of
// losses, in the order in which a report introduces them.
var meanings = []struct{ name, meaning string }{
	{cost.Vertices, "vertices"},
	{cost.Arcs, "arcs without loops"},
	{cost.Loops, "loops in the data"},
	{cost.ArcsWithLoops, "m + n"},
	{cost.Degree, "largest in-degree"},
	{cost.OutDegree, "largest out-degree"},
	{cost.DegreeWithLoops, "d with one loop a vertex"},
	{cost.OutWithLoops, "d_out with one loop a vertex"},
	{nonzeros, "entries of X that are not 0"},
	{cost.FeaturesIn, "features"},
	{cost.Features, "hidden width"},
	{"C", "classes or targets"},
	{cost.Heads, "heads"},
	{"H_out", "heads of the last layer"},
	{cost.Layers, "layers"},
	{innerDepth, "layers of an MLP in a layer"},
	{targets, "rows the loss compares"},
	{present, "values the loss compares"},
}

// always are the symbols that every report has.
var always = []string{cost.Vertices, cost.Arcs, cost.Degree, cost.FeaturesIn, cost.Features, "C", cost.Layers}

// symbols returns those that are always stated and those that the program's
// costs or the model's bounds use. Sizes of the graph have a value where one is
// given, widths always.
func symbols(s subject, r Request, a at) Symbols {
	used := slices.Clone(always)
	for _, c := range s.compiled.Costs() {
		for _, e := range []cost.Expr{c.Work, c.Depth, c.Bytes} {
			used = append(used, e.Symbols()...)
		}
	}
	used = append(used, r.Model.Bounds.Weft.Work.Symbols()...)
	if _, counted := a.env[nonzeros]; counted {
		used = append(used, nonzeros)
	}
	widths := cost.Env{
		cost.FeaturesIn: int64(r.Data.Features), cost.Features: int64(r.Options.Hidden), "C": int64(r.Data.Classes),
		cost.Layers: int64(r.Options.Layers), innerDepth: int64(r.Options.Depth),
	}
	s.compiled.Widths(widths)
	var out Symbols
	for _, m := range meanings {
		if !slices.Contains(used, m.name) {
			continue
		}
		x := Symbol{Name: m.name, Meaning: m.meaning}
		if v, ok := widths[m.name]; ok {
			x.Value = &v
		} else if v, ok := a.env[m.name]; ok {
			x.Value = &v
		}
		out = append(out, x)
	}
	chunks := s.compiled.ChunkSymbols()
	for _, name := range slices.Sorted(maps.Keys(chunks)) {
		v := a.env[name]
		out = append(out, Symbol{Name: name, Meaning: chunks[name], Value: &v})
	}
	return out
}

// conditions says what the numbers rest on.
func (r study) conditions(s subject) ([]string, error) {
	out := []string{}
	say := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	switch d := r.given.Data; {
	case d.X.Cols > 0 && d.Classes > 0:
	case d.X.Cols > 0:
		say("C = k = %d supposed: the data has no classes or targets", r.Options.Hidden)
	case d.Features == 0 && d.Classes == 0:
		say("k_in = k = C = %d supposed: no data says how many features and classes there are", r.Options.Hidden)
	case d.Features == 0:
		say("k_in = k = %d supposed: the data has no features", r.Options.Hidden)
	case d.Classes == 0:
		say("C = k = %d supposed: the data has no classes or targets", r.Options.Hidden)
	}
	if r.Data.Graph == nil && formulationOf(s.compiled) != NoMessages {
		text, err := r.supposition(s)
		if err != nil {
			return nil, err
		}
		say("%s", text)
	}
	if r.Mode == Training && r.given.Data.Targets == 0 && r.Data.Graph != nil {
		say("t = n: the loss compares every vertex")
	}
	if r.Steps > 1 && !s.compiled.Work(program.Pre).IsZero() {
		say("what runs once is spread over %d steps when passes weigh it", r.Steps)
	}
	return append(out, s.choices()...), nil
}

// supposedDegrees are the mean degrees at which a program without data is
// compiled, to see whether the passes would choose otherwise.
var supposedDegrees = []int64{1, 4, supposedDegree, 64, 1024}

// supposition says for which graphs the passes make the same program.
func (r study) supposition(s subject) (string, error) {
	var same, other []int64
	for _, degree := range supposedDegrees {
		o, err := r.compile(s.widths, r.supposed(degree))
		switch {
		case err != nil:
			return "", err
		case o.compiled.String() == s.compiled.String():
			same = append(same, degree)
		default:
			other = append(other, degree)
		}
	}
	text := fmt.Sprintf("no data: the passes make this program for m/n from %d to %d", same[0], same[len(same)-1])
	if len(other) > 0 {
		text += fmt.Sprintf(", and another for m/n = %s", list(other))
	}
	return text, nil
}

// list prints numbers as "1, 4 and 64".
func list(v []int64) string {
	text := ""
	for i, x := range v {
		switch {
		case i > 0 && i == len(v)-1:
			text += " and "
		case i > 0:
			text += ", "
		}
		text += fmt.Sprint(x)
	}
	return text
}
