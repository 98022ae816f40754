package partition

import (
	"fmt"
	"slices"
	"strings"

	"github.com/weft-gnn/weft/internal/nearest"
)

// Method is a way to divide a graph. The first six assign vertices, the others
// arcs.
type Method int

// The methods.
const (
	// Multilevel shrinks the graph by matching neighbours, divides the small one,
	// and refines the parts on the way back: the fewest arcs cut, in the most time.
	Multilevel Method = iota
	// Hash puts each vertex where a hash of its identity says. It needs no graph,
	// and balances only in expectation.
	Hash
	// Range gives each part consecutive vertices. It is as good as their order.
	Range
	// Random deals the vertices out in random order, each to the emptiest part.
	Random
	// LDG reads the vertices once and puts each where most of its neighbours are,
	// discounted by how full the part is.
	LDG
	// Fennel is LDG with a price on full parts that grows with a power of the load.
	Fennel
	// VertexCutRandom puts each edge where a hash of its ends says.
	VertexCutRandom
	// DBH puts each edge where a hash of its end of fewer neighbours says, so that
	// it is hubs that are cut.
	DBH
	// HDRF reads the edges once and puts each where its ends are already, that of
	// fewer neighbours above all, discounted by how full the part is.
	HDRF
	// Grid lets each vertex be in the parts of one row and one column of a grid
	// of all parts; an edge goes to a part that both of its ends may be in.
	Grid
)

var methodNames = [...]string{
	Multilevel: "multilevel", Hash: "hash", Range: "range", Random: "random", LDG: "ldg", Fennel: "fennel",
	VertexCutRandom: "vertexcut-random", DBH: "dbh", HDRF: "hdrf", Grid: "grid",
}

// Methods returns all methods, in the order of help texts.
func Methods() []Method {
	all := make([]Method, len(methodNames))
	for i := range all {
		all[i] = Method(i)
	}
	return all
}

// Parse returns the method that is called name.
//
// Errors: no method is; the error lists what is accepted, and the nearest.
func Parse(name string) (Method, error) {
	i, err := parse("method", name, methodNames[:])
	return Method(i), err
}

func parse(kind, name string, names []string) (int, error) {
	i := slices.Index(names, name)
	if i < 0 {
		return 0, fmt.Errorf("partition: %s %q is not one of %s%s", kind, name, strings.Join(names, ", "), nearest.DidYouMean(name, names))
	}
	return i, nil
}

func (m Method) valid() bool { return m >= 0 && int(m) < len(methodNames) }

func (m Method) String() string {
	if !m.valid() {
		return fmt.Sprintf("Method(%d)", int(m))
	}
	return methodNames[m]
}

// VertexCut reports whether the method assigns arcs, not vertices.
func (m Method) VertexCut() bool { return m >= VertexCutRandom }

// MarshalText writes the method's name. Errors: the value names no method.
func (m Method) MarshalText() ([]byte, error) {
	if !m.valid() {
		return nil, fmt.Errorf("partition: no method has the number %d", int(m))
	}
	return []byte(methodNames[m]), nil
}

// UnmarshalText reads what MarshalText writes. Errors: those of [Parse].
func (m *Method) UnmarshalText(text []byte) error {
	p, err := Parse(string(text))
	if err == nil {
		*m = p
	}
	return err
}

// Balance is what parts should have equally much of.
type Balance int

// The balances.
const (
	// ByVertices counts vertices: memory for rows, and dense products.
	ByVertices Balance = iota
	// ByEdges counts the arcs into a part's vertices: sums over neighbours.
	ByEdges
	// ByWork counts both: a vertex is as much work as [VertexWork] of its arcs.
	ByWork
)

// VertexWork is how many arcs a vertex is as much work as. A sum over neighbours
// takes 2k operations per arc, the product after it 2k·k' per vertex, but these
// read what is in cache and run ten times as fast: k'/10 arcs, for k' near 100.
const VertexWork = 10

var balanceNames = [...]string{ByVertices: "vertices", ByEdges: "edges", ByWork: "work"}

// Balances returns all balances, in the order of help texts.
func Balances() []Balance { return []Balance{ByVertices, ByEdges, ByWork} }

func (b Balance) valid() bool { return b >= 0 && int(b) < len(balanceNames) }

func (b Balance) String() string {
	if !b.valid() {
		return fmt.Sprintf("Balance(%d)", int(b))
	}
	return balanceNames[b]
}

// MarshalText writes the balance's name. Errors: the value names none.
func (b Balance) MarshalText() ([]byte, error) {
	if !b.valid() {
		return nil, fmt.Errorf("partition: no balance has the number %d", int(b))
	}
	return []byte(balanceNames[b]), nil
}

// UnmarshalText reads what MarshalText writes. Errors: any other text; the error
// lists what is accepted, and the nearest.
func (b *Balance) UnmarshalText(text []byte) error {
	i, err := parse("balance", string(text), balanceNames[:])
	if err == nil {
		*b = Balance(i)
	}
	return err
}
