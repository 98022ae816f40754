package perf

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/weft-gnn/weft/machine"
)

func sprint(format string, args []any) string { return fmt.Sprintf(format, args...) }

func jsonOf(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestKernels runs every case once on a small graph: the rows have their names,
// sizes and rates, and the bound of known's rates: 1 ns for an operation or byte.
func TestKernels(t *testing.T) {
	o := KernelOptions{Graphs: []string{"grid@0.01"}, Threads: []int{1, 2}, Quick: true, Say: func(string, ...any) {}}
	r, err := o.run(t.Context(), limitsOf(known))
	if err != nil {
		t.Fatal(err)
	}
	const n, m = 10 * 10, 360
	seen := map[string]KernelRow{}
	for _, row := range r.Rows {
		if row.Runs < leastRuns || !(0 < row.MinNS && row.MinNS <= row.NS) || row.LimitFraction != row.LimitNS/row.NS || row.Graph != "grid@0.01" {
			t.Errorf("got %+v", row)
		}
		seen[fmt.Sprintf("%s%s", row.Kernel, row.size())] = row
	}
	for name, ns := range map[string]float64{
		"spmm k=16":                    8*(n+1) + 4*m + 4*m*16 + 4*n*16,
		"spmm-weighted k=64, 8 heads":  8*(n+1) + 4*m + 4*m*64 + 4*m*8 + 4*n*64,
		"spmm-weighted-by-source k=16": 8*(n+1) + 8*m + 4*m*16 + 4*m + 4*n*16,
		"attention k=64, 8 heads":      8*(n+1) + 4*m + 4*m*(64+8) + 4*n*(8+64),
		"edge-softmax k=1":             8*(n+1) + 8*m,
		"add k=64":                     12 * n * 64,
		"adam k=1024":                  28 << 20,
		"matmul 100×256×40":            2 * n * 256 * 40, // arithmetic
	} {
		row, ok := seen[name]
		if diff := row.LimitNS - ns; !ok || diff > 1e-3 || diff < -1e-3 {
			t.Errorf("%s: %+v, want a limit of %v ns", name, row, ns)
		}
	}
	if limit := seen["matmul 100×256×40"].Limit; limit != "arithmetic" {
		t.Errorf("a product is limited by %s", limit)
	}
	if limit := seen["spmm k=64"].Limit; !strings.HasSuffix(limit, "gathers") {
		t.Errorf("a sum over edges is limited by %s", limit)
	}
	if half := r.Rows[:len(r.Rows)/2]; len(r.Rows)%2 != 0 || half[0].Threads != 1 || r.Rows[len(half)].Threads != 2 {
		t.Errorf("%d rows", len(r.Rows))
	}
}

// TestKernelCases: all cases are valid programs of one operation, under names of
// their own.
func TestKernelCases(t *testing.T) {
	var names []string
	for _, c := range kernelCases(false, 1000) {
		p, err := c.program()
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		names = append(names, fmt.Sprint(c.name, c.k, c.heads, c.shape))
		if last := p.Nodes[len(p.Nodes)-1]; len(last.In) == 0 {
			t.Errorf("%s is %v", c.name, last.Op)
		}
	}
	slices.Sort(names)
	if distinct := slices.Compact(slices.Clone(names)); len(distinct) != len(names) {
		t.Errorf("cases share names: %v", names)
	}
}

func TestKernelsFaults(t *testing.T) {
	say := func(string, ...any) {}
	o := KernelOptions{Graphs: []string{"no-such-set"}, Threads: []int{1}, Quick: true, Say: say}
	if _, err := o.run(t.Context(), limitsOf(known)); err == nil {
		t.Error("a set that is not there is measured")
	}
	ctx, cancel := context.WithCancel(t.Context())
	o.Graphs, o.Say = []string{"star@0.01"}, func(string, ...any) { cancel() }
	if _, err := o.run(ctx, limitsOf(known)); !errors.Is(err, context.Canceled) {
		t.Errorf("stopped: %v", err)
	}
}

// TestKernelsTellOfWrongLimits: a kernel faster than its limit is no success.
func TestKernelsTellOfWrongLimits(t *testing.T) {
	said := ""
	o := KernelOptions{Graphs: []string{"star@0.01"}, Threads: []int{1}, Quick: true, Say: func(format string, args ...any) { said += sprint(format, args) + "\n" }}
	slow := func(threads int) *machine.Machine {
		m := known(threads)
		m.FMA = 1
		return m
	}
	if _, err := o.run(t.Context(), limitsOf(slow)); err != nil || !strings.Contains(said, "or wrong") {
		t.Errorf("%v, said %q", err, said)
	}
}
