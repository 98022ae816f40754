package machine_test

import (
	"fmt"

	"github.com/weft-gnn/weft/machine"
)

// A product with a sparse matrix reads rows as edges name them. One row is read
// by half of all edges: it stays in the cache, the others do not fit.
func Example() {
	m := &machine.Machine{CPU: "example", Cores: 1, Threads: 1, ISA: "avx2", FMA: 100e9, Levels: []machine.Level{
		{Name: "L1", Bytes: 4 << 10, Caches: 1, Read: 200e9, Write: 100e9, Copy: 150e9, Change: 150e9, Gather: []machine.RowRate{{RowBytes: 64, Rate: 100e9}}},
		{Name: "memory", Read: 20e9, Write: 10e9, Copy: 16e9, Change: 16e9, Gather: []machine.RowRate{{RowBytes: 64, Rate: 10e9}}},
	}}
	ids := make([]int32, 2_000_000)
	for i := range ids {
		if i%2 == 1 {
			ids[i] = int32(1 + i/2)
		}
	}
	rows := machine.Gathered{RowBytes: 64, Reuse: machine.NewReuse(ids, 1_000_001)}
	bound := m.Bound(m.Serve(machine.Demand{Work: 32_000_000, Gathers: []machine.Gathered{rows}}))
	fmt.Printf("at least %.2f ms: %v\n", bound.Seconds*1e3, bound)
	// Output: at least 7.04 ms: memory gathers
}
