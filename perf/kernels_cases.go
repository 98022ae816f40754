package perf

import (
	"fmt"

	"github.com/weft-gnn/weft/kernel"
	"github.com/weft-gnn/weft/program"
)

// kernelCase is one kernel at one shape: a program of a single operation.
type kernelCase struct {
	name  string
	k     int    // columns of the rows that are read
	heads int    // 0 where there are none
	shape string // of products: rows × inner × columns
	// declare declares the operation over inputs, and returns its result.
	declare func(b declaration) program.Value
}

// declaration declares inputs, each under a name of its own.
type declaration struct{ *program.Builder }

func (b declaration) input(name string, t program.Type, cols int) program.Value {
	t.Cols = program.Cols(cols)
	return b.Add(program.Input{Name: name, Of: t})
}

func (b declaration) vertices(name string, cols int) program.Value {
	return b.input(name, program.Type{Space: program.Vertices}, cols)
}

func (b declaration) edges(name string, cols int) program.Value {
	return b.input(name, program.Type{Space: program.Edges}, cols)
}

func (b declaration) matrix(name string, rows, cols int) program.Value {
	return b.input(name, matrixOf(rows), cols)
}

func matrixOf(rows int) program.Type {
	return program.Type{Space: program.One, Rows: program.Cols(rows)}
}

// kernelCases lists the cases over a graph of n vertices.
func kernelCases(quick bool, n int) []kernelCase {
	all := denseCases(quick, n)
	widths := []int{16, 64, 128, 256}
	if quick {
		widths = widths[:2]
	}
	for _, k := range widths {
		all = append(all, edgeCases(k, 1)...)
	}
	all = append(all, edgeCases(64, 8)...)
	all = append(all, attentionCases(64, 8)...)
	if !quick {
		all = append(all, attentionCases(256, 8)...)
	}
	all = append(all, scoreCases(1)...)
	all = append(all, scoreCases(8)...)
	return append(all, rowCases(64)...)
}

// denseCases are the products of layers over the graph's vertices, and of a
// square.
func denseCases(quick bool, n int) (all []kernelCase) {
	layers := [][2]int{{256, 40}, {128, 256}, {64, 7}}
	if quick {
		return products(program.Type{Space: program.Vertices}, n, 256, 40)
	}
	for _, l := range layers {
		all = append(all, products(program.Type{Space: program.Vertices}, n, l[0], l[1])...)
	}
	return append(all, products(matrixOf(1024), 1024, 1024, 1024)...)
}

// products are Y = X·W and what its gradients take: Y·Wᵀ and Xᵀ·Y.
func products(rows program.Type, n, a, c int) []kernelCase {
	x := func(b declaration) program.Value { return b.input("x", rows, a) }
	y := func(b declaration) program.Value { return b.input("y", rows, c) }
	w := func(b declaration) program.Value { return b.matrix("w", a, c) }
	return []kernelCase{
		{"matmul", a, 0, fmt.Sprintf("%d×%d×%d", n, a, c), func(b declaration) program.Value {
			return b.Add(program.MatMul{}, x(b), w(b))
		}},
		{"matmul-nt", c, 0, fmt.Sprintf("%d×%d×%d", n, c, a), func(b declaration) program.Value {
			return b.Add(program.MatMul{Transposed: true}, y(b), w(b))
		}},
		{"matmul-tn", a, 0, fmt.Sprintf("%d×%d×%d", a, n, c), func(b declaration) program.Value {
			return b.MatMulT(x(b), y(b))
		}},
	}
}

// edgeCases are kernels that read k columns per arc. Without weights there is
// one way to sum rows, whatever the heads.
func edgeCases(k, heads int) []kernelCase {
	spmm := func(end program.Map, weighted bool) func(b declaration) program.Value {
		return func(b declaration) program.Value {
			in := []program.Value{b.vertices("x", k)}
			if weighted {
				in = append(in, b.edges("w", heads))
			}
			return b.Add(program.SpMM{Along: end, Over: program.Edges, Weighted: weighted}, in...)
		}
	}
	all := []kernelCase{
		{"spmm-weighted", k, heads, "", spmm(program.Dst, true)},
		{"spmm-weighted-by-source", k, heads, "", spmm(program.Src, true)},
		{"edge-dot", k, heads, "", func(b declaration) program.Value {
			return b.Add(program.EdgeDot{Over: program.Edges, Heads: program.Cols(heads)}, b.vertices("x", k), b.vertices("y", k))
		}},
	}
	if heads > 1 {
		return all
	}
	return append([]kernelCase{
		{"spmm", k, 0, "", spmm(program.Dst, false)},
		{"spmm-by-source", k, 0, "", spmm(program.Src, false)},
	}, all...)
}

// attentionCases are an attention layer's pass over the arcs, and the two of its
// gradient.
func attentionCases(k, heads int) []kernelCase {
	layer := program.Attention{Over: program.Edges, Heads: program.Cols(heads), Slope: 0.2}
	z := func(b declaration) program.Value { return b.vertices("z", k) }
	score := func(b declaration, name string) program.Value { return b.vertices(name, heads) }
	return []kernelCase{
		{"attention", k, heads, "", func(b declaration) program.Value {
			return b.Add(layer, z(b), score(b, "r"), score(b, "l"))
		}},
		{"attention-grad-dst", k, heads, "", func(b declaration) program.Value {
			return b.Add(program.AttentionGradDst(layer), z(b), score(b, "r"), score(b, "l"), b.vertices("dy", k))
		}},
		{"attention-grad-src", k, heads, "", func(b declaration) program.Value {
			return b.Add(program.AttentionGradSrc(layer), z(b), score(b, "r"), b.vertices("dy", k), b.vertices("s", 4*heads))
		}},
	}
}

// scoreCases are kernels over a value per arc and head.
func scoreCases(heads int) []kernelCase {
	return []kernelCase{
		{"edge-add", heads, heads, "", func(b declaration) program.Value {
			return b.Add(program.EdgeAdd{Over: program.Edges}, b.vertices("x", heads), b.vertices("y", heads))
		}},
		{"edge-softmax", heads, heads, "", func(b declaration) program.Value { return b.EdgeSoftmax(b.edges("x", heads)) }},
		{"edge-softmax-grad", heads, heads, "", func(b declaration) program.Value {
			return b.Add(program.EdgeSoftmaxGrad{Over: program.Edges}, b.edges("y", heads), b.edges("dy", heads))
		}},
		{"edge-sum-by-source", heads, heads, "", func(b declaration) program.Value { return b.Sum(b.edges("x", heads), program.Src) }},
	}
}

// rowCases are kernels over rows of vertices, and an update of a million
// parameters.
func rowCases(k int) []kernelCase {
	return []kernelCase{
		{"relu", k, 0, "", func(b declaration) program.Value { return b.ReLU(b.vertices("x", k)) }},
		{"elu", k, 0, "", func(b declaration) program.Value {
			return b.Apply(kernel.ELU, 1, b.vertices("x", k))
		}},
		{"add", k, 0, "", func(b declaration) program.Value {
			return b.AddValues(b.vertices("x", k), b.vertices("y", k))
		}},
		{"dropout", k, 0, "", func(b declaration) program.Value { return b.Dropout(b.vertices("x", k), 0.5) }},
		{"column-sum", k, 0, "", func(b declaration) program.Value { return b.ColumnSum(b.vertices("x", k)) }},
		{"adam", 1024, 0, "", func(b declaration) program.Value {
			w := b.Param("w", program.Cols(1024), program.Cols(1024), program.Glorot)
			state := func(name string) program.Value { return b.Add(program.State{Name: name, Of: b.Type(w)}) }
			b.Add(program.Adam{Beta1: 0.9, Beta2: 0.999, Epsilon: 1e-8}, w, b.matrix("g", 1024, 1024), b.matrix("lr", 1, 1), state("m"), state("v"))
			return program.None
		}},
	}
}
