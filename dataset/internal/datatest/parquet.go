package datatest

import (
	"os"
	"testing"

	"github.com/parquet-go/parquet-go"
)

// WriteParquet writes a Parquet file of rows.
func WriteParquet[T any](t testing.TB, path string, rows []T, options ...parquet.WriterOption) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w := parquet.NewGenericWriter[T](f, options...)
	if _, err := w.Write(rows); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}
