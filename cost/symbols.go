package cost

import (
	"cmp"
	"strings"
	"unicode/utf8"
)

// Names of the symbols that every package uses; package graph defines them.
// The hat is the combining character U+0302 after its letter.
const (
	Vertices        = "n"
	Arcs            = "m"           // directed, self-loops left out
	Loops           = "ℓ"           // vertices with a self-loop in the data
	ArcsWithLoops   = "m\u0302"     // m + n
	Degree          = "d"           // largest in-degree
	DegreeWithLoops = "d\u0302"     // d + 1
	OutDegree       = "d_out"       // largest out-degree
	OutWithLoops    = "d\u0302_out" // d_out + 1
	Features        = "k"
	FeaturesIn      = "k_in"
	FeaturesOut     = "k_out"
	Layers          = "L"
	Heads           = "H"
	Ranks           = "P"
)

// Ranks order atoms inside a term, and by that the terms of a sum: graph sizes,
// degrees, widths, everything else, functions, and last the counts of
// repetitions. Those are printed first in their term, as in L·m·k + L·n·k².
const (
	otherRank = iota + 100
	log2Rank
	maxRank
	minRank
	ceilRank
	floorRank
	repeatRank
)

// symbolRank returns the rank of a symbol, which indices do not change: k_in
// and k_2 have the rank of k.
func symbolRank(name string) int {
	base, _, _ := strings.Cut(name, "_")
	switch base {
	case ArcsWithLoops:
		return 0
	case Arcs:
		return 1
	case Loops:
		return 2
	case "nnz", "nnz(X)":
		return 3
	case Vertices:
		return 4
	case DegreeWithLoops:
		return 5
	case Degree:
		return 6
	case Features:
		return 7
	case Heads:
		return 8
	case Layers, "K", "T", "J", "I":
		return repeatRank
	}
	return otherRank
}

// compareNames orders symbols of one rank: k before k_in, k_2 before k_10.
func compareNames(a, b string) int {
	return cmp.Or(cmp.Compare(utf8.RuneCountInString(a), utf8.RuneCountInString(b)), strings.Compare(a, b))
}
