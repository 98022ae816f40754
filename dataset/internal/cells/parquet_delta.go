package cells

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// deltaCoding is the header of Parquet's delta coding: values come in blocks, each of
// which is cut into miniblocks whose differences have one width in bits.
//
// Source: Apache Parquet, Encodings.md, "Delta Encoding (DELTA_BINARY_PACKED)".
type deltaCoding struct {
	perMini, minis int   // values in a miniblock, miniblocks in a block
	count          int64 // of values
	first          int64
}

var errDelta = errors.New("damaged delta coding")

// deltaHeader reads the header at the start of data, which it advances. Errors:
// more than n values.
func deltaHeader(data *[]byte, n int64) (deltaCoding, error) {
	block, err1 := uvarint(data)
	minis, err2 := uvarint(data)
	count, err3 := uvarint(data)
	first, err4 := uvarint(data)
	if err := errors.Join(err1, err2, err3, err4); err != nil {
		return deltaCoding{}, io.ErrUnexpectedEOF
	}
	if block > 1<<16 || block%128 != 0 || minis == 0 || block%minis != 0 || block/minis%32 != 0 || block == 0 {
		return deltaCoding{}, errDelta
	}
	if count > uint64(n) {
		return deltaCoding{}, fmt.Errorf("%d differences for the page's %d values", count, n)
	}
	return deltaCoding{perMini: int(block / minis), minis: int(minis), count: int64(count), first: unzigzag(first)}, nil
}

func uvarint(data *[]byte) (uint64, error) {
	v, size := binary.Uvarint(*data)
	if size <= 0 {
		return 0, io.ErrUnexpectedEOF
	}
	*data = (*data)[size:]
	return v, nil
}

func unzigzag(u uint64) int64 { return int64(u>>1) ^ -int64(u&1) }

// checkLengths checks texts whose delta-coded lengths come before them: the
// decoder allocates the sum of the lengths.
func checkLengths(data []byte, n int64) error {
	sum, rest, err := deltaLengths(data, n)
	if err == nil && sum > int64(len(rest)) {
		err = fmt.Errorf("texts of %d bytes in %d", sum, len(rest))
	}
	return err
}

// deltaLengths adds up delta-coded lengths, of which there are at most n, and
// returns what follows them. Errors: a negative length, or one over 2³¹.
func deltaLengths(data []byte, n int64) (sum int64, rest []byte, err error) {
	d, err := deltaHeader(&data, n)
	if err != nil || d.count == 0 {
		return 0, data, err
	}
	value, left := d.first, d.count-1
	if err := addLength(&sum, value); err != nil {
		return 0, nil, err
	}
	for left > 0 {
		least, err := uvarint(&data)
		if err != nil || len(data) < d.minis {
			return 0, nil, io.ErrUnexpectedEOF
		}
		widths := data[:d.minis]
		data = data[d.minis:]
		for _, width := range widths {
			if left == 0 {
				break // the widths of unused miniblocks mean nothing
			}
			size := d.perMini * int(width) / 8
			if width > 64 || size > len(data) {
				return 0, nil, errDelta
			}
			for i := range min(left, int64(d.perMini)) {
				value += unzigzag(least) + int64(packed(data, int(i)*int(width), int(width)))
				if err := addLength(&sum, value); err != nil {
					return 0, nil, err
				}
			}
			left -= min(left, int64(d.perMini))
			data = data[size:]
		}
	}
	return sum, data, nil
}

func addLength(sum *int64, length int64) error {
	if length < 0 || length > 1<<31 {
		return fmt.Errorf("a text of %d bytes", length)
	}
	*sum += length
	return nil
}

// packed returns the value of width bits that starts at a bit of data, the
// lowest bit first.
func packed(data []byte, bit, width int) (v uint64) {
	for i := range width {
		v |= uint64(data[(bit+i)/8]>>((bit+i)%8)&1) << i
	}
	return v
}
