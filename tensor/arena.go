package tensor

import (
	"fmt"
	"slices"
	"unsafe"
)

// Align is the alignment of an arena's offsets in bytes: a cache line, and the
// widest vector register.
const Align = 64

// poison is a signalling NaN: the quiet bit is clear, so that no arithmetic
// yields it and a word that still holds it was never written.
const poison uint32 = 0x7fa05a5a

// Arena is one contiguous piece of memory from which a program's matrices are
// drawn at offsets that were planned before it runs, so that a training step
// allocates nothing.
//
// The memory lies outside the Go heap where the system can map it. First touch
// of fresh memory is slow (about 2 s per GiB), so arenas are reused, not remade.
type Arena struct {
	words []uint32 // the usable part
	fill  uint32   // what untouched words hold
	free  func() error
}

// NewArena returns a zeroed arena of at least the given bytes, rounded up to a
// multiple of [Align].
//
// Contract: the base is 64-byte aligned. Arrays whose bases are equal modulo
// 2 MiB share cache sets and TLB entries, and loops over several of them run at
// half speed; therefore bases of different arenas are staggered by some cache lines.
// On Linux an arena of 2 MiB or more asks for huge pages.
// Units: bytes; 0 is an empty arena.
// Errors: bytes < 0; the system has no memory to map.
func NewArena(bytes int64) (*Arena, error) {
	if bytes < 0 || bytes > 1<<46 {
		return nil, fmt.Errorf("tensor: arena of %d bytes, want 0 to %d", bytes, int64(1)<<46)
	}
	size := (bytes + Align - 1) &^ (Align - 1)
	if size == 0 {
		return &Arena{free: func() error { return nil }}, nil
	}
	raw, free, err := reserve(size + hugePage + maxStagger)
	if err != nil {
		return nil, fmt.Errorf("tensor: arena of %d bytes: %w", bytes, err)
	}
	used := raw[baseOffset(uintptr(unsafe.Pointer(&raw[0]))):][:size]
	if size >= hugePage {
		adviseHuge(raw)
	}
	words := unsafe.Slice((*uint32)(unsafe.Pointer(&used[0])), size/4)
	return &Arena{words: words, free: free}, nil
}

const (
	hugePage = 2 << 20
	// Bases stand a multiple of three cache lines into a huge page. There are as
	// many places as fit one, less a few to make their number prime: bases are
	// equal only where pages differ by a multiple of it, 21 GiB.
	places     = 10909
	stagger    = 3 * Align
	maxStagger = places * stagger
)

// baseOffset returns how far into memory mapped at addr an arena begins: in a
// huge page, at the place that the page's number gives.
func baseOffset(addr uintptr) uintptr {
	page := (addr + hugePage - 1) / hugePage
	return page*hugePage - addr + page%places*stagger
}

// Bytes returns the arena's size.
func (a *Arena) Bytes() int64 { return 4 * int64(len(a.words)) }

// View returns the contiguous rows × cols matrix at byte offset off, aliasing
// the arena: [Arena.Spaced] with a stride of cols.
func (a *Arena) View(off int64, rows, cols int) Matrix { return a.Spaced(off, rows, cols, cols) }

// Spaced returns the rows × cols matrix at byte offset off whose rows begin
// stride values apart, aliasing the arena. It panics with a [ShapeError] when off
// is not a multiple of 4, stride is less than cols, or the matrix does not
// fit.
//
// Contract: views of overlapping offsets share memory, and hold what was there
// before. A view must not be used after Close.
func (a *Arena) Spaced(off int64, rows, cols, stride int) Matrix {
	if rows < 0 || cols < 0 || stride < cols || off < 0 || off%4 != 0 || off > a.Bytes() ||
		rows > 0 && cols > 0 && int64(rows-1) > ((a.Bytes()-off)/4-int64(cols))/int64(stride) ||
		rows > 0 && int64(cols) > (a.Bytes()-off)/4 {
		panic(ShapeError{
			Op:   "tensor.Arena.View",
			Got:  fmt.Sprintf("%d×%d, rows %d apart, at byte %d", rows, cols, stride, off),
			Want: fmt.Sprintf("a multiple of 4 and no more than %d bytes", a.Bytes()),
		})
	}
	m := Matrix{Rows: rows, Cols: cols, Stride: stride}
	if rows > 0 && cols > 0 {
		m.Data = unsafe.Slice((*float32)(unsafe.Pointer(&a.words[off/4])), (rows-1)*stride+cols)
	}
	return m
}

// Poison fills the arena with a signalling NaN, so that a value read before it
// was written shows, and [Arena.HighWater] can tell what was.
func (a *Arena) Poison() {
	a.fill = poison
	a.PoisonRange(0, a.Bytes())
}

// PoisonRange does the same to n bytes from off, the slot of a value that is no
// longer needed; both are multiples of 4.
func (a *Arena) PoisonRange(off, n int64) {
	w := a.words[off/4 : (off+n)/4]
	for i := range w {
		w[i] = poison
	}
}

// HighWater returns the end of the highest word that was written since Poison,
// in bytes from the base; 0 where none was. Before Poison it takes words that
// are not 0 for written.
func (a *Arena) HighWater() int64 {
	for i, w := range slices.Backward(a.words) {
		if w != a.fill {
			return 4 * int64(i+1)
		}
	}
	return 0
}

// Close gives the memory back. It may be called more than once.
func (a *Arena) Close() error {
	free := a.free
	a.words, a.free = nil, func() error { return nil }
	if err := free(); err != nil {
		return fmt.Errorf("tensor: close arena: %w", err)
	}
	return nil
}
