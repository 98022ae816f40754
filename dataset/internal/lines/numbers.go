package lines

import (
	"context"
	"fmt"
	"math"

	"github.com/weft-gnn/weft/dataset/budget"
)

// Table is what a text file of numbers holds, row by row.
type Table[T int64 | float32] struct {
	Cols int // numbers on each line
	Data []T
}

// Rows returns the number of lines.
func (t *Table[T]) Rows() int {
	if t.Cols == 0 {
		return 0
	}
	return len(t.Data) / t.Cols
}

// Column returns the numbers of a column.
func (t *Table[T]) Column(c int) []T {
	out := make([]T, 0, t.Rows())
	for i := c; i < len(t.Data); i += t.Cols {
		out = append(out, t.Data[i])
	}
	return out
}

// NumbersOf is Numbers for a file of which the count of lines is known.
func NumbersOf[T int64 | float32](ctx context.Context, s *Files, name string, count int64, g *budget.Guard, parse func(field []byte) (T, string)) (*Table[T], error) {
	t, err := Numbers(ctx, s, name, g, parse)
	if err == nil && int64(t.Rows()) != count {
		err = fmt.Errorf("dataset: %s: %s has %d lines, want %d", s.Path, name, t.Rows(), count)
	}
	return t, err
}

// Numbers reads a file of a set whose lines are numbers, as many on each line,
// separated by commas or blanks.
func Numbers[T int64 | float32](ctx context.Context, s *Files, name string, g *budget.Guard, parse func(field []byte) (T, string)) (*Table[T], error) {
	l, err := s.Lines(ctx, name, g)
	if err != nil {
		return nil, err
	}
	defer l.Close()
	return parseNumbers(l, parse)
}

func parseNumbers[T int64 | float32](l *Reader, parse func(field []byte) (T, string)) (*Table[T], error) {
	t := &Table[T]{}
	err := l.Records(func(line []byte) error {
		cols := 0
		w := Words{Rest: line, Comma: true}
		for field, ok := w.Next(); ok; field, ok = w.Next() {
			x, fault := parse(field)
			if fault != "" {
				return l.Errorf("%s %s", Quote(field), fault)
			}
			t.Data = append(t.Data, x)
			cols++
		}
		if t.Cols == 0 {
			t.Cols = cols
		}
		if cols != t.Cols {
			return l.Errorf("%d values, want %d as on the lines before", cols, t.Cols)
		}
		return nil
	})
	return t, err
}

// The parsers of fields say what a field holds; a fault completes the sentence
// that the field begins.

// IntegerField reads an integer.
func IntegerField(field []byte) (int64, string) {
	x, ok := Int(field)
	if !ok {
		return 0, "is not an integer"
	}
	return x, ""
}

// RealField reads a finite number.
func RealField(field []byte) (float32, string) {
	x, ok := Real(field)
	if !ok || !IsFinite(x) {
		return 0, "is not a finite number"
	}
	return x, ""
}

// TargetField reads a regression target or a 0/1 label; NaN where the field is
// empty or says nan.
func TargetField(field []byte) (float32, string) {
	if len(field) == 0 {
		return float32(math.NaN()), ""
	}
	x, ok := Real(field)
	if !ok || math.IsInf(float64(x), 0) {
		return 0, "is neither a finite number nor missing"
	}
	return x, ""
}
