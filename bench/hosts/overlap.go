package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"time"

	"github.com/weft-gnn/weft/comm"
	"github.com/weft-gnn/weft/comm/mpi"
	"github.com/weft-gnn/weft/dataset/source"
	"github.com/weft-gnn/weft/graph"
	"github.com/weft-gnn/weft/internal/netns"
	"github.com/weft-gnn/weft/model"
	"github.com/weft-gnn/weft/plan"
	"github.com/weft-gnn/weft/program"
	"github.com/weft-gnn/weft/runtime"
	"github.com/weft-gnn/weft/tensor"
	"github.com/weft-gnn/weft/train"
)

// hiding is, of a training step of a rank, in milliseconds: how long it is without
// overlap and with it, how long exchanges keep the rank in the first case and in the
// second, and what it computes in the second while they are under way.
type hiding struct{ Blocking, Overlapped, Exchanging, Waiting, Meanwhile float64 }

// fraction is how much of what could be hidden was.
func (h hiding) fraction() float64 {
	return (h.Exchanging - h.Waiting) / min(h.Exchanging, h.Meanwhile)
}

// add takes in what one operation took.
func (h *hiding) add(e runtime.Event, under *int) {
	ms := 1e3 * e.Elapsed.Seconds()
	switch e.Program.Nodes[e.Node].Op.(type) {
	case program.Begin:
		*under++
		h.Waiting += ms
	case program.Await:
		*under--
		h.Waiting += ms
	case program.Exchange:
		h.Exchanging += ms
		h.Waiting += ms
	default:
		if *under > 0 {
			h.Meanwhile += ms
		}
	}
}

// hides prints how much of exchanges each model and plan hides.
func (o options) hides(ctx context.Context) error {
	tmp, err := os.MkdirTemp("", "weft-hosts")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	b, err := begin(ctx, tmp, o)
	if err != nil {
		return err
	}
	fmt.Println("| model | plan | step without overlap, ms | with it | exchanges, ms | waited for | computed meanwhile, ms | hidden, of the lesser |")
	fmt.Println("| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |")
	for _, model := range o.models {
		for _, text := range o.plans {
			h, err := b.overlapping(ctx, model, text)
			if err != nil {
				return fmt.Errorf("%s under %s: %w", model, text, err)
			}
			fmt.Printf("| %s | `%s` | %.1f | %.1f | %.1f | %.1f | %.1f | %.0f %% |\n", model, text, h.Blocking, h.Overlapped, h.Exchanging, h.Waiting, h.Meanwhile, 100*h.fraction())
		}
	}
	return nil
}

// overlapping runs ranks on hosts that take steps with overlap and without in turns.
func (b *bench) overlapping(ctx context.Context, model, text string) (h hiding, err error) {
	p, err := plan.Parse(text)
	if err != nil {
		return h, err
	}
	folder, err := os.MkdirTemp(b.tmp, "net")
	if err != nil {
		return h, err
	}
	n, err := netns.Open(folder, p.Ranks(), b.link)
	if err != nil {
		return h, err
	}
	defer n.Close()
	words := []string{b.ranks, "-rank", "-data", b.data, "-models", model, "-plans", text, "-hidden", strconv.Itoa(b.hidden), "-epochs", strconv.Itoa(b.epochs)}
	out, err := output(n.OpenMPI(ctx, b.launcher, words...))
	if err != nil {
		return h, err
	}
	return h, json.Unmarshal(out, &h)
}

// rank is one of them.
func (o options) rank(ctx context.Context) error {
	end, err := mpi.World()
	if err != nil {
		return err
	}
	c := comm.New(end, &comm.Watch{Limit: time.Minute})
	mine, err := o.inTurns(ctx, c)
	if err != nil {
		c.Abort(err)
		return err
	}
	text, err := json.Marshal(mine)
	if err != nil {
		return err
	}
	all, err := c.GatherBytes(ctx, text)
	if err == nil && c.Rank() == 0 {
		var h hiding
		if h, err = middle(all); err == nil {
			err = json.NewEncoder(os.Stdout).Encode(h)
		}
	}
	return errors.Join(err, c.Close())
}

// inTurns takes steps of both kinds, and returns what each took.
func (o options) inTurns(ctx context.Context, c *comm.Comm) (steps []hiding, err error) {
	d, err := source.Open(ctx, o.data, source.Places(os.Getenv))
	if err != nil {
		return nil, err
	}
	p, err := plan.Parse(o.plans[0])
	if err != nil {
		return nil, err
	}
	owners, err := train.Divide(ctx, p, d, 0)
	if err != nil {
		return nil, err
	}
	var now hiding
	under := 0
	var sessions [2]*runtime.Session
	target := program.Target{Class: d.Labels.Class}
	target.Rows, target.Total = d.Splits[0].Train, int64(len(d.Splits[0].Train))
	var piece *plan.Piece
	for i := range sessions {
		p.Blocking = i == 0
		compiled, err := o.compile(p, c.Rank(), d.Graph, target, d.X.Cols, d.Labels.Classes())
		if err != nil {
			return nil, err
		}
		pieces, err := plan.Pieces(d.Graph, *owners, compiled)
		if err != nil {
			return nil, err
		}
		piece = pieces(c.Rank())
		r, err := owners.Connect(ctx, c)
		if err != nil {
			return nil, err
		}
		s, err := runtime.NewRank(piece, r, runtime.Options{Threads: 1, Trace: func(e runtime.Event) { now.add(e, &under) }}, compiled)
		if err != nil {
			return nil, err
		}
		defer s.Close()
		if err := errors.Join(s.Bind("x", piece.Local(d.X)), s.Bind("lr", tensor.Of(1, 1, []float32{0.01}))); err != nil {
			return nil, err
		}
		sessions[i] = s
	}
	for step := range o.epochs {
		var both [2]hiding
		for i, s := range sessions {
			if err := c.Barrier(ctx); err != nil {
				return nil, err
			}
			began := time.Now()
			now = hiding{}
			if _, err := s.Run(0, uint32(step), piece.Target(target)); err != nil {
				return nil, err
			}
			both[i] = now
			both[i].Blocking = 1e3 * time.Since(began).Seconds()
		}
		if step > 0 { // the first allocates
			steps = append(steps, hiding{both[0].Blocking, both[1].Blocking, both[0].Exchanging, both[1].Waiting, both[1].Meanwhile})
		}
	}
	return steps, nil
}

// compile makes the training step of a rank, as `weft train --passes -fold` does.
func (o options) compile(p plan.Plan, rank int, g *graph.Graph, target program.Target, features, classes int) (*program.Program, error) {
	m, err := model.ByName(o.models[0])
	if err != nil {
		return nil, err
	}
	choice := m.Defaults
	choice.Hidden = o.hidden
	declared, err := m.Objective(model.NamedWidths(features, classes, choice), choice, model.CrossEntropy, model.Decay{})
	if err != nil {
		return nil, err
	}
	f := program.Facts{Steps: int64(o.epochs), Skip: map[string]bool{"fold": true}, Optimizer: &program.Optimizer{Kind: program.AdamKind}, Distribution: p.Distribution(rank)}
	f.Env = program.ExtentOf(g, declared).Env()
	f.Distribution.Bound(f.Env)
	declared.Widths(f.Env)
	target.Sizes(f.Env)
	return program.Compile(declared, f, nil)
}

// middle returns the medians over steps of the means over ranks, each of which has
// written its own.
func middle(ranks [][]byte) (hiding, error) {
	all := make([][]hiding, len(ranks))
	for r, text := range ranks {
		if err := json.Unmarshal(text, &all[r]); err != nil {
			return hiding{}, err
		}
	}
	median := func(of func(h hiding) float64) float64 {
		means := make([]float64, len(all[0]))
		for _, steps := range all {
			for i, h := range steps {
				means[i] += of(h) / float64(len(all))
			}
		}
		slices.Sort(means)
		return means[len(means)/2]
	}
	return hiding{
		median(func(h hiding) float64 { return h.Blocking }), median(func(h hiding) float64 { return h.Overlapped }),
		median(func(h hiding) float64 { return h.Exchanging }), median(func(h hiding) float64 { return h.Waiting }),
		median(func(h hiding) float64 { return h.Meanwhile }),
	}, nil
}
