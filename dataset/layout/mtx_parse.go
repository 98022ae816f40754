package layout

import (
	"bytes"
	"math"
	"strings"

	"github.com/weft-gnn/weft/dataset/budget"
	"github.com/weft-gnn/weft/dataset/internal/lines"
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
func parseMTX(l *lines.Reader, g *budget.Guard) (*mtxMatrix, error) {
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

func (m *mtxMatrix) parseBanner(l *lines.Reader) error {
	line, ok := l.Next()
	if !ok && l.Err != nil {
		return l.Err
	}
	if !isMTXBanner(line) {
		l.Number = 1
		return l.Errorf("no Matrix Market header: want %q on the first line, got %s", mtxWanted, lines.Quote(line))
	}
	word := strings.Fields(strings.ToLower(string(line)))
	if len(word) != 5 {
		return l.Errorf("the header has %d words: want %q", len(word), mtxWanted)
	}
	if word[1] != "matrix" {
		return l.Errorf("object %s, want matrix", lines.Quote([]byte(word[1])))
	}
	switch word[2] {
	case "coordinate", "array":
		m.array = word[2] == "array"
	default:
		return l.Errorf("format %s, want coordinate or array", lines.Quote([]byte(word[2])))
	}
	switch word[3] {
	case "pattern", "integer", "real":
		m.pattern, m.integer = word[3] == "pattern", word[3] == "integer"
	case "complex":
		return l.Errorf("values are complex: weights are real numbers, so save the modulus or the real part")
	default:
		return l.Errorf("values %s, want real, integer or pattern", lines.Quote([]byte(word[3])))
	}
	return m.parseSymmetry(l, word[4])
}

func (m *mtxMatrix) parseSymmetry(l *lines.Reader, word string) error {
	switch word {
	case "general":
	case "symmetric":
		m.symmetry = mtxSymmetric
	case "skew-symmetric":
		m.symmetry = mtxSkew
		if m.pattern {
			return l.Errorf("a pattern has no signs, so it cannot be skew-symmetric")
		}
	case "hermitian":
		return l.Errorf("only complex matrices are hermitian: want general or symmetric")
	default:
		return l.Errorf("symmetry %s, want general, symmetric or skew-symmetric", lines.Quote([]byte(word)))
	}
	if m.array && m.pattern {
		return l.Errorf("an array lists values, so it cannot be a pattern")
	}
	return nil
}

// skipComments returns the first line that is neither comment nor blank.
func (m *mtxMatrix) skipComments(l *lines.Reader) ([]byte, error) {
	for line, ok := l.Next(); ok; line, ok = l.Next() {
		switch {
		case lines.IsBlank(line):
		case line[0] != '%':
			return line, nil
		case isGraphBLASFloat(line):
			m.integer = false
		}
	}
	if l.Err != nil {
		return nil, l.Err
	}
	return nil, l.Errorf("the file ends before its size line")
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
func (m *mtxMatrix) parseSize(l *lines.Reader, line []byte, g *budget.Guard) (int64, error) {
	size, want := make([]int64, 0, 3), 3
	if m.array {
		want = 2
	}
	for w := (lines.Words{Rest: line}); ; {
		word, ok := w.Next()
		if !ok {
			break
		}
		x, ok := lines.Int(word)
		if !ok || x < 0 || len(size) == want {
			return 0, l.Errorf("size line %s: want %d counts", lines.Quote(line), want)
		}
		size = append(size, x)
	}
	if len(size) != want {
		return 0, l.Errorf("size line %s has %d counts, want %d", lines.Quote(line), len(size), want)
	}
	m.rows, m.cols = size[0], size[1]
	if m.symmetry != mtxGeneral && m.rows != m.cols {
		return 0, l.Errorf("a symmetric matrix is square, this one is %d×%d", m.rows, m.cols)
	}
	entries := m.arrayEntries()
	if !m.array {
		entries = size[2]
	}
	n := max(m.rows, m.cols)
	if err := g.Counts(n, entries); err != nil {
		return 0, l.At(err)
	}
	return entries, l.At(g.Need("vertex ids", n, 8))
}

// arrayEntries is how many values an array of this shape lists.
func (m *mtxMatrix) arrayEntries() int64 {
	switch n := m.rows; {
	case m.symmetry == mtxGeneral || n > math.MaxInt32:
		return budget.Product(m.rows, m.cols)
	case m.symmetry == mtxSymmetric:
		return n * (n + 1) / 2
	default:
		return n * (n - 1) / 2
	}
}

func (m *mtxMatrix) parseCoordinates(l *lines.Reader, entries int64) error {
	read := int64(0)
	for line, ok := l.Next(); ok; line, ok = l.Next() {
		if lines.IsBlank(line) || line[0] == '%' {
			continue
		}
		if read == entries {
			return l.Errorf("more than the %d entries that the size line states", entries)
		}
		if err := m.parseEntry(l, line); err != nil {
			return err
		}
		read++
	}
	if l.Err != nil {
		return l.Err
	}
	if read != entries {
		return l.Errorf("the file ends after %d of %d entries", read, entries)
	}
	return nil
}

func (m *mtxMatrix) parseEntry(l *lines.Reader, line []byte) error {
	w := lines.Words{Rest: line}
	i, err := m.parseIndex(l, &w, "row", m.rows)
	if err != nil {
		return err
	}
	j, err := m.parseIndex(l, &w, "column", m.cols)
	if err != nil {
		return err
	}
	if i == j && m.symmetry == mtxSkew {
		return l.Errorf("entry %d %d: a skew-symmetric matrix has no diagonal", i+1, j+1)
	}
	m.row, m.col = append(m.row, i), append(m.col, j)
	if !m.pattern {
		word, ok := w.Next()
		if !ok {
			return l.Errorf("entry %d %d has no value", i+1, j+1)
		}
		x, err := m.parseValue(l, word)
		if err != nil {
			return err
		}
		m.value = append(m.value, x)
	}
	if extra, ok := w.Next(); ok {
		return l.Errorf("%s after entry %d %d: want nothing more on the line", lines.Quote(extra), i+1, j+1)
	}
	return nil
}

func (m *mtxMatrix) parseIndex(l *lines.Reader, w *lines.Words, what string, n int64) (int32, error) {
	word, ok := w.Next()
	if !ok {
		return 0, l.Errorf("the entry has no %s", what)
	}
	x, ok := lines.Int(word)
	if !ok {
		return 0, l.Errorf("%s %s is not an integer", what, lines.Quote(word))
	}
	if x < 1 || x > n {
		return 0, l.Errorf("%s %d is out of range, want 1 to %d", what, x, n)
	}
	return int32(x - 1), nil
}

func (m *mtxMatrix) parseValue(l *lines.Reader, word []byte) (float32, error) {
	x, ok := lines.Real(word)
	if !ok {
		return 0, l.Errorf("value %s is not a number of float32's range", lines.Quote(word))
	}
	if m.integer && !isInteger(word) {
		return 0, l.Errorf("value %s is not an integer, which the header states", lines.Quote(word))
	}
	if !lines.IsFinite(x) {
		if m.notFinite == 0 {
			m.notFiniteLine = l.Number
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
func (m *mtxMatrix) parseArray(l *lines.Reader) error {
	total, read := m.arrayEntries(), int64(0)
	i, j := m.columnTop(0), int64(0)
	for line, ok := l.Next(); ok; line, ok = l.Next() {
		if lines.IsBlank(line) || line[0] == '%' {
			continue
		}
		if read == total {
			return l.Errorf("more than the %d values of the array", total)
		}
		w := lines.Words{Rest: line}
		word, _ := w.Next()
		x, err := m.parseValue(l, word)
		if err != nil {
			return err
		}
		if extra, ok := w.Next(); ok {
			return l.Errorf("%s after a value: want one value on a line", lines.Quote(extra))
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
	if l.Err != nil {
		return l.Err
	}
	if read != total {
		return l.Errorf("the file ends after %d of %d values", read, total)
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
