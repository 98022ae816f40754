package dataset

import (
	"encoding/binary"
	"slices"
)

// pickler writes pickles of protocol 2, as NumPy and SciPy make them.
type pickler struct{ b []byte }

func (p *pickler) op(codes string) *pickler { p.b = append(p.b, codes...); return p }

func (p *pickler) global(module, name string) *pickler {
	return p.op("c" + module + "\n" + name + "\n")
}

func (p *pickler) int(v int) *pickler {
	p.b = binary.LittleEndian.AppendUint32(append(p.b, 'J'), uint32(int32(v)))
	return p
}

// raw writes a string of Python 2, which is bytes.
func (p *pickler) raw(s string) *pickler {
	p.b = binary.LittleEndian.AppendUint32(append(p.b, 'T'), uint32(len(s)))
	return p.op(s)
}

// text writes a Unicode string.
func (p *pickler) text(s string) *pickler {
	p.b = binary.LittleEndian.AppendUint32(append(p.b, 'X'), uint32(len(s)))
	return p.op(s)
}

// dtype writes numpy.dtype(name) with its state.
func (p *pickler) dtype(name, order string) *pickler {
	p.global("numpy", "dtype").raw(name).int(0).int(1).op("\x87R")
	p.op("(").int(3).raw(order).op("NNN").int(-1).int(-1).int(0)
	return p.op("tb")
}

// array writes a C-ordered array of raw data.
func (p *pickler) array(name string, data []byte, shape ...int) *pickler {
	p.arrayHead(name, shape...).raw(string(data))
	return p.op("tb")
}

// arrayHead writes an array up to its data.
func (p *pickler) arrayHead(name string, shape ...int) *pickler {
	p.global("numpy.core.multiarray", "_reconstruct").global("numpy", "ndarray")
	p.int(0).op("\x85").raw("b").op("\x87R")
	p.op("(").int(1).op("(")
	for _, s := range shape {
		p.int(s)
	}
	return p.op("t").dtype(name, "<").op("\x89")
}

// csr writes a SciPy matrix of the given rows of (column, value) pairs.
func (p *pickler) csr(cols int, rows ...[][2]float32) *pickler {
	ptr, col, val := []int32{0}, []int32{}, []float32{}
	for _, r := range rows {
		for _, e := range r {
			col, val = append(col, int32(e[0])), append(val, e[1])
		}
		ptr = append(ptr, int32(len(col)))
	}
	p.global("scipy.sparse.csr", "csr_matrix").op(")\x81}(")
	p.raw("format").raw("csr").raw("_shape").int(len(rows)).int(cols).op("\x86")
	p.raw("indptr").array("i4", le(ptr), len(ptr))
	p.raw("indices").array("i4", le(col), len(col))
	p.raw("data").array("f4", le(val), len(val))
	return p.op("ub")
}

// lists writes a defaultdict of vertex → neighbours.
func (p *pickler) lists(neighbours ...[]int) *pickler {
	p.global("collections", "defaultdict").global("__builtin__", "list").op("\x85R(")
	for v, list := range neighbours {
		p.int(v).op("](")
		for _, u := range list {
			p.int(u)
		}
		p.op("e")
	}
	return p.op("u")
}

func (p *pickler) bytes() []byte { return append(slices.Concat([]byte("\x80\x02"), p.b), '.') }

func pickled() *pickler { return &pickler{} }
