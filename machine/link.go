package machine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/weft-gnn/weft/comm"
	"github.com/weft-gnn/weft/comm/local"
)

// Link is what it takes to send something from one rank to another: α for each
// message and β for each word of 4 bytes, so that messages·α + words·β is the time
// of an exchange.
type Link struct {
	Name    string  `json:"name"` // what carries it: "local" or "mpi"
	AlphaUS float64 `json:"alpha_us"`
	BetaNS  float64 `json:"beta_ns_per_word"`
}

// The names of links.
const (
	LocalLink = "local" // ranks that are goroutines of one process
	MPILink   = "mpi"
)

// Seconds is the time that a rank takes to send so much.
func (l Link) Seconds(messages, words int64) float64 {
	return float64(messages)*l.AlphaUS*1e-6 + float64(words)*l.BetaNS*1e-9
}

func (l Link) validate() error {
	for name, v := range map[string]float64{"µs a message": l.AlphaUS, "ns a word": l.BetaNS} {
		if !(v > 0) || math.IsInf(v, 0) {
			return fmt.Errorf("machine: link %s: %v %s, want a positive number", l.Name, v, name)
		}
	}
	return nil
}

// Links are those that have been measured between ranks on processors of one kind.
type Links []Link

// Find returns the link called name, and whether it has been measured.
func (ls Links) Find(name string) (Link, bool) {
	i := slices.IndexFunc(ls, func(l Link) bool { return l.Name == name })
	if i < 0 {
		return Link{}, false
	}
	return ls[i], true
}

// With returns the links and one that was measured now. What was measured before
// stands where it is faster: other load can only slow a link down.
func (ls Links) With(l Link) Links {
	if before, ok := ls.Find(l.Name); ok {
		l.AlphaUS, l.BetaNS = min(l.AlphaUS, before.AlphaUS), min(l.BetaNS, before.BetaNS)
	}
	out := slices.DeleteFunc(slices.Clone(ls), func(k Link) bool { return k.Name == l.Name })
	return append(out, l)
}

// transports counts how often what carries words has changed so much that links which
// were measured before are measured again: since the second, goroutines copy words once.
const transports = 2

// LinksPath returns the file below dir in which links are kept. They do not depend on
// how many cores a process may use, which launchers of ranks often restrict.
func LinksPath(dir string) string {
	return filepath.Join(dir, fmt.Sprintf("links-%s-t%d.json", fileWords(Detect(1).CPU), transports))
}

// LoadLinks returns the links that Save kept below dir; none is no error.
func LoadLinks(dir string) (Links, error) {
	name := LinksPath(dir)
	text, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var ls Links
	if err == nil {
		err = json.Unmarshal(text, &ls)
	}
	if err != nil {
		return nil, fmt.Errorf("machine: %s: %w", name, err)
	}
	for _, l := range ls {
		if err := l.validate(); err != nil {
			return nil, fmt.Errorf("machine: %s: %w", name, err)
		}
	}
	return ls, nil
}

// Save keeps the links below dir, which is made where it is not there.
func (ls Links) Save(dir string) error {
	return save(LinksPath(dir), ls)
}

// How a link is measured: rounds of exchanges of one word, and of so many words
// that what a message takes by itself does not count, nor the caches of one core hold
// what is sent.
const (
	shortRounds, longRounds = 64, 1
	longWords               = 1 << 21
	linkRuns                = 24
)

// MeasureLink measures the link between the first two ranks of a communicator. All
// ranks call it; all get the same.
//
// Both ranks send at once, as in an exchange of halos. The shortest of many runs
// counts.
// Errors: fewer than two ranks; the communicator's.
func MeasureLink(ctx context.Context, name string, c *comm.Comm) (Link, error) {
	if c.Size() < 2 {
		return Link{}, fmt.Errorf("machine: a link takes two ranks, there is %d", c.Size())
	}
	short, err := fastest(ctx, c, 1, shortRounds)
	if err != nil {
		return Link{}, err
	}
	long, err := fastest(ctx, c, longWords, longRounds)
	if err != nil {
		return Link{}, err
	}
	both := []float32{float32(short * 1e6), float32(max(long-short, 1e-9) * 1e9 / (longWords - 1))}
	if c.Rank() > 0 {
		clear(both)
	}
	err = c.Broadcast(ctx, 0, both)
	return Link{Name: name, AlphaUS: float64(both[0]), BetaNS: float64(both[1])}, err
}

// fastest returns the seconds of an exchange of so many words each way between
// ranks 0 and 1, in which the others take part with nothing.
func fastest(ctx context.Context, c *comm.Comm, words, rounds int) (float64, error) {
	send, recv := make([][]float32, c.Size()), make([][]float32, c.Size())
	if peer := 1 - c.Rank(); peer >= 0 {
		send[peer], recv[peer] = make([]float32, words), make([]float32, words)
	}
	least := math.Inf(1)
	for range linkRuns {
		if err := c.Barrier(ctx); err != nil {
			return 0, err
		}
		start := time.Now()
		for range rounds {
			if err := c.Exchange(ctx, send, recv); err != nil {
				return 0, err
			}
		}
		least = min(least, time.Since(start).Seconds()/float64(rounds))
	}
	return least, nil
}

// MeasureLocal measures the link between ranks that are goroutines of this process.
func MeasureLocal(ctx context.Context) (Link, error) {
	ends := local.World(2, local.Options{})
	links, errs := make([]Link, len(ends)), make(chan error)
	for r, end := range ends {
		go func() {
			var err error
			if links[r], err = MeasureLink(ctx, LocalLink, comm.New(end, nil)); err != nil {
				end.Abort(err)
			}
			errs <- err
		}()
	}
	var first error
	for range ends {
		if err := <-errs; first == nil {
			first = err
		}
	}
	return links[0], first
}
