//go:build mpi

package mpi

import (
	"context"
	"fmt"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/weft-gnn/weft/comm"
	"github.com/weft-gnn/weft/internal/netns"
)

// network makes hosts for ranks of Open MPI, the launcher of which can be told
// how to reach them.
func network(t testing.TB, hosts int, link netns.Link) *netns.Network {
	if !openMPI() {
		t.Skip("needs Open MPI")
	}
	return netns.New(t, hosts, link)
}

// launchOn runs a rank on each host of a network.
func launchOn(t testing.TB, n *netns.Network, hosts int, role string, settings ...string) (printed string, err error) {
	_, printed, err = runRanks(t, hosts, role, func(ctx context.Context) *exec.Cmd {
		return n.OpenMPI(ctx, launcher(t), append(settings, self(t))...)
	})
	return printed, err
}

// volume is how many words TestVolume's ranks sum: several messages of each
// piece.
const volume = 12 << 20

func reduceVolume(_ *end, c *comm.Comm) error {
	return c.AllReduce(background, make([]float32, volume), comm.Sum)
}

// TestVolume: over a network, the words that are counted are the words that are
// sent. Headers are 66 bytes in 9000, and as much for what acknowledges two such
// packets: 1.1 %; starting and ending ranks takes less than a megabyte.
func TestVolume(t *testing.T) {
	const hosts = 3
	n := network(t, hosts, netns.Link{Rate: "1gbit", MTU: 9000})
	if printed, err := launchOn(t, n, hosts, "volume"); err != nil {
		t.Fatalf("%v:\n%s", err, printed)
	}
	want := 4 * 2 * float64(volume) * (hosts - 1) / hosts
	for h := range hosts {
		sent, err := n.Sent(h)
		if ratio := float64(sent) / want; err != nil || ratio < 1 || ratio > 1.05 {
			t.Errorf("host %d sent %d bytes, %.4f of those counted: %v", h, sent, ratio, err)
		}
	}
}

// TestSlowLink: that a message is long on its way, and later ones are seen before
// it has arrived, raises no doubt.
func TestSlowLink(t *testing.T) {
	n := network(t, 2, netns.Link{Rate: "200mbit"})
	if printed, err := launchOn(t, n, 2, "slow link"); err != nil {
		t.Fatalf("%v:\n%s", err, printed)
	}
}

// slowLink has rank 0 send much and then little, in exchanges and directly, and
// rank 1 await the former before it asks for the latter.
func slowLink(_ *end, c *comm.Comm) error {
	much, little := make([]float32, 5<<20), make([]float32, 1)
	if c.Rank() == 1 {
		time.Sleep(doubtsAfter) // all has been sent by now
	}
	start := time.Now()
	var begun []*comm.Running
	for _, words := range [][]float32{much, little} {
		if c.Rank() == 0 {
			if err := c.Send(background, 1, words); err != nil {
				return err
			}
			r, err := c.Begin([][]float32{nil, words}, make([][]float32, 2))
			if err != nil {
				return err
			}
			begun = append(begun, r)
			continue
		}
		if err := c.Recv(background, 0, words); err != nil {
			return err
		}
		if err := c.Exchange(background, make([][]float32, 2), [][]float32{words, nil}); err != nil {
			return err
		}
	}
	for _, r := range begun {
		if err := r.Wait(background); err != nil {
			return err
		}
	}
	if took := time.Since(start); took < 4*doubtsAfter {
		return fmt.Errorf("the link took %v only: nothing was tested", took)
	}
	return nil
}

// TestCutLink: a job whose network breaks ends, if its launcher is told to look
// whether its hosts are there.
func TestCutLink(t *testing.T) {
	n := network(t, 2, netns.Link{})
	cut := make(chan error, 1)
	go func() {
		time.Sleep(2 * time.Second)
		cut <- n.Cut(1)
	}()
	start := time.Now()
	printed, err := launchOn(t, n, 2, "forever", "--mca", "oob_tcp_keepalive_time", "2",
		"--mca", "oob_tcp_keepalive_intvl", "1", "--mca", "oob_tcp_keepalive_probes", "3")
	if failure := <-cut; failure != nil {
		t.Fatal(failure)
	}
	if took := time.Since(start); err == nil || took < 2*time.Second || took > 20*time.Second {
		t.Errorf("%v after %v:\n%s", err, took, printed)
	}
	if !strings.Contains(printed, "lost") && !strings.Contains(printed, "abort") {
		t.Errorf("the launcher does not say why:\n%s", printed)
	}
}

// BenchmarkOverlap exchanges 8 MiB over a network, works as long, and does both,
// one after the other and at once.
func BenchmarkOverlap(b *testing.B) {
	n := network(b, 2, netns.Link{Rate: "1gbit"})
	for range b.N {
		printed, err := launchOn(b, n, 2, "overlap")
		if err != nil {
			b.Fatalf("%v:\n%s", err, printed)
		}
		b.Log(printed)
	}
}
