package lines

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"

	"github.com/weft-gnn/weft/dataset/budget"
)

// textBuffer is how much of a text is read at once.
const textBuffer = 64 << 10

var gzipMagic = []byte{0x1f, 0x8b}

// Plain returns the text in r, decompressed where it is gzip'ed and without a
// byte-order mark. What is read of it goes through limit, which is told whether
// it was compressed.
func Plain(r io.Reader, limit func(r io.Reader, packed bool) io.Reader) (*bufio.Reader, error) {
	stored := bufio.NewReaderSize(r, textBuffer)
	magic, err := stored.Peek(len(gzipMagic))
	packed := bytes.Equal(magic, gzipMagic)
	if r = stored; packed {
		r, err = gzip.NewReader(stored)
	}
	if err != nil && err != io.EOF {
		return nil, err
	}
	text := bufio.NewReaderSize(limit(r, packed), textBuffer)
	mark, err := text.Peek(3)
	switch {
	case err != nil && err != io.EOF:
		return nil, err
	case bytes.Equal(mark, []byte{0xef, 0xbb, 0xbf}):
		_, err = text.Discard(len(mark))
		return text, err
	case bytes.HasPrefix(mark, []byte{0xff, 0xfe}), bytes.HasPrefix(mark, []byte{0xfe, 0xff}):
		return nil, errors.New("the text is UTF-16: save it as UTF-8")
	}
	return text, nil
}

// meteredReader takes what it reads from a guard's budget and ends the reading
// when its context does.
type meteredReader struct {
	ctx   context.Context
	r     io.Reader
	guard *budget.Guard
	limit budget.LimitError // what ends the reading when the budget is used up
}

// Metered returns a reader of the file called name that takes what it reads
// from the budget and ends when ctx does.
func Metered(ctx context.Context, name string, r io.Reader, g *budget.Guard) io.Reader {
	return &meteredReader{ctx, r, g, budget.LimitError{Path: name, What: "text", Want: -1, Max: g.Left() / heldPerByte, Unit: "bytes", Memory: g.Memory()}}
}

func (m *meteredReader) Read(p []byte) (int, error) {
	if err := m.ctx.Err(); err != nil {
		return 0, err
	}
	most := m.guard.Left() / heldPerByte
	if most == 0 {
		return 0, &m.limit
	}
	n, err := m.r.Read(p[:min(int64(len(p)), most)])
	m.guard.Take(int64(n) * heldPerByte)
	return n, err
}
