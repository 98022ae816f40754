package program

// Gatherer is an op that reads rows of an operand in an order that edges
// dictate. Its cost counts such a row as often as it is read, since whether a
// cache serves it depends on that order; here the op says which rows these are,
// for those who weigh what a cache can do (package machine). All other bytes of
// an op are read and written once, in order.
type Gatherer interface {
	Op
	Gathers() []Gather
}

// Gather is the reading of one row of an operand for every row of Over. These
// are visited grouped by the end By, in ascending order of that end.
type Gather struct {
	Operand int
	Over    Space
	By      Map
	// Own reads the row of the edge itself, which By Src finds at a position of
	// its own; without it the row read is that of the edge's other end.
	Own bool
	// Half is the sources whose edges these are, where By is Src.
	Half Half
}

// GathersOf returns what an op gathers: nothing for most.
func GathersOf(op Op) []Gather {
	if t, ok := op.(Tailed); ok {
		op = t.Base
	}
	if g, ok := op.(Gatherer); ok {
		return g.Gathers()
	}
	return nil
}
