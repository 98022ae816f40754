package cells

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// Bounds of Parquet metadata. The Thrift decoder allocates what lists state
// and recurses as deep as structs nest, so both are checked beforehand.
const (
	thriftDepth   = 32  // the format itself nests less than 10 deep
	thriftElement = 512 // bytes at most that one element of a list becomes in memory
)

// thriftWalk steps over one struct in Thrift's compact protocol without
// decoding it and adds up the elements of its lists.
//
// Source: Apache Thrift, doc/specs/thrift-compact-protocol.md.
type thriftWalk struct {
	data     []byte
	at       int
	elements int64
}

var errThriftShort = errors.New("metadata ends early")

// The types of the compact protocol.
const (
	thriftTrue   = 1
	thriftFalse  = 2
	thriftByte   = 3
	thriftI64    = 6 // 4, 5 and 6 are integers of variable length
	thriftDouble = 7
	thriftBinary = 8
	thriftList   = 9
	thriftSet    = 10
	thriftMap    = 11
	thriftStruct = 12
)

// structure steps over the fields of a struct up to its stop byte.
func (w *thriftWalk) structure(depth int) error {
	if depth > thriftDepth {
		return fmt.Errorf("metadata nests more than %d deep", thriftDepth)
	}
	for {
		head, err := w.byte()
		if err != nil || head == 0 {
			return err
		}
		if head>>4 == 0 { // the field's number follows instead of a difference
			if _, err := w.varint(); err != nil {
				return err
			}
		}
		if kind := head & 15; kind != thriftTrue && kind != thriftFalse {
			if err := w.value(kind, depth); err != nil {
				return err
			}
		}
	}
}

// value steps over a value that is not a field's boolean.
func (w *thriftWalk) value(kind byte, depth int) error {
	switch {
	case kind == thriftTrue, kind == thriftFalse, kind == thriftByte:
		return w.skip(1)
	case kind > thriftByte && kind <= thriftI64:
		_, err := w.varint()
		return err
	case kind == thriftDouble:
		return w.skip(8)
	case kind == thriftBinary:
		n, err := w.varint()
		if err != nil {
			return err
		}
		return w.skip(n)
	case kind == thriftList, kind == thriftSet:
		return w.list(depth)
	case kind == thriftMap:
		return w.pairs(depth)
	case kind == thriftStruct:
		return w.structure(depth + 1)
	}
	return fmt.Errorf("metadata has the unknown type %d", kind)
}

func (w *thriftWalk) list(depth int) error {
	head, err := w.byte()
	if err != nil {
		return err
	}
	n := uint64(head >> 4)
	if n == 15 {
		if n, err = w.varint(); err != nil {
			return err
		}
	}
	return w.repeat(n, depth, head&15)
}

func (w *thriftWalk) pairs(depth int) error {
	n, err := w.varint()
	if err != nil || n == 0 {
		return err
	}
	kinds, err := w.byte()
	if err != nil {
		return err
	}
	return w.repeat(n, depth, kinds>>4, kinds&15)
}

// repeat steps over n groups of values. Every value takes a byte at least, so
// that n is bounded by what is left.
func (w *thriftWalk) repeat(n uint64, depth int, kinds ...byte) error {
	if depth >= thriftDepth {
		return fmt.Errorf("metadata nests more than %d deep", thriftDepth)
	}
	if n > uint64(len(w.data)-w.at) {
		return errThriftShort
	}
	w.elements += int64(n)
	for range n {
		for _, kind := range kinds {
			if err := w.value(kind, depth+1); err != nil {
				return err
			}
		}
	}
	return nil
}

func (w *thriftWalk) byte() (byte, error) {
	if w.at >= len(w.data) {
		return 0, errThriftShort
	}
	w.at++
	return w.data[w.at-1], nil
}

func (w *thriftWalk) varint() (uint64, error) {
	v, n := binary.Uvarint(w.data[w.at:])
	if n <= 0 {
		return 0, errThriftShort
	}
	w.at += n
	return v, nil
}

func (w *thriftWalk) skip(n uint64) error {
	if n > uint64(len(w.data)-w.at) {
		return errThriftShort
	}
	w.at += int(n)
	return nil
}
