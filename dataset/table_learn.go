package dataset

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"unicode/utf8"
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

	// Of the numbers: how many, their mean and their squared distances from it.
	count    int64
	mean, m2 float64

	// Of all cells: whether some are not numbers, which and where the first
	// was, and the values as long as they are few.
	notNumber bool
	odd       string
	oddLine   int64
	values    map[string]bool
}

func newColumnStats(name string) *columnStats {
	return &columnStats{name: name, values: make(map[string]bool)}
}

// add takes in one cell.
func (s *columnStats) add(c cell, line int64) error {
	if c.missing() {
		s.missing++
		return nil
	}
	x, ok := c.number()
	if ok {
		// Welford's update keeps the sum of squares accurate where the mean is
		// large beside the deviation.
		s.count++
		d := x - s.mean
		s.mean += d / float64(s.count)
		s.m2 += d * (x - s.mean)
	} else if !s.notNumber {
		s.notNumber, s.odd, s.oddLine = true, strings.Clone(c.String()), line
	}
	if len(s.values) <= MaxCategories {
		text := c.String()
		if !utf8.ValidString(text) {
			return fmt.Errorf("column %q: the text %q is not UTF-8", s.name, text)
		}
		if !s.values[text] {
			s.values[strings.Clone(text)] = true
		}
	}
	return nil
}

// empty reports whether the column says nothing.
func (s *columnStats) empty() bool { return s.count == 0 && !s.notNumber }

// learn returns how the column becomes features. Errors: too many categories,
// numbers too large to scale.
func (s *columnStats) learn(t table, scale Scaling) (PrepColumn, error) {
	c := PrepColumn{Name: s.name}
	if s.notNumber {
		if len(s.values) > MaxCategories {
			return c, fmt.Errorf("dataset: %s: column %q is not numeric (%q) and has more than %d different values, too many for one feature each: leave it out by naming the features that you want, or turn it into numbers",
				t.at(s.oddLine), s.name, s.odd, MaxCategories)
		}
		c.Kind = Category
		c.Values = slices.Sorted(maps.Keys(s.values))
		return c, nil
	}
	c.Kind = Numeric
	c.Fill = s.mean
	c.Scale = 1
	if scale == Standardise {
		c.Mean = s.mean
		if dev := math.Sqrt(s.m2 / float64(s.count)); dev != 0 {
			c.Scale = dev
		}
	}
	if !finite(c.Mean) || !finite(c.Scale) || !finite(c.Fill) {
		return c, fmt.Errorf("dataset: %s: the numbers of column %q are too large to scale", t.at(0), s.name)
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
	values  map[string]bool
	// Whether all labels are numbers, and all of those whole; the first that is
	// not a number.
	numbers, whole bool
	odd            string
	oddLine        int64
}

func newLabelStats(name string) *labelStats {
	return &labelStats{name: name, values: make(map[string]bool), numbers: true, whole: true}
}

func (s *labelStats) add(c cell, line int64) error {
	if c.missing() {
		s.missing++
		return nil
	}
	x, ok := c.number()
	if !ok && s.numbers {
		s.numbers, s.odd, s.oddLine = false, strings.Clone(c.String()), line
	}
	s.whole = s.whole && ok && x == math.Trunc(x)
	if len(s.values) <= maxClasses {
		text := c.String()
		if !utf8.ValidString(text) {
			return fmt.Errorf("label %q: the text %q is not UTF-8", s.name, text)
		}
		if !s.values[text] {
			s.values[strings.Clone(text)] = true
		}
	}
	return nil
}

// learn sets the task and classes of p, where p.Task is what was asked for, and
// returns a note where the task was not asked for. Errors: no labels at all,
// labels that do not suit the task.
func (s *labelStats) learn(t table, p *Prep) (note string, err error) {
	if len(s.values) == 0 {
		return "", fmt.Errorf("dataset: %s: the label column %q is empty", t.at(0), s.name)
	}
	if p.Task == NoTask {
		p.Task = VertexClassification
		note = fmt.Sprintf("label %s: %d classes, hence vertex classification", s.name, len(s.values))
		if s.numbers && !s.whole {
			p.Task = VertexRegression
			note = fmt.Sprintf("label %s: not whole numbers, hence vertex regression", s.name)
		}
	}
	switch {
	case p.Task == VertexRegression && !s.numbers:
		return "", fmt.Errorf("dataset: %s: label %s is %q, but regression needs numbers", t.at(s.oddLine), s.name, s.odd)
	case p.Task == VertexClassification && len(s.values) > maxClasses:
		return "", fmt.Errorf("dataset: %s: label %s has more than %d classes: is it an identifier, or a number to be predicted (task vertex-regression)?", t.at(0), s.name, maxClasses)
	case p.Task == VertexClassification:
		p.Classes = sortedClasses(s.values)
	}
	return note, nil
}

// sortedClasses orders class names: as numbers where all are, else as text.
func sortedClasses(values map[string]bool) []string {
	numbers := make(map[string]float64, len(values))
	for text := range values {
		if x, ok := parseNumber(text); ok {
			numbers[text] = x
		}
	}
	names := slices.Sorted(maps.Keys(values))
	if len(numbers) == len(names) {
		slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(numbers[a], numbers[b]) })
	}
	return names
}
