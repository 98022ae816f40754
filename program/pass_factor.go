package program

// Factor takes D̂^−½ out of edge coefficients: with c_vu = w_vu s_v s_u,
//
//	Σ_u c_vu h_u = s_v Σ_u w_vu (s_u h_u),
//
// two row scalings around a product whose matrix is the plain adjacency: a
// kernel then reads 4 bytes per edge instead of 8, and adds instead of
// multiplying and adding.
func Factor(p *Program, f Facts) *Program {
	w, uses := rewrite(p), p.uses()
	for i, n := range p.Nodes {
		if h, s, ok := normalised(p, uses, Value(i)); ok {
			w.at(Value(i))
			root := w.b.VertexCoef(InvSqrt)
			msg := w.b.Scatter(w.b.HeadScale(w.new[h], root), Src, s)
			if f.Weighted {
				msg = w.b.HeadScale(msg, w.b.EdgeCoef(EdgeWeight, s))
			}
			w.new[i] = w.b.HeadScale(w.b.Add(n.Op, msg), root)
			continue
		}
		w.copy(Value(i))
	}
	return Dead(w.finish())
}

// normalised reports whether v sums, at destinations, rows of h read at
// sources and scaled by SymNorm.
func normalised(p *Program, uses [][]Value, v Value) (h Value, s Space, ok bool) {
	sum, isSum := p.Nodes[v].Op.(Aggregate)
	if !isSum || sum.Along != Dst {
		return None, 0, false
	}
	scale := p.Nodes[p.Nodes[v].In[0]]
	if _, isScale := scale.Op.(HeadScale); !isScale || len(uses[p.Nodes[v].In[0]]) != 1 {
		return None, 0, false
	}
	msg, coef := p.Nodes[scale.In[0]], p.Nodes[scale.In[1]]
	read, isScatter := msg.Op.(Scatter)
	c, isCoef := coef.Op.(GraphCoef)
	if !isScatter || read.Along != Src || !isCoef || c.Coef != SymNorm {
		return None, 0, false
	}
	return msg.In[0], sum.Over, true
}
