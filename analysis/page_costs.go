package analysis

import (
	"fmt"
	"strings"

	"github.com/weft-gnn/weft/cost"
)

// writeCosts prints the sums by layer and phase, then the totals.
func (rep *Report) writeCosts(p *page) {
	p.line("")
	if rep.Data == nil {
		rep.writeGrowth(p)
		return
	}
	t := table{head: []string{"", "", "work", "%", "depth", "W/D", "bytes", "work/B", "work grows as"}, align: "llrrrrrrl"}
	whole := float64(*rep.Total.Work.Value)
	row := func(when, what string, times int, c Costs, total cost.Expr) {
		share := significant(100*float64(times)*float64(*c.Work.Value)/max(1, whole), true)
		t.add(when, what, short(float64(*c.Work.Value)), share, grouped(*c.Depth.Value), short(c.Parallelism()),
			short(float64(*c.Bytes.Value)), significant(c.Intensity(), false), growth(rep.shown(total)))
	}
	var when heading
	once := 0
	for _, g := range merged(rep.Groups) {
		row(when.next(stageName(g.Once)), g.label(), g.layers(), g.Costs, g.Work.Expr)
		if g.Once {
			once++
		}
	}
	if once > 1 {
		row("once", "all of it", 1, rep.Pre.Costs, rep.Pre.Work.Expr)
	}
	row("step", "all of it", 1, rep.Step.Costs, rep.Step.Work.Expr)
	t.write(p, 0)
}

// writeGrowth prints how the groups grow, for sizes that are not known.
func (rep *Report) writeGrowth(p *page) {
	t := table{head: []string{"", "", "depth grows as", "work grows as"}, align: "llll"}
	var when heading
	for _, g := range merged(rep.Groups) {
		t.add(when.next(stageName(g.Once)), g.label(), kept(growth(rep.shown(g.Depth.Expr))), growth(rep.shown(g.Work.Expr)))
	}
	t.write(p, 0)
}

// heading names the first of rows that share a name.
type heading struct{ last string }

func (h *heading) next(name string) string {
	if name == h.last {
		return ""
	}
	h.last = name
	return name
}

func stageName(once bool) string {
	if once {
		return "once"
	}
	return "step"
}

// growth prints the leading terms of e.
func growth(e cost.Expr) string {
	if e.IsZero() {
		return "0"
	}
	return terms(strings.TrimSuffix(strings.TrimPrefix(e.BigO(), "O("), ")"))
}

// mergedGroup is a run of groups of neighbouring layers that cost the same.
type mergedGroup struct {
	Group
	last *int
}

// merged joins groups of neighbouring layers in one phase that have equal costs.
func merged(groups []Group) []mergedGroup {
	var out []mergedGroup
	for _, g := range groups {
		if n := len(out); n > 0 && out[n-1].continues(g) {
			out[n-1].last = g.Layer
			continue
		}
		out = append(out, mergedGroup{g, g.Layer})
	}
	return out
}

func (m mergedGroup) continues(g Group) bool {
	a, b := m.Expr(), g.Expr()
	return m.Once == g.Once && m.Phase == g.Phase && m.last != nil && g.Layer != nil &&
		(*g.Layer == *m.last+1 || *g.Layer == *m.last-1) && a.Work.Equal(b.Work) && a.Depth.Equal(b.Depth) && a.Bytes.Equal(b.Bytes)
}

// layers is the number of groups joined.
func (m mergedGroup) layers() int {
	if m.Layer == nil {
		return 1
	}
	return max(*m.Layer, *m.last) - min(*m.Layer, *m.last) + 1
}

func (m mergedGroup) label() string {
	switch {
	case m.Layer == nil && m.Phase == Forward:
		return "outside layers"
	case m.Layer == nil:
		return m.Phase.String()
	case m.layers() == 1:
		return fmt.Sprintf("layer %d %v", *m.Layer, m.Phase)
	}
	return fmt.Sprintf("layers %d–%d %v, each", *m.Layer, *m.last, m.Phase)
}

// writeOps lists every operation.
func (rep *Report) writeOps(p *page) {
	p.line("")
	t := table{head: []string{"", "layer", "round", "operation", "shape", "density", "work", "depth", "bytes"}, align: "lrrllrrrr"}
	var when heading
	for _, o := range rep.Ops {
		phase := o.Phase.String()
		if o.Once {
			phase = stageName(o.Once)
		}
		layer := ""
		if o.Layer != nil {
			layer = fmt.Sprint(*o.Layer)
		}
		t.add(when.next(phase), layer, fmt.Sprint(o.Round), o.Op, o.Shape.Expr, densityText(o.Density), o.Work.text(), o.Depth.text(), o.Bytes.text())
	}
	t.write(p, 0)
}

func densityText(d *float64) string {
	switch {
	case d == nil:
		return "sparse"
	case *d == 1:
		return "dense"
	}
	return percent(*d)
}

// text prints the value where it is known, the expression otherwise.
func (q Quantity) text() string {
	if q.Value == nil {
		return kept(q.Expr.String())
	}
	return kept(short(float64(*q.Value)))
}

// writePasses prints what each pass that changed the program saved.
func (rep *Report) writePasses(p *page) {
	p.line("")
	if rep.Data == nil {
		rep.writeSavings(p)
		return
	}
	t := table{head: []string{"passes" + map[bool]string{true: " on one rank"}[rep.Plan != nil], "work", "", "bytes", "", "once", ""}, align: "lrrrrrl"}
	before := rep.Passes[0]
	for i, line := range rep.Passes {
		if i > 0 && !line.Changed {
			continue
		}
		t.add(line.Pass, line.Work.text(), change(before.Work, line.Work), line.Bytes.text(),
			change(before.Bytes, line.Bytes), line.PreWork.text(), line.Doc)
		before = line
	}
	t.write(p, 0)
	rep.writeIdle(p)
}

// writeSavings prints what each pass changed as expressions.
func (rep *Report) writeSavings(p *page) {
	p.line("What each pass changed in a step, after those above it")
	before := rep.Passes[0]
	for _, line := range rep.Passes[1:] {
		if !line.Changed {
			continue
		}
		p.entry(2, line.Pass, nameColumn, line.Doc)
		p.entry(2, "", nameColumn, "work  "+terms(cost.Sub(line.Work.Expr, before.Work.Expr).String()))
		p.entry(2, "", nameColumn, "bytes "+terms(cost.Sub(line.Bytes.Expr, before.Bytes.Expr).String()))
		before = line
	}
	rep.writeIdle(p)
}

// writeIdle names the passes that changed nothing.
func (rep *Report) writeIdle(p *page) {
	var idle []string
	for _, line := range rep.Passes[1:] {
		if !line.Changed {
			idle = append(idle, line.Pass)
		}
	}
	if len(idle) > 0 {
		p.line("no change by %s", strings.Join(idle, ", "))
	}
}

// change prints the relative change from a to b, of values that are known.
func change(a, b Quantity) string {
	if *a.Value == 0 || *a.Value == *b.Value {
		return ""
	}
	c := float64(*b.Value-*a.Value) / float64(*a.Value)
	return strings.Replace(fmt.Sprintf("%+.1f %%", 100*c), "-", "−", 1)
}
