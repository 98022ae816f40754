package analysis

import (
	"fmt"
	"io"
	"strings"
	"unicode"
)

// pageWidth is the number of columns that pages are made for.
const pageWidth = 100

// page writes lines and keeps the first error.
type page struct {
	w   io.Writer
	err error
}

func (p *page) line(format string, args ...any) {
	if p.err == nil {
		text := strings.TrimRight(fmt.Sprintf(format, args...), " ")
		_, p.err = fmt.Fprintln(p.w, spaces.Replace(text))
	}
}

// entry writes a name and a text beside it, wrapped at the page's width.
func (p *page) entry(indent int, name string, column int, text string) {
	head := pad(strings.Repeat(" ", indent)+name, column, false)
	for _, l := range wrap(text, pageWidth-column) {
		p.line("%s%s", head, l)
		head = strings.Repeat(" ", column)
	}
}

// At a hard space no line is cut, at a soft one only where a word is longer than
// a line.
const (
	hard = "\u00a0"
	soft = "\u202f"
)

// spaces turns hard and soft spaces into plain ones.
var spaces = strings.NewReplacer(hard, " ", soft, " ")

// kept returns text with spaces at which no line is cut.
func kept(text string) string { return strings.ReplaceAll(text, " ", hard) }

// terms returns the text of an expression so that lines are cut before the signs
// of its terms: of terms inside a max or a quotient only where it must be, inside a
// logarithm nowhere. The arguments of a max may be parted.
func terms(text string) string {
	var b strings.Builder
	depth, brackets := 0, 0
	var last rune
	for _, r := range text {
		switch r {
		case '(', '⌊':
			depth++
		case ')', '⌋':
			depth--
		case '⌈':
			brackets++
		case '⌉':
			brackets--
		}
		switch {
		case r != ' ' || last == ',' && brackets == 0:
			b.WriteRune(r)
		case brackets > 0 || last == '+' || last == '−' || last == 'g':
			b.WriteString(hard) // after a sign, or between log and its argument
		case depth > 0:
			b.WriteString(soft)
		default:
			b.WriteRune(r)
		}
		last = r
	}
	return b.String()
}

// wrap cuts text at spaces into lines of at most width columns, where words allow.
func wrap(text string, width int) []string {
	var words, lines []string
	for _, word := range strings.Split(text, " ") {
		if columns(word) > width {
			words = append(words, strings.Split(word, soft)...)
		} else {
			words = append(words, word)
		}
	}
	line := words[0]
	for _, word := range words[1:] {
		if columns(line)+1+columns(word) > width {
			lines, line = append(lines, line), word
		} else {
			line += " " + word
		}
	}
	return append(lines, line)
}

// columns counts the columns that s takes on a terminal: one a rune, none for
// the combining hat.
func columns(s string) int {
	count := 0
	for _, r := range s {
		if !unicode.Is(unicode.Mn, r) {
			count++
		}
	}
	return count
}

// pad fills s to width columns, on the left where right is set.
func pad(s string, width int, right bool) string {
	fill := strings.Repeat(" ", max(0, width-columns(s)))
	if right {
		return fill + s
	}
	return s + fill
}

// table is rows of cells under a head. A letter of align says how a column lies:
// r right, anything else left. The last column is wrapped at the page's width.
type table struct {
	head  []string
	align string
	rows  [][]string
}

func (t *table) add(cells ...string) { t.rows = append(t.rows, cells) }

// write prints the table with two spaces between columns.
func (t *table) write(p *page, indent int) {
	widths := make([]int, len(t.head))
	for _, row := range append([][]string{t.head}, t.rows...) {
		for i, cell := range row {
			widths[i] = max(widths[i], columns(cell))
		}
	}
	for _, row := range append([][]string{t.head}, t.rows...) {
		head := strings.Repeat(" ", indent)
		last := len(row) - 1
		for i, cell := range row[:last] {
			head += pad(cell, widths[i], t.align[i] == 'r') + "  "
		}
		p.entry(0, head, columns(head), row[last])
	}
}
