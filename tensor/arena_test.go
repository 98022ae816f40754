package tensor_test

import (
	"math"
	"strings"
	"testing"
	"unsafe"

	"github.com/weft-gnn/weft/tensor"
)

func newArena(t *testing.T, bytes int64) *tensor.Arena {
	t.Helper()
	a, err := tensor.NewArena(bytes)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	})
	return a
}

func TestArenaIsZeroedAndAligned(t *testing.T) {
	for _, bytes := range []int64{1, 64, 65, 4096, 5 << 20} {
		a := newArena(t, bytes)
		if a.Bytes() < bytes || a.Bytes() >= bytes+tensor.Align || a.Bytes()%tensor.Align != 0 {
			t.Fatalf("%d bytes were asked for, %d given", bytes, a.Bytes())
		}
		m := a.View(0, 1, int(a.Bytes()/4))
		if addr := uintptr(unsafe.Pointer(&m.Data[0])); addr%tensor.Align != 0 {
			t.Fatalf("base %#x is not aligned", addr)
		}
		for i, x := range m.Data {
			if math.Float32bits(x) != 0 {
				t.Fatalf("word %d of %d bytes is %v", i, bytes, x)
			}
		}
		m.Data[len(m.Data)-1] = 1 // the last word is writable
	}
}

// Bases equal modulo 2 MiB alias in caches; those of arenas alive together differ.
func TestArenaBasesAreStaggered(t *testing.T) {
	seen := map[uintptr]bool{}
	for range 16 {
		a := newArena(t, 3<<20)
		m := a.View(0, 1, 1)
		at := uintptr(unsafe.Pointer(&m.Data[0])) % (2 << 20)
		if seen[at] {
			t.Fatalf("two of 16 arenas begin at %d modulo 2 MiB", at)
		}
		seen[at] = true
	}
}

func TestArenaViewsAlias(t *testing.T) {
	a := newArena(t, 1024)
	x, y := a.View(64, 4, 8), a.View(128, 2, 8)
	if !x.Contiguous() || x.Rows != 4 || x.Cols != 8 || len(x.Data) != 32 {
		t.Fatalf("view %v of %d values", x, len(x.Data))
	}
	x.Row(2)[0] = 7 // word 16 of x, the first of y
	if y.Row(0)[0] != 7 {
		t.Fatal("views of the same bytes differ")
	}
	if e := a.View(1024, 3, 0); e.Rows != 3 || len(e.Data) != 0 {
		t.Fatalf("an empty view at the end is %v", e)
	}
}

func TestArenaViewPanics(t *testing.T) {
	a := newArena(t, 1024)
	for _, c := range []struct {
		name       string
		off        int64
		rows, cols int
	}{
		{"one row too many", 0, 17, 16},
		{"past the end", 960, 2, 16},
		{"beyond the end", 1088, 1, 0},
		{"within a value", 2, 1, 1},
		{"negative offset", -64, 1, 1},
		{"negative rows", 0, -1, 1},
		{"negative columns", 0, 1, -1},
		{"overflow", 0, math.MaxInt, 4},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := shapeError(t, func() { a.View(c.off, c.rows, c.cols) })
			if !strings.HasPrefix(err.Error(), "tensor.Arena.View: ") {
				t.Error(err)
			}
		})
	}
}

func TestHighWater(t *testing.T) {
	a := newArena(t, 4096)
	if w := a.HighWater(); w != 0 {
		t.Fatalf("fresh: %d", w)
	}
	a.View(64, 1, 2).Data[1] = 3
	if w := a.HighWater(); w != 72 {
		t.Fatalf("before poison, word 17 written: %d, want 72", w)
	}
	a.Poison()
	if w := a.HighWater(); w != 0 {
		t.Fatalf("poisoned: %d", w)
	}
	m := a.View(128, 4, 4)
	for i, x := range m.Data {
		if x == x {
			t.Fatalf("poisoned value %d is %v, want NaN", i, x)
		}
	}
	// Zeros count as written, and so does what arithmetic makes of poison.
	m.Row(0)[0] = 0
	if w := a.HighWater(); w != 132 {
		t.Fatalf("zero at 128: %d, want 132", w)
	}
	m.Row(3)[3] = m.Row(1)[1] + 1
	if w := a.HighWater(); w != 192 {
		t.Fatalf("NaN computed at 188: %d, want 192", w)
	}
	a.PoisonRange(128, 64)
	if w := a.HighWater(); w != 0 {
		t.Fatalf("poisoned again: %d", w)
	}
	last := a.View(4032, 1, 16)
	last.Data[15] = 1
	if w := a.HighWater(); w != 4096 {
		t.Fatalf("last word: %d, want 4096", w)
	}
}

func TestEmptyArena(t *testing.T) {
	a := newArena(t, 0)
	a.Poison()
	if a.Bytes() != 0 || a.HighWater() != 0 || a.View(0, 0, 5).Rows != 0 {
		t.Fatal("an empty arena holds something")
	}
}

func TestNewArenaErrors(t *testing.T) {
	for _, bytes := range []int64{-1, math.MaxInt64, 1<<46 + 1} {
		if a, err := tensor.NewArena(bytes); err == nil || !strings.HasPrefix(err.Error(), "tensor: arena of ") {
			t.Errorf("%d bytes: %v, %v", bytes, a, err)
		}
	}
}

func TestCloseTwice(t *testing.T) {
	a, err := tensor.NewArena(1 << 20)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := a.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if a.Bytes() != 0 {
		t.Fatal("a closed arena has bytes")
	}
	shapeError(t, func() { a.View(0, 1, 1) })
}

func TestViewDoesNotAllocate(t *testing.T) {
	a := newArena(t, 4096)
	if n := testing.AllocsPerRun(100, func() { a.View(64, 8, 8).Row(7)[7]++ }); n != 0 {
		t.Fatalf("%v allocations", n)
	}
}
