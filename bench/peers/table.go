//go:build linux

package main

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
)

// bars are what weft must reach: in every row, in the geometric mean, in every
// gat row, and in memory.
type bars struct{ row, mean, gat float64 }

var (
	folded   = bars{row: 2, mean: 5, gat: 8}
	unfolded = bars{row: 1.5, mean: 4, gat: 0}
)

const memoryBar = 0.5

// markdown renders the result.
func (p *report) markdown() string {
	var b strings.Builder
	b.WriteString("# Beside PyTorch Geometric and DGL\n\n")
	b.WriteString(p.about())
	for _, t := range p.threads() {
		rows := slices.DeleteFunc(slices.Clone(p.Rows), func(r row) bool { return r.Threads != t })
		fmt.Fprintf(&b, "\n## %s\n\n### Time of a step, ms\n\n%s", plural(t, "thread"), times(rows))
		fmt.Fprintf(&b, "\n### Peak resident memory, MiB\n\n%s", memory(rows))
		fmt.Fprintf(&b, "\n### Against the bars\n\n%s", summary(rows))
	}
	return b.String()
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func (p *report) threads() []int {
	seen := map[int]bool{}
	for _, r := range p.Rows {
		seen[r.Threads] = true
	}
	return slices.Sorted(maps.Keys(seen))
}

// about says what was measured, where, and of which versions.
func (p *report) about() string {
	var b strings.Builder
	fmt.Fprintf(&b, "By `make peers`, on %v.", p.Machine)
	for _, env := range slices.Sorted(maps.Keys(p.Versions)) {
		fmt.Fprintf(&b, " %s:", env)
		for i, name := range slices.Sorted(maps.Keys(p.Versions[env])) {
			if i > 0 {
				b.WriteString(",")
			}
			fmt.Fprintf(&b, " %s %s", name, p.Versions[env][name])
		}
		b.WriteString(".")
	}
	fmt.Fprintf(&b, ` The commit of weft stands in each row.

A step is forward, backward and update of full-batch training: two layers, no dropout, no weight decay, Adam with rate %s (gin on Reddit %s, for its
losses to be comparable), cross-entropy over the training vertices; gat has %d heads in its hidden layer and one in its last. All systems of a row start from the same weights,
and run in turn, each in a process of its own; the time is the median after %d steps of warm-up.
*Unfolded* is weft with `+"`--passes -fold`"+`: nothing is computed before the first step. Bold is the fastest peer, the one that weft's
ratio is to. A path that is more than twice as slow as another was measured for 3 steps only. † marks a row that is void, because
losses after %d steps differ by more than %g.
`, rate, lowRate, heads, warm, lossAfter, lossWithin)
	return b.String()
}

// peerSystems are the systems that are not weft, in the order of columns.
func peerSystems() []system {
	return slices.DeleteFunc(slices.Clone(systems), func(s system) bool { return !s.peer() })
}

func times(rows []row) string {
	var b strings.Builder
	heading := []string{"data", "model", "hidden", "weft", "unfolded"}
	for _, s := range peerSystems() {
		heading = append(heading, s.name)
	}
	tableHead(&b, append(heading, "ratio", "ratio unfolded", "loss differs by", "commit", "date"))
	for _, r := range rows {
		cells := []string{r.Data, r.name(), fmt.Sprint(r.Hidden), r.time("weft"), r.time("weft-nofold")}
		for _, s := range peerSystems() {
			cell := r.time(s.name)
			if s.name == r.Verdict.Fastest {
				cell = "**" + cell + "**"
			}
			cells = append(cells, cell)
		}
		v := r.Verdict
		tableRow(&b, append(cells, ratio(v.Ratio), ratio(v.RatioUnfolded), fmt.Sprintf("%.0e", v.LossDifference), r.Commit, r.Date))
	}
	return b.String()
}

func memory(rows []row) string {
	var b strings.Builder
	heading := []string{"data", "model", "hidden", "weft", "unfolded"}
	for _, s := range peerSystems() {
		heading = append(heading, s.name)
	}
	tableHead(&b, append(heading, "weft / smallest peer"))
	for _, r := range rows {
		cells := []string{r.Data, r.name(), fmt.Sprint(r.Hidden)}
		for _, s := range systems {
			cell := missing
			if m, ok := r.Systems[s.name]; ok && m.Error == "" {
				cell = fmt.Sprintf("%.0f", float64(m.PeakRSSBytes)/(1<<20))
			}
			cells = append(cells, cell)
		}
		tableRow(&b, append(cells, ratio(r.Verdict.MemoryShare)))
	}
	return b.String() + packages(rows)
}

// packages says how much of the memory is the peers' packages alone.
func packages(rows []row) string {
	var parts []string
	for _, env := range []string{"dgl", "pyg"} {
		least := int64(0)
		for _, r := range rows {
			for _, s := range peerSystems() {
				if base := r.Systems[s.name].BaseRSSBytes; s.env == env && base > 0 && (least == 0 || base < least) {
					least = base
				}
			}
		}
		if least > 0 {
			parts = append(parts, fmt.Sprintf("%s %s", env, mebibytes(least)))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return "\nOf this, packages alone when they have been loaded: " + strings.Join(parts, ", ") + ".\n"
}

// name is the model's, marked where the row is void.
func (r row) name() string {
	if len(r.Verdict.Void) > 0 {
		return r.Model + " †"
	}
	return r.Model
}

const missing = "–"

// time is a cell: the median, or why there is none.
func (r row) time(system string) string {
	m, ok := r.Systems[system]
	switch {
	case !ok:
		return missing
	case strings.HasPrefix(m.Error, "out of memory"):
		return "out of memory"
	case m.Error != "":
		return "failed"
	case m.MedianMS < 10:
		return fmt.Sprintf("%.2f", m.MedianMS)
	}
	return fmt.Sprintf("%.*f", max(0, 2-int(math.Log10(m.MedianMS))), m.MedianMS)
}

func ratio(x float64) string {
	if x == 0 {
		return missing
	}
	return fmt.Sprintf("%.2f", x)
}

// mebibytes prints a size.
func mebibytes(bytes int64) string { return fmt.Sprintf("%.0f MiB", float64(bytes)/(1<<20)) }

func tableHead(b *strings.Builder, names []string) {
	tableRow(b, names)
	b.WriteString(strings.Repeat("| --- ", len(names)) + "|\n")
}

func tableRow(b *strings.Builder, cells []string) {
	b.WriteString("| " + strings.Join(cells, " | ") + " |\n")
}

// summary compares the rows of one number of threads with the bars.
func summary(rows []row) string {
	var b strings.Builder
	valid := slices.DeleteFunc(slices.Clone(rows), func(r row) bool { return len(r.Verdict.Void) > 0 })
	b.WriteString(against("weft", folded, valid, func(v verdict) float64 { return v.Ratio }))
	b.WriteString(against("Unfolded", unfolded, valid, func(v verdict) float64 { return v.RatioUnfolded }))
	for _, r := range rows {
		b.WriteString(r.faults())
	}
	return b.String()
}

// against states the least ratio, the geometric mean and the least of gat, and
// lists the rows below the bars.
func against(what string, bar bars, rows []row, of func(verdict) float64) string {
	least, leastGAT, logs, n := math.Inf(1), math.Inf(1), 0.0, 0
	var misses []string
	for _, r := range rows {
		x := of(r.Verdict)
		if x == 0 {
			continue
		}
		least, logs, n = min(least, x), logs+math.Log(x), n+1
		want := bar.row
		if r.Model == "gat" {
			leastGAT, want = min(leastGAT, x), max(want, bar.gat)
		}
		if x < want {
			misses = append(misses, fmt.Sprintf("  - miss: %s %s %d: %.2f, want %g\n", r.Data, r.Model, r.Hidden, x, want))
		}
	}
	if n == 0 {
		return fmt.Sprintf("- %s: not measured beside a peer.\n", what)
	}
	mean := math.Exp(logs / float64(n))
	var b strings.Builder
	fmt.Fprintf(&b, "- %s, %s: least ratio %.2f (want %g), geometric mean %.2f (want %g)", what, plural(n, "row"), least, bar.row, mean, bar.mean)
	if !math.IsInf(leastGAT, 1) && bar.gat > 0 {
		fmt.Fprintf(&b, ", least of gat %.2f (want %g)", leastGAT, bar.gat)
	}
	b.WriteString(".\n")
	if mean < bar.mean {
		fmt.Fprintf(&b, "  - miss: the geometric mean\n")
	}
	return b.String() + strings.Join(misses, "")
}

// faults lists what else is to be said of a row: memory above the bar, a machine
// that was busy, losses that differ, systems that gave no measurement.
func (r row) faults() string {
	var b strings.Builder
	name := fmt.Sprintf("%s %s %d", r.Data, r.Model, r.Hidden)
	if x := r.Verdict.MemoryShare; x > memoryBar {
		fmt.Fprintf(&b, "- miss: %s: memory %.2f of %s's, want at most %g\n", name, x, r.Verdict.Smallest, memoryBar)
	}
	if r.Others > quiet {
		fmt.Fprintf(&b, "- busy: %s: other programs took %.0f %% of the processors just before\n", name, 100*r.Others)
	}
	for _, s := range r.Verdict.Void {
		fmt.Fprintf(&b, "- void: %s: loss after %d steps %v, weft %v\n", s+" in "+name, lossAfter, *r.Systems[s].Loss, *r.Systems["weft"].Loss)
	}
	for _, s := range systems {
		if e := r.Systems[s.name].Error; e != "" {
			fmt.Fprintf(&b, "- %s: %s: %s\n", name, s.name, e)
		}
	}
	return b.String()
}
