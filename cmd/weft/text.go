package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/train"
)

// grouped prints v in groups of three digits: 12,345.
func grouped(v int64) string {
	digits := strconv.FormatInt(v, 10)
	var b strings.Builder
	for i, d := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 && digits[i-1] != '-' {
			b.WriteByte(',')
		}
		b.WriteRune(d)
	}
	return b.String()
}

// plural is "1 class" or "7 classes".
func plural(n int64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return grouped(n) + " " + many
}

// describe is a data set in a line.
func describe(d *dataset.Dataset) string {
	parts := []string{
		plural(int64(d.Graph.N), "vertex", "vertices"),
		plural(d.Graph.Counts.Arcs, "arc", "arcs"),
		plural(int64(d.X.Cols), "feature", "features"),
	}
	if n := d.Graphs(); n > 1 {
		parts = append([]string{plural(int64(n), "graph", "graphs")}, parts...)
	}
	if n := d.Labels.Classes(); n > 0 {
		parts = append(parts, plural(int64(n), "class", "classes"))
	}
	text := d.Name + ": " + strings.Join(parts, ", ")
	if len(d.Splits) > 0 {
		s := d.Splits[0]
		text += splitText(s.Name, len(s.Train), len(s.Val), len(s.Test))
	}
	return text
}

func splitText[N int | int64](name string, train, val, test N) string {
	return fmt.Sprintf("; split %s: %s train, %s val, %s test", name, grouped(int64(train)), grouped(int64(val)), grouped(int64(test)))
}

// describe says what divided data are.
func (d *divided) describe() string {
	m := d.manifest
	words := []string{plural(m.Vertices, "vertex", "vertices"), plural(m.Sizes.Arcs, "arc", "arcs"), plural(int64(m.Features), "feature", "features")}
	if n := len(m.Classes); n > 0 {
		words = append(words, plural(int64(n), "class", "classes"))
	}
	text := fmt.Sprintf("%s in %s by %s: %s", m.Name, plural(int64(len(m.Parts)), "part", "parts"), m.Method, strings.Join(words, ", "))
	if len(m.Splits) > 0 {
		s := m.Splits[0]
		text += splitText(s.Name, s.Train.Items, s.Val.Items, s.Test.Items)
	}
	return text
}

// score prints a score, or a dash where there is none.
func score(v *float64) string {
	if v == nil {
		return "–"
	}
	return strconv.FormatFloat(*v, 'f', 4, 64)
}

func scoreLine(r *train.Result) string {
	return fmt.Sprintf("%v train %s  val %s  test %s", r.Metric, score(r.Score.Train), score(r.Score.Val), score(r.Score.Test))
}

// resultText is what a run came to, for people.
func resultText(r *train.Result) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s on %s, seed %d: %s in %s", r.Model, r.Data, r.Seed, plural(int64(r.Epochs), "epoch", "epochs"), seconds(r.Time.TotalS))
	if r.Config.Patience > 0 && r.BestEpoch != nil {
		fmt.Fprintf(&b, ", scored at the best validation epoch, %d", *r.BestEpoch)
	}
	fmt.Fprintf(&b, "\n%s\n", scoreLine(r))
	if r.Dir != "" {
		fmt.Fprintf(&b, "saved in %s\n", r.Dir)
	}
	return b.String()
}

// spreadText is what several seeds came to, for people.
func spreadText(first *train.Result, s train.Spread) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s on %s, seeds %d to %d: %v, mean ± standard deviation\n", first.Model, first.Data,
		s.Seeds[0].Seed, s.Seeds[len(s.Seeds)-1].Seed, first.Metric)
	fmt.Fprintf(&b, "train %s ± %s  val %s ± %s  test %s ± %s\n", score(s.Mean.Train), score(s.Std.Train),
		score(s.Mean.Val), score(s.Std.Val), score(s.Mean.Test), score(s.Std.Test))
	var dirs []string
	for _, one := range s.Seeds {
		dirs = append(dirs, one.Dir)
	}
	fmt.Fprintf(&b, "saved in %s\n", someOf(dirs))
	return b.String()
}

// seconds prints a duration: 0.052 s, 12.3 s, 5m20s.
func seconds(s float64) string {
	switch {
	case s < 1:
		return strconv.FormatFloat(s, 'f', 3, 64) + " s"
	case s < 60:
		return strconv.FormatFloat(s, 'f', 1, 64) + " s"
	}
	return fmt.Sprintf("%dm%02ds", int(s)/60, int(s)%60)
}

// size prints bytes: 12 B, 3.4 MB.
func size(bytes int64) string {
	if bytes < 1000 {
		return fmt.Sprintf("%d B", bytes)
	}
	v, unit := float64(bytes)/1000, 0
	for v >= 1000 && unit < 4 {
		v, unit = v/1000, unit+1
	}
	return fmt.Sprintf("%.1f %cB", v, "kMGTP"[unit])
}
