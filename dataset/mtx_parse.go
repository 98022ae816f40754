package dataset

import (
	"bytes"
	"math"
	"strings"
)

const (
	mtxBanner = "%%MatrixMarket"
	mtxWanted = mtxBanner + " matrix coordinate|array real|integer|pattern general|symmetric|skew-symmetric"
)

// mtxSymmetry says which entries a Matrix Market file leaves out.
type mtxSymmetry uint8

const (
	mtxGeneral   mtxSymmetry = iota
	mtxSymmetric             // A = Aᵀ: one of each mirrored pair is listed
	mtxSkew                  // A = −Aᵀ: likewise, and the diagonal is zero
)

// mtxMatrix is a Matrix Market file's content: the listed entries.
type mtxMatrix struct {
	array    bool
	pattern  bool // entries have no value
	integer  bool // values are integers
	symmetry mtxSymmetry

	rows, cols int64
	row, col   []int32   // of each entry, from 0
	value      []float32 // nil for a pattern

	notFinite     int   // values that are NaN or infinite
	notFiniteLine int64 // of the first of them
}

// parseMTX reads a Matrix Market file.
//
// A file is judged by the rules of the format alone: what its "%%GraphBLAS type"
// comment says is not held against its values. It widens, though, where that
// type is a floating-point one: then the values of an integer file may be reals.
func parseMTX(l *lineReader, g *guard) (*mtxMatrix, error) {
	m := &mtxMatrix{}
	if err := m.parseBanner(l); err != nil {
		return nil, err
	}
	line, err := m.skipComments(l)
	if err != nil {
		return nil, err
	}
	entries, err := m.parseSize(l, line, g)
	if err != nil {
		return nil, err
	}
	if m.array {
		return m, m.parseArray(l)
	}
	return m, m.parseCoordinates(l, entries)
}

func (m *mtxMatrix) parseBanner(l *lineReader) error {
	line, ok := l.next()
	if !ok && l.err != nil {
		return l.err
	}
	if !isMTXBanner(line) {
		l.number = 1
		return l.errorf("no Matrix Market header: want %q on the first line, got %s", mtxWanted, show(line))
	}
	word := strings.Fields(strings.ToLower(string(line)))
	if len(word) != 5 {
		return l.errorf("the header has %d words: want %q", len(word), mtxWanted)
	}
	if word[1] != "matrix" {
		return l.errorf("object %s, want matrix", show([]byte(word[1])))
	}
	switch word[2] {
	case "coordinate", "array":
		m.array = word[2] == "array"
	default:
		return l.errorf("format %s, want coordinate or array", show([]byte(word[2])))
	}
	switch word[3] {
	case "pattern", "integer", "real":
		m.pattern, m.integer = word[3] == "pattern", word[3] == "integer"
	case "complex":
		return l.errorf("values are complex: weights are real numbers, so save the modulus or the real part")
	default:
		return l.errorf("values %s, want real, integer or pattern", show([]byte(word[3])))
	}
	return m.parseSymmetry(l, word[4])
}

func (m *mtxMatrix) parseSymmetry(l *lineReader, word string) error {
	switch word {
	case "general":
	case "symmetric":
		m.symmetry = mtxSymmetric
	case "skew-symmetric":
		m.symmetry = mtxSkew
		if m.pattern {
			return l.errorf("a pattern has no signs, so it cannot be skew-symmetric")
		}
	case "hermitian":
		return l.errorf("only complex matrices are hermitian: want general or symmetric")
	default:
		return l.errorf("symmetry %s, want general, symmetric or skew-symmetric", show([]byte(word)))
	}
	if m.array && m.pattern {
		return l.errorf("an array lists values, so it cannot be a pattern")
	}
	return nil
}

// skipComments returns the first line that is neither comment nor blank.
func (m *mtxMatrix) skipComments(l *lineReader) ([]byte, error) {
	for line, ok := l.next(); ok; line, ok = l.next() {
		switch {
		case isBlank(line):
		case line[0] != '%':
			return line, nil
		case isGraphBLASFloat(line):
			m.integer = false
		}
	}
	if l.err != nil {
		return nil, l.err
	}
	return nil, l.errorf("the file ends before its size line")
}

func isGraphBLASFloat(comment []byte) bool {
	word := bytes.Fields(comment)
	if len(word) < 3 || string(word[0]) != "%%GraphBLAS" || string(word[1]) != "type" {
		return false
	}
	t := string(word[2])
	return t == "float" || t == "double"
}

// parseSize reads the size line and returns the number of entries it states.
func (m *mtxMatrix) parseSize(l *lineReader, line []byte, g *guard) (int64, error) {
	size, want := make([]int64, 0, 3), 3
	if m.array {
		want = 2
	}
	for w := (words{rest: line}); ; {
		word, ok := w.next()
		if !ok {
			break
		}
		x, ok := parseInt(word)
		if !ok || x < 0 || len(size) == want {
			return 0, l.errorf("size line %s: want %d counts", show(line), want)
		}
		size = append(size, x)
	}
	if len(size) != want {
		return 0, l.errorf("size line %s has %d counts, want %d", show(line), len(size), want)
	}
	m.rows, m.cols = size[0], size[1]
	if m.symmetry != mtxGeneral && m.rows != m.cols {
		return 0, l.errorf("a symmetric matrix is square, this one is %d×%d", m.rows, m.cols)
	}
	entries := m.arrayEntries()
	if !m.array {
		entries = size[2]
	}
	n := max(m.rows, m.cols)
	if err := g.counts(n, entries); err != nil {
		return 0, l.at(err)
	}
	return entries, l.at(g.need("vertex ids", n, 8))
}

// arrayEntries is how many values an array of this shape lists.
func (m *mtxMatrix) arrayEntries() int64 {
	switch n := m.rows; {
	case m.symmetry == mtxGeneral || n > math.MaxInt32:
		return saturatedProduct(m.rows, m.cols)
	case m.symmetry == mtxSymmetric:
		return n * (n + 1) / 2
	default:
		return n * (n - 1) / 2
	}
}

func (m *mtxMatrix) parseCoordinates(l *lineReader, entries int64) error {
	read := int64(0)
	for line, ok := l.next(); ok; line, ok = l.next() {
		if isBlank(line) || line[0] == '%' {
			continue
		}
		if read == entries {
			return l.errorf("more than the %d entries that the size line states", entries)
		}
		if err := m.parseEntry(l, line); err != nil {
			return err
		}
		read++
	}
	if l.err != nil {
		return l.err
	}
	if read != entries {
		return l.errorf("the file ends after %d of %d entries", read, entries)
	}
	return nil
}

func (m *mtxMatrix) parseEntry(l *lineReader, line []byte) error {
	w := words{rest: line}
	i, err := m.parseIndex(l, &w, "row", m.rows)
	if err != nil {
		return err
	}
	j, err := m.parseIndex(l, &w, "column", m.cols)
	if err != nil {
		return err
	}
	if i == j && m.symmetry == mtxSkew {
		return l.errorf("entry %d %d: a skew-symmetric matrix has no diagonal", i+1, j+1)
	}
	m.row, m.col = append(m.row, i), append(m.col, j)
	if !m.pattern {
		word, ok := w.next()
		if !ok {
			return l.errorf("entry %d %d has no value", i+1, j+1)
		}
		x, err := m.parseValue(l, word)
		if err != nil {
			return err
		}
		m.value = append(m.value, x)
	}
	if extra, ok := w.next(); ok {
		return l.errorf("%s after entry %d %d: want nothing more on the line", show(extra), i+1, j+1)
	}
	return nil
}

func (m *mtxMatrix) parseIndex(l *lineReader, w *words, what string, n int64) (int32, error) {
	word, ok := w.next()
	if !ok {
		return 0, l.errorf("the entry has no %s", what)
	}
	x, ok := parseInt(word)
	if !ok {
		return 0, l.errorf("%s %s is not an integer", what, show(word))
	}
	if x < 1 || x > n {
		return 0, l.errorf("%s %d is out of range, want 1 to %d", what, x, n)
	}
	return int32(x - 1), nil
}

func (m *mtxMatrix) parseValue(l *lineReader, word []byte) (float32, error) {
	x, ok := parseReal(word)
	if !ok {
		return 0, l.errorf("value %s is not a number of float32's range", show(word))
	}
	if m.integer && !isInteger(word) {
		return 0, l.errorf("value %s is not an integer, which the header states", show(word))
	}
	if !finite(float64(x)) {
		if m.notFinite == 0 {
			m.notFiniteLine = l.number
		}
		m.notFinite++
	}
	return x, nil
}

func isInteger(word []byte) bool {
	if len(word) > 1 && (word[0] == '-' || word[0] == '+') {
		word = word[1:]
	}
	for _, c := range word {
		if c < '0' || c > '9' {
			return false
		}
	}
	return true
}

// parseArray reads values column by column, from the diagonal down (symmetric)
// or from below it (skew-symmetric), and keeps those that are not zero.
func (m *mtxMatrix) parseArray(l *lineReader) error {
	total, read := m.arrayEntries(), int64(0)
	i, j := m.columnTop(0), int64(0)
	for line, ok := l.next(); ok; line, ok = l.next() {
		if isBlank(line) || line[0] == '%' {
			continue
		}
		if read == total {
			return l.errorf("more than the %d values of the array", total)
		}
		w := words{rest: line}
		word, _ := w.next()
		x, err := m.parseValue(l, word)
		if err != nil {
			return err
		}
		if extra, ok := w.next(); ok {
			return l.errorf("%s after a value: want one value on a line", show(extra))
		}
		if x != 0 {
			m.row, m.col, m.value = append(m.row, int32(i)), append(m.col, int32(j)), append(m.value, x)
		}
		read++
		if i++; i == m.rows {
			j++
			i = m.columnTop(j)
		}
	}
	if l.err != nil {
		return l.err
	}
	if read != total {
		return l.errorf("the file ends after %d of %d values", read, total)
	}
	return nil
}

// columnTop is the first row that an array lists of column j.
func (m *mtxMatrix) columnTop(j int64) int64 {
	switch m.symmetry {
	case mtxSymmetric:
		return j
	case mtxSkew:
		return j + 1
	}
	return 0
}
