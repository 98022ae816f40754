// Command hosts trains over several hosts, which are network namespaces of this
// machine behind links of a bounded rate, and holds what the plans predict against
// it: the losses against those of one host, and the words against the bytes that
// the links' counters saw.
//
// It needs Linux, root, Open MPI, and the commands ip, tc and unshare.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"os/signal"
	"strings"

	"github.com/weft-gnn/weft/bench/origin"
	"github.com/weft-gnn/weft/internal/netns"
)

func main() {
	var o options
	var models, plans string
	out := flag.String("out", "", "file to write; standard output where empty")
	flag.StringVar(&o.data, "data", "", "data set, such as one of `weft data gen arxiv`")
	flag.StringVar(&models, "models", "gcn,gat", "models")
	flag.StringVar(&plans, "plans", "algorithm=1d,partition=4", "plans, with spaces between them; each has a host for every rank")
	flag.IntVar(&o.hidden, "hidden", 64, "width of hidden layers")
	flag.IntVar(&o.epochs, "epochs", 20, "steps")
	flag.StringVar(&o.link.Rate, "rate", "1gbit", "rate of a host's link, as tc writes it")
	flag.IntVar(&o.link.MTU, "mtu", 1500, "bytes of a packet")
	overlap := flag.Bool("overlap", false, "only say how much of exchanges the plans hide: steps with overlap and without take turns")
	rank := flag.Bool("rank", false, "be one of the ranks that -overlap starts")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	o.models, o.plans = strings.Split(models, ","), strings.Fields(plans)
	do := func() error { return o.write(ctx, *out) }
	switch {
	case *rank:
		do = func() error { return o.rank(ctx) }
	case *overlap:
		do = func() error { return o.hides(ctx) }
	}
	if err := do(); err != nil {
		log.Fatal(err)
	}
}

// options are those of the command line.
type options struct {
	data           string
	models, plans  []string
	hidden, epochs int
	link           netns.Link
}

func (o options) write(ctx context.Context, path string) error {
	here, err := origin.This()
	if err != nil {
		return err
	}
	commit, err := origin.Commit(ctx)
	if err != nil {
		return err
	}
	tmp, err := os.MkdirTemp("", "weft-hosts")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	b, err := begin(ctx, tmp, o)
	if err != nil {
		return err
	}
	var rows []row
	for _, model := range o.models {
		its, err := b.rows(ctx, model)
		if err != nil {
			return err
		}
		rows = append(rows, its...)
	}
	return origin.Write(path, page(o, rows, b.about, fmt.Sprintf("%v; weft %s, %s", here, commit, b.mpi)))
}

// openMPI finds Open MPI's compiler and launcher, under the names that they go by
// where several MPIs are installed.
func openMPI() (compiler, launcher, version string, err error) {
	find := func(names ...string) (path string) {
		for _, name := range names {
			if path, err = exec.LookPath(name); err == nil {
				return path
			}
		}
		return ""
	}
	if compiler = find("mpicc.openmpi", "mpicc"); compiler == "" {
		return "", "", "", fmt.Errorf("hosts: %w", err)
	}
	if launcher = find("mpirun.openmpi", "mpirun"); launcher == "" {
		return "", "", "", fmt.Errorf("hosts: %w", err)
	}
	text, err := exec.Command(launcher, "--version").Output()
	first, _, _ := strings.Cut(string(text), "\n")
	_, version, ours := strings.Cut(first, " (Open") // MPI) or RTE)
	if err != nil || !ours {
		return "", "", "", fmt.Errorf("hosts: %s says %q: want Open MPI's, which can be told how to reach hosts: %w", launcher, first, err)
	}
	_, version, _ = strings.Cut(version, ") ")
	return compiler, launcher, version, nil
}
