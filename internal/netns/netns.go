// Package netns gives tests and measurements several hosts on one machine: network
// namespaces of Linux on a bridge of their own, each behind a link whose bandwidth
// is bounded, with no way to any other network. They start ranks on them, cut
// links, and read how many bytes went through.
//
// It needs Linux, root, and the commands ip, tc and unshare; where something is
// missing, tests skip.
package netns

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// Link is what connects each host to the bridge.
type Link struct {
	Rate string // in tc's words, such as 1gbit; empty: unbounded
	MTU  int    // bytes of a packet; 0: 1500
}

// Network is hosts on a bridge.
type Network struct {
	name  string
	count int
	hosts string // the file that stands for /etc/hosts
	agent string // the script that runs a command on a host
}

// ErrUnable says that this machine, or this user, makes no network namespaces.
var ErrUnable = errors.New("network namespaces cannot be made")

// New makes a network of so many hosts, which goes away when the test ends, with
// the processes on it.
func New(t testing.TB, hosts int, link Link) *Network {
	t.Helper()
	n, err := Open(t.TempDir(), hosts, link)
	if errors.Is(err, ErrUnable) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(n.Close)
	return n
}

// Open makes a network of so many hosts, whose files lie in a folder. A process has
// one at a time.
//
// Errors: [ErrUnable].
func Open(folder string, hosts int, link Link) (*Network, error) {
	if os.Geteuid() != 0 {
		return nil, fmt.Errorf("netns: %w: root alone may", ErrUnable)
	}
	for _, command := range []string{"ip", "tc", "unshare"} {
		if _, err := exec.LookPath(command); err != nil {
			return nil, fmt.Errorf("netns: %w without the command %s", ErrUnable, command)
		}
	}
	n := &Network{name: fmt.Sprintf("weft%d", os.Getpid()), count: hosts}
	if out, err := exec.Command("ip", "netns", "add", n.bridge()).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("netns: %w: %s", ErrUnable, out)
	}
	for _, c := range n.construction(link) {
		if out, err := exec.Command(c[0], c[1:]...).CombinedOutput(); err != nil {
			n.Close()
			return nil, fmt.Errorf("netns: %s: %w: %s", strings.Join(c, " "), err, out)
		}
	}
	if err := n.write(folder); err != nil {
		n.Close()
		return nil, fmt.Errorf("netns: %w", err)
	}
	return n, nil
}

func (n *Network) bridge() string { return n.name + "b" }

// Host is the name of a host, from 0.
func (n *Network) Host(i int) string { return fmt.Sprintf("%sh%d", n.name, i) }

func address(i int) string { return fmt.Sprintf("10.77.0.%d", i+1) }

// construction lists the commands that make the network. Hosts cut what they send
// into packets of the link's size themselves, as what goes through a wire: left to
// the link, up to 64 KiB would count as one packet, with one header.
func (n *Network) construction(link Link) (commands [][]string) {
	do := func(format string, values ...any) {
		commands = append(commands, strings.Fields(fmt.Sprintf(format, values...)))
	}
	mtu := link.MTU
	if mtu == 0 {
		mtu = 1500
	}
	do("ip -n %s link add br0 type bridge", n.bridge())
	do("ip -n %s link set br0 up", n.bridge())
	for i := range n.count {
		host := n.Host(i)
		do("ip netns add %s", host)
		do("ip -n %s link set lo up", host)
		do("ip -n %s link add v%d mtu %d type veth peer name eth0 mtu %d netns %s", n.bridge(), i, mtu, mtu, host)
		do("ip -n %s link set v%d master br0 up", n.bridge(), i)
		do("ip -n %s link set eth0 gso_max_segs 1", host)
		do("ip -n %s addr add %s/24 dev eth0", host, address(i))
		do("ip -n %s link set eth0 up", host)
		if link.Rate != "" {
			do("tc -n %s qdisc add dev eth0 root tbf rate %s burst 32k latency 50ms", host, link.Rate)
		}
	}
	return commands
}

// write writes the hosts' names, and the script that stands for a remote shell:
// it runs a command on a host, under its name.
func (n *Network) write(folder string) error {
	n.hosts, n.agent = filepath.Join(folder, "hosts"), filepath.Join(folder, "agent")
	names := "127.0.0.1 localhost\n"
	for i := range n.count {
		names += address(i) + " " + n.Host(i) + "\n"
	}
	script := "#!/bin/sh\n# agent HOST COMMAND…\nhost=$1; shift\n" +
		"exec ip netns exec \"$host\" unshare --uts sh -c '" + enter + "; exec sh -c \"$2\"' \"$host\" '" + n.hosts + "' \"$*\"\n"
	if err := os.WriteFile(n.hosts, []byte(names), 0o644); err != nil {
		return err
	}
	return os.WriteFile(n.agent, []byte(script), 0o755)
}

// enter gives a process, whose name is the host's, that name and the hosts' file
// of the network. ip netns exec has given it mounts of its own.
const enter = `hostname "$0" && mount --bind "$1" /etc/hosts`

// Run returns a command that runs on a host.
func (n *Network) Run(ctx context.Context, host int, command string, arguments ...string) *exec.Cmd {
	all := append([]string{"netns", "exec", n.Host(host), "unshare", "--uts", "sh", "-c", enter + ` && shift && exec "$@"`,
		n.Host(host), n.hosts, command}, arguments...)
	return exec.CommandContext(ctx, "ip", all...)
}

// OpenMPI returns the command that starts a rank on every host, from the first
// one, by Open MPI's mpirun. Ranks talk over the links only.
func (n *Network) OpenMPI(ctx context.Context, mpirun string, arguments ...string) *exec.Cmd {
	var hosts []string
	for i := range n.count {
		hosts = append(hosts, n.Host(i)+":1")
	}
	all := []string{"--allow-run-as-root", "-np", strconv.Itoa(n.count), "--host", strings.Join(hosts, ","), "--bind-to", "none"}
	for _, setting := range []string{
		"plm rsh", "plm_rsh_agent " + n.agent, "plm_rsh_no_tree_spawn 1", "orte_keep_fqdn_hostnames 1",
		"pml ob1", "btl self,tcp", "btl_tcp_if_include eth0", "oob_tcp_if_include eth0", "mpi_yield_when_idle 1",
	} {
		name, value, _ := strings.Cut(setting, " ")
		all = append(all, "--mca", name, value)
	}
	return n.Run(ctx, 0, mpirun, append(all, arguments...)...)
}

// Cut takes a host's link down.
func (n *Network) Cut(host int) error {
	return exec.Command("ip", "-n", n.Host(host), "link", "set", "eth0", "down").Run()
}

// Sent is how many bytes a host has sent through its link, headers included.
func (n *Network) Sent(host int) (bytes int64, err error) {
	out, err := exec.Command("ip", "-n", n.Host(host), "-s", "-j", "link", "show", "eth0").Output()
	if err != nil {
		return 0, fmt.Errorf("netns: counters of host %d: %w", host, err)
	}
	var links []struct {
		Stats struct {
			TX struct{ Bytes int64 }
		} `json:"stats64"`
	}
	if err := json.Unmarshal(out, &links); err != nil || len(links) != 1 {
		return 0, fmt.Errorf("netns: counters of host %d: %q: %w", host, out, err)
	}
	return links[0].Stats.TX.Bytes, nil
}

// Close ends what runs on the hosts and removes them. What was never made is not
// there to remove.
func (n *Network) Close() {
	for i := range n.count {
		pids, _ := exec.Command("ip", "netns", "pids", n.Host(i)).Output()
		for _, field := range strings.Fields(string(pids)) {
			if pid, err := strconv.Atoi(field); err == nil {
				if p, err := os.FindProcess(pid); err == nil {
					_ = p.Kill()
				}
			}
		}
		_ = exec.Command("ip", "netns", "del", n.Host(i)).Run()
	}
	_ = exec.Command("ip", "netns", "del", n.bridge()).Run()
}
