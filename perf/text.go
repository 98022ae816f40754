package perf

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/weft-gnn/weft/machine"
)

// table prints rows of words in columns, the first columns to the left, the
// others, which are numbers, to the right.
type table struct {
	left int // columns that are words
	rows [][]string
}

func (t *table) add(words ...string) { t.rows = append(t.rows, words) }

func (t *table) write(w io.Writer) error {
	var widths []int
	for _, row := range t.rows {
		for i, word := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(word))
		}
	}
	var text strings.Builder
	for _, row := range t.rows {
		line := ""
		for i, word := range row {
			pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(word))
			if i < t.left {
				line += word + pad + "  "
			} else {
				line += pad + word + "  "
			}
		}
		text.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	_, err := io.WriteString(w, text.String())
	return err
}

// WriteKernels prints a report of kernels for people.
func WriteKernels(w io.Writer, r *Report[KernelRow]) error {
	t := table{left: 3}
	t.add("kernel", "", "graph", "threads", "time", "GFLOP/s", "GB/s", "of limit", "limit")
	for _, row := range r.Rows {
		t.add(row.Kernel, strings.TrimSpace(row.size()), row.Graph, fmt.Sprint(row.Threads), duration(row.NS/1e9),
			number(row.GFlops), number(row.GBs), fmt.Sprintf("%.2f", row.LimitFraction), row.Limit)
	}
	if err := t.write(w); err != nil {
		return err
	}
	return r.Machine.write(w)
}

// WriteTrain prints a report of training steps for people.
func WriteTrain(w io.Writer, r *Report[TrainRow]) error {
	t := table{left: 2}
	t.add("model", "graph", "hidden", "threads", "fold", "storage", "step (fastest, slowest)", "roofline", "ratio", "memory", "loss")
	for _, row := range r.Rows {
		t.add(row.Model, row.Graph, fmt.Sprint(row.Hidden), fmt.Sprint(row.Threads), map[bool]string{true: "yes", false: "no"}[row.Fold], row.Storage.String(),
			fmt.Sprintf("%s (%s, %s)", duration(row.EpochMS.Median/1e3), duration(row.EpochMS.Min/1e3), duration(row.EpochMS.Max/1e3)),
			duration(row.RooflineMS/1e3), number(row.Ratio), mebibytes(row.PeakRSSBytes), fmt.Sprintf("%.4f", row.Loss))
	}
	if err := t.write(w); err != nil {
		return err
	}
	for _, row := range r.Rows {
		if err := row.writeOps(w); err != nil {
			return err
		}
	}
	return r.Machine.write(w)
}

// writeOps prints the operations of a row: those furthest from their rooflines,
// or all.
func (r TrainRow) writeOps(w io.Writer) error {
	ops, which := r.Furthest, "furthest from their rooflines"
	if r.Ops != nil {
		ops, which = r.Ops, "all operations"
	}
	c := TrainCase{Model: r.Model, Graph: r.Graph, Hidden: r.Hidden, Threads: r.Threads, Fold: r.Fold, Storage: r.Storage}
	if _, err := fmt.Fprintf(w, "\n%v: %s\n", c, which); err != nil {
		return err
	}
	t := table{left: 2}
	t.add("", "operation", "layer", "time", "roofline", "ratio", "GFLOP/s", "GB/s", "limit")
	for _, op := range ops {
		layer := "–"
		if op.Layer != nil {
			layer = fmt.Sprint(*op.Layer)
		}
		t.add("", op.Op, layer, duration(op.MS/1e3), duration(op.RooflineMS/1e3), number(op.Ratio), number(op.GFlops), number(op.GBs), op.Limit)
	}
	return t.write(w)
}

func (h Host) write(w io.Writer) error {
	_, err := fmt.Fprintf(w, "\n%s; %d cores, %s, %s\n", h.CPU, h.Cores, h.ISA, h.Go)
	return err
}

// WriteMachine prints a machine's limits for people.
func WriteMachine(w io.Writer, m *machine.Machine) error {
	_, err := fmt.Fprintf(w, "%s; %d cores, %s\non %s: %s GFLOP/s of multiply-adds; GB/s:\n", m.CPU, m.Cores, m.ISA, inThreads(m.Threads), number(m.FMA/1e9))
	if err != nil {
		return err
	}
	t := table{left: 1}
	head := []string{"", "size", "read", "write", "copy", "change"}
	for _, g := range m.Levels[0].Gather {
		head = append(head, fmt.Sprintf("rows of %d", g.RowBytes))
	}
	t.add(head...)
	for _, l := range m.Levels {
		size := "–"
		if l.Bytes > 0 {
			size = fmt.Sprintf("%d × %s", l.Caches, capacity(l.Bytes))
		}
		row := []string{l.Name, size, number(l.Read / 1e9), number(l.Write / 1e9), number(l.Copy / 1e9), number(l.Change / 1e9)}
		for _, g := range l.Gather {
			row = append(row, number(g.Rate/1e9))
		}
		t.add(row...)
	}
	return t.write(w)
}

// WriteLinks prints the links between ranks.
func WriteLinks(w io.Writer, links machine.Links) error {
	for _, l := range links {
		if _, err := fmt.Fprintf(w, "link %s: α = %s µs a message, β = %s ns a word of 4 bytes\n", l.Name, number(l.AlphaUS), number(l.BetaNS)); err != nil {
			return err
		}
	}
	return nil
}

// inThreads is "1 thread" or "2 threads".
func inThreads(n int) string {
	if n == 1 {
		return "1 thread"
	}
	return fmt.Sprintf("%d threads", n)
}

// capacity prints the size of a cache, which is a power of two or a few of them.
func capacity(bytes int64) string {
	if bytes%(1<<20) == 0 {
		return fmt.Sprintf("%d MiB", bytes>>20)
	}
	return fmt.Sprintf("%d KiB", bytes>>10)
}

func mebibytes(bytes *int64) string {
	if bytes == nil {
		return "–"
	}
	return fmt.Sprintf("%.0f MiB", float64(*bytes)/(1<<20))
}

// duration prints seconds to three digits: 1.23 µs, 45.6 ms, 789 ms.
func duration(s float64) string {
	switch {
	case s < 1e-3:
		return number(s*1e6) + " µs"
	case s < 1:
		return number(s*1e3) + " ms"
	}
	return number(s) + " s"
}

// number prints to three digits.
func number(v float64) string {
	switch {
	case v < 10:
		return fmt.Sprintf("%.2f", v)
	case v < 100:
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.0f", v)
}
