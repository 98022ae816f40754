//go:build unix

// Command cbaseline compares the kernels over edges with the same in C: plain
// loops and intrinsics, compiled by gcc or cc on the spot, on the same graph. Dense
// products are compared with OpenBLAS, where it is installed.
//
// The programs take turns, so that other load on the machine meets all of them,
// and the best time of each counts. On a machine that is busy with other things
// -cpu compares the time of the processors, on one thread.
package main

import (
	"bufio"
	"context"
	_ "embed"
	"encoding/binary"
	"flag"
	"fmt"
	"log"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/weft-gnn/weft/dataset/synth"
	"github.com/weft-gnn/weft/graph"
	"github.com/weft-gnn/weft/internal/cpu"
)

//go:embed c/baseline.c
var source []byte

func main() {
	log.SetFlags(0)
	log.SetPrefix("cbaseline: ")
	kind := flag.String("graph", "arxiv", "look-alike to run on: arxiv, products or reddit")
	scale := flag.Float64("scale", 1, "its size, of the real one's")
	rounds := flag.Int("rounds", 15, "turns that each program has")
	cpuTime := flag.Bool("cpu", false, "compare time of the processors, on one thread")
	only := flag.String("run", ".", "regular expression of the cases to run")
	flag.Parse()
	wanted, err := regexp.Compile(*only)
	if err != nil {
		log.Fatal(err)
	}
	c := comparison{*rounds, wall, min(2, runtime.NumCPU()), wanted}
	if *cpuTime {
		c.clock, c.threads = processor, 1
	}
	if err := compare(*kind, *scale, c); err != nil {
		log.Fatal(err)
	}
}

// comparison says how programs are compared: in so many turns, by which clock, on
// how many threads at most, and in which cases.
type comparison struct {
	rounds  int
	clock   clock
	threads int
	wanted  *regexp.Regexp
}

// turn returns the seconds of the faster of two runs: the second finds its own data in
// the caches.
func (c comparison) turn(run func()) float64 {
	best := math.Inf(1)
	for range 2 {
		begin := c.clock.now()
		run()
		best = min(best, c.clock.now()-begin)
	}
	return best
}

func compare(kind string, scale float64, c comparison) error {
	folder, err := os.MkdirTemp("", "cbaseline")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	if err := compareSparse(folder, kind, scale, c); err != nil {
		return err
	}
	return compareProducts(folder, c)
}

// compareSparse times the kernels over edges.
func compareSparse(folder, kind string, scale float64, c comparison) error {
	b, err := lookAlike(kind, scale)
	if err != nil {
		return err
	}
	peer, err := startBaseline(folder, b)
	if err != nil {
		return err
	}
	defer peer.close()
	own, err := newKernels(b)
	if err != nil {
		return err
	}
	defer own.close()
	fmt.Printf("%s at %g: %d vertices, %d edges; weft with %v, %s; best of %d turns\n", kind, scale, b.Dst, b.Edges(), cpu.Best(), runtime.Version(), c.rounds)
	fmt.Printf("%-30s %10s %10s %10s %9s %8s %8s\n", "", "C plain", "C intrin.", "weft", "GFLOP/s", "GB/s", "C/weft")
	for _, t := range cases() {
		for threads := 1; threads <= c.threads; threads++ {
			name := fmt.Sprintf("%s/k=%d/heads=%d/threads=%d", t.kernel, t.k, t.heads, threads)
			if !c.wanted.MatchString(name) {
				continue
			}
			if err := takeTurns(name, t, threads, c, peer, own); err != nil {
				return err
			}
		}
	}
	return nil
}

// benchCase is one kernel at one shape.
type benchCase struct {
	kernel   string
	k, heads int
}

func cases() (all []benchCase) {
	for _, k := range []int{16, 64, 128, 256} {
		all = append(all, benchCase{"spmm", k, 1}, benchCase{"spmmw", k, 1}, benchCase{"sddmm", k, 1})
	}
	return append(all,
		benchCase{"spmm", 40, 1}, benchCase{"spmm", 7, 1}, benchCase{"spmm", 100, 1},
		benchCase{"spmmw", 40, 1}, benchCase{"sddmm", 40, 1},
		benchCase{"spmmw", 64, 8}, benchCase{"sddmm", 64, 8},
		benchCase{"softmax", 1, 1}, benchCase{"softmax", 8, 8},
		benchCase{"edgeadd", 1, 1}, benchCase{"edgeadd", 8, 1})
}

// clock is one of the clocks that the C program reads.
type clock int

const (
	wall clock = iota
	processor
)

var started = time.Now()

// now returns seconds since some moment.
func (c clock) now() float64 {
	if c == wall {
		return time.Since(started).Seconds()
	}
	var u syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()).Seconds()
}

// takeTurns times one case in each program and prints a row of the table.
func takeTurns(name string, t benchCase, threads int, c comparison, peer *baseline, own *kernels) error {
	run := own.prepare(t, threads)
	plain, intrinsics, weft := math.Inf(1), math.Inf(1), math.Inf(1)
	for range c.rounds {
		for _, v := range []struct {
			variant string
			best    *float64
		}{{"plain", &plain}, {"intrinsics", &intrinsics}} {
			for range 2 {
				s, err := peer.time(fmt.Sprintf("%s %s %d %d %d", t.kernel, v.variant, t.k, t.heads, threads), c.clock)
				if err != nil {
					return err
				}
				*v.best = min(*v.best, s)
			}
		}
		weft = min(weft, c.turn(run))
	}
	best, second := plain, "-"
	if intrinsics > 0 {
		best, second = min(plain, intrinsics), fmt.Sprintf("%.3f ms", intrinsics*1e3)
	}
	work, bytes := own.counted()
	fmt.Printf("%-30s %7.3f ms %10s %7.3f ms %9.2f %8.1f %8.2f\n", name, plain*1e3, second, weft*1e3,
		float64(work)/weft*1e-9, float64(bytes)/weft*1e-9, best/weft)
	return nil
}

// lookAlike makes the graph, which depends on its arguments alone.
func lookAlike(kind string, scale float64) (*graph.Block, error) {
	var k synth.Kind
	if err := k.UnmarshalText([]byte(kind)); err != nil {
		return nil, err
	}
	d, err := synth.Generate(context.Background(), k, synth.Options{Scale: scale, Seed: 1})
	if err != nil {
		return nil, err
	}
	return d.Graph.Block(), nil
}

// baseline is a C program at work.
type baseline struct {
	cmd *exec.Cmd
	in  *bufio.Writer
	out *bufio.Reader
}

func startBaseline(folder string, b *graph.Block) (*baseline, error) {
	program, err := compile(folder, "baseline", source)
	if err != nil {
		return nil, err
	}
	data := filepath.Join(folder, "graph")
	if err := writeGraph(data, b); err != nil {
		return nil, err
	}
	return start(program, "", data)
}

// compile makes a program of C source.
func compile(folder, name string, source []byte, libraries ...string) (program string, err error) {
	compiler, err := findCompiler()
	if err != nil {
		return "", err
	}
	program = filepath.Join(folder, name)
	if err := os.WriteFile(program+".c", source, 0o600); err != nil {
		return "", err
	}
	args := append([]string{"-O3", "-march=native", "-ffast-math", "-fopenmp", "-o", program, program + ".c", "-lm"}, libraries...)
	if out, err := exec.Command(compiler, args...).CombinedOutput(); err != nil {
		return "", fmt.Errorf("%s: %w\n%s", compiler, err, out)
	}
	return program, nil
}

// start runs a program, with a variable of its own in its environment.
func start(program, variable string, args ...string) (*baseline, error) {
	cmd := exec.Command(program, args...)
	cmd.Env = append(os.Environ(), variable)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	answers, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	return &baseline{cmd, bufio.NewWriter(in), bufio.NewReader(answers)}, cmd.Start()
}

func findCompiler() (string, error) {
	for _, name := range []string{"gcc", "cc", "clang"} {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("no C compiler found: the comparison needs gcc, cc or clang")
}

func writeGraph(name string, b *graph.Block) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	defer f.Close()
	w := bufio.NewWriterSize(f, 1<<20)
	for _, part := range []any{int64(b.Dst), int64(b.Edges()), b.Ptr, b.Col} {
		if err := binary.Write(w, binary.LittleEndian, part); err != nil {
			return err
		}
	}
	return w.Flush()
}

// time asks for one run and returns its seconds, 0 where C lacks the variant.
func (c *baseline) time(line string, clock clock) (float64, error) {
	fmt.Fprintln(c.in, line)
	if err := c.in.Flush(); err != nil {
		return 0, err
	}
	answer, err := c.answer()
	if err != nil {
		return 0, err
	}
	var s [2]float64
	_, err = fmt.Sscan(answer, &s[wall], &s[processor])
	return s[clock], err
}

// answer is the next line that the program prints.
func (c *baseline) answer() (string, error) {
	line, err := c.out.ReadString('\n')
	if err != nil {
		return "", fmt.Errorf("the C program gave no answer: %w", err)
	}
	return strings.TrimSpace(line), nil
}

func (c *baseline) close() {
	c.cmd.Process.Kill()
	c.cmd.Wait()
}
