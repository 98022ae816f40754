package train

import (
	"context"
	"fmt"
	"slices"

	"github.com/weft-gnn/weft/cost"
	"github.com/weft-gnn/weft/dataset/parted"
	"github.com/weft-gnn/weft/model"
	"github.com/weft-gnn/weft/partition"
	"github.com/weft-gnn/weft/plan"
	"github.com/weft-gnn/weft/program"
	"github.com/weft-gnn/weft/tensor"
)

// PlanOf returns the plan that a divided set is for: parts of vertices are those of
// 1d, parts of arcs those of vertexcut, and each is a rank's. asked is the plan that
// somebody wants, or nil.
//
// Errors: another plan was asked for.
func PlanOf(m *parted.Manifest, asked *plan.Plan) (plan.Plan, error) {
	p := plan.OnRanks(len(m.Parts))
	if m.VertexCut {
		p.Algorithm = plan.VertexCut
	}
	if method, err := partition.Parse(m.Method); err == nil && method.VertexCut() == m.VertexCut {
		p.Partitioner, p.Partitioned = method, true
	}
	if asked == nil {
		return p, nil
	}
	p.Blocking, p.Exchange, p.Recompute, p.Backward = asked.Blocking, asked.Exchange, asked.Recompute, asked.Backward
	if !slices.Equal(asked.Partition, p.Partition) || asked.Ranks() != p.Ranks() || asked.Algorithm != p.Algorithm || asked.Partitioned && asked.Partitioner != p.Partitioner {
		return p, fmt.Errorf("train: %s was divided in %d parts by %s, for the plan %v, not for %v: leave the plan out, or name the set that was divided, which any plan divides anew", m.Name, len(m.Parts), m.Method, p, *asked)
	}
	return p, nil
}

// knownOfPart says what a part tells of the set.
func knownOfPart(p *parted.Part) known {
	m := p.Manifest
	return known{
		weighted: m.Weighted, symmetric: func() bool { return m.Symmetric }, nonzeros: m.Nonzeros, split: m.Splits[0],
		env:         func(...*program.Program) cost.Env { return program.EnvOf(m.Sizes) },
		lines:       []string{"parts with the hash " + m.Hash},
		fingerprint: func() string { return m.Fingerprint },
	}
}

// part returns the rank's part of a divided set, nil where the set is whole.
func (t *Trainer) part() *parted.Part {
	if !t.among() {
		return nil
	}
	return t.set.Rank.Part
}

// features returns the matrix that the model reads, of the rank's vertices where it
// has these alone, and what is known of the set.
func (t *Trainer) features() (tensor.Matrix, known) {
	p := t.part()
	if p == nil {
		x := model.Features(t.d, t.cfg.RowNormalize)
		return x, knownOf(t.d, x)
	}
	if t.d.X.Cols > 0 {
		return model.Features(t.d, t.cfg.RowNormalize), knownOfPart(p)
	}
	x := tensor.New(p.Own, 1)
	for v := range x.Rows {
		x.Data[v] = model.LogDegree(int(p.ArcsInto[v]))
	}
	return x, knownOfPart(p)
}

// take makes the rank's piece of its part.
func (t *Trainer) take(p *parted.Part, programs []*program.Program) (err error) {
	r := t.set.Rank
	v, err := p.View()
	if err != nil {
		return err
	}
	part := plan.Part{Rank: p.Rank, Ranks: len(p.Manifest.Parts), Graph: v.Graph, Owner: v.Owner, Named: v.Named, All: int(p.Manifest.Vertices)}
	if t.rank, err = program.NewRank(context.Background(), r.Comm, program.Mesh{program.Parts: part.Ranks}); err != nil {
		return err
	}
	t.piece, err = r.Plan.OfPart(part, programs...)
	return err
}

// nameVertex adds to an error what the data call the vertex that it is about.
func (t *Trainer) nameVertex(err error) error {
	p := t.part()
	switch {
	case p == nil:
		return model.NameVertex(t.d, err)
	case p.Identity != nil:
		return err
	}
	return model.NameVertexBy(func(v int64) string { return p.ID(slices.Index(p.Vertex, int32(v))) }, err)
}
