package analysis

import (
	"cmp"

	"github.com/weft-gnn/weft/program"
)

// Total sums up operations.
type Total struct {
	Costs
	// Messages and Supersteps are those of weft, which synchronises where ranks
	// exchange something: 0 on one rank.
	Messages   Sent     `json:"messages"`
	Supersteps Quantity `json:"supersteps"`
	// Parallelism is W/D, null where unknown or without depth.
	Parallelism *float64 `json:"parallelism"`
}

func (a at) total(s spending) (t Total, err error) {
	var err1, err2 error
	t.Costs, err1 = a.costs(s)
	t.Messages, err2 = a.sent(s.Messages)
	steps, err3 := a.sent(s.Supersteps)
	t.Supersteps = Quantity{s.Supersteps, steps.Max}
	if p := t.Costs.Parallelism(); p > 0 {
		t.Parallelism = &p
	}
	return t, cmp.Or(err1, err2, err3)
}

// Stages are the totals of what runs once before the first step, of one step,
// of what runs once after the last, and of one run of all of them.
type Stages struct {
	Total GrandTotal `json:"total"`
	Pre   Total      `json:"pre"`
	Step  Total      `json:"step"`
	Post  Total      `json:"post"`
}

// GrandTotal is a Total with the memory that it takes.
type GrandTotal struct {
	Total
	// MemoryBytes is the peak: arena, inputs and graph; of several ranks, that of
	// the one that needs most. Null without data.
	MemoryBytes *int64 `json:"memory_bytes"`
}

// stages sums up p by stage. What runs once ends before a step begins, so that
// work, depth and bytes all add. Programs have no stage after the last step.
func (a at) stages(p *program.Program) (s Stages, err error) {
	spent := spendingOf(p)
	of := func(stage program.Stage) spending {
		return sum(p, spent, func(i int) bool { return p.Nodes[i].Stage == stage })
	}
	pre, step := of(program.Pre), of(program.Step)
	var err1, err2, err3, err4 error
	s.Pre, err1 = a.total(pre)
	s.Step, err2 = a.total(step)
	s.Post, err3 = a.total(spending{})
	s.Total.Total, err4 = a.total(pre.then(step))
	return s, cmp.Or(err1, err2, err3, err4)
}

// Memory is what a process holds at its peak. In training that process also
// evaluates, so that the forward pass without dropout is laid out beside the step.
// Of several ranks, each number is that of the rank where it is largest.
type Memory struct {
	// ArenaBytes are parameters, gradients, optimiser state, values computed once
	// and the largest set of values alive together, as package program lays them out.
	ArenaBytes int64 `json:"arena_bytes"`
	// InputBytes are the features, which are read where they lie.
	InputBytes int64 `json:"input_bytes"`
	// GraphBytes are the structure: rows, the loops that a model adds, the places
	// of sparse features, and the indices by source that programs walk.
	GraphBytes int64 `json:"graph_bytes"`
	// RankBytes is all of it together, and TotalBytes the sum over all ranks.
	RankBytes  int64 `json:"rank_bytes"`
	TotalBytes int64 `json:"total_bytes"`
}

// beside is what two ranks hold.
func (m Memory) beside(o Memory) Memory {
	return Memory{
		ArenaBytes: max(m.ArenaBytes, o.ArenaBytes), InputBytes: max(m.InputBytes, o.InputBytes), GraphBytes: max(m.GraphBytes, o.GraphBytes),
		RankBytes: max(m.RankBytes, o.RankBytes), TotalBytes: m.TotalBytes + o.TotalBytes,
	}
}

// beside returns what one process runs over the request's graph: the program, and
// in training the forward pass that evaluates.
func (r study) beside(s subject) ([]*program.Program, error) {
	programs := []*program.Program{s.compiled}
	if r.Mode == Training {
		forward := r.Request
		forward.Mode = Inference
		eval, err := forward.compile(s.widths, r.sizes)
		if err != nil {
			return nil, err
		}
		programs = append(programs, eval.compiled)
	}
	return programs, nil
}

// memory lays out what one process holds, over all of the graph.
func (r study) memory(s subject) (*Memory, error) {
	programs, err := r.beside(s)
	if err != nil {
		return nil, err
	}
	e := r.extent(programs...)
	m := memoryAt(e, programs, structure(r.Data.Graph, e, programs))
	return &m, nil
}

// memoryAt lays out programs beside a graph of so many bytes.
func memoryAt(e program.Extent, programs []*program.Program, structure int64) Memory {
	m := Memory{ArenaBytes: program.Memory(programs, e).Size, GraphBytes: structure}
	inputs := map[string]int64{}
	for _, p := range programs {
		for _, n := range p.Nodes {
			if in, ok := n.Op.(program.Input); ok {
				inputs[in.Name] = 4 * int64(e.Rows(n.Type)) * int64(n.Type.Cols.N)
			}
		}
	}
	for _, size := range inputs {
		m.InputBytes += size
	}
	m.RankBytes = m.ArenaBytes + m.InputBytes + m.GraphBytes
	m.TotalBytes = m.RankBytes
	return m
}

// extent returns the blocks of the request's graph, and the places of sparse
// features, that programs use.
func (r study) extent(programs ...*program.Program) program.Extent {
	e := program.ExtentOf(r.Data.Graph, programs...)
	for _, p := range programs {
		if e.X == nil && p.Reads(program.SparseEntries) {
			e.X = program.SparseOf(r.Data.X).Block
		}
	}
	return e
}
