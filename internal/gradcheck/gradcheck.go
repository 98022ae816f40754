// Package gradcheck compares the gradient of a program with central
// differences in float64, for tests of any package above program.
//
// Both sides go through [program.Interpret], so that what is checked is the
// gradients that ops state and how [program.Grad] joins them, not kernels.
package gradcheck

import (
	"fmt"
	"maps"
	"math"

	"github.com/weft-gnn/weft/internal/rng"
	"github.com/weft-gnn/weft/program"
)

// Problem is a loss to differentiate.
type Problem struct {
	Program *program.Program
	Loss    program.Value
	// Wrt are the leaves whose gradient is checked.
	Wrt []program.Value
	// Exec holds the graph, the target and the value of every leaf.
	Exec program.RefExec
}

// step is the half-width of a central difference. With losses and third
// derivatives of size 1 it errs by about 1e-16/step = 1e-11 in rounding and by
// step² = 1e-10 in truncation.
const step = 1e-5

// Tolerance is the largest difference that passes, per unit of loss, gradient
// and 1: a hundred times what a central difference errs by in good conditions.
const Tolerance = 1e-8

// Gradients returns the loss and its gradient with respect to each leaf of Wrt;
// zeros where the loss does not depend on it.
func (p Problem) Gradients() (loss float64, grads []program.Dense, err error) {
	q, at, err := program.Grad(p.Program, p.Loss, p.Wrt)
	if err != nil {
		return 0, nil, err
	}
	vals, err := program.Interpret(q, &p.Exec)
	if err != nil {
		return 0, nil, err
	}
	for i, v := range p.Wrt {
		if at[i] == program.None {
			grads = append(grads, program.NewDense(vals[v].Rows, vals[v].Cols))
			continue
		}
		if g, x := vals[at[i]], vals[v]; g.Rows != x.Rows || g.Cols != x.Cols {
			return 0, nil, fmt.Errorf("gradcheck: the gradient of %v is %d×%d, the value %d×%d", p.Program.Nodes[v].Op, g.Rows, g.Cols, x.Rows, x.Cols)
		}
		grads = append(grads, vals[at[i]])
	}
	return vals[p.Loss].Data[0], grads, nil
}

// Directions compares derivatives along count random directions of each leaf,
// and along as many of all leaves at once.
func (p Problem) Directions(seed uint64, count int) error {
	loss, grads, err := p.Gradients()
	if err != nil {
		return err
	}
	s := rng.Key{Seed: seed, Purpose: rng.Test}.Stream(0)
	for range count {
		along := make([]program.Dense, len(grads))
		for i, g := range grads {
			along[i] = direction(s, g)
			if err := p.compare(loss, grads, only(along, i), p.name(i)); err != nil {
				return err
			}
		}
		if err := p.compare(loss, grads, along, "all leaves"); err != nil {
			return err
		}
	}
	return nil
}

// Elements compares the derivative by every element of every leaf.
func (p Problem) Elements() error {
	loss, grads, err := p.Gradients()
	if err != nil {
		return err
	}
	for i, g := range grads {
		for j := range g.Data {
			along := make([]program.Dense, len(grads))
			along[i] = program.NewDense(g.Rows, g.Cols)
			along[i].Data[j] = 1
			if err := p.compare(loss, grads, along, fmt.Sprintf("%s, row %d, column %d", p.name(i), j/g.Cols, j%g.Cols)); err != nil {
				return err
			}
		}
	}
	return nil
}

func (p Problem) name(i int) string { return p.Program.Nodes[p.Wrt[i]].Op.String() }

// compare holds ⟨gradient, along⟩ against the central difference along it.
func (p Problem) compare(loss float64, grads, along []program.Dense, what string) error {
	want := 0.0
	for i, d := range along {
		for j, v := range d.Data {
			want += v * grads[i].Data[j]
		}
	}
	above, err := p.at(along, step)
	if err != nil {
		return err
	}
	below, err := p.at(along, -step)
	if err != nil {
		return err
	}
	got := (above - below) / (2 * step)
	if limit := Tolerance * (1 + math.Abs(want) + math.Abs(loss)); !(math.Abs(got-want) <= limit) {
		return fmt.Errorf("gradcheck: %s: the gradient gives %.12g, central differences %.12g, more than %.2g apart", what, want, got, limit)
	}
	return nil
}

// at returns the loss where the leaves are moved by h along a direction.
func (p Problem) at(along []program.Dense, h float64) (float64, error) {
	x := p.Exec
	x.Leaves = maps.Clone(x.Leaves)
	for i, d := range along {
		if d.Data == nil {
			continue
		}
		slot := p.Program.Nodes[p.Wrt[i]].Op.(program.Leaf).Slot()
		from := x.Leaves[slot]
		to := program.NewDense(from.Rows, from.Cols)
		for j, v := range from.Data {
			to.Data[j] = v + h*d.Data[j]
		}
		x.Leaves[slot] = to
	}
	vals, err := program.Interpret(p.Program, &x)
	if err != nil {
		return 0, err
	}
	return vals[p.Loss].Data[0], nil
}

// direction returns a random direction whose length does not grow with its
// number of elements, so that one tolerance suits all sizes.
func direction(s *rng.Stream, like program.Dense) program.Dense {
	d := program.NewDense(like.Rows, like.Cols)
	for j := range d.Data {
		d.Data[j] = s.Normal() / math.Sqrt(float64(len(d.Data)))
	}
	return d
}

// only returns direction i alone.
func only(along []program.Dense, i int) []program.Dense {
	one := make([]program.Dense, len(along))
	one[i] = along[i]
	return one
}
