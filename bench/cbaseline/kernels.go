//go:build unix

package main

import (
	"errors"

	"github.com/weft-gnn/weft/graph"
	"github.com/weft-gnn/weft/internal/rng"
	"github.com/weft-gnn/weft/kernel"
	"github.com/weft-gnn/weft/tensor"
)

// The widest operands that cases ask for.
const mostColumns, mostHeads = 256, 8

// kernels runs weft's side of the cases, on operands in arenas as the runtime
// lays them out.
type kernels struct {
	b      *graph.Block
	x, y   *tensor.Arena // a row per vertex
	w, s   *tensor.Arena // a row per edge
	arenas []*tensor.Arena
	ctx    kernel.Ctx
	runs   int64
}

func newKernels(b *graph.Block) (*kernels, error) {
	k := &kernels{b: b}
	for _, a := range []struct {
		place **tensor.Arena
		size  int
	}{{&k.x, b.Src * tensor.Apart(mostColumns, false)}, {&k.y, b.Dst * tensor.Apart(mostColumns, false)}, {&k.w, b.Edges() * mostHeads}, {&k.s, b.Edges() * mostHeads}} {
		arena, err := tensor.NewArena(4 * int64(a.size))
		if err != nil {
			return nil, errors.Join(err, k.close())
		}
		fill(arena.View(0, 1, a.size).Data)
		*a.place, k.arenas = arena, append(k.arenas, arena)
	}
	return k, nil
}

func fill(values []float32) {
	src := rng.Key{Seed: 1, Purpose: rng.Test}.Stream(0)
	for i := range values {
		values[i] = 2*src.Float32() - 1
	}
}

func (k *kernels) close() (err error) {
	k.ctx.Pool.Close()
	for _, a := range k.arenas {
		err = errors.Join(err, a.Close())
	}
	return err
}

// onThreads gives a context so many threads.
func onThreads(ctx *kernel.Ctx, threads int) {
	if ctx.Pool.Threads() != threads {
		ctx.Pool.Close()
		ctx.Pool = kernel.NewPool(threads)
	}
}

// prepare returns a function that runs a case once.
func (k *kernels) prepare(t benchCase, threads int) func() {
	onThreads(&k.ctx, threads)
	k.ctx.Count.Reset()
	k.runs = 0
	b, ctx := k.b, &k.ctx
	apart := tensor.Apart(t.k, false)
	x, y := k.x.Spaced(0, b.Src, t.k, apart), k.y.Spaced(0, b.Dst, t.k, apart)
	w, s := k.w.View(0, b.Edges(), t.heads), k.s.View(0, b.Edges(), t.heads)
	run := map[string]func(){
		"spmm":    func() { kernel.SpMM(ctx, b, kernel.Dst, tensor.Matrix{}, x, y) },
		"spmmw":   func() { kernel.SpMM(ctx, b, kernel.Dst, w, x, y) },
		"sddmm":   func() { kernel.EdgeDot(ctx, b, x, y, s) },
		"softmax": func() { kernel.EdgeSoftmax(ctx, b, w, s) },
		"edgeadd": func() { kernel.EdgeAdd(ctx, b, x, y, k.s.View(0, b.Edges(), t.k)) },
	}[t.kernel]
	return func() {
		k.runs++
		run()
	}
}

// counted returns the operations and bytes of one run.
func (k *kernels) counted() (work, bytes int64) {
	work, bytes = k.ctx.Count.Read()
	return work / k.runs, bytes / k.runs
}
