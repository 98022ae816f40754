package infer

import (
	"bufio"
	"encoding/csv"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/weft-gnn/weft/dataset/numpy"
	"github.com/weft-gnn/weft/tensor"
)

// Layout is how a table is written.
type Layout int

// The layouts.
const (
	CSV     Layout = iota // a header, then a line per vertex; numbers in their shortest exact form
	Parquet               // id as INT64 or STRING, values as FLOAT, in the order of Table.Columns
	NPY                   // the values alone, float32; the ids in a file beside it
)

var layoutNames = [...]string{CSV: ".csv", Parquet: ".parquet", NPY: ".npy"}

// LayoutOf returns the layout that a file's name asks for by its ending.
//
// Errors: another ending; the error lists those there are.
func LayoutOf(path string) (Layout, error) {
	ext := strings.ToLower(filepath.Ext(path))
	for i, name := range layoutNames {
		if ext == name {
			return Layout(i), nil
		}
	}
	return 0, fmt.Errorf("infer: %s does not end in one of %s", path, strings.Join(layoutNames[:], ", "))
}

// WriteFile writes a table to path in the layout that its ending asks for, and
// returns the files written. Each appears whole or not at all.
//
// A .npy holds the values alone; beside p.npy lie the ids of its rows, as
// integers in p.ids.npy, or in p.ids.csv where they are texts.
//
// Errors: an unknown ending; what the file system reports, with the path.
func (t *Table) WriteFile(path string) ([]string, error) {
	layout, err := LayoutOf(path)
	if err != nil {
		return nil, err
	}
	if err := t.Validate(); err != nil {
		return nil, err
	}
	files := []struct {
		path  string
		write func(io.Writer) error
	}{{path, t.WriteCSV}}
	switch layout {
	case Parquet:
		files[0].write = t.writeParquet
	case NPY:
		files[0].write = func(w io.Writer) error { return numpy.WriteMatrix(w, t.Values) }
		files = append(files, files[0])
		files[1].path, files[1].write = t.idFile(path)
	}
	var written []string
	for _, f := range files {
		if err := writeBuffered(f.path, f.write); err != nil {
			return nil, fmt.Errorf("infer: %w", err)
		}
		written = append(written, f.path)
	}
	return written, nil
}

func writeBuffered(path string, write func(io.Writer) error) error {
	return tensor.WriteAtomic(path, func(w io.Writer) error {
		b := bufio.NewWriterSize(w, 1<<16)
		if err := write(b); err != nil {
			return err
		}
		return b.Flush()
	})
}

// idFile returns where the ids of the .npy at path go, and what writes them.
func (t *Table) idFile(path string) (string, func(io.Writer) error) {
	base := strings.TrimSuffix(path, filepath.Ext(path))
	if t.IDs.Text != nil {
		ids := &Table{IDs: t.IDs, Values: tensor.New(t.Values.Rows, 0)}
		return base + ".ids.csv", ids.WriteCSV
	}
	ids := make([]int64, t.Values.Rows)
	for v := range ids {
		ids[v] = t.intID(v)
	}
	return base + ".ids.npy", func(w io.Writer) error { return numpy.WriteInts(w, ids) }
}

// WriteCSV writes the table as CSV (RFC 4180, lines ended by a line feed).
func (t *Table) WriteCSV(w io.Writer) error {
	c := csv.NewWriter(w)
	if err := c.Write(t.Columns()); err != nil {
		return err
	}
	var row []string
	for v := range t.Values.Rows {
		row = append(row[:0], t.IDs.Of(v))
		if t.Class != nil {
			row = append(row, t.Classes[t.Class[v]])
		}
		for _, x := range t.Values.Row(v) {
			row = append(row, strconv.FormatFloat(float64(x), 'g', -1, 32))
		}
		if err := c.Write(row); err != nil {
			return err
		}
	}
	c.Flush()
	return c.Error()
}
