package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/weft-gnn/weft/dataset/source"
	"github.com/weft-gnn/weft/internal/netns"
	"github.com/weft-gnn/weft/plan"
	"github.com/weft-gnn/weft/train"
)

// few is how many steps the run has that is subtracted, so that starting and ending
// do not count.
const few = 2

// bench is what all rows have in common.
type bench struct {
	options
	tmp, weft, launcher, mpi string
	ranks                    string // this command, with MPI
	about                    string // the data
	runs                     int
}

func begin(ctx context.Context, tmp string, o options) (*bench, error) {
	if o.epochs <= few {
		return nil, fmt.Errorf("hosts: %d steps: want more than %d", o.epochs, few)
	}
	compiler, launcher, version, err := openMPI()
	if err != nil {
		return nil, err
	}
	b := &bench{options: o, tmp: tmp, weft: filepath.Join(tmp, "weft"), ranks: filepath.Join(tmp, "hosts"), launcher: launcher, mpi: "Open MPI " + version}
	build := exec.CommandContext(ctx, "go", "build", "-tags", "mpi", "-o", tmp, "github.com/weft-gnn/weft/cmd/weft", "github.com/weft-gnn/weft/bench/hosts")
	build.Env = append(os.Environ(), "CGO_ENABLED=1", "CC="+compiler)
	if out, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("hosts: go build: %w: %s", err, out)
	}
	d, err := source.Open(ctx, o.data, source.Places(os.Getenv))
	if err != nil {
		return nil, err
	}
	b.about = fmt.Sprintf("%d vertices, %d arcs, %d features, %d classes", d.Graph.N, len(d.Graph.Src), d.X.Cols, d.Labels.Classes())
	return b, nil
}

// row is one plan beside one host.
type row struct {
	model, plan string
	ranks       int
	far         float64 // the largest relative difference of losses
	loss        [2]float32
	// per step, of all hosts
	step, whole traffic // of the training step; with its evaluation
	sent        []int64 // bytes on the wire, by host
	ms, one     float64 // a training step's time, on hosts and on one
}

// rows trains on one host and then under every plan.
func (b *bench) rows(ctx context.Context, model string) (rows []row, err error) {
	words := []string{"train", "--data", b.data, "--model", model, "--hidden", strconv.Itoa(b.hidden), "--passes", "-fold", "--quiet", "--json"}
	one, err := b.train(b.command(ctx, append(words, b.run(b.epochs)...)...))
	if err != nil {
		return nil, err
	}
	for _, text := range b.plans {
		p, err := plan.Parse(text)
		if err != nil {
			return nil, err
		}
		r := row{model: model, plan: text, ranks: p.Ranks(), one: one.Time.EpochMS.Median}
		if err := b.onHosts(ctx, &r, one, append(words, "--plan", text)); err != nil {
			return nil, fmt.Errorf("%s under %s: %w", model, text, err)
		}
		log.Printf("%s under %s: losses differ by %.1g, %.4f of the bytes predicted", r.model, r.plan, r.far, r.ratio(b.link.MTU))
		rows = append(rows, r)
	}
	return rows, nil
}

// run names a new run directory, and its number of steps.
func (b *bench) run(epochs int) []string {
	b.runs++
	return []string{"--epochs", strconv.Itoa(epochs), "--out", filepath.Join(b.tmp, fmt.Sprint("run-", b.runs))}
}

// onHosts trains twice, and takes the difference of what the hosts sent.
func (b *bench) onHosts(ctx context.Context, r *row, one *train.Result, words []string) error {
	folder, err := os.MkdirTemp(b.tmp, "net")
	if err != nil {
		return err
	}
	n, err := netns.Open(folder, r.ranks, b.link)
	if err != nil {
		return err
	}
	defer n.Close()
	var of [2]*train.Result
	var at [3][]int64
	if at[0], err = sent(n, r.ranks); err != nil {
		return err
	}
	for i, epochs := range []int{few, b.epochs} {
		c := n.OpenMPI(ctx, b.launcher, append(append([]string{b.weft}, words...), append(b.run(epochs), "--stall-limit", "1h")...)...)
		if of[i], err = b.train(c); err != nil {
			return err
		}
		if at[i+1], err = sent(n, r.ranks); err != nil {
			return err
		}
	}
	all, steps := of[1], int64(b.epochs-few)
	for h := range r.ranks {
		r.sent = append(r.sent, (at[2][h]-2*at[1][h]+at[0][h])/steps)
	}
	r.ms, r.loss = all.Time.EpochMS.Median, [2]float32{all.Loss[b.epochs-1], one.Loss[b.epochs-1]}
	for i, want := range one.Loss {
		r.far = max(r.far, abs(float64(all.Loss[i])/float64(want)-1))
	}
	return b.predict(ctx, r, all)
}

func abs(x float64) float64 { return max(x, -x) }

// sent is how many bytes each host has sent.
func sent(n *netns.Network, hosts int) ([]int64, error) {
	out := make([]int64, hosts)
	for h := range out {
		var err error
		if out[h], err = n.Sent(h); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// predict says what a step and its evaluation send, and holds it against what the
// ranks counted.
func (b *bench) predict(ctx context.Context, r *row, all *train.Result) error {
	r.step = traffic{all.Predicted.Words.Total, all.Predicted.Messages.Total}
	text, err := output(b.command(ctx, "analyze", "--data", b.data, "--model", r.model, "--hidden", strconv.Itoa(b.hidden), "--passes", "-fold", "--plan", r.plan, "--json"))
	if err != nil {
		return err
	}
	var forward struct {
		Total struct{ Words, Messages struct{ Value int64 } }
	}
	if err := json.Unmarshal(text, &forward); err != nil {
		return err
	}
	t := forward.Total
	r.whole = r.step.plus(traffic{t.Words.Value, t.Messages.Value}).plus(tallies(r.ranks))
	counted, err := logged(all.Dir, r.ranks, b.epochs-1)
	if err != nil {
		return err
	}
	if counted != r.whole {
		return fmt.Errorf("a step and its evaluation send %+v, predicted are %+v", counted, r.whole)
	}
	r.whole = r.whole.plus(asking(r.ranks)) // before the logs' epochs begin
	return nil
}

var logLine = regexp.MustCompile(`msg=epoch epoch=(\d+) .* words=(\d+) messages=(\d+)`)

// logged is what the ranks say that they sent in an epoch.
func logged(run string, ranks, epoch int) (t traffic, err error) {
	for rank := range ranks {
		text, err := os.ReadFile(filepath.Join(run, fmt.Sprintf("rank-%d.log", rank)))
		if err != nil {
			return t, err
		}
		for _, m := range logLine.FindAllSubmatch(text, -1) {
			if string(m[1]) != strconv.Itoa(epoch) {
				continue
			}
			words, _ := strconv.ParseInt(string(m[2]), 10, 64) // digits, by the pattern
			messages, _ := strconv.ParseInt(string(m[3]), 10, 64)
			t = t.plus(traffic{words, messages})
		}
	}
	return t, nil
}

func (b *bench) command(ctx context.Context, words ...string) *exec.Cmd {
	return exec.CommandContext(ctx, b.weft, words...)
}

// train runs a command that prints a result.
func (b *bench) train(c *exec.Cmd) (*train.Result, error) {
	text, err := output(c)
	if err != nil {
		return nil, err
	}
	r := new(train.Result)
	if err := json.Unmarshal(text, r); err != nil {
		return nil, fmt.Errorf("%s: %w: %s", strings.Join(c.Args, " "), err, text)
	}
	return r, nil
}

func output(c *exec.Cmd) ([]byte, error) {
	var messages bytes.Buffer
	c.Stderr = &messages
	text, err := c.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w: %s", strings.Join(c.Args, " "), err, &messages)
	}
	return text, nil
}
