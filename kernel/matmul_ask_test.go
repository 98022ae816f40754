//go:build (amd64 || arm64) && !noasm

package kernel

import (
	"fmt"
	"testing"

	"github.com/weft-gnn/weft/tensor"
)

// TestStripsAskForTails: the strips of a product together ask once for each value of
// what its tail reads, for no value beside it, and for no more per step than they
// fetch. Results of one vector of columns ask for nothing.
func TestStripsAskForTails(t *testing.T) {
	loops := strips{panels: panels{32, 16}, height: 14}
	for _, rows := range []int{1, 14, 15, 224} {
		for _, b := range []int{5, 16, 17, 40, 47, 64, 128, 200} {
			for n := 1; n <= 3; n++ {
				tail := operandRows{n: n}
				asks := make([][]int, n)
				for i := range n {
					m := tensor.New(rows, b)
					for r := range m.Data {
						m.Data[r] = float32(i)
					}
					tail.of[i], asks[i] = m, make([]int, len(m.Data))
				}
				const k = 1000
				panels := 0
				for j := 0; j < b; j += loops.cols {
					a := loops.ask(tail, j, b, k)
					if b-j <= loops.lanes {
						if len(a.data) > 0 {
							t.Fatalf("a panel of %d columns asks", b-j)
						}
						continue
					}
					panels++
					tiles := (rows + loops.height - 1) / loops.height
					if a.each > loops.cols || len(a.next(tiles*k).data) > 0 {
						t.Errorf("%d rows, %d columns: %d values asked for, %d per step of %d", rows, b, len(a.data), a.each, tiles*k)
					}
					i := int(a.data[0])
					from := len(tail.of[i].Data) - cap(a.data)
					for v := range a.data {
						asks[i][from+v]++
					}
				}
				for i := range min(n, panels) {
					for at, times := range asks[i] {
						if times != 1 {
							t.Fatalf("%s: value %d of operand %d asked for %d times", fmt.Sprint(rows, b, n), at, i, times)
						}
					}
				}
			}
		}
	}
}
