//go:build linux

package main

import (
	"cmp"
	"context"
	"fmt"
	"log"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"github.com/weft-gnn/weft/bench/origin"
)

// bench is one run of the command.
type bench struct {
	options
	weft   *weft
	peers  peers
	report *report
	commit string
}

// contends is how much slower than the fastest so far a peer's path may be to
// have another turn; longTurn is how long a turn may be for another.
const (
	contends = 1.3
	longTurn = time.Minute
)

func run(ctx context.Context, o options) error {
	p := peers{o.cache, o.python}
	if err := p.writePrograms(); err != nil {
		return err
	}
	for _, env := range []string{"dgl", "pyg"} {
		if !slices.ContainsFunc(o.systems, func(s system) bool { return s.env == env }) {
			continue
		}
		if err := p.install(ctx, env); err != nil {
			return err
		}
	}
	if o.installOnly {
		return nil
	}
	tmp, err := os.MkdirTemp("", "weft-peers-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	b := bench{options: o, peers: p}
	if err := b.open(ctx, tmp); err != nil {
		return err
	}
	return b.all(ctx)
}

// open builds weft and reads the earlier result.
func (b *bench) open(ctx context.Context, tmp string) error {
	binary, err := buildWeft(ctx, tmp)
	if err != nil {
		return err
	}
	b.weft = &weft{binary: binary, cache: b.cache, tmp: tmp, limits: b.limits, initial: map[key]initial{}}
	if b.commit, err = origin.Commit(ctx); err != nil {
		return err
	}
	here, err := origin.This()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(b.out, 0o755); err != nil {
		return err
	}
	if b.report, err = readReport(filepath.Join(b.out, "peers.json"), here); err != nil {
		return err
	}
	b.report.Versions["weft"] = map[string]string{"go": runtime.Version()}
	return nil
}

// all measures the rows and writes the result after each.
func (b *bench) all(ctx context.Context) error {
	begin := time.Now()
	for i, k := range b.rows {
		r := row{key: k, Commit: b.commit, Date: time.Now().Format(time.DateOnly), Systems: map[string]measure{}}
		if !b.fresh {
			r.Systems = b.report.kept(k, b.commit, b.keepPeers)
		}
		log.Printf("[%d/%d, %v] %v", i+1, len(b.rows), time.Since(begin).Round(time.Second), k)
		measured, err := b.row(ctx, &r)
		if err != nil {
			return fmt.Errorf("%v: %w", k, err)
		}
		if !measured {
			continue
		}
		b.report.put(r)
		if err := b.report.write(filepath.Join(b.out, "peers.json"), filepath.Join(b.out, "peers.md")); err != nil {
			return err
		}
	}
	return nil
}

// row measures the systems that a row lacks, in turns.
func (b *bench) row(ctx context.Context, r *row) (bool, error) {
	kept := slices.Collect(maps.Keys(r.Systems))
	lacking := slices.DeleteFunc(slices.Clone(b.systems), func(s system) bool {
		return slices.Contains(kept, s.name) || !s.runs(r.key)
	})
	if len(lacking) == 0 {
		return false, nil
	}
	dir, err := b.weft.folder(ctx, r.Data)
	if err != nil {
		return false, err
	}
	start, err := b.weft.weights(ctx, r.key, dir)
	if err != nil {
		return false, err
	}
	if r.Others, err = othersLoad(ctx); err != nil {
		return false, err
	}
	if r.Others > quiet {
		log.Printf("  other programs take %.0f %% of the processors: this row is not to be believed", 100*r.Others)
	}
	long := map[string]bool{}
	for turn := range b.turns {
		for _, s := range lacking {
			best := fastest(r.Systems, s)
			have, again := r.Systems[s.name]
			if again && (have.Error != "" || long[s.name] || s.peer() && best > 0 && have.MedianMS > contends*best) {
				continue
			}
			begin := time.Now()
			m := b.measure(ctx, s, r.key, dir, start, best)
			if ctx.Err() != nil {
				return false, context.Cause(ctx)
			}
			long[s.name] = time.Since(begin) > longTurn
			log.Printf("  turn %d  %-12s %s", turn+1, s.name, cmp.Or(m.Error, fmt.Sprintf("%.2f ms of %d  %s  %s", m.MedianMS, m.Epochs, mebibytes(m.PeakRSSBytes), m.Note)))
			if again {
				m = have.add(m)
			}
			r.Systems[s.name] = m
		}
	}
	return true, nil
}

func (b *bench) measure(ctx context.Context, s system, k key, dir string, i initial, best float64) measure {
	if !s.peer() {
		return b.weft.measure(ctx, s, k, dir, i)
	}
	m, versions := b.peers.measure(ctx, s, k, dir, i, b.limits, best)
	if versions != nil {
		b.report.Versions[s.env] = versions
	}
	return m
}

// fastest is the time of the fastest peer but one in ms, 0 where there is none.
func fastest(of map[string]measure, but system) float64 {
	best := 0.0
	for _, s := range systems {
		if m, ok := of[s.name]; ok && s.peer() && s.name != but.name && m.Error == "" && (best == 0 || m.MedianMS < best) {
			best = m.MedianMS
		}
	}
	return best
}
