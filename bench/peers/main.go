//go:build linux

// Command peers measures weft beside PyTorch Geometric and DGL: an epoch of
// training of the same model, from the same weights, on the same graph, with
// the same threads.
//
// It installs the peers, at fixed versions, into virtual environments of its
// own below the user's cache, makes the graphs with weft, and then runs, for
// every row of its table, all systems in turn, each in a process of its own.
// What counts is the median time of a step (forward, backward, update) after
// warm-up, against the fastest path of all peers; a row whose losses after five
// steps differ by more than a thousandth is void. Rows that are in the result
// already, measured of the same commit on the same machine, are kept.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"time"
)

// options are what the flags say.
type options struct {
	cache, python, out string
	rows               []key
	systems            []system
	turns              int
	limits             limits
	installOnly, fresh bool
	keepPeers          bool
}

// limits bound how long and how large a measurement may be.
type limits struct {
	epochs  int           // epochs that are measured at least
	seconds float64       // time that is measured at least
	slow    float64       // seconds of an epoch from which fewer are measured
	process time.Duration // for one process, after which it is ended
	memory  int64         // bytes of data of one process
}

func main() {
	log.SetFlags(0)
	log.SetPrefix("peers: ")
	o, err := parse(os.Args[1:])
	if err != nil {
		log.Fatal(err)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, o); err != nil {
		log.Fatal(err)
	}
}

func parse(args []string) (options, error) {
	var o options
	f := flag.NewFlagSet("peers", flag.ExitOnError)
	f.StringVar(&o.cache, "cache", "", "folder of the environments, wheels and graphs (default: weft-peers in the user's cache)")
	f.StringVar(&o.python, "python", "python3.11", "Python that the environments are made with")
	f.StringVar(&o.out, "out", "bench/results", "folder of peers.md and peers.json")
	data := f.String("data", strings.Join(graphs, ","), "graphs: cora, or a look-alike, with @SCALE where it is not the usual one")
	models := f.String("models", strings.Join(models, ","), "models")
	hidden := f.String("hidden", "64,16,256", "widths of the hidden layer, in the order of measuring")
	threads := f.String("threads", "2", "numbers of threads")
	systems := f.String("systems", systemNames(), "systems")
	f.IntVar(&o.turns, "turns", 2, "turns of weft and of the peers that may be the fastest, where one takes less than a minute")
	f.IntVar(&o.limits.epochs, "epochs", 7, "epochs that a turn measures at least")
	f.Float64Var(&o.limits.seconds, "seconds", 1.5, "seconds that a turn measures at least")
	f.Float64Var(&o.limits.slow, "slow", 4, "seconds of an epoch from which a turn measures 3 only")
	f.DurationVar(&o.limits.process, "limit", 10*time.Minute, "time after which a process is ended, and its row says so")
	memory := f.Int64("memory", 16, "GiB of data that a process may have")
	quick := f.Bool("quick", false, "one turn of 3 epochs, to see that all works: no result to publish")
	f.BoolVar(&o.installOnly, "install", false, "install the peers and end")
	f.BoolVar(&o.fresh, "fresh", false, "measure rows again that the result has")
	f.BoolVar(&o.keepPeers, "keep-peers", false, "keep the peers' measurements beside other commits: only weft is measured again")
	if err := f.Parse(args); err != nil {
		return o, err
	}
	if f.NArg() > 0 {
		return o, fmt.Errorf("unexpected argument %q", f.Arg(0))
	}
	if o.cache == "" {
		user, err := os.UserCacheDir()
		if err != nil {
			return o, err
		}
		o.cache = filepath.Join(user, "weft-peers")
	}
	if o.limits.memory = *memory << 30; *quick {
		o.turns, o.limits.epochs, o.limits.seconds = 1, 3, 0
	}
	var err error
	if o.rows, err = keys(list(*data), list(*models), list(*hidden), list(*threads)); err != nil {
		return o, err
	}
	o.systems, err = systemsOf(list(*systems))
	return o, err
}

func list(s string) []string { return strings.Split(s, ",") }
