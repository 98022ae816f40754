package program

import (
	"context"

	"github.com/weft-gnn/weft/comm"
	"github.com/weft-gnn/weft/cost"
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
	// First and Last bound the rank's range of its vertices, see [Range]: from First on,
	// before Last.
	First, Last int
	// Loops is how many of its edges over N are self-loops, Borrowed how many have
	// sources of other ranks.
	Loops, Borrowed int64
	// Places are, of the edges at an end at which winners are compared, the number of
	// each among all edges of the whole graph at the same vertex, in the order of these.
	Places map[EdgeEnd][]uint32

	out map[halfOf]*graph.Block
}

// Ends are the vertices at one end of a rank's edges: its own, all of them, and behind
// these its halo, which its edges name and other ranks own. So what the rank has of its
// own is where edges read it, and the halo is received behind it. Rows of its own that
// others have in their halos are its boundary.
type Ends struct {
	// IDs are the identities, those of the halo grouped by owner, ascending.
	IDs []int64
	// HaloPtr says which rows of the halo rank q owns: HaloPtr[q] to HaloPtr[q+1].
	HaloPtr []int
	// Boundary lists own vertices that others need, grouped by who needs them, in
	// the same way.
	Boundary    []int32
	BoundaryPtr []int
}

// Halo is the number of rows of the halo.
func (e *Ends) Halo() int { return e.HaloPtr[len(e.HaloPtr)-1] }

// haloIDs are the identities of the halo's rows.
func (e *Ends) haloIDs() []int64 { return e.IDs[len(e.IDs)-e.Halo():] }

// Bytes returns the memory of the lists.
func (s *Share) Bytes() int64 {
	sum := 8 * int64(len(s.Own))
	for _, places := range s.Places {
		sum += 4 * int64(len(places))
	}
	for _, e := range []*Ends{s.Sources, s.Destinations} {
		if e != nil {
			sum += 8*int64(len(e.IDs)+len(e.HaloPtr)+len(e.BoundaryPtr)) + 4*int64(len(e.Boundary))
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
	case Range:
		return s.Last - s.First
	case Sources, Destinations:
		return len(e.IDs)
	case SourceHalo, DestinationHalo:
		return e.Halo()
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
		env["h_"+x.name], env["b_"+x.name] = int64(x.e.Halo()), int64(len(x.e.Boundary))
		env["μ_"+x.name], env["ν_"+x.name] = messages(x.e.BoundaryPtr), messages(x.e.HaloPtr)
	}
}

// Rank is what operations that exchange need: the rank's share, its place in the
// mesh, and its ends of the communicators along the axes.
type Rank struct {
	*Share
	mesh, at Mesh
	along    [axes]*comm.Comm // nil where there is one rank, but of Parts

	send, recv [][]float32
	flights    []*flight
	part       Exec // of an operation that runs on a part of the rows
}

// NewRank splits the communicator of all ranks along the axes of their mesh. All
// ranks call it.
func NewRank(ctx context.Context, world *comm.Comm, mesh Mesh) (*Rank, error) {
	r := &Rank{mesh: mesh, at: mesh.At(world.Rank())}
	for a := range axes {
		switch n := mesh.Along(a); {
		case n == world.Size() && (n > 1 || a == Parts):
			r.along[a] = world
		case n > 1 || a == Parts:
			others := r.at
			others[a] = 0
			c, err := world.Split(ctx, mesh.Number(others), r.at[a])
			if err != nil {
				return nil, err
			}
			r.along[a] = c
		}
	}
	return r, nil
}

// Comms are the communicators that there are.
func (r *Rank) Comms() (all []*comm.Comm) {
	for _, c := range r.along {
		if c != nil {
			all = append(all, c)
		}
	}
	return all
}

// Along returns the communicator of the ranks along an axis; nil where there is one.
func (r *Rank) Along(a Axis) *comm.Comm { return r.along[a] }

// Counter returns what the rank sent so far.
func (r *Rank) Counter() (sent comm.Counter) {
	for _, c := range r.Comms() {
		sent = sent.Plus(*c.Counter())
	}
	return sent
}

// Number is the rank's number among all.
func (r *Rank) Number() int { return r.mesh.Number(r.at) }

// SetStep names the training step that exchanges from now on belong to.
func (r *Rank) SetStep(step int) {
	for _, c := range r.Comms() {
		c.SetStep(step)
	}
}

// Env adds the values of the symbols of axes.
func (r *Rank) Env(env cost.Env) { r.mesh.Env(env, r.at) }

// pieces returns room for what is sent to each rank and received from it.
func (r *Rank) pieces(ranks int) (send, recv [][]float32) {
	if cap(r.send) < ranks {
		r.send, r.recv = make([][]float32, ranks), make([][]float32, ranks)
	}
	return r.send[:ranks], r.recv[:ranks]
}
