package train

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/weft-gnn/weft/comm"
)

// rankLog is what one of several ranks says of itself, a line an event, in a file
// of the run directory. A nil rankLog says nothing.
type rankLog struct {
	file *os.File
	to   *slog.Logger
}

// openLog opens the rank's log, at its end, and says what the rank has.
func (t *Trainer) openLog() error {
	if t.logDir == "" {
		return nil
	}
	if err := os.MkdirAll(t.logDir, 0o755); err != nil {
		return fmt.Errorf("train: %w", err)
	}
	c := t.set.Rank.Comm
	f, err := os.OpenFile(filepath.Join(t.logDir, fmt.Sprintf("rank-%d.log", c.Rank())), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return fmt.Errorf("train: log of rank %d: %w", c.Rank(), err)
	}
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	t.log = &rankLog{f, slog.New(slog.NewTextHandler(f, nil))}
	t.log.to.Info("begin", "rank", c.Rank(), "ranks", c.Size(), "attempt", t.attempt, "host", host, "pid", os.Getpid(), "threads", max(1, t.set.Threads),
		"plan", t.set.Rank.Plan.String(), "epochs_done", t.state.Epoch, "arena_bytes", t.session.ArenaBytes())
	t.log.to.Info("graph", t.has()...)
	return nil
}

// has is what the rank has of the graph.
func (t *Trainer) has() []any {
	p := t.piece
	out := []any{"vertices", len(p.Vertex)}
	if p.N != nil {
		out = append(out, "arcs", p.N.Edges())
	} else if p.NHat != nil {
		out = append(out, "arcs_and_loops", p.NHat.Edges())
	}
	if e := p.Share.Sources; e != nil {
		out = append(out, "sources_of_others", e.Halo(), "sources_for_others", len(e.Boundary))
	}
	if e := p.Share.Destinations; e != nil {
		out = append(out, "destinations_of_others", e.Halo(), "destinations_for_others", len(e.Boundary))
	}
	return append(out, "training_items", len(t.step.Rows))
}

// epoch logs what the rank sent: in the training step, and in the whole epoch with
// its evaluation.
func (l *rankLog) epoch(e Epoch, step, all comm.Counter) {
	if l == nil {
		return
	}
	l.to.Info("epoch", "epoch", e.Epoch, "loss", float32(e.Loss), "step", e.Step,
		"step_words", step.Words, "step_messages", step.Messages, "words", all.Words, "messages", all.Messages)
}

// ended logs how training ended.
func (l *rankLog) ended(err error) {
	switch {
	case l == nil:
	case err != nil:
		l.to.Error("end", "error", err)
	default:
		l.to.Info("end")
	}
}

// close closes the log.
func (l *rankLog) close() error {
	if l == nil {
		return nil
	}
	return l.file.Close()
}
