package infer

import (
	"io"
	"slices"

	"github.com/parquet-go/parquet-go"
)

// parquetRows is how many rows are handed to the writer at once.
const parquetRows = 1024

// writeParquet writes the table, its columns in the order of Columns.
func (t *Table) writeParquet(w io.Writer) error {
	out := parquet.NewWriter(w, t.schema(), parquet.Compression(&parquet.Snappy))
	rows := make([]parquet.Row, 0, parquetRows)
	for v := range t.Values.Rows {
		rows = append(rows, t.parquetRow(v))
		if len(rows) == parquetRows || v == t.Values.Rows-1 {
			if _, err := out.WriteRows(rows); err != nil {
				return err
			}
			rows = rows[:0]
		}
	}
	return out.Close()
}

func (t *Table) parquetRow(v int) parquet.Row {
	row := make(parquet.Row, 0, len(t.Names)+2)
	add := func(x parquet.Value) { row = append(row, x.Level(0, 0, len(row))) }
	if t.IDs.Text != nil {
		add(parquet.ByteArrayValue([]byte(t.IDs.Text[v])))
	} else {
		add(parquet.Int64Value(t.intID(v)))
	}
	if t.Class != nil {
		add(parquet.ByteArrayValue([]byte(t.Classes[t.Class[v]])))
	}
	for _, x := range t.Values.Row(v) {
		add(parquet.FloatValue(x))
	}
	return row
}

// schema names and types the columns.
func (t *Table) schema() *parquet.Schema {
	names := t.Columns()
	group := parquet.Group{}
	for _, name := range names {
		group[name] = parquet.Leaf(parquet.FloatType)
	}
	if t.Class != nil {
		group["prediction"] = parquet.Encoded(parquet.String(), &parquet.RLEDictionary)
	}
	group["id"] = parquet.Int(64)
	if t.IDs.Text != nil {
		group["id"] = parquet.String()
	}
	return parquet.NewSchema("weft", ordered{group, names})
}

// ordered is a group whose fields are in a given order: a parquet.Group sorts
// them by name, which puts h_10 before h_2.
type ordered struct {
	parquet.Group
	names []string
}

// Fields returns the columns in order.
func (o ordered) Fields() []parquet.Field {
	fields := o.Group.Fields()
	place := make(map[string]int, len(o.names))
	for i, name := range o.names {
		place[name] = i
	}
	slices.SortFunc(fields, func(a, b parquet.Field) int { return place[a.Name()] - place[b.Name()] })
	return fields
}
