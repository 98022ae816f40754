package program

import "github.com/weft-gnn/weft/kernel"

// SparseInput is the name of the input that may be sparse, and Entries + its
// name that of the entries.
const (
	SparseInput   = "x"
	SparseEntries = "x.entries"
)

// Sparse keeps the features X as the entries that are not zero, where that
// costs less: dropout and scaling then touch the entries only, X·W and its
// gradient Xᵀ·G are sparse products, and everything else reads X made dense, such as
// products with a weight that ranks have by rows: these multiply columns of X.
// Facts.Env must have "nnz", the number of entries.
func Sparse(p *Program, f Facts) *Program {
	if _, ok := f.Env["nnz"]; !ok {
		return p
	}
	q, ok := sparse(p, f.Pieces)
	if !ok || price(settled(q, f), f) >= price(settled(p, f), f) {
		return p
	}
	return q
}

// settled is what becomes of a program in the passes after Sparse.
func settled(p *Program, f Facts) *Program { return Dead(Tail(Fuse(Fold(p, f), f), f)) }

// sparser rewrites a program to read X's entries.
type sparser struct {
	*rewriter
	entries map[Value]Value // for old values that are sparse, their entries
	pieces  map[string]Kind // of parameters, as another program has them
}

func sparse(p *Program, pieces map[string]Kind) (*Program, bool) {
	w := &sparser{rewrite(p), map[Value]Value{}, pieces}
	found := false
	for i, n := range p.Nodes {
		v := Value(i)
		w.at(v)
		if in, ok := n.Op.(Input); ok && in.Name == SparseInput && n.Type.Space == Vertices {
			w.entries[v] = w.b.Add(Input{Name: SparseEntries, Of: Type{Space: Entries, Cols: Cols(1)}})
			found = true
			continue
		}
		if !w.sparse(v, n) {
			w.densify(n.In)
			w.copy(v)
		}
	}
	for _, o := range p.Outputs {
		w.densify([]Value{o.Value})
	}
	return w.finish(), found
}

// sparse rewrites a node that has a sparse form, and reports whether it did.
func (w *sparser) sparse(v Value, n Node) bool {
	if len(n.In) == 0 {
		return false
	}
	x, ok := w.entries[n.In[0]]
	if !ok {
		return false
	}
	switch o := n.Op.(type) {
	case Dropout:
		w.entries[v] = w.b.Add(Dropout{P: o.P, Site: o.Site, Over: Entries}, x)
	case Unary:
		if o.Func.Kind != kernel.Scale {
			return false
		}
		w.entries[v] = w.b.Add(o, x)
	case HeadScale:
		if w.old.Nodes[n.In[1]].Type.Cols.N != 1 {
			return false
		}
		w.densify(n.In[1:])
		w.entries[v] = w.b.Mul(x, w.b.Scatter(w.new[n.In[1]], Dst, Entries))
	case MatMul:
		if o.Transposed || w.byRows(n.In[1]) {
			return false
		}
		w.new[v] = w.b.Add(SparseMatMul{}, x, w.new[n.In[1]])
	case MatMulT:
		w.densify(n.In[1:])
		w.new[v] = w.b.Add(SparseMatMulT{n.Type.Rows}, x, w.new[n.In[1]])
	default:
		return false
	}
	return true
}

// byRows reports whether a value is a parameter of whose rows a rank has some.
func (w *sparser) byRows(v Value) bool {
	param, ok := w.old.Nodes[v].Op.(Param)
	return ok && w.pieces[param.Name] == Rows
}

// densify gives sparse values that an op reads a dense form.
func (w *sparser) densify(vs []Value) {
	for _, v := range vs {
		if x, ok := w.entries[v]; ok && w.new[v] == None {
			w.new[v] = w.b.Add(Densify{w.old.Nodes[v].Type.Cols}, x)
		}
	}
}
