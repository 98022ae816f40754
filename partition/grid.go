package partition

// grid lays the parts out in rows and columns. A vertex's identity is hashed to
// one of them, and its arcs may lie in the parts of that one's row and column: it
// is in rows + columns − 1 parts at most, 2√P − 1 where P is a square. Two vertices
// have at least two parts in common, or a row or a column that both are in; of
// these a pair goes to the one that has fewest arcs.
//
// Source: Jain, Liao and Willke, "GraphBuilder: scalable graph ETL framework",
// GRADES'13, grid-based constrained placement. Differs: any P is laid out as
// nearly square as its divisors allow; a prime P has a single row, which
// constrains nothing.
type grid struct {
	e       *edgeCutting
	columns int32
	load    []int64
}

func (e *edgeCutting) newGrid() *grid {
	rows := 1
	for r := 2; r*r <= e.o.Parts; r++ {
		if e.o.Parts%r == 0 {
			rows = r
		}
	}
	return &grid{e: e, columns: int32(e.o.Parts / rows), load: make([]int64, e.o.Parts)}
}

// at is the part that a vertex is hashed to.
func (g *grid) at(v int32) int32 {
	return hash(g.e.o.key(), identity(g.e.b, v), none, g.e.o.Parts)
}

func (g *grid) choose(x ends) int32 {
	a, b := g.at(x.lo), g.at(x.hi)
	// The two corners that the one's row and the other's column share.
	best := a/g.columns*g.columns + b%g.columns
	consider := func(p int32) {
		if g.load[p] < g.load[best] || g.load[p] == g.load[best] && p < best {
			best = p
		}
	}
	consider(b/g.columns*g.columns + a%g.columns)
	if a/g.columns == b/g.columns {
		for p := a / g.columns * g.columns; p < (a/g.columns+1)*g.columns; p++ {
			consider(p)
		}
	}
	if a%g.columns == b%g.columns {
		for p := a % g.columns; int(p) < len(g.load); p += g.columns {
			consider(p)
		}
	}
	g.load[best] += int64(x.arcs)
	return best
}
