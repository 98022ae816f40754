package cells

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"strings"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"github.com/weft-gnn/weft/dataset/budget"
)

// ParquetMagic starts and ends every Parquet file.
const ParquetMagic = "PAR1"

// parquetTable is a Parquet file of flat columns. Nested columns have names,
// such as "tags.list.element", but cannot be scanned.
type parquetTable struct {
	path    string
	size    int64
	names   []string
	budget  int64
	checked map[int]bool // columns whose pages were gone over
}

// openParquet reads the footer of a Parquet file.
func openParquet(path string, g *budget.Guard) (Table, error) {
	t := &parquetTable{path: path, budget: g.Left(), checked: make(map[int]bool)}
	err := t.with(func(f *parquet.File, leaves []*parquet.Column) error {
		for _, leaf := range leaves {
			t.names = append(t.names, strings.Join(leaf.Path(), "."))
		}
		return checkColumns(path, t.names)
	})
	if err != nil {
		return nil, err
	}
	return t, nil
}

func (t *parquetTable) Columns() []string { return t.names }

func (t *parquetTable) At(row int64) string {
	if row == 0 {
		return t.path
	}
	return fmt.Sprintf("%s: row %d", t.path, row)
}

func (t *parquetTable) Notes() []string { return nil }

// fail says that the file is at fault.
func (t *parquetTable) fail(err error) error {
	return fmt.Errorf("dataset: %s: damaged Parquet file, or of a kind that is not read: %w", t.path, err)
}

// guarded runs a step of the decoder, which panics on some damaged files.
func (t *parquetTable) guarded(step func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the decoder failed: %v", p)
		}
	}()
	return step()
}

// with opens the file for the length of do.
func (t *parquetTable) with(do func(f *parquet.File, leaves []*parquet.Column) error) error {
	file, err := budget.Open(t.path)
	if err != nil {
		return err
	}
	defer file.Close()
	fi, err := file.Stat()
	if err != nil {
		return fmt.Errorf("dataset: %w", err)
	}
	t.size = fi.Size()
	var f *parquet.File
	var leaves []*parquet.Column
	err = t.guarded(func() error {
		if err := checkFooter(file, t.size, t.budget); err != nil {
			return err
		}
		f, err = parquet.OpenFile(file, t.size, parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
		if err == nil {
			leaves = leavesOf(f.Root(), nil)
		}
		return err
	})
	if err != nil {
		return t.fail(err)
	}
	return do(f, leaves)
}

func leavesOf(c *parquet.Column, to []*parquet.Column) []*parquet.Column {
	if c.Leaf() {
		return append(to, c)
	}
	for _, child := range c.Columns() {
		to = leavesOf(child, to)
	}
	return to
}

// checkFooter checks that the metadata lies in the file, is sanely nested and
// fits into budget bytes once decoded.
func checkFooter(r io.ReaderAt, size, budget int64) error {
	var tail [8]byte
	if size < 12 {
		return io.ErrUnexpectedEOF
	}
	if _, err := r.ReadAt(tail[:], size-8); err != nil {
		return err
	}
	if magic := string(tail[4:]); magic != ParquetMagic {
		return fmt.Errorf("it ends in %q, not in %q: cut short or encrypted", magic, ParquetMagic)
	}
	n := int64(binary.LittleEndian.Uint32(tail[:]))
	if n > size-12 {
		return fmt.Errorf("metadata of %d bytes in a file of %d", n, size)
	}
	data := make([]byte, n)
	if _, err := r.ReadAt(data, size-8-n); err != nil {
		return err
	}
	w := &thriftWalk{data: data}
	if err := w.structure(0); err != nil {
		return err
	}
	if w.elements > budget/thriftElement {
		return fmt.Errorf("metadata of %d elements is over the limit of %d bytes in memory", w.elements, budget)
	}
	return nil
}

func (t *parquetTable) Scan(ctx context.Context, wanted []int, visit func(line int64, row []Cell) error) error {
	return t.with(func(f *parquet.File, leaves []*parquet.Column) error {
		var readers []func(parquet.Value) Cell
		err := t.guarded(func() (err error) {
			readers, err = t.cellReaders(wanted, leaves)
			return err
		})
		if err != nil {
			return t.fail(err)
		}
		row := int64(1)
		for i, group := range f.RowGroups() {
			s := &groupScan{table: t, file: f, group: group, meta: &f.Metadata().RowGroups[i], wanted: wanted, leaves: leaves, readers: readers}
			if row, err = s.run(ctx, row, visit); err != nil {
				return err
			}
		}
		for _, column := range wanted {
			t.checked[column] = true
		}
		return nil
	})
}

func (t *parquetTable) cellReaders(wanted []int, leaves []*parquet.Column) ([]func(parquet.Value) Cell, error) {
	readers := make([]func(parquet.Value) Cell, len(wanted))
	for i, column := range wanted {
		read, err := cellReader(leaves[column])
		if err != nil {
			return nil, fmt.Errorf("column %q: %w", t.names[column], err)
		}
		readers[i] = read
	}
	return readers, nil
}

// groupScan reads the wanted columns of one row group side by side.
type groupScan struct {
	table   *parquetTable
	file    *parquet.File
	group   parquet.RowGroup
	meta    *format.RowGroup
	wanted  []int
	leaves  []*parquet.Column
	readers []func(parquet.Value) Cell

	cursors []columnCursor
}

// parquetBatch is the number of rows that are decoded between two visits.
const parquetBatch = 256

// run visits the group's rows, the first of which is numbered row, and returns
// the number after its last.
func (s *groupScan) run(ctx context.Context, row int64, visit func(int64, []Cell) error) (int64, error) {
	total := s.group.NumRows()
	if err := s.table.guarded(func() error { return s.open(total) }); err != nil {
		return row, s.table.fail(err)
	}
	defer s.table.guarded(s.close)
	k := len(s.wanted)
	cells := make([]Cell, parquetBatch*k)
	for left := total; left > 0; {
		if ctx.Err() != nil {
			return row, ctx.Err()
		}
		n := int(min(left, parquetBatch))
		if err := s.table.guarded(func() error { return s.read(cells, n) }); err != nil {
			return row, s.table.fail(err)
		}
		for r := range n {
			if err := visit(row, cells[r*k:(r+1)*k]); err != nil {
				return row, err
			}
			row++
		}
		left -= int64(n)
	}
	return row, nil
}

// open checks the pages of the wanted columns and opens them.
func (s *groupScan) open(rows int64) error {
	if rows < 0 {
		return fmt.Errorf("a row group of %d rows", rows)
	}
	chunks := s.group.ColumnChunks()
	s.cursors = make([]columnCursor, len(s.wanted))
	for i, column := range s.wanted {
		meta := &s.meta.Columns[column].MetaData
		if meta.NumValues != rows {
			return fmt.Errorf("column %q has %d values in a group of %d rows", s.table.names[column], meta.NumValues, rows)
		}
		if !s.table.checked[column] {
			check := &chunkCheck{file: s.file, size: s.table.size, leaf: s.leaves[column], meta: meta, budget: s.table.budget}
			if err := check.run(); err != nil {
				return fmt.Errorf("column %q: %w", s.table.names[column], err)
			}
		}
		s.cursors[i].pages = chunks[column].Pages()
	}
	return nil
}

func (s *groupScan) close() error {
	var errs []error
	for i := range s.cursors {
		errs = append(errs, s.cursors[i].close())
	}
	return errors.Join(errs...)
}

// read fills the cells of n rows.
func (s *groupScan) read(cells []Cell, n int) error {
	k := len(s.wanted)
	for i := range s.cursors {
		for r := range n {
			v, err := s.cursors[i].next()
			if err == io.EOF {
				return fmt.Errorf("column %q ends early", s.table.names[s.wanted[i]])
			}
			if err != nil {
				return err
			}
			if v.IsNull() {
				cells[r*k+i] = Cell{}
			} else {
				cells[r*k+i] = s.readers[i](v)
			}
		}
	}
	return nil
}

// columnCursor walks through the values of a column chunk.
type columnCursor struct {
	pages  parquet.Pages
	page   parquet.Page
	values parquet.ValueReader
	buf    [64]parquet.Value
	at, n  int
}

// next returns the next value, or io.EOF.
func (c *columnCursor) next() (parquet.Value, error) {
	for c.at == c.n {
		if err := c.fill(); err != nil {
			return parquet.Value{}, err
		}
	}
	c.at++
	return c.buf[c.at-1], nil
}

// fill reads some values, possibly none.
func (c *columnCursor) fill() error {
	c.at, c.n = 0, 0
	if c.values == nil {
		page, err := c.pages.ReadPage()
		if err != nil {
			return err
		}
		c.page, c.values = page, page.Values()
	}
	n, err := c.values.ReadValues(c.buf[:])
	c.n = n
	if err == io.EOF || err == nil && n == 0 {
		err = nil
		if n == 0 {
			parquet.Release(c.page)
			c.page, c.values = nil, nil
		}
	}
	return err
}

func (c *columnCursor) close() error {
	if c.page != nil {
		parquet.Release(c.page)
	}
	if c.pages == nil {
		return nil
	}
	return c.pages.Close()
}
