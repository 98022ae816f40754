package netns_test

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"github.com/weft-gnn/weft/internal/netns"
)

// TestHosts: commands run on hosts under their names, hosts reach each other and
// nothing else, bytes are counted, and a cut link carries none.
func TestHosts(t *testing.T) {
	n := netns.New(t, 2, netns.Link{Rate: "100mbit"})
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	name, err := n.Run(ctx, 1, "hostname").Output()
	if err != nil || strings.TrimSpace(string(name)) != n.Host(1) {
		t.Errorf("the second host is called %q, want %q: %v", name, n.Host(1), err)
	}
	routes, err := n.Run(ctx, 0, "ip", "route").Output()
	if err != nil || bytes.Count(routes, []byte("\n")) != 1 || bytes.Contains(routes, []byte("default")) {
		t.Errorf("the first host has the routes %q, want one, to the network: %v", routes, err)
	}
	before, err := n.Sent(0)
	if err != nil {
		t.Fatal(err)
	}
	// A datagram needs no listener to be counted.
	send := func() { _ = n.Run(ctx, 0, "bash", "-c", "head -c 1000 /dev/zero > /dev/udp/"+n.Host(1)+"/9").Run() }
	send()
	after, err := n.Sent(0)
	if err != nil || after < before+1000 {
		t.Errorf("the first host has sent %d bytes more, want at least 1000: %v", after-before, err)
	}
	if err := n.Cut(0); err != nil {
		t.Fatal(err)
	}
	send()
	if cut, err := n.Sent(0); err != nil || cut-after >= 1000 {
		t.Errorf("the cut link has carried %d bytes: %v", cut-after, err)
	}
}
