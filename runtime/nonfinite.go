package runtime

import (
	"context"
	"fmt"
	"slices"

	"github.com/weft-gnn/weft/program"
	"github.com/weft-gnn/weft/tensor"
)

// NonFiniteError says which operation first made a value that is NaN or infinite.
type NonFiniteError struct {
	Op    string
	Layer int // −1 outside layers
	Step  uint32
	// Rank is the first of several ranks that has such a value of that operation,
	// −1 where there is one rank.
	Rank int
}

func (e *NonFiniteError) Error() string {
	where := "outside the layers"
	if e.Layer >= 0 {
		where = fmt.Sprintf("in layer %d", e.Layer)
	}
	if e.Rank >= 0 {
		where += fmt.Sprintf(" on rank %d", e.Rank)
	}
	return fmt.Sprintf("runtime: the loss is not finite in step %d; the first operation to give NaN or infinity is %s %s", e.Step, e.Op, where)
}

// firstNonFinite runs forward again and returns the first operation, or leaf,
// whose value is not finite. Updates come after the loss, so the parameters
// are still those of this step.
//
// All ranks have the loss's bits, and come here together. The operations that
// run again may exchange, so no rank may stop before the others: after each
// they agree on what was found.
func (s *Session) firstNonFinite(c *compiled) error {
	for i := 0; i < len(c.p.Nodes); i++ {
		n, first := c.p.Nodes[i], -1
		switch {
		case n.Stage == program.Step && n.Region > 0:
			r := c.regions[n.Region-1]
			first, i = s.nonFiniteIn(c, r), r.last
		case n.Stage == program.Step && !isLeaf(n.Op):
			n.Op.Run(&s.exec, c.in[i], c.values[i])
			fallthrough
		case isLeaf(n.Op) || c.p.Kept(program.Value(i)):
			if _, unfinished := n.Op.(program.Unfinished); !n.Type.Index && !unfinished && !finite(c.values[i]) {
				first = i
			}
		}
		first, rank, err := s.agreeOnFirst(first)
		if err != nil {
			return err
		}
		if first >= 0 {
			n := c.p.Nodes[first]
			return &NonFiniteError{Op: n.Op.String(), Layer: n.Layer, Step: s.exec.Step, Rank: rank}
		}
		if program.Value(i) == c.loss {
			break
		}
	}
	return &NonFiniteError{Op: "the loss", Layer: -1, Step: s.exec.Step, Rank: -1}
}

// agreeOnFirst returns the first of the operations that ranks found, −1 for none,
// and the first rank that found it.
func (s *Session) agreeOnFirst(found int) (first, rank int, err error) {
	r := s.exec.Rank
	if r == nil {
		return found, -1, nil
	}
	first, rank = found, r.Number()
	for _, c := range r.Comms() {
		all := make([]float32, 2*c.Size()) // operations and ranks are few: float32 holds their numbers
		all[2*c.Rank()], all[2*c.Rank()+1] = float32(first), float32(rank)
		if err := c.AllGather(context.Background(), all); err != nil {
			return -1, -1, err
		}
		for its := range slices.Chunk(all, 2) {
			at, q := int(its[0]), int(its[1])
			if at >= 0 && (first < 0 || at < first || at == first && q < rank) {
				first, rank = at, q
			}
		}
	}
	return first, rank, nil
}

// nonFiniteIn runs a region and returns the operation that first made a value
// that is not finite, in the first chunk with one; −1 where none did.
func (s *Session) nonFiniteIn(c *compiled, r *region) int {
	first := -1
	s.inChunks(c, r, func(_ int, made tensor.Matrix) bool {
		if !c.p.Nodes[c.at].Type.Index && !finite(made) {
			first = c.at
		}
		return first < 0
	})
	return first
}
