package program

import (
	"fmt"
	"slices"
)

// Reduction is the ⊕ of a partial value.
type Reduction int

// The reductions. ArgMax and ArgMin are of the candidates of several ranks for a
// maximum or minimum, see [Candidates]: a value and the place of its edge, which decides
// between equal values.
const (
	Sum Reduction = iota
	Max
	Min
	ArgMax
	ArgMin
)

func (r Reduction) String() string { return [...]string{"sum", "max", "min", "argmax", "argmin"}[r] }

// arg is the reduction of candidates for a maximum or minimum.
func (r Reduction) arg() Reduction { return map[Reduction]Reduction{Max: ArgMax, Min: ArgMin}[r] }

// ofRows reports whether it reads several columns of a row together.
func (r Reduction) ofRows() bool { return r == ArgMax || r == ArgMin }

// Kind says how a value lies on the ranks of one mesh axis.
type Kind int

// The kinds of placement. In One, rows and columns are those of the matrix.
const (
	Whole   Kind = iota // every rank has all of it
	Rows                // each row has one owner
	Columns             // each column has one owner
	Partial             // each rank holds a contribution to ⊕
	Halo                // Rows, and the rows that local edges name at both ends
)

// Placement is how a value lies on the ranks of one mesh axis.
type Placement struct {
	Kind Kind
	Of   Reduction // for Partial
}

func (p Placement) String() string {
	if p.Kind == Partial {
		return fmt.Sprintf("partial(%v)", p.Of)
	}
	return [...]string{Whole: "whole", Rows: "rows", Columns: "columns", Halo: "halo"}[p.Kind]
}

// Owner says who has an edge on one mesh axis.
type Owner int

// The owners of an edge space.
const (
	AllEdges Owner = iota // every rank has every edge
	ByDst                 // the rank of its destination
	BySrc                 // the rank of its source
	Free                  // any rank: vertex-cut
	Shared                // every rank has every edge, for some columns of the vertices
	Copied                // ranks have copies of vertices, and share out the edges into them
	Ranged                // ranks have columns of vertices, and share out the edges by ranges of sources
)

func (o Owner) String() string {
	return [...]string{"whole", "by dst", "by src", "free", "shared", "copied", "ranged"}[o]
}

// asked is the owner as split rules know it: what is shared they see as all edges
// and columns of vertices, what is copied as edges of any rank, what is ranged as
// edges of their source's.
func (o Owner) asked() Owner {
	switch o {
	case Shared:
		return AllEdges
	case Copied:
		return Free
	case Ranged:
		return BySrc
	}
	return o
}

// Split is the question that an op's split rule answers: on one mesh axis of
// Ranks ranks, with edges owned as Edges says, its operands lie as In says.
//
// Values over edges and entries lie with them: they are Rows unless every rank
// has all edges, and never Rows where it does. An index counts the rows that a
// rank has. A partial index of max or min names each rank's own winners; once
// the ranks have compared them it is a partial sum: the rank that has the winner
// names it, the others name none.
//
// Where one operand is split by columns, a rank takes its columns of whole
// operands of the same width itself; ops with heads have those of its columns.
// A sum over rows goes over those that a rank owns.
type Split struct {
	Ranks int
	Edges Owner
	In    []Placement
	Types []Type
	Out   Type

	number []int // of In among the operands of the op asked; nil where all are
}

// of returns the question for some of the operands.
func (s Split) of(operands ...int) Split {
	t := s
	t.In, t.Types, t.number = nil, nil, nil
	for _, i := range operands {
		t.In, t.Types = append(t.In, s.In[i]), append(t.Types, s.Types[i])
		if s.number != nil {
			i = s.number[i]
		}
		t.number = append(t.number, i)
	}
	return t
}

// refusal says why a rule cannot read an operand as it is placed.
type refusal struct {
	operand int
	at      Placement
	why     string
}

func (r *refusal) Error() string {
	return fmt.Sprintf("operand %d is %v: %s", r.operand, r.at, r.why)
}

// refuse says that operand i cannot be read as it is placed.
func (s Split) refuse(i int, why string) (Placement, error) {
	at := s.In[i]
	if s.number != nil {
		i = s.number[i]
	}
	return Placement{}, &refusal{i, at, why}
}

// isOne reports whether operand i is a single matrix.
func (s Split) isOne(i int) bool { return s.Types[i].Space == One }

// all reports whether every operand has one of the kinds.
func (s Split) all(kinds ...Kind) bool {
	for _, p := range s.In {
		if !slices.Contains(kinds, p.Kind) {
			return false
		}
	}
	return true
}

// rowwise is the rule of functions of whole rows: a rank that owns a row of
// every operand owns the row of the result. Operands in One must be whole.
func (s Split) rowwise() (Placement, error) {
	rows := false
	for i, p := range s.In {
		switch {
		case p.Kind == Whole:
		case s.isOne(i):
			return s.refuse(i, "a row-wise op reads it whole")
		case p.Kind == Rows || p.Kind == Halo:
			rows = true
		default:
			return s.refuse(i, "a row-wise op reads whole rows")
		}
	}
	if rows {
		return Placement{Kind: Rows}, nil
	}
	return Placement{Kind: Whole}, nil
}

// linearRows is rowwise for a linear function of the first operand.
func (s Split) linearRows() (Placement, error) {
	if s.In[0].Kind == Partial {
		return s.linear(0)
	}
	return s.rowwise()
}

// elementwise adds to rowwise: columns stay with their owner, where every
// operand that has as many columns as the result is split by columns.
func (s Split) elementwise() (Placement, error) {
	cols := 0
	for i, p := range s.In {
		if p.Kind == Columns {
			cols++
		}
		if p.Kind == Partial {
			return s.refuse(i, "only linear ops read partial values")
		}
	}
	if cols == 0 {
		if s.Out.Space == One {
			return s.oneElementwise()
		}
		return s.rowwise()
	}
	for i, p := range s.In {
		if p.Kind != Columns && p.Kind != Whole {
			return s.refuse(i, "another operand is split by columns")
		}
	}
	return Placement{Kind: Columns}, nil
}

// oneElementwise is elementwise for matrices in One, whose rows may be split.
func (s Split) oneElementwise() (Placement, error) {
	out := Placement{Kind: Whole}
	for _, p := range s.In {
		if p.Kind == Rows {
			out.Kind = Rows
		}
	}
	return out, nil
}

// linear adds to elementwise: a partial sum stays one where every other
// operand is whole.
func (s Split) linear(partial int) (Placement, error) {
	if s.In[partial] != (Placement{Partial, Sum}) {
		return s.elementwise()
	}
	for i, p := range s.In {
		if i != partial && p.Kind != Whole {
			return s.refuse(i, "another operand is a partial sum")
		}
	}
	return Placement{Partial, Sum}, nil
}

// additive is the rule of sums of operands: partial sums add to a partial sum.
func (s Split) additive() (Placement, error) {
	for _, p := range s.In {
		if p != (Placement{Partial, Sum}) {
			return s.elementwise()
		}
	}
	return Placement{Partial, Sum}, nil
}

// reduceRows is the rule of sums over the rows of a space that are linear in each
// operand: rows that are spread over ranks, and a partial sum among whole operands, give
// a partial sum; columns stay with their owner.
func (s Split) reduceRows() (Placement, error) {
	if i := slices.Index(s.In, Placement{Partial, Sum}); i >= 0 {
		return s.linear(i)
	}
	switch {
	case s.all(Whole):
		return Placement{Kind: Whole}, nil
	case s.all(Rows, Whole, Halo):
		return Placement{Partial, Sum}, nil
	case s.all(Columns, Whole):
		return Placement{Kind: Columns}, nil
	}
	for i, p := range s.In {
		if p.Kind == Partial {
			return s.refuse(i, "a sum over rows of products reads resolved values")
		}
	}
	return s.refuse(0, "rows and columns are both split")
}

// ownsAlong reports whether edges lie with the image of m, so that a
// reduction along m, or a read along it, is local.
func (s Split) ownsAlong(m Map) bool {
	return m != Member && s.Edges == AllEdges || m == Dst && s.Edges == ByDst || m == Src && s.Edges == BySrc
}

// spread reports whether a rank has some rows of a space only: edges and
// entries, unless every rank has all edges.
func (s Split) spread(of Space) bool {
	return (of.IsEdges() || of == Entries) && s.Edges != AllEdges
}
