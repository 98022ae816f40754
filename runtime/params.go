package runtime

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/weft-gnn/weft/internal/rng"
	"github.com/weft-gnn/weft/program"
	"github.com/weft-gnn/weft/tensor"
)

// initialise gives parameters their first values and zeroes optimiser state.
// Element (r, c) is a function of the seed, the parameter's name, r and c, whichever
// rank has it.
func (s *Session) initialise() {
	done := map[string]bool{}
	for _, c := range s.programs {
		for i, n := range c.p.Nodes {
			leaf, ok := n.Op.(program.Leaf)
			if !ok || done[leaf.Slot()] {
				continue
			}
			done[leaf.Slot()] = true
			switch op := n.Op.(type) {
			case program.Param:
				InitParam(op, s.opts.Seed, c.values[i])
			case program.State:
				fill(c.values[i], 0)
			}
		}
	}
}

func fill(m tensor.Matrix, v float32) {
	for r := range m.Rows {
		row := m.Row(r)
		for j := range row {
			row[j] = v
		}
	}
}

// InitParam writes a parameter's initial value.
func InitParam(p program.Param, seed uint64, m tensor.Matrix) {
	switch p.Init {
	case program.Zeros:
		fill(m, 0)
		return
	case program.Ones:
		fill(m, 1)
		return
	}
	key, id, bound := rng.Key{Seed: seed, Purpose: rng.Init}, rng.ID(p.Name), p.Bound()
	for r := range m.Rows {
		row := m.Row(r)
		for c := range row {
			at := p.Col + c
			words := key.Block(rng.Counter{Step: uint32(p.Row + r), Group: uint16(at / 4), ID: id})
			row[c] = float32((2*float64(rng.Float32(words[at%4])) - 1) * bound)
		}
	}
}

// Slots returns the names of parameters ("param.…") and optimiser state
// ("state.…"), sorted.
func (s *Session) Slots() []string {
	var names []string
	for k := range s.slots {
		if !strings.HasPrefix(k, "input.") {
			names = append(names, k)
		}
	}
	slices.Sort(names)
	return names
}

// Slot returns a parameter's or state's matrix, aliasing the arena: a rank's fragment
// where ranks share it out.
func (s *Session) Slot(name string) (tensor.Matrix, error) {
	m, ok := s.slots[name]
	if !ok {
		return tensor.Matrix{}, fmt.Errorf("runtime: nothing is called %q", name)
	}
	return m, nil
}

// Gather returns the whole matrix of which every rank has its fragment: m, of the slot
// called name or like it; m itself where ranks have all of it. All ranks call it.
func (s *Session) Gather(ctx context.Context, name string, m tensor.Matrix) (tensor.Matrix, error) {
	f := s.fragments[name]
	if f.By == program.Whole {
		return m, nil
	}
	c := s.exec.Rank.Along(program.Features)
	send, recv := make([][]float32, c.Size()), make([][]float32, c.Size())
	mine := m.Clone().Flat()
	for q := range send {
		_, _, rows, cols := f.Of(q, c.Size())
		send[q], recv[q] = mine, make([]float32, rows*cols)
	}
	if err := c.Exchange(ctx, send, recv); err != nil {
		return m, fmt.Errorf("runtime: %s: %w", name, err)
	}
	full := tensor.New(f.Full.Rows.N, f.Full.Cols.N)
	for q, words := range recv {
		row, col, rows, cols := f.Of(q, c.Size())
		for r := range rows {
			copy(full.Row(row + r)[col:], words[r*cols:(r+1)*cols])
		}
	}
	return full, nil
}

// Size returns the size of the whole matrix of the slot called name.
//
// Errors: no such slot.
func (s *Session) Size(name string) (rows, cols int, err error) {
	m, err := s.Slot(name)
	if f := s.fragments[name]; f.By != program.Whole {
		return f.Full.Rows.N, f.Full.Cols.N, err
	}
	return m.Rows, m.Cols, err
}

// Take copies what the rank has of the slot called name, or of another matrix of that
// size, from the whole into m.
func (s *Session) Take(name string, m, full tensor.Matrix) {
	f := s.fragments[name]
	for r := range m.Rows {
		copy(m.Row(r), full.Row(f.Row + r)[f.Col:])
	}
}
