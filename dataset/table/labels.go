package table

import (
	"fmt"
	"math"

	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/dataset/internal/cells"
	"github.com/weft-gnn/weft/tensor"
)

// labeller turns the label column's cells into labels.
type labeller struct {
	task  dataset.Task
	class map[string]int
	out   dataset.Labels

	unseen unseen
}

// newLabeller returns a labeller of n vertices, all unlabelled.
func newLabeller(p *dataset.Prep, n int) *labeller {
	l := &labeller{task: p.Task, class: positions(p.Classes)}
	switch p.Task {
	case dataset.VertexClassification:
		l.out.Names = p.Classes
		l.out.Class = make([]int32, n)
		for i := range l.out.Class {
			l.out.Class[i] = -1
		}
	case dataset.VertexRegression:
		l.out.Value = tensor.New(n, 1)
		nan := float32(math.NaN())
		for i := range l.out.Value.Data {
			l.out.Value.Data[i] = nan
		}
	}
	return l
}

// put labels vertex i.
func (l *labeller) put(i int, c cells.Cell) error {
	if c.Missing() {
		return nil
	}
	if l.task == dataset.VertexRegression {
		x, ok := c.Number()
		if !ok || math.Abs(x) > math.MaxFloat32 {
			return fmt.Errorf("label %q is not a finite number of float32", c)
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
