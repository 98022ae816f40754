package program

import (
	"github.com/weft-gnn/weft/comm"
	"github.com/weft-gnn/weft/cost"
)

// Axis is one dimension of the mesh of ranks. The ranks along an axis are those whose
// place differs there alone; they have a communicator.
type Axis int

// The axes, the slowest first: rank ((r·P + p)·c + q)·F + f of all is replica r's,
// with part p of the graph, copy q of it and piece f of the columns.
const (
	Replicas Axis = iota // ranks that train on other items
	Parts                // ranks with other vertices
	Copies               // ranks with the same vertices and other edges into them
	Features             // ranks with other columns, and other pieces of parameters
	axes
)

var axisNames = [...]string{Replicas: "replicas", Parts: "parts", Copies: "copies", Features: "features"}

func (a Axis) String() string { return axisNames[a] }

// The symbols of the number of ranks along each axis, and of a rank's own number.
var (
	axisRanks = [...]cost.Expr{Replicas: cost.Sym("R"), Parts: cost.Sym("P"), Copies: cost.Sym("c"), Features: cost.Sym("F")}
	axisRank  = [...]cost.Expr{Replicas: cost.Sym("r"), Parts: cost.Sym("p"), Copies: cost.Sym("q"), Features: cost.Sym("f")}
)

// Places are the symbols of a rank's own numbers.
func Places() (symbols []string) {
	for _, rank := range axisRank {
		symbols = append(symbols, rank.Symbols()...)
	}
	return symbols
}

func (a Axis) ranks() cost.Expr { return axisRanks[a] }

// owned is how many of s things a rank has: its piece by [comm.Cut].
func (a Axis) owned(s cost.Expr) cost.Expr {
	end := cost.Mul(s, cost.Add(axisRank[a], cost.Int(1)))
	return cost.Sub(cost.FloorDiv(end, a.ranks()), cost.FloorDiv(cost.Mul(s, axisRank[a]), a.ranks()))
}

// others is the number of other ranks.
func (a Axis) others() cost.Expr { return cost.Sub(a.ranks(), cost.Int(1)) }

// Place is that of a rank among those along an axis.
type Place struct {
	Axis
	Rank, Ranks int
}

// Share is how many of some columns the rank has, by [comm.Cut].
func (p Place) Share(cols Dim) Dim {
	lo, hi := comm.Cut(cols.N, p.Rank, p.Ranks)
	return Dim{hi - lo, p.owned(cols.Expr)}
}

// First is the number of the first of them.
func (p Place) First(cols Dim) int {
	lo, _ := comm.Cut(cols.N, p.Rank, p.Ranks)
	return lo
}

// Mesh is how many ranks there are along each axis; 0 stands for 1.
type Mesh [axes]int

// Along returns the number of ranks along an axis.
func (m Mesh) Along(a Axis) int { return max(1, m[a]) }

// Ranks returns the number of all.
func (m Mesh) Ranks() int {
	n := 1
	for a := range axes {
		n *= m.Along(a)
	}
	return n
}

// At returns where one of all ranks is along each axis.
func (m Mesh) At(rank int) (at Mesh) {
	for a := axes - 1; a >= 0; a-- {
		at[a] = rank % m.Along(a)
		rank /= m.Along(a)
	}
	return at
}

// Place returns where a rank at a place of the mesh is along an axis.
func (m Mesh) Place(a Axis, at Mesh) Place { return Place{a, at[a], m.Along(a)} }

// Number returns the rank that is at a place.
func (m Mesh) Number(at Mesh) (rank int) {
	for a := range axes {
		rank = rank*m.Along(a) + at[a]
	}
	return rank
}

// Env adds the values of the axes' symbols for the rank at a place.
func (m Mesh) Env(env cost.Env, at Mesh) {
	for a := range axes {
		env[axisRanks[a].Symbols()[0]], env[axisRank[a].Symbols()[0]] = int64(m.Along(a)), int64(at[a])
	}
}
