package kernel

import (
	"fmt"
	"math"
	"testing"

	"github.com/weft-gnn/weft/internal/cpu"
	"github.com/weft-gnn/weft/internal/ref"
	"github.com/weft-gnn/weft/internal/rng"
	"github.com/weft-gnn/weft/tensor"
)

func testMask(p float32) Mask {
	return Mask{Key: rng.Key{Seed: 17, Purpose: rng.Dropout}, Step: 3, Site: 2, P: p}
}

// kept is the mask by the other of the generator's two interfaces, times its scale.
func kept(m Mask, ids []int64, rows, cols int) ref.Matrix {
	d := ref.New(rows, cols)
	words := make([]uint32, cols)
	for i := range rows {
		id := uint64(m.First + int64(i))
		if ids != nil {
			id = uint64(ids[i])
		}
		m.Key.Fill(words, m.Step, m.Site, id)
		for j, w := range words {
			if float64(w)/(1<<32) >= float64(m.P) {
				d.Set(i, j, 1/(1-float64(m.P)))
			}
		}
	}
	return d
}

func TestDropout(t *testing.T) {
	for i, s := range [][2]int{{0, 3}, {3, 0}, {2, 1}, {3, 3}, {4, 4}, {5, 9}, {5000, 13}} {
		for _, p := range []float32{0, 0.5, 0.6, 0.999} {
			for _, named := range []bool{false, true} {
				r, k, mask := s[0], s[1], testMask(p)
				mask.First = int64(1000 * i)
				src := newSource(uint64(i))
				x, y := src.uniform(r, k), src.empty(r, k)
				var ids []int64
				if named {
					ids = spacedIDs(r)
				}
				trial{
					name: fmt.Sprintf("%d×%d/p=%v/ids=%v", r, k, p, named),
					in:   []tensor.Matrix{x}, out: []tensor.Matrix{y},
					run:    func(ctx *Ctx) { Dropout(ctx, mask, ids, x, y) },
					want:   []ref.Matrix{kept(mask, ids, r, k).Had(ref.Of(x))},
					rounds: 3, work: int64(2 * r * k), bytes: int64(8 * r * k),
				}.check(t)
			}
		}
	}
}

// The share of values that stay, and their mean, are those of a fair mask.
func TestDropoutKeepsTheExpectation(t *testing.T) {
	const rows, cols, p = 2000, 100, 0.3
	x, y := tensor.New(rows, cols), tensor.New(rows, cols)
	Fill(contexts[0], 1, x)
	Dropout(contexts[0], testMask(p), nil, x, y)
	got := ref.Of(y).Sum() / (rows * cols)
	// Five standard deviations of the mean of Bernoulli variables of value 1/(1−p).
	if limit := 5 * math.Sqrt(p/(1-p)/(rows*cols)); math.Abs(got-1) > limit {
		t.Errorf("mean %v, want 1 ± %.2g", got, limit)
	}
}

// Rows drawn apart, in another order, have the mask of the whole.
func TestDropoutMaskFollowsIdentity(t *testing.T) {
	const cols = 11
	x, y := tensor.New(6, cols), tensor.New(6, cols)
	Fill(contexts[0], 1, x)
	Dropout(contexts[0], testMask(0.5), nil, x, y)
	part := tensor.New(3, cols)
	Dropout(contexts[0], testMask(0.5), []int64{4, 0, 5}, x.Between(0, 3), part)
	for i, id := range []int{4, 0, 5} {
		for j, v := range part.Row(i) {
			if v != y.Row(id)[j] {
				t.Errorf("identity %d, column %d: %v apart, %v in the whole", id, j, v, y.Row(id)[j])
			}
		}
	}
}

// Every variant has the bits of the portable one, which draws block by block, at
// every width and number of rows about the batches of the others.
func TestDropoutAtEveryWidth(t *testing.T) {
	for k := range 2*32 + 4 {
		for rows := range 19 {
			src := newSource(uint64(k*19 + rows))
			x, ids := src.uniform(rows, k), make([]int64, rows)
			for i := range ids {
				ids[i] = int64(src.Uint32n(1<<31))<<31 | int64(src.Uint32n(1<<31))
			}
			for _, identities := range [][]int64{nil, ids} {
				mask := Mask{Key: rng.Key{Seed: uint64(k), Purpose: rng.Dropout}, Step: uint32(rows) << 28, Site: uint16(k * 991), P: 0.4}
				want := tensor.New(rows, k)
				contexts[0].using(cpu.Generic, func(ctx *Ctx) { Dropout(ctx, mask, identities, x, want) })
				eachVariant(func(isa cpu.ISA, ctx *Ctx) {
					y := src.empty(rows, k)
					before := guards(y)
					Dropout(ctx, mask, identities, x, y)
					if !y.Equal(want) || guards(y) != before {
						t.Fatalf("%v: %d×%d: masks differ, or something beside the result was written", isa, rows, k)
					}
				})
			}
		}
	}
}

// A dropped NaN is 0, one that stays is NaN, and +0 takes the place of what is
// dropped, in every variant.
func TestDropoutOfOddValues(t *testing.T) {
	x, y := tensor.New(40, 21), tensor.New(40, 21)
	for i := range x.Data {
		x.Data[i] = []float32{nan32, float32(math.Inf(-1)), -1}[i%3]
	}
	stay := kept(testMask(0.5), nil, 40, 21)
	for _, isa := range variants() {
		contexts[1].using(isa, func(ctx *Ctx) { Dropout(ctx, testMask(0.5), nil, x, y) })
		for i, v := range y.Data {
			if stay.V[i] == 0 && math.Float32bits(v) != 0 || stay.V[i] != 0 && !near(float64(v), 2*float64(x.Data[i]), 0) {
				t.Fatalf("%v: value %d of %v became %v", isa, i, x.Data[i], v)
			}
		}
	}
}

// Columns that lie apart from those before them have the mask of the whole, also
// where they are stored in bfloat16.
func TestDropoutOfLaterColumns(t *testing.T) {
	const rows, cols = 300, 21
	src := newSource(5)
	x, whole := src.uniform(rows, cols), src.empty(rows, cols)
	Dropout(contexts[0], testMask(0.4), nil, x, whole)
	for _, from := range []int{1, 4, 13} {
		mask := testMask(0.4)
		mask.Column = from
		part, want := x.Columns(from, cols).Clone(), whole.Columns(from, cols).Clone()
		rounded, _ := src.stored(want)
		eachVariant(func(isa cpu.ISA, ctx *Ctx) {
			y, half := src.empty(rows, cols-from), src.halves(rows, cols-from)
			Dropout(ctx, mask, nil, part, y)
			Dropout(ctx, mask, nil, part, half)
			if !y.Equal(want) || !half.AsWords().Equal(rounded.AsWords()) {
				t.Errorf("%v: columns from %d on have other masks than in the whole", isa, from)
			}
		})
	}
}
