package dataset

import "github.com/weft-gnn/weft/dataset/budget"

// Direction says what a listed edge u, v means.
type Direction int

// The directions. AsStated takes what the file or its layout says; a layout
// that says nothing states its own default in its Format's documentation.
const (
	AsStated   Direction = iota
	Directed             // one arc u→v
	Undirected           // the arcs u→v and v→u; listing both is the same as listing one
)

var directionTexts = texts{"direction", []string{AsStated: "stated", Directed: "directed", Undirected: "undirected"}}

// String returns the direction's text.
func (d Direction) String() string { return directionTexts.of(int(d)) }

// MarshalText writes the direction's text. Errors: the value names no direction.
func (d Direction) MarshalText() ([]byte, error) { return directionTexts.marshal(int(d)) }

// UnmarshalText reads what MarshalText writes. Errors: any other text; the
// error lists what is accepted.
func (d *Direction) UnmarshalText(text []byte) error {
	v, err := directionTexts.unmarshal(text)
	if err == nil {
		*d = Direction(v)
	}
	return err
}

// Duplicates says what becomes of equal arcs.
type Duplicates int

// The policies. LayoutDefault is MergeDuplicates for every layout but those
// whose edges carry features or times of their own, which keep them and say so
// in Notes.
const (
	LayoutDefault   Duplicates = iota
	MergeDuplicates            // the first listed arc stays, with its weight and features
	KeepDuplicates             // parallel arcs, in listing order
)

// Options say how to find and read a set. The zero value detects the layout
// and takes what the files state.
type Options struct {
	Format     string // name of a Format; "" detects it from the content
	Direction  Direction
	Duplicates Duplicates
	Split      SplitSpec // the zero value keeps the set's own splits
	DataPath   []string  // folders that names are looked up in, in order
	CacheDir   string    // looked up after DataPath; "" is none
	Limits     budget.Limits
	// Memory is how many bytes there are for a set; 0 is not known. It bounds
	// Limits.Bytes of readers that hold what they read, not of those that map it.
	Memory int64
}

// Held are the limits of a reader that holds what it reads.
func (o Options) Held() budget.Limits {
	l := o.Limits
	if o.Memory > 0 && (l.Bytes <= 0 || l.Bytes > o.Memory) {
		l.Bytes = o.Memory
	}
	return l
}

// IsUndirected says whether listed edges stand for both arcs, given what the
// file or its layout states.
func (o Options) IsUndirected(stated bool) bool {
	if o.Direction == AsStated {
		return stated
	}
	return o.Direction == Undirected
}
