package kernel

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/weft-gnn/weft/internal/rng"
	"github.com/weft-gnn/weft/tensor"
)

// Mask names the random numbers of one dropout of the declared program.
type Mask struct {
	Key  rng.Key
	Step uint32 // training step
	Site uint16 // number of the dropout in the declaration
	P    float32
	// First is the identity of the first row where rows have no identities of
	// their own.
	First int64
	// Column is the number of the first column where those before it lie elsewhere.
	Column int
}

// Scale returns 1/(1−p), by which the values that stay are multiplied.
func (m Mask) Scale() float32 { return float32(1 / (1 - float64(m.P))) }

// dropoutOperands is what Dropout needs beside its matrices.
type dropoutOperands struct {
	mask  Mask
	ids   []int64
	words []uint32 // room for each worker
	room  int      // its words
	plan  philoxPlan
	below uint32 // a word below it drops its value
	scale float32
}

// Dropout sets each value to 0 with probability p and scales the others by
// 1/(1−p), so that the expectation stays:
//
//	y[i, c] = x[i, c]/(1 − p) where word(step, site, c, ids[i]) ≥ p·2³², else 0
//
// The same mask on the gradient of y gives that of x.
//
// Shapes: x and y are r×k; ids has an entry per row, the row's global identity,
// or is nil where row i is mask.First + i.
// Contract: overwrites y, which may be x, or be stored in bfloat16. 0 ≤ p < 1. A dropped NaN is dropped.
// Columns are numbered from mask.Column on. Word c is word c mod 4 of the Philox block whose counter holds step, site, c/4
// and the identity, so that the mask depends on neither order nor placement of rows.
// Cost: work 2rk, bytes 8rk, or 6rk in bfloat16; identities belong to the random numbers, which
// count 0.
func Dropout(ctx *Ctx, mask Mask, ids []int64, x, y tensor.Matrix) {
	wantShape("kernel.Dropout: x", x, y.Rows, y.Cols)
	ctx.call = call{body: dropoutRows, values: ctx.values(), x: x, dst: y, dropout: ctx.dropping("kernel.Dropout", mask, ids, y)}
	if mask.Column > 0 {
		ctx.call.body = dropoutColumns
	}
	n, k := ctx.stagedRows(), int64(y.Cols)
	ctx.Count.Add(2*n*k, (4+valueBytes(y))*n*k)
}

// dropoutColumns draws the words of all columns up to the last, which are few where
// some lie elsewhere: those of heads.
func dropoutColumns(c *call, worker, _, lo, hi int) {
	d, first := &c.dropout, c.dropout.mask.Column
	words := d.own(worker)[:first+c.dst.Cols]
	c.eachStaged(worker, lo, hi, func(y tensor.Matrix, lo, hi int) {
		for i := lo; i < hi; i++ {
			d.mask.Key.Fill(words, d.mask.Step, d.mask.Site, d.id(i))
			x, y := c.x.Row(i), y.Row(i-lo)
			for j, w := range words[first:] {
				y[j] = d.apply(w, x[j])
			}
		}
	})
}

// dropping returns what dropping values of the rows of y takes.
func (c *Ctx) dropping(what string, mask Mask, ids []int64, y tensor.Matrix) dropoutOperands {
	if ids != nil && len(ids) != y.Rows { // names are joined where they are needed alone
		wantLen(what+": ids", len(ids), y.Rows)
	}
	cols := mask.Column + y.Cols
	if cols > rng.MaxColumns {
		panic(tensor.ShapeError{Op: what + ": y", Got: y.String(), Want: fmt.Sprintf("at most %d columns", rng.MaxColumns)})
	}
	d := newDropout(mask, ids)
	d.plan = newPhiloxPlan(mask.Key, c.values().dropout.order, groups(cols))
	c.dropoutRoom(&d, max(4*groups(cols), dropoutWords))
	return d
}

func dropoutRows(c *call, worker, _, lo, hi int) {
	c.eachStaged(worker, lo, hi, func(y tensor.Matrix, lo, hi int) {
		c.values.dropout.rows(&c.dropout, worker, c.x.Between(lo, hi), y, lo)
	})
}

// groups returns how many blocks of four words cols columns take.
func groups(cols int) int { return (cols + 3) / 4 }

// dropoutLoops are the loops of dropout in one variant of instructions. All have
// the same bits.
type dropoutLoops struct {
	rows    func(d *dropoutOperands, worker int, x, y tensor.Matrix, from int) // rows from one on
	entries func(c *call, worker, piece, lo, hi int)                           // the body of a call
	order   []int                                                              // of loops that draw several blocks at once, see philoxPlan
}

var dropoutGeneric = dropoutLoops{rows: dropRows, entries: dropoutEntries}

// dropoutWords is how many masks are drawn at once, about, and dropoutSpare how
// many are written beyond those at most.
const (
	dropoutWords = 1 << 11
	dropoutSpare = 64
)

// dropoutRoom makes room for some words for each worker.
func (c *Ctx) dropoutRoom(d *dropoutOperands, words int) {
	d.room = words + dropoutSpare
	d.words = c.randoms(c.Pool.Threads() * d.room)
}

// own returns the words of a worker.
func (d *dropoutOperands) own(worker int) []uint32 { return d.words[worker*d.room : (worker+1)*d.room] }

// philoxPlan is what loops that draw several blocks at once read from memory: the
// keys of the rounds, and the row and the group of four columns that each of
// their lanes begins with, block order[i] of a row's in lane i.
type philoxPlan struct {
	keys         [10][2]uint32
	rows, groups [8]uint64
}

func newPhiloxPlan(key rng.Key, order []int, groups int) philoxPlan {
	p := philoxPlan{keys: key.Rounds()}
	for lane, block := range order {
		p.rows[lane], p.groups[lane] = uint64(block/max(1, groups)), uint64(block%max(1, groups))
	}
	return p
}

func newDropout(mask Mask, ids []int64) dropoutOperands {
	return dropoutOperands{
		mask: mask, ids: ids,
		below: uint32(float64(mask.P) * (1 << 32)),
		scale: mask.Scale(),
	}
}

// id returns the identity of row i.
func (d *dropoutOperands) id(i int) uint64 {
	if d.ids == nil {
		return uint64(d.mask.First + int64(i))
	}
	return uint64(d.ids[i])
}

// apply drops or scales a value by its random word. Masking the bits costs
// less than a branch that half of the values mispredict.
func (d *dropoutOperands) apply(word uint32, x float32) float32 {
	_, dropped := bits.Sub32(word, d.below, 0)
	return math.Float32frombits(math.Float32bits(x*d.scale) & (dropped - 1))
}

func dropRows(d *dropoutOperands, worker int, x, y tensor.Matrix, from int) {
	words := d.own(worker)[:y.Cols]
	for i := range y.Rows {
		d.mask.Key.Fill(words, d.mask.Step, d.mask.Site, d.id(from+i))
		y, x := y.Row(i), x.Row(i)
		for j, w := range words {
			y[j] = d.apply(w, x[j])
		}
	}
}
