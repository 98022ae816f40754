package table

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/dataset/internal/cells"
)

// Scaling says what becomes of numeric features.
type Scaling int

// The scalings. The mean and deviation are those of all rows of the table: all
// vertices' features are known while a model trains on one graph.
const (
	Standardise Scaling = iota // (x − mean) / standard deviation
	Unscaled                   // x as it is
)

// MaxCategories is the largest number of values that a text column may have to
// become one feature per value.
const MaxCategories = 64

// columnStats is what one pass learns about a column.
type columnStats struct {
	name    string
	missing int64

	numbers moments

	// Of all cells: whether some are not numbers, which and where the first
	// was, and the values as long as they are few.
	notNumber bool
	odd       string
	oddLine   int64
	values    valueSet
	unfit     unfit
}

// unfit is the first cell of a column that was meant for a number and holds none.
type unfit struct {
	cell  string
	line  int64 // 0 for no such cell
	texts bool  // other cells are no numbers at all
	codes bool  // all such cells may be codes
}

// add takes in a cell that is no number.
func (u *unfit) add(c cells.Cell, line int64) {
	is, code := c.Unfit()
	switch {
	case !is:
		u.texts = true
	case u.line == 0 || u.codes && !code:
		u.cell, u.line, u.codes = strings.Clone(c.String()), line, code
	}
}

// check refuses a column that would be of numbers but for such a cell. A column
// of nothing but 0x10 and the like is one of codes.
func (u *unfit) check(t cells.Table, name string, numbers int64) error {
	if u.line == 0 || u.texts || u.codes && numbers == 0 {
		return nil
	}
	return fmt.Errorf("dataset: %s: column %q holds %s, which is not a finite decimal number: mend it, or leave it blank where it is missing", t.At(u.line), name, u.cell)
}

func newColumnStats(name string) *columnStats {
	return &columnStats{name: name, values: make(valueSet)}
}

// add takes in one cell.
func (s *columnStats) add(c cells.Cell, line int64) error {
	if c.Missing() {
		s.missing++
		return nil
	}
	x, ok := c.Number()
	if ok {
		s.numbers.add(x)
	} else {
		s.unfit.add(c, line)
		if !s.notNumber {
			s.notNumber, s.odd, s.oddLine = true, strings.Clone(c.String()), line
		}
	}
	if err := s.values.add(c, MaxCategories); err != nil {
		return fmt.Errorf("column %q: %w", s.name, err)
	}
	return nil
}

// empty reports whether the column says nothing.
func (s *columnStats) empty() bool { return s.numbers.count == 0 && !s.notNumber }

// learn returns how the column becomes features. Errors: too many categories,
// numbers too large to scale.
func (s *columnStats) learn(t cells.Table, scale Scaling) (dataset.PrepColumn, error) {
	c := dataset.PrepColumn{Name: s.name}
	if err := s.unfit.check(t, s.name, s.numbers.count); err != nil {
		return c, err
	}
	if s.notNumber {
		if len(s.values) > MaxCategories {
			return c, dataset.Lacking(dataset.FeaturesOption, "dataset: %s: column %q is not numeric (%q) and has more than %d different values, too many for one feature each: name the features that you want, or turn it into numbers",
				t.At(s.oddLine), s.name, s.odd, MaxCategories)
		}
		c.Kind = dataset.Category
		c.Values = slices.Sorted(maps.Keys(s.values))
		return c, nil
	}
	c.Kind = dataset.Numeric
	c.Fill = s.numbers.mean
	c.Scale = 1
	if scale == Standardise {
		c.Mean, c.Scale = s.numbers.mean, s.numbers.deviation()
	}
	if c.Validate() != nil {
		return c, fmt.Errorf("dataset: %s: the numbers of column %q are too large to scale", t.At(0), s.name)
	}
	return c, nil
}

// maxClasses bounds the classes: more are numbers to be predicted, or
// identifiers.
const maxClasses = 1 << 16

// labelStats is what one pass learns about the label column.
type labelStats struct {
	name    string
	missing int64
	values  valueSet
	// Whether all labels are numbers, and all of those whole; the first that is
	// not a number.
	numbers, whole bool
	odd            string
	oddLine        int64
	count          int64 // of numbers
	unfit          unfit
}

func newLabelStats(name string) *labelStats {
	return &labelStats{name: name, values: make(valueSet), numbers: true, whole: true}
}

func (s *labelStats) add(c cells.Cell, line int64) error {
	if c.Missing() {
		s.missing++
		return nil
	}
	x, ok := c.Number()
	if ok {
		s.count++
	} else {
		s.unfit.add(c, line)
	}
	if !ok && s.numbers {
		s.numbers, s.odd, s.oddLine = false, strings.Clone(c.String()), line
	}
	s.whole = s.whole && ok && x == math.Trunc(x)
	if err := s.values.add(c, maxClasses); err != nil {
		return fmt.Errorf("label %q: %w", s.name, err)
	}
	return nil
}

// learn sets the task and classes of p, where p.Task is what was asked for, and
// returns a note where the task was not asked for. Errors: no labels at all,
// labels that do not suit the task.
func (s *labelStats) learn(t cells.Table, p *dataset.Prep) (note string, err error) {
	if len(s.values) == 0 {
		return "", fmt.Errorf("dataset: %s: the label column %q is empty", t.At(0), s.name)
	}
	if err := s.unfit.check(t, s.name, s.count); err != nil {
		return "", err
	}
	if p.Task == dataset.NoTask {
		p.Task = dataset.VertexClassification
		note = fmt.Sprintf("label %s: %d classes, hence vertex classification", s.name, len(s.values))
		if s.numbers && !s.whole {
			p.Task = dataset.VertexRegression
			note = fmt.Sprintf("label %s: not whole numbers, hence vertex regression", s.name)
		}
	}
	switch {
	case p.Task == dataset.VertexRegression && !s.numbers:
		return "", dataset.Lacking(dataset.TaskOption, "dataset: %s: label %s is %q, but regression needs numbers", t.At(s.oddLine), s.name, s.odd)
	case p.Task == dataset.VertexClassification && len(s.values) > maxClasses:
		return "", dataset.Lacking(dataset.TaskOption, "dataset: %s: label %s has more than %d classes: is it an identifier, or a number to be predicted (task vertex-regression)?", t.At(0), s.name, maxClasses)
	case p.Task == dataset.VertexClassification:
		p.Classes = sortedClasses(s.values)
	}
	return note, nil
}

// sortedClasses orders class names: as numbers where all are, else as text.
func sortedClasses(values valueSet) []string {
	numbers := make(map[string]float64, len(values))
	for text := range values {
		if x, ok := cells.ParseNumber(text); ok {
			numbers[text] = x
		}
	}
	names := slices.Sorted(maps.Keys(values))
	if len(numbers) == len(names) {
		slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(numbers[a], numbers[b]) })
	}
	return names
}

// valueSet holds the different texts of a column.
type valueSet map[string]bool

// add takes in the text of a cell, unless there are more than most already.
func (v valueSet) add(c cells.Cell, most int) error {
	if len(v) > most {
		return nil
	}
	text := c.String()
	if !utf8.ValidString(text) {
		return fmt.Errorf("the text %q is not UTF-8", text)
	}
	if !v[text] {
		v[strings.Clone(text)] = true
	}
	return nil
}

// moments are the mean of numbers and the sum of their squared distances from
// it. Welford's update keeps that accurate where the mean is large beside the
// deviation.
type moments struct {
	count    int64
	mean, m2 float64
}

func (m *moments) add(x float64) {
	m.count++
	d := x - m.mean
	m.mean += d / float64(m.count)
	m.m2 += d * (x - m.mean)
}

// deviation returns the standard deviation, 1 where all numbers are equal.
func (m *moments) deviation() float64 {
	if dev := math.Sqrt(m.m2 / float64(max(m.count, 1))); dev != 0 {
		return dev
	}
	return 1
}
