package program

import (
	"fmt"

	"github.com/weft-gnn/weft/cost"
)

// Space says what the rows of a value stand for. Loops are a property of the
// edge space: Edges are the arcs of N(v) with the self-loops the data holds,
// LoopEdges those of N̂(v) with exactly one loop per vertex.
//
// In a program of one of several ranks, rows are those that the rank has, and an
// edge space says by whom edges are owned: see [Space.Held]. Where their ends are
// not the rank's own vertices they are rows of Sources and Destinations.
type Space int

// The spaces. Loops are a property of the edge space: Edges are the arcs of
// N(v) with the self-loops the data holds, LoopEdges those of N̂(v) with
// exactly one loop per vertex.
const (
	One       Space = iota // a single r×c matrix: parameters, sums, losses
	Vertices               // one row per vertex
	Edges                  // one row per arc of N
	LoopEdges              // one row per arc of N̂
	Graphs                 // one row per graph of a batch
	Entries                // one row per entry of sparse features that is not zero

	Sources      // one row per vertex that a rank's edges name as source
	Destinations // one row per vertex that a rank's edges name as destination

	// What ranks exchange of Sources and Destinations: those of other ranks,
	// grouped by owner, and the rank's own vertices that others name, grouped by
	// who does.
	SourceHalo
	SourceBoundary
	DestinationHalo
	DestinationBoundary

	// AllVertices has one row per vertex of the graph, where ranks have some columns
	// each.
	AllVertices
	// Range has one row per vertex of a rank's range: where ranks that share out
	// columns of the same vertices share out the edges too, those out of which it has
	// the edges.
	Range

	held // what an owner is counted in
)

var spaceNames = [...]string{One: "one", Vertices: "vertices", Edges: "edges", LoopEdges: "edges+loops", Graphs: "graphs", Entries: "entries",
	Sources: "sources", Destinations: "destinations", SourceHalo: "source halo", SourceBoundary: "source boundary",
	DestinationHalo: "destination halo", DestinationBoundary: "destination boundary", AllVertices: "all vertices", Range: "range"}

func (s Space) String() string {
	if o := s.owner(); o != AllEdges {
		return spaceNames[s.base()] + " " + o.String()
	}
	return spaceNames[s]
}

// Held returns an edge space as the rank of a program has it whose edges are
// owned so; every other space is as it was.
func (s Space) Held(by Owner) Space {
	if !s.IsEdges() {
		return s
	}
	return s.base() + held*Space(by)
}

func (s Space) base() Space  { return s % held }
func (s Space) owner() Owner { return Owner(s / held) }

// IsEdges reports whether rows are edges, with or without added loops.
func (s Space) IsEdges() bool { return s.base() == Edges || s.base() == LoopEdges }

// exchanged reports whether rows are those of a rank's share: its vertices, the
// ends of its edges, and what of them is sent.
func (s Space) exchanged() bool { return s == Vertices || s >= Sources && s < held }

// isVertices reports whether rows are vertices of the graph, of some choice.
func (s Space) isVertices() bool {
	return s == Vertices || s == Range || s == Sources || s == Destinations
}

// End returns the space of the rows to which a map leads from s.
func (s Space) End(m Map) Space {
	switch o := s.owner(); {
	case m == Member:
		return Graphs
	case o == AllEdges, m == Dst && (o == ByDst || o == Copied || o == Ranged), m == Src && o == BySrc:
		return Vertices
	case o == Ranged:
		return Range
	case o == Shared:
		return AllVertices
	case m == Dst:
		return Destinations
	}
	return Sources
}

// The symbols of the row counts and degrees; package graph defines them.
var (
	symN       = cost.Sym("n")
	symM       = cost.Sym("m")
	symLoops   = cost.Sym("ℓ")
	symMHat    = cost.Sym("m̂")
	symB       = cost.Sym("B")
	symNNZ     = cost.Sym("nnz") // entries of sparse features that are not zero
	symTarget  = cost.Sym("t")   // rows that a loss compares
	symPresent = cost.Sym("τ")   // values of these rows that are not missing
)

// symAll is how many vertices the graph has, of which a rank has n.
var symAll = cost.Sym("N")

// The symbols of what a rank has of others.
var rankRows = map[Space]cost.Expr{
	Sources: cost.Sym("n_src"), SourceHalo: cost.Sym("h_src"), SourceBoundary: cost.Sym("b_src"),
	Destinations: cost.Sym("n_dst"), DestinationHalo: cost.Sym("h_dst"), DestinationBoundary: cost.Sym("b_dst"),
	AllVertices: symAll, Range: Features.owned(symN),
}

// rows returns the number of rows of a space other than One.
func (s Space) rows() cost.Expr {
	if rows, ok := rankRows[s]; ok {
		return rows
	}
	switch s.base() {
	case Vertices:
		return symN
	case Edges:
		return cost.Add(symM, symLoops)
	case LoopEdges:
		return symMHat
	case Graphs:
		return symB
	case Entries:
		return symNNZ
	}
	panic("program: the space one has no row count of its own")
}

// Map is a many-to-one relation between spaces: every edge has a destination
// and a source, every vertex is a member of one graph.
type Map int

// The maps. Scatter reads along a map, Aggregate writes along it. Dst also
// leads from an entry of the features to its row.
const (
	Dst    Map = iota // edge → its destination
	Src               // edge → its source
	Member            // vertex → its graph
)

var mapNames = [...]string{Dst: "dst", Src: "src", Member: "member"}

func (m Map) String() string { return mapNames[m] }

// from checks that a map starts in s.
func (m Map) from(s Space) error {
	if m == Member && s != Vertices {
		return fmt.Errorf("member leads from vertices, not from %v", s)
	}
	if m != Member && !s.IsEdges() && (m != Dst || s != Entries) {
		return fmt.Errorf("%v leads from edges, not from %v", m, s)
	}
	return nil
}

// degree returns the largest number of rows of s that share one image: the
// length of the longest reduction along m.
func (m Map) degree(s Space) cost.Expr {
	switch {
	case m == Member:
		return cost.Sym("s")
	case m == Dst && s.base() == LoopEdges:
		return cost.Sym("d̂")
	case m == Dst:
		return cost.Sym("d")
	case s.base() == LoopEdges:
		return cost.Sym("d̂_out")
	}
	return cost.Sym("d_out")
}

// Dim is a column count (or a row count in One): its value, and the symbol or
// expression that stands for it in a cost.
type Dim struct {
	N    int
	Expr cost.Expr
}

// GoString names the dimension in [identity].
func (a Dim) GoString() string { return fmt.Sprintf("%d=%v", a.N, a.Expr) }

// Cols returns a dimension that is known by its number only.
func Cols(n int) Dim { return Dim{n, cost.Int(int64(n))} }

// Sym returns the dimension called name, whose value here is n.
func Sym(name string, n int) Dim { return Dim{n, cost.Sym(name)} }

// Times returns a·b.
func (a Dim) Times(b Dim) Dim { return Dim{a.N * b.N, cost.Mul(a.Expr, b.Expr)} }

// Plus returns a+b.
func (a Dim) Plus(b Dim) Dim { return Dim{a.N + b.N, cost.Add(a.Expr, b.Expr)} }

// Type is the shape of a value: its space and its columns. Rows is set for
// values in One only; elsewhere the space has the rows.
type Type struct {
	Space Space
	Rows  Dim
	Cols  Dim
	// Index marks a value that holds row positions as uint32 bits, not numbers.
	Index bool
	// BFloat16 marks numbers that are stored in bfloat16.
	BFloat16 bool
}

// rows returns the symbolic number of rows.
func (t Type) rows() cost.Expr {
	if t.Space == One {
		return t.Rows.Expr
	}
	return t.Space.rows()
}

// RowCount returns the symbolic number of rows.
func (t Type) RowCount() cost.Expr { return t.rows() }

// size returns rows × columns.
func (t Type) size() cost.Expr { return cost.Mul(t.rows(), t.Cols.Expr) }

// stored returns t as stored in bfloat16, or in float32.
func (t Type) stored(narrow bool) Type {
	t.BFloat16 = narrow
	return t
}

// valueBytes is what a value takes.
func (t Type) valueBytes() int64 {
	if t.BFloat16 {
		return 2
	}
	return 4
}

// Words returns how many words of 4 bytes a row takes, one after the other.
func (t Type) Words() int {
	if t.BFloat16 {
		return (t.Cols.N + 1) / 2
	}
	return t.Cols.N
}

// RowBytes returns what the values of a row take.
func (t Type) RowBytes() int { return int(t.valueBytes()) * t.Cols.N }

func (t Type) String() string {
	s := fmt.Sprintf("%v[%v]", t.Space, t.Cols.Expr)
	if t.Space == One {
		s = fmt.Sprintf("one[%v×%v]", t.Rows.Expr, t.Cols.Expr)
	}
	if t.Index {
		s += " index"
	}
	if t.BFloat16 {
		s += " bfloat16"
	}
	return s
}

// same reports whether two types agree in space and numbers; symbols that
// stand for equal numbers are equal here.
func (t Type) same(u Type) bool {
	return t.Space == u.Space && t.Cols.N == u.Cols.N && t.Rows.N == u.Rows.N && t.Index == u.Index && t.BFloat16 == u.BFloat16
}

// row is the type of a 1×c matrix in One.
func row(c Dim) Type { return Type{Space: One, Rows: Cols(1), Cols: c} }

// scalar is the type of a 1×1 matrix in One.
func scalar() Type { return row(Cols(1)) }
