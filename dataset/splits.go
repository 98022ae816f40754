package dataset

// SplitKind says where a split comes from.
type SplitKind int

// The kinds of split.
const (
	OwnSplit      SplitKind = iota // the set's own; an error where it has none
	RandomSplit                    // Fractions of the labelled items, shuffled by Seed
	PerClassSplit                  // PerClass training items of each class, then Val and Test items, shuffled by Seed
	FileSplit                      // one word (train, val, test or none) per item in File
	ColumnSplit                    // the same words in a column of a user's vertex table
)

// SplitSpec asks for a split.
type SplitSpec struct {
	Kind SplitKind
	// Name picks one of several of the set's own splits ("fold 3"); "" is the first.
	Name      string
	Fractions [3]float64 // train, val, test; they sum to at most 1
	PerClass  int
	Val, Test int
	Seed      uint64
	File      string
	Column    string
}
