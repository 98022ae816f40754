package dataset

import (
	"context"
	"fmt"
	"math"
)

// numberTable is what a text file of numbers holds, row by row.
type numberTable[T int64 | float32] struct {
	cols int
	data []T
}

func (t *numberTable[T]) rows() int {
	if t.cols == 0 {
		return 0
	}
	return len(t.data) / t.cols
}

func (t *numberTable[T]) column(c int) []T {
	out := make([]T, 0, t.rows())
	for i := c; i < len(t.data); i += t.cols {
		out = append(out, t.data[i])
	}
	return out
}

// numbersOf is numbers for a file of which the count of lines is known.
func numbersOf[T int64 | float32](ctx context.Context, s *fileSet, name string, count int64, g *guard, parse func(field []byte) (T, string)) (*numberTable[T], error) {
	t, err := numbers(ctx, s, name, g, parse)
	if err == nil && int64(t.rows()) != count {
		err = fmt.Errorf("dataset: %s: %s has %d lines, want %d", s.path, name, t.rows(), count)
	}
	return t, err
}

// numbers reads a file of a set whose lines are numbers, as many on each line,
// separated by commas or blanks.
func numbers[T int64 | float32](ctx context.Context, s *fileSet, name string, g *guard, parse func(field []byte) (T, string)) (*numberTable[T], error) {
	l, err := s.lines(ctx, name, g)
	if err != nil {
		return nil, err
	}
	defer l.close()
	return parseNumbers(l, parse)
}

func parseNumbers[T int64 | float32](l *lineReader, parse func(field []byte) (T, string)) (*numberTable[T], error) {
	t := &numberTable[T]{}
	err := l.records(func(line []byte) error {
		cols := 0
		w := words{rest: line, comma: true}
		for field, ok := w.next(); ok; field, ok = w.next() {
			x, fault := parse(field)
			if fault != "" {
				return l.errorf("%s %s", show(field), fault)
			}
			t.data = append(t.data, x)
			cols++
		}
		if t.cols == 0 {
			t.cols = cols
		}
		if cols != t.cols {
			return l.errorf("%d values, want %d as on the lines before", cols, t.cols)
		}
		return nil
	})
	return t, err
}

// integerField, realField and targetField say how a field is read; a fault
// completes the sentence that the field begins.

func integerField(field []byte) (int64, string) {
	x, ok := parseInt(field)
	if !ok {
		return 0, "is not an integer"
	}
	return x, ""
}

func realField(field []byte) (float32, string) {
	x, ok := parseReal(field)
	if !ok || !finite(float64(x)) {
		return 0, "is not a finite number"
	}
	return x, ""
}

// targetField reads a regression target or a 0/1 label; NaN where the field is
// empty or says nan.
func targetField(field []byte) (float32, string) {
	if len(field) == 0 {
		return float32(math.NaN()), ""
	}
	x, ok := parseReal(field)
	if !ok || math.IsInf(float64(x), 0) {
		return 0, "is neither a finite number nor missing"
	}
	return x, ""
}
