package datatest

import (
	"encoding/binary"
	"slices"
)

// pickler writes pickles of protocol 2, as NumPy and SciPy make them.
type pickler struct{ b []byte }

func (p *pickler) Op(codes string) *pickler { p.b = append(p.b, codes...); return p }

func (p *pickler) Global(module, name string) *pickler {
	return p.Op("c" + module + "\n" + name + "\n")
}

func (p *pickler) Int(v int) *pickler {
	p.b = binary.LittleEndian.AppendUint32(append(p.b, 'J'), uint32(int32(v)))
	return p
}

// Raw writes a string of Python 2, which is bytes.
func (p *pickler) Raw(s string) *pickler {
	p.b = binary.LittleEndian.AppendUint32(append(p.b, 'T'), uint32(len(s)))
	return p.Op(s)
}

// Text writes a Unicode string.
func (p *pickler) Text(s string) *pickler {
	p.b = binary.LittleEndian.AppendUint32(append(p.b, 'X'), uint32(len(s)))
	return p.Op(s)
}

// Dtype writes numpy.dtype(name) with its state.
func (p *pickler) Dtype(name, order string) *pickler {
	p.Global("numpy", "dtype").Raw(name).Int(0).Int(1).Op("\x87R")
	p.Op("(").Int(3).Raw(order).Op("NNN").Int(-1).Int(-1).Int(0)
	return p.Op("tb")
}

// Array writes a C-ordered array of raw data.
func (p *pickler) Array(name string, data []byte, shape ...int) *pickler {
	p.ArrayHead(name, shape...).Raw(string(data))
	return p.Op("tb")
}

// ArrayHead writes an array up to its data.
func (p *pickler) ArrayHead(name string, shape ...int) *pickler {
	p.Global("numpy.core.multiarray", "_reconstruct").Global("numpy", "ndarray")
	p.Int(0).Op("\x85").Raw("b").Op("\x87R")
	p.Op("(").Int(1).Op("(")
	for _, s := range shape {
		p.Int(s)
	}
	return p.Op("t").Dtype(name, "<").Op("\x89")
}

// CSR writes a SciPy matrix of the given rows of (column, value) pairs.
func (p *pickler) CSR(cols int, rows ...[][2]float32) *pickler {
	ptr, col, val := []int32{0}, []int32{}, []float32{}
	for _, r := range rows {
		for _, e := range r {
			col, val = append(col, int32(e[0])), append(val, e[1])
		}
		ptr = append(ptr, int32(len(col)))
	}
	p.Global("scipy.sparse.csr", "csr_matrix").Op(")\x81}(")
	p.Raw("format").Raw("csr").Raw("_shape").Int(len(rows)).Int(cols).Op("\x86")
	p.Raw("indptr").Array("i4", LE(ptr), len(ptr))
	p.Raw("indices").Array("i4", LE(col), len(col))
	p.Raw("data").Array("f4", LE(val), len(val))
	return p.Op("ub")
}

// Lists writes a defaultdict of vertex → neighbours.
func (p *pickler) Lists(neighbours ...[]int) *pickler {
	p.Global("collections", "defaultdict").Global("__builtin__", "list").Op("\x85R(")
	for v, list := range neighbours {
		p.Int(v).Op("](")
		for _, u := range list {
			p.Int(u)
		}
		p.Op("e")
	}
	return p.Op("u")
}

func (p *pickler) Bytes() []byte { return append(slices.Concat([]byte("\x80\x02"), p.b), '.') }

// Pickled starts a pickle.
func Pickled() *pickler { return &pickler{} }
