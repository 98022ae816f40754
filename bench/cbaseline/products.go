//go:build unix

package main

import (
	_ "embed"
	"fmt"
	"math"

	"github.com/weft-gnn/weft/internal/cpu"
	"github.com/weft-gnn/weft/kernel"
	"github.com/weft-gnn/weft/tensor"
)

//go:embed c/blas.c
var blasSource []byte

// product is a dense product, called by what weft's kernel is.
type product struct {
	form              string
	rows, inner, cols int
}

func (p product) String() string {
	return fmt.Sprintf("matmul%s/%dx%dx%d", p.form, p.rows, p.inner, p.cols)
}

// products are those of two layers of arxiv, Cora's first and the one of its classes, and
// the square ones that libraries are made for.
func products() (all []product) {
	for _, d := range [][3]int{{169343, 128, 256}, {169343, 256, 40}, {1024, 1024, 1024}, {2708, 1433, 16}, {2708, 64, 7}} {
		n, in, out := d[0], d[1], d[2]
		all = append(all, product{"", n, in, out}, product{"-nt", n, out, in}, product{"-tn", in, n, out})
	}
	return all
}

// line is what the C program reads.
func (p product) line(threads int) string {
	return fmt.Sprintf("%s %d %d %d %d", map[string]string{"": "nn", "-nt": "nt", "-tn": "tn"}[p.form], p.rows, p.inner, p.cols, threads)
}

// kinds are what OpenBLAS is told of the processor: nothing, and, since an older one does
// not know a newer processor, that it has AVX-512.
func kinds() []string {
	if cpu.Best() == cpu.AVX512 {
		return []string{"", "OPENBLAS_CORETYPE=SKYLAKEX"}
	}
	return []string{""}
}

// compareProducts times dense products beside OpenBLAS, where that is installed.
func compareProducts(folder string, c comparison) error {
	program, err := compile(folder, "blas", blasSource, "-lopenblas")
	if err != nil {
		fmt.Printf("dense products are left out: they need OpenBLAS and its header: %v\n", err)
		return nil
	}
	var peers []*baseline
	for _, kind := range kinds() {
		peer, err := start(program, kind)
		if err != nil {
			return err
		}
		defer peer.close()
		name, err := peer.answer()
		if err != nil {
			return err
		}
		fmt.Printf("OpenBLAS %s\n", name)
		peers = append(peers, peer)
	}
	var own dense
	defer own.close()
	fmt.Printf("%-40s %11s %11s %9s %9s\n", "", "OpenBLAS", "weft", "GFLOP/s", "BLAS/weft")
	for _, p := range products() {
		for threads := 1; threads <= c.threads; threads++ {
			if name := fmt.Sprintf("%v/threads=%d", p, threads); c.wanted.MatchString(name) {
				if err := own.takeTurns(name, p, threads, c, peers); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// dense runs weft's side.
type dense struct {
	ctx kernel.Ctx
}

func (d *dense) close() { d.ctx.Pool.Close() }

// takeTurns times one product in each program and prints a row of the table.
func (d *dense) takeTurns(name string, p product, threads int, c comparison, peers []*baseline) error {
	onThreads(&d.ctx, threads)
	run, free, err := d.prepare(p)
	if err != nil {
		return err
	}
	defer free()
	blas, weft := math.Inf(1), math.Inf(1)
	for range c.rounds {
		for _, peer := range peers {
			for range 2 {
				s, err := peer.time(p.line(threads), c.clock)
				if err != nil {
					return err
				}
				blas = min(blas, s)
			}
		}
		weft = min(weft, c.turn(run))
	}
	work := 2 * float64(p.rows) * float64(p.inner) * float64(p.cols)
	fmt.Printf("%-40s %8.3f ms %8.3f ms %9.1f %9.2f\n", name, blas*1e3, weft*1e3, work/weft*1e-9, blas/weft)
	return nil
}

// prepare returns a function that runs a product once, on operands in an arena, and one
// that frees these.
func (d *dense) prepare(p product) (run, free func(), err error) {
	left, right, out := [2]int{p.rows, p.inner}, [2]int{p.inner, p.cols}, [2]int{p.rows, p.cols}
	multiply := kernel.MatMul
	switch p.form {
	case "-nt":
		right, multiply = [2]int{p.cols, p.inner}, kernel.MatMulNT
	case "-tn":
		left, multiply = [2]int{p.inner, p.rows}, kernel.MatMulTN
	}
	var at [4]int64
	for i, size := range [][2]int{left, right, out} {
		at[i+1] = (at[i] + 4*int64(size[0])*int64(size[1]) + tensor.Align - 1) &^ (tensor.Align - 1)
	}
	arena, err := tensor.NewArena(at[3])
	if err != nil {
		return nil, nil, err
	}
	fill(arena.View(0, 1, int(at[3]/4)).Data)
	x, w, y := arena.View(at[0], left[0], left[1]), arena.View(at[1], right[0], right[1]), arena.View(at[2], out[0], out[1])
	return func() { multiply(&d.ctx, x, w, y) }, func() { arena.Close() }, nil
}
