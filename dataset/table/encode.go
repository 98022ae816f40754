package table

import (
	"fmt"
	"math"
	"strings"

	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/dataset/internal/cells"
)

// encoder turns cells of one column into features.
type encoder struct {
	column dataset.PrepColumn
	at     int            // first feature
	value  map[string]int // of a category

	missing int64
	unseen  unseen
}

// newEncoders returns the encoders of columns, side by side.
func newEncoders(columns []dataset.PrepColumn) []*encoder {
	encoders := make([]*encoder, len(columns))
	at := 0
	for i, c := range columns {
		encoders[i] = &encoder{column: c, at: at, value: positions(c.Values)}
		at += c.Width()
	}
	return encoders
}

// positions returns the index of each text.
func positions(texts []string) map[string]int {
	at := make(map[string]int, len(texts))
	for i, text := range texts {
		at[text] = i
	}
	return at
}

// put writes the features of c into its place in row, which is zero.
func (e *encoder) put(row []float32, c cells.Cell) error {
	if e.column.Kind == dataset.Category {
		e.putCategory(row, c)
		return nil
	}
	x := e.column.Fill
	if c.Missing() {
		e.missing++
	} else {
		number, ok := c.Number()
		if !ok {
			return fmt.Errorf("column %q holds %q, want a finite number", e.column.Name, c)
		}
		x = number
	}
	f := e.column.Scaled(x)
	if math.IsInf(float64(f), 0) || f != f {
		return fmt.Errorf("column %q: %v is too large for a feature", e.column.Name, x)
	}
	row[e.at] = f
	return nil
}

func (e *encoder) putCategory(row []float32, c cells.Cell) {
	if c.Missing() {
		e.missing++
		return
	}
	if i, known := e.value[c.String()]; known {
		row[e.at+i] = 1
		return
	}
	e.unseen.add(c)
}

// notes says what was missing and what the column's dictionary lacks.
func (e *encoder) notes() []string {
	var notes []string
	if e.missing > 0 {
		fill := fmt.Sprintf("filled with the mean %.4g", e.column.Fill)
		if e.column.Kind == dataset.Category {
			fill = "all zeros"
		}
		notes = append(notes, fmt.Sprintf("column %s: %d missing values, %s", e.column.Name, e.missing, fill))
	}
	if e.unseen.count > 0 {
		notes = append(notes, fmt.Sprintf("column %s: %d values that training did not have, such as %q: all zeros", e.column.Name, e.unseen.count, e.unseen.first))
	}
	return notes
}

// unseen counts values that training did not have.
type unseen struct {
	count int64
	first string
}

func (u *unseen) add(c cells.Cell) {
	if u.count == 0 {
		u.first = strings.Clone(c.String())
	}
	u.count++
}
