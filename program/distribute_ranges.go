package program

// Where ranks that share out the columns of some vertices share out the edges as well,
// each has those that lead from a range of these vertices, as many as others have. What
// edges read of a source is then rows of the range, in all columns; what they sum at
// destinations is a partial sum over the ranks; what is at destinations they read whole:
//
//	columns → Reshard → rows of the range → edges → partial sum → columns
//
// So the ranks hold columns at rest and exchange rows for them where edges begin, an
// all-to-all of n·k/F words each way, and add up columns where edges end.

// asked is the question of a node whose operands lie so. Entries of features lie with
// the rows of vertices, whoever has the edges.
func (c *columns) asked(n Node, in []Placement) Split {
	s := c.ask(n, in...)
	over := n.Type.Space == Entries
	for _, t := range s.Types {
		over = over || t.Space == Entries
	}
	if over {
		s.Edges = AllEdges
	}
	return s
}

// given adds what the data set or the graph provides: whole, but for values of edges
// that ranks share out.
func (c *columns) given(v Value) {
	n := c.old.Nodes[v]
	if c.by == AllEdges {
		c.copy(v)
		return
	}
	in, ok := n.Op.(Input)
	if !ok {
		in = n.Op.(GraphCoef).Input(c.by)
	}
	in.Of.Space = in.Of.Space.Held(c.by)
	c.rewriter.at(v)
	if c.new[v] = c.b.Add(in); in.Of.Space.IsEdges() {
		c.at[v] = Placement{Kind: Rows}
	}
}

// atEnd says how a node has to have an operand that it reads at an end of edges which
// ranks share out.
func (c *columns) atEnd(n Node, operand int) (Placement, bool) {
	end, ok := readsAt(n.Op, operand)
	if !ok || c.by == AllEdges || c.old.Type(n.In[operand]).Space != Vertices {
		return Placement{}, false
	}
	if end == Src {
		return Placement{Kind: Rows}, true
	}
	return Placement{Kind: Whole}, true
}

// enterRange adds what makes rows of the rank's range of values of vertices that lie so,
// once for what never changes.
func (c *columns) enterRange(x, v Value, at Kind) Value {
	if at == Whole {
		c.once(v)
		return c.b.Add(OwnRows{Along: Features}, x)
	}
	return c.b.Add(Untile{Along: Features}, c.b.Add(Reshard{Along: Features, To: Range, Cols: c.old.Type(v).Cols}, x))
}

// leaveRange makes columns of the rows of the rank's range that a node leaves, or all
// of them where there are too few to share out.
func (c *columns) leaveRange(v Value) {
	t := c.old.Type(v)
	if c.at[v].Kind != Rows || t.Space != Vertices || t.Index {
		return
	}
	rows := c.new[v]
	c.keep(v, Rows, rows)
	if t.Cols.N < c.here.Ranks {
		c.new[v], c.at[v] = c.b.Add(AllGather{Along: Features}, rows), Placement{Kind: Whole}
		return
	}
	tiles := c.b.Add(Tile{Along: Features}, rows)
	c.new[v], c.at[v] = c.b.Add(Reshard{Along: Features, To: Vertices, Cols: c.here.Share(t.Cols)}, tiles), Placement{Kind: Columns}
}
