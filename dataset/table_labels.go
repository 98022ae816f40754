package dataset

import (
	"fmt"
	"math"

	"github.com/weft-gnn/weft/tensor"
)

// labeller turns the label column's cells into labels.
type labeller struct {
	task  Task
	class map[string]int
	out   Labels

	unseen unseen
}

// newLabeller returns a labeller of n vertices, all unlabelled.
func newLabeller(p *Prep, n int) *labeller {
	l := &labeller{task: p.Task, class: positions(p.Classes)}
	switch p.Task {
	case VertexClassification:
		l.out.Names = p.Classes
		l.out.Class = make([]int32, n)
		for i := range l.out.Class {
			l.out.Class[i] = -1
		}
	case VertexRegression:
		l.out.Value = tensor.New(n, 1)
		nan := float32(math.NaN())
		for i := range l.out.Value.Data {
			l.out.Value.Data[i] = nan
		}
	}
	return l
}

// put labels vertex i.
func (l *labeller) put(i int, c cell) error {
	if c.missing() {
		return nil
	}
	if l.task == VertexRegression {
		x, ok := c.number()
		if !ok || math.Abs(x) > math.MaxFloat32 {
			return fmt.Errorf("label %q is not a number", c)
		}
		l.out.Value.Data[i] = float32(x)
		return nil
	}
	k, known := l.class[c.String()]
	if !known {
		l.unseen.add(c)
		return nil
	}
	l.out.Class[i] = int32(k)
	return nil
}

func (l *labeller) notes() []string {
	if l.unseen.count == 0 {
		return nil
	}
	return []string{fmt.Sprintf("%d labels that training did not have, such as %q, count as unlabelled", l.unseen.count, l.unseen.first)}
}
