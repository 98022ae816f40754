//go:build linux

package kernel

import (
	"runtime/debug"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/weft-gnn/weft/internal/ref"
	"github.com/weft-gnn/weft/tensor"
)

// fenced returns a matrix of ones that ends where memory does: the page behind
// it can be neither read nor written.
func fenced(t *testing.T, rows, cols int) tensor.Matrix {
	page := unix.Getpagesize()
	size := (4*rows*cols + page - 1) / page * page
	raw, err := unix.Mmap(-1, 0, size+page, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Munmap(raw) })
	if err := unix.Mprotect(raw[size:], unix.PROT_NONE); err != nil {
		t.Fatal(err)
	}
	m := tensor.Of(rows, cols, unsafe.Slice((*float32)(unsafe.Pointer(&raw[0])), size/4)[size/4-rows*cols:])
	fill(m.Data, nil, nil, 1)
	return m
}

// Products read nothing behind their operands, which may be the last that is
// mapped: whole vectors would.
func TestProductsStayInsideMemory(t *testing.T) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	for _, s := range [][3]int{{1, 1, 1}, {15, 3, 7}, {29, 17, 31}, {6, 18, 48}, {33, 9, 33}, {300, 20, 130}} {
		n, a, b := s[0], s[1], s[2]
		x, g := fenced(t, n, a), fenced(t, n, b)
		w, wt, bias := fenced(t, a, b), fenced(t, b, a), fenced(t, 1, b)
		for _, isa := range variants() {
			contexts[0].using(isa, func(ctx *Ctx) {
				Dense(ctx, x, w, bias, Func{Kind: ReLU}, g)
				MatMulNT(ctx, x, wt, g)
				MatMulTN(ctx, x, g, w)
			})
			// g is now a everywhere, and w a sum of n of those.
			if want := ref.Full(a, b, float64(n*a)); ref.Of(w).Add(want.Scale(-1)).MaxAbs() != 0 {
				t.Errorf("%v %v: want %v everywhere", isa, s, n*a)
			}
			fill(w.Data, nil, nil, 1)
		}
	}
}
