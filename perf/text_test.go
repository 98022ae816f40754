package perf

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/weft-gnn/weft/machine"
	"github.com/weft-gnn/weft/program"
)

var host = Host{"some CPU", 2, "avx2", "go1.26"}

// full is a writer that takes so many bytes.
type full struct{ room int }

func (f *full) Write(p []byte) (int, error) {
	if f.room -= len(p); f.room < 0 {
		return 0, io.ErrShortWrite
	}
	return len(p), nil
}

// checkText compares what write prints, and that a full writer is an error.
func checkText(t *testing.T, write func(w io.Writer) error, want string) {
	t.Helper()
	var b strings.Builder
	if err := write(&b); err != nil || b.String() != want {
		t.Errorf("%v, got\n%s\nwant\n%s", err, b.String(), want)
	}
	for room := range len(want) {
		if err := write(&full{room}); !errors.Is(err, io.ErrShortWrite) {
			t.Fatalf("with room for %d of %d bytes: %v", room, len(want), err)
		}
	}
}

func TestWriteKernels(t *testing.T) {
	r := &Report[KernelRow]{Machine: host, Rows: []KernelRow{
		{Kernel: "spmm-weighted", Graph: "arxiv@1", K: 64, Heads: 8, Threads: 2, NS: 12345678, GFlops: 24.04, GBs: 57.25, LimitFraction: 0.805, Limit: "L3 gathers"},
		{Kernel: "matmul", Graph: "k", K: 8, Shape: "34×8×2", Threads: 16, NS: 950, GFlops: 1.146, GBs: 123.4, LimitFraction: 1, Limit: "arithmetic"},
	}}
	checkText(t, func(w io.Writer) error { return WriteKernels(w, r) }, `kernel                        graph    threads     time  GFLOP/s  GB/s  of limit       limit
spmm-weighted  k=64, 8 heads  arxiv@1        2  12.3 ms     24.0  57.2      0.81  L3 gathers
matmul         34×8×2         k             16  0.95 µs     1.15   123      1.00  arithmetic

some CPU; 2 cores, avx2, go1.26
`)
}

func TestWriteTrain(t *testing.T) {
	rss, layer := int64(66<<20), 1
	r := &Report[TrainRow]{Machine: host, Rows: []TrainRow{
		{Model: "gcn", Graph: "cora", Hidden: 16, Threads: 2, Fold: true, EpochMS: Times{1.25, 1, 2000}, RooflineMS: 0.5, Ratio: 2.5, PeakRSSBytes: &rss, Loss: 1.94591,
			Furthest: []OpRow{{Op: "MatMul(xW)", Layer: &layer, MS: 0.8, RooflineMS: 0.25, Ratio: 3.2, Limit: "arithmetic", GFlops: 99, GBs: 1}}},
		{Model: "gat", Graph: "cora", Hidden: 64, Threads: 1, Storage: program.BFloat16Storage, EpochMS: Times{3, 3, 3}, RooflineMS: 2, Ratio: 1.5, Loss: 0.5,
			Ops: []OpRow{{Op: "Add", MS: 0.001, RooflineMS: 0.00001, Ratio: 100, Limit: "L1 streams"}}},
	}}
	checkText(t, func(w io.Writer) error { return WriteTrain(w, r) }, `model  graph  hidden  threads  fold   storage     step (fastest, slowest)  roofline  ratio  memory    loss
gcn    cora       16        2   yes   float32   1.25 ms (1.00 ms, 2.00 s)    500 µs   2.50  66 MiB  1.9459
gat    cora       64        1    no  bfloat16  3.00 ms (3.00 ms, 3.00 ms)   2.00 ms   1.50       –  0.5000

gcn on cora, hidden 16, 2 threads, folded: furthest from their rooflines
  operation   layer    time  roofline  ratio  GFLOP/s  GB/s       limit
  MatMul(xW)      1  800 µs    250 µs   3.20     99.0  1.00  arithmetic

gat on cora, hidden 64, 1 thread, not folded, bfloat16: all operations
  operation  layer     time  roofline  ratio  GFLOP/s  GB/s       limit
  Add            –  1.00 µs   0.01 µs    100     0.00  0.00  L1 streams

some CPU; 2 cores, avx2, go1.26
`)
}

func TestWriteMachine(t *testing.T) {
	gather := []machine.RowRate{{RowBytes: 4, Rate: 1.5e9}, {RowBytes: 64, Rate: 22e9}}
	m := &machine.Machine{CPU: "some CPU", Cores: 4, Threads: 2, ISA: "avx512", FMA: 530e9, Levels: []machine.Level{
		{Name: "L1", Bytes: 48 << 10, Caches: 2, Read: 900e9, Write: 500e9, Copy: 1000e9, Change: 900e9, Gather: gather},
		{Name: "L2", Bytes: 1 << 20, Caches: 2, Read: 500e9, Write: 250e9, Copy: 400e9, Change: 300e9, Gather: gather},
		{Name: "memory", Read: 80e9, Write: 40e9, Copy: 70e9, Change: 80e9, Gather: gather},
	}}
	checkText(t, func(w io.Writer) error { return WriteMachine(w, m) }, `some CPU; 4 cores, avx512
on 2 threads: 530 GFLOP/s of multiply-adds; GB/s:
              size  read  write  copy  change  rows of 4  rows of 64
L1      2 × 48 KiB   900    500  1000     900       1.50        22.0
L2       2 × 1 MiB   500    250   400     300       1.50        22.0
memory           –  80.0   40.0  70.0    80.0       1.50        22.0
`)
	checkText(t, func(w io.Writer) error {
		return WriteLinks(w, machine.Links{{Name: "local", AlphaUS: 1.25, BetaNS: 0.5}, {Name: "mpi", AlphaUS: 20, BetaNS: 3}})
	}, `link local: α = 1.25 µs a message, β = 0.50 ns a word of 4 bytes
link mpi: α = 20.0 µs a message, β = 3.00 ns a word of 4 bytes
`)
}

func TestNumbers(t *testing.T) {
	for v, want := range map[float64]string{0: "0.00", 1.234: "1.23", 12.34: "12.3", 123.4: "123", 1e6: "1000000"} {
		if got := number(v); got != want {
			t.Errorf("%v is %s, want %s", v, got, want)
		}
	}
}
