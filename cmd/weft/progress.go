package main

import (
	"fmt"
	"math"
	"time"

	"github.com/schollz/progressbar/v3"

	"github.com/weft-gnn/weft/train"
)

// progress shows how far a training run is: a bar on a terminal, else a line
// now and then.
type progress struct {
	app    *app
	label  string
	metric train.Metric
	epochs int

	bar     *progressbar.ProgressBar
	started time.Time // when the first epoch began
	first   int       // the first epoch that was run: a resumed run begins later
	shown   time.Time // when something was last shown
}

// A bar is redrawn at most so often; without one, a line is written every tenth
// of the epochs, and when so long nothing was.
const (
	redraw    = 100 * time.Millisecond
	linesPer  = 10
	longQuiet = time.Minute
)

// progress prepares to show a run of so many epochs.
func (a *app) progress(epochs int, label string) *progress {
	p := &progress{app: a, label: label, epochs: epochs, first: -1}
	if a.terminal && !a.quiet {
		p.bar = progressbar.NewOptions(epochs,
			progressbar.OptionSetWriter(a.log), progressbar.OptionSetWidth(24), progressbar.OptionShowCount(),
			progressbar.OptionSetElapsedTime(false), progressbar.OptionSetPredictTime(false), progressbar.OptionClearOnFinish(), progressbar.OptionUseANSICodes(true))
	}
	return p
}

// start begins to count: what went before, such as compiling, is no epoch's time.
func (p *progress) start() { p.started, p.shown = time.Now(), time.Now() }

// epoch shows an epoch, if it is time.
func (p *progress) epoch(e train.Epoch) {
	last := e.Epoch+1 == e.Epochs
	if p.first < 0 {
		p.first = e.Epoch
	}
	switch {
	case p.app.quiet:
	case p.bar != nil:
		if time.Since(p.shown) >= redraw || last {
			p.shown = time.Now()
			p.bar.Describe(fmt.Sprintf("%s  %s left ", p.text(e), seconds(p.left(e).Seconds())))
			p.bar.Set(e.Epoch + 1) // its error is the writer's: a lost bar harms nothing
		}
	case p.label == "" && p.due(e):
		p.shown = time.Now()
		p.app.say("epoch %*d/%d  %s  %s", len(fmt.Sprint(e.Epochs)), e.Epoch+1, e.Epochs, p.text(e), seconds(time.Since(p.started).Seconds()))
	}
}

// left estimates the time to the last epoch, from that of the epochs so far.
func (p *progress) left(e train.Epoch) time.Duration {
	done := e.Epoch + 1 - p.first
	return time.Since(p.started) / time.Duration(done) * time.Duration(e.Epochs-e.Epoch-1)
}

// due reports whether a line is written for an epoch.
func (p *progress) due(e train.Epoch) bool {
	done := e.Epoch + 1
	return done == e.Epochs || done*linesPer/e.Epochs != e.Epoch*linesPer/e.Epochs || time.Since(p.shown) >= longQuiet
}

// text is what is shown of an epoch: the loss, and the metric on the validation
// items, or the training items where there are none.
func (p *progress) text(e train.Epoch) string {
	part, v := "val", e.Val
	if math.IsNaN(v) {
		part, v = "train", e.Train
	}
	return fmt.Sprintf("%sloss %.4f  %s %v %.4f", p.label, e.Loss, part, p.metric, v)
}

// end takes the bar away.
func (p *progress) end() {
	if p.bar != nil {
		p.bar.Clear() // as above
	}
}
