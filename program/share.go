package program

import (
	"github.com/weft-gnn/weft/comm"
	"github.com/weft-gnn/weft/graph"
)

// Share is what one of several ranks has of a graph beside its edges, and what
// it exchanges with the others. Package plan makes it.
type Share struct {
	// Own lists the identities of the rank's vertices, ascending.
	Own []int64
	// Sources and Destinations are the ends of its edges; nil where these are the
	// rank's own vertices.
	Sources, Destinations *Ends
	// All is the number of vertices of the graph.
	All int
	// Loops is how many of its edges over N are self-loops, Borrowed how many have
	// sources of other ranks.
	Loops, Borrowed int64

	out map[halfOf]*graph.Block
}

// Ends are the vertices that a rank's edges name at one end, in ascending order
// of identity, so that edges keep the order that they have in the whole graph.
// Those of other ranks are its halo; the rows of its own vertices that others
// have in theirs are its boundary.
type Ends struct {
	// IDs are the identities.
	IDs []int64
	// From is, for each, the rank's own vertex that it is, or −1−i for row i of the
	// halo.
	From []int32
	// Halo lists the ends that other ranks own, grouped by rank, ascending: those
	// of rank q are HaloPtr[q] to HaloPtr[q+1].
	Halo    []int32
	HaloPtr []int
	// Boundary lists own vertices that others need, grouped by who needs them, in
	// the same way.
	Boundary    []int32
	BoundaryPtr []int
	// Parts lists who contributes to each own vertex, in the order of ranks: PartPtr[v]
	// to PartPtr[v+1] are the end that it is, or −1−i for row i of the boundary.
	Parts   []int32
	PartPtr []int64

	ofVertices []int32 // Parts where own ones are rows of vertices
}

// Bytes returns the memory of the lists.
func (s *Share) Bytes() int64 {
	sum := 8 * int64(len(s.Own))
	for _, e := range []*Ends{s.Sources, s.Destinations} {
		if e != nil {
			sum += 8*int64(len(e.IDs)+len(e.HaloPtr)+len(e.BoundaryPtr)+len(e.PartPtr)) + 4*int64(len(e.From)+len(e.Halo)+len(e.Boundary)+len(e.Parts))
		}
	}
	return sum
}

// rows returns the number of rows of a space of exchanges.
func (s *Share) rows(of Space) int {
	e := s.ends(of)
	switch of {
	case Vertices:
		return len(s.Own)
	case AllVertices:
		return s.All
	case Sources, Destinations:
		return len(e.IDs)
	case SourceHalo, DestinationHalo:
		return len(e.Halo)
	}
	return len(e.Boundary)
}

// ends returns the ends that a space belongs to.
func (s *Share) ends(of Space) *Ends {
	switch of {
	case Sources, SourceHalo, SourceBoundary:
		return s.Sources
	}
	return s.Destinations
}

// messages is how many pieces are not empty.
func messages(ptr []int) (n int64) {
	for q := range len(ptr) - 1 {
		if ptr[q+1] > ptr[q] {
			n++
		}
	}
	return n
}

// env adds the values of the symbols of a rank's rows and messages.
func (s *Share) env(env map[string]int64) {
	env["n"], env["N"], env["m_src"] = int64(len(s.Own)), int64(s.All), s.Borrowed
	for _, x := range []struct {
		e    *Ends
		name string
	}{{s.Sources, "src"}, {s.Destinations, "dst"}} {
		if x.e == nil {
			continue
		}
		env["n_"+x.name] = int64(len(x.e.IDs))
		env["h_"+x.name], env["b_"+x.name] = int64(len(x.e.Halo)), int64(len(x.e.Boundary))
		env["μ_"+x.name], env["ν_"+x.name] = messages(x.e.BoundaryPtr), messages(x.e.HaloPtr)
	}
}

// Rank is what operations that exchange need: the rank's share, and its ends of
// the communicators of those with other vertices and, where there are copies of
// vertices, of those with the same.
type Rank struct {
	*Share
	Comm, Copies *comm.Comm

	send, recv [][]float32
	flights    []*flight
	part       Exec // of an operation that runs on a part of the rows
}

// Counter returns what the rank sent so far.
func (r *Rank) Counter() comm.Counter {
	if r.Copies == nil {
		return *r.Comm.Counter()
	}
	return r.Comm.Counter().Plus(*r.Copies.Counter())
}

// Number is the rank's number among all, those with copies of the same included.
func (r *Rank) Number() int {
	if r.Copies == nil {
		return r.Comm.Rank()
	}
	return r.Comm.Rank()*r.Copies.Size() + r.Copies.Rank()
}

// SetStep names the training step that exchanges from now on belong to.
func (r *Rank) SetStep(step int) {
	r.Comm.SetStep(step)
	if r.Copies != nil {
		r.Copies.SetStep(step)
	}
}

// Env adds the values of the symbols of communicators.
func (r *Rank) Env(env map[string]int64) {
	env["P"], env["p"] = int64(r.Comm.Size()), int64(r.Comm.Rank())
	if r.Copies != nil {
		env["c"], env["q"] = int64(r.Copies.Size()), int64(r.Copies.Rank())
	}
}

// pieces returns room for what is sent to each rank and received from it.
func (r *Rank) pieces(ranks int) (send, recv [][]float32) {
	if len(r.send) != ranks {
		r.send, r.recv = make([][]float32, ranks), make([][]float32, ranks)
	}
	return r.send, r.recv
}
