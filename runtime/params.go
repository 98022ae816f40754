package runtime

import (
	"fmt"
	"slices"
	"strings"

	"github.com/weft-gnn/weft/internal/rng"
	"github.com/weft-gnn/weft/program"
	"github.com/weft-gnn/weft/tensor"
)

// initialise gives parameters their first values and zeroes optimiser state.
// Element (r, c) is a function of the seed, the parameter's name, r and c.
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
			words := key.Block(rng.Counter{Step: uint32(r), Group: uint16(c / 4), ID: id})
			row[c] = float32((2*float64(rng.Float32(words[c%4])) - 1) * bound)
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

// Slot returns a parameter's or state's matrix, aliasing the arena.
func (s *Session) Slot(name string) (tensor.Matrix, error) {
	m, ok := s.slots[name]
	if !ok {
		return tensor.Matrix{}, fmt.Errorf("runtime: nothing is called %q", name)
	}
	return m, nil
}
