package cells

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/bits"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
	"github.com/pierrec/lz4/v4"
)

// chunkCheck goes over the pages of one column chunk before parquet-go decodes
// them. The decoder believes sizes and run lengths, so that a file of a hundred
// bytes can make it allocate many gigabytes; here every such number is held
// against the page's count of values and against the limits.
type chunkCheck struct {
	file   io.ReaderAt
	size   int64 // of the file
	leaf   *parquet.Column
	meta   *format.ColumnMetaData
	budget int64 // bytes that one page may become in memory
}

// run checks all pages. Errors: the first fault, without the file's name.
func (c *chunkCheck) run() error {
	start := c.meta.DataPageOffset
	if c.meta.DictionaryPageOffset != 0 {
		start = c.meta.DictionaryPageOffset
	}
	end := start + c.meta.TotalCompressedSize
	if start < 0 || c.meta.TotalCompressedSize < 0 || end < start || end > c.size {
		return fmt.Errorf("pages at bytes %d to %d of a file of %d", start, end, c.size)
	}
	for at := start; at < end; {
		next, err := c.page(at, end)
		if err != nil {
			return fmt.Errorf("page at byte %d: %w", at, err)
		}
		at = next
	}
	return nil
}

// page checks the page at a byte of the file and returns where the next starts.
func (c *chunkCheck) page(at, end int64) (int64, error) {
	h, body, err := c.header(at, end)
	if err != nil {
		return 0, err
	}
	stored, plain := int64(h.CompressedPageSize), int64(h.UncompressedPageSize)
	if stored < 0 || plain < 0 || stored > end-body {
		return 0, fmt.Errorf("%d bytes, %d decompressed, of %d that are left", stored, plain, end-body)
	}
	if err := c.fits(pageValues(h), plain); err != nil {
		return 0, err
	}
	data := make([]byte, stored)
	if _, err := c.file.ReadAt(data, body); err != nil {
		return 0, err
	}
	return body + stored, c.content(h, data)
}

// header reads a page's header, which may be longer than a first guess where it
// holds statistics.
func (c *chunkCheck) header(at, end int64) (*format.PageHeader, int64, error) {
	const guess, most = 512, 1 << 20
	for window := int64(guess); ; window *= 8 {
		data := make([]byte, min(window, end-at))
		if _, err := c.file.ReadAt(data, at); err != nil {
			return nil, 0, err
		}
		w := &thriftWalk{data: data}
		err := w.structure(0)
		if errors.Is(err, errThriftShort) && window < end-at && window < most {
			continue
		}
		if err != nil {
			return nil, 0, err
		}
		h := new(format.PageHeader)
		var protocol thrift.CompactProtocol
		if err := thrift.Unmarshal(&protocol, data[:w.at], h); err != nil {
			return nil, 0, err
		}
		return h, at + int64(w.at), nil
	}
}

func pageValues(h *format.PageHeader) int64 {
	switch h.Type {
	case format.DataPage:
		return int64(h.DataPageHeader.V.NumValues)
	case format.DataPageV2:
		return int64(h.DataPageHeaderV2.V.NumValues)
	case format.DictionaryPage:
		return int64(h.DictionaryPageHeader.V.NumValues)
	}
	return 0
}

// fits holds what a page of n values becomes in memory (its bytes, decompressed
// here and by the decoder, levels, offsets, and values of up to 16 bytes)
// against the budget.
func (c *chunkCheck) fits(n, plain int64) error {
	width := int64(16)
	if c.leaf.Type().Kind() == parquet.FixedLenByteArray {
		width = max(width, int64(c.leaf.Type().Length()))
	}
	if n < 0 || n > (c.budget-3*plain)/(width+8) {
		return fmt.Errorf("%d values in %d bytes are over the limit of %d bytes in memory", n, plain, c.budget)
	}
	return nil
}

// content checks the run lengths in a page's body.
func (c *chunkCheck) content(h *format.PageHeader, data []byte) error {
	plain := int(h.UncompressedPageSize)
	switch h.Type {
	case format.DictionaryPage:
		_, err := inflate(c.meta.Codec, data, plain)
		return err
	case format.DataPage:
		v := &h.DataPageHeader.V
		data, err := inflate(c.meta.Codec, data, plain)
		if err != nil {
			return err
		}
		if c.leaf.MaxDefinitionLevel() > 0 {
			var levels []byte
			if levels, data, err = prefixed(data); err != nil {
				return err
			}
			if err := c.levels(v.DefinitionLevelEncoding, levels, v.NumValues); err != nil {
				return err
			}
		}
		return c.values(v.Encoding, data, v.NumValues)
	case format.DataPageV2:
		return c.contentV2(&h.DataPageHeaderV2.V, data, plain)
	}
	return fmt.Errorf("unexpected page of type %v", h.Type)
}

// contentV2 is content for the second page layout, whose levels come first and
// are never compressed.
func (c *chunkCheck) contentV2(v *format.DataPageHeaderV2, data []byte, plain int) error {
	rep, def := int(v.RepetitionLevelsByteLength), int(v.DefinitionLevelsByteLength)
	if rep < 0 || def < 0 || rep+def > len(data) || rep+def > plain || v.NumNulls < 0 || v.NumNulls > v.NumValues {
		return fmt.Errorf("levels of %d and %d bytes and %d nulls in a page of %d bytes", rep, def, v.NumNulls, len(data))
	}
	if c.leaf.MaxDefinitionLevel() > 0 {
		if err := c.levels(format.RLE, data[rep:rep+def], v.NumValues); err != nil {
			return err
		}
	}
	data = data[rep+def:]
	if compressed, set := v.IsCompressed.Get(); compressed || !set {
		var err error
		// Some writers count the levels as part of the uncompressed size and some
		// do not, so the larger of the two bounds the data.
		if data, err = inflate(c.meta.Codec, data, plain); err != nil {
			return err
		}
	}
	return c.values(v.Encoding, data, v.NumValues)
}

func (c *chunkCheck) levels(e format.Encoding, data []byte, n int32) error {
	if e != format.RLE {
		return fmt.Errorf("levels are encoded as %v, want RLE", e)
	}
	return checkRuns(data, bits.Len(uint(c.leaf.MaxDefinitionLevel())), int64(n))
}

// values checks what the encodings that expand say of n values.
func (c *chunkCheck) values(e format.Encoding, data []byte, n int32) error {
	switch e {
	case format.Plain, format.ByteStreamSplit:
		return nil // as many bytes as they become
	//lint:ignore SA1019 files of older writers still have the deprecated encoding
	case format.PlainDictionary, format.RLEDictionary:
		if len(data) == 0 {
			return nil // all null
		}
		if data[0] > 32 {
			return fmt.Errorf("dictionary indices of %d bits", data[0])
		}
		return checkRuns(data[1:], int(data[0]), int64(n))
	case format.RLE:
		runs, _, err := prefixed(data)
		if err != nil {
			return err
		}
		return checkRuns(runs, 1, int64(n))
	case format.DeltaBinaryPacked:
		_, err := deltaHeader(&data, int64(n))
		return err
	case format.DeltaLengthByteArray:
		return checkLengths(data, int64(n))
	case format.DeltaByteArray:
		prefix, rest, err := deltaLengths(data, int64(n))
		if err == nil && prefix > c.budget {
			err = fmt.Errorf("texts of %d bytes are over the limit of %d", prefix, c.budget)
		}
		if err != nil {
			return err
		}
		return checkLengths(rest, int64(n))
	}
	return fmt.Errorf("encoding %v is not read: write the column with plain or dictionary encoding", e)
}

// prefixed splits data into the part whose length its first 4 bytes state and
// the rest.
func prefixed(data []byte) (part, rest []byte, err error) {
	if len(data) < 4 {
		return nil, nil, io.ErrUnexpectedEOF
	}
	n := int64(binary.LittleEndian.Uint32(data))
	if n > int64(len(data)-4) {
		return nil, nil, io.ErrUnexpectedEOF
	}
	return data[4 : 4+n], data[4+n:], nil
}

// checkRuns steps over runs of the hybrid of run-length and bit-packed coding.
// Errors: more than n values, but for the padding of the last packed group of 8.
//
// Source: Apache Parquet, Encodings.md, "RLE/Bit-Packing Hybrid".
func checkRuns(data []byte, width int, n int64) error {
	total := int64(0)
	for len(data) > 0 {
		head, size := binary.Uvarint(data)
		if size <= 0 {
			return io.ErrUnexpectedEOF
		}
		data = data[size:]
		count, bytes := head>>1, uint64(width+7)/8
		if count > 1<<31 {
			return fmt.Errorf("a run of %d values", count)
		}
		if head&1 == 1 {
			bytes = count * uint64(width)
			count *= 8
		}
		if bytes > uint64(len(data)) {
			return io.ErrUnexpectedEOF
		}
		data = data[bytes:]
		if total += int64(count); total >= n+8 {
			return fmt.Errorf("runs of more than the page's %d values", n)
		}
	}
	return nil
}

// inflate decompresses data, which becomes at most size bytes. Errors: more.
func inflate(codec format.CompressionCodec, data []byte, size int) ([]byte, error) {
	var r io.Reader
	var err error
	switch codec {
	case format.Uncompressed:
		return data, nil
	case format.Snappy:
		n, err := snappy.DecodedLen(data)
		if err == nil && n > size {
			err = fmt.Errorf("%d bytes decompressed, but its header says %d", n, size)
		}
		if err != nil {
			return nil, err
		}
		return snappy.Decode(nil, data)
	case format.Lz4Raw:
		out := make([]byte, size)
		n, err := lz4.UncompressBlock(data, out)
		return out[:max(n, 0)], err
	case format.Gzip:
		r, err = gzip.NewReader(bytes.NewReader(data))
	case format.Zstd:
		var z *zstd.Decoder
		z, err = zstd.NewReader(bytes.NewReader(data), zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(8<<20))
		if err == nil {
			defer z.Close()
			r = z
		}
	case format.Brotli:
		r = brotli.NewReader(bytes.NewReader(data))
	default:
		return nil, fmt.Errorf("compression %v is not read", codec)
	}
	if err != nil {
		return nil, err
	}
	out := make([]byte, size+1)
	n, err := io.ReadFull(r, out)
	switch {
	case err == nil:
		return nil, fmt.Errorf("more than the %d bytes that its header says", size)
	case err != io.EOF && err != io.ErrUnexpectedEOF:
		return nil, err
	}
	return out[:n], nil
}
