package numpy

import (
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"

	"github.com/weft-gnn/weft/dataset/budget"
)

// npyMagic starts every .npy file.
const npyMagic = "\x93NUMPY"

// Parse reads the .npy file whose bytes are data, which the array aliases.
// Object arrays, whose elements are pickled, go through the same allow-list as
// other pickles.
//
// Source: NumPy Enhancement Proposal 1, "A simple file format for NumPy
// arrays", versions 1 to 3.
func Parse(name string, data []byte, g *budget.Guard) (*Array, error) {
	a := &Array{Name: name}
	if len(data) < 10 || string(data[:6]) != npyMagic {
		return nil, a.Errorf("not a .npy file")
	}
	var start, size int
	switch data[6] {
	case 1:
		start, size = 10, int(binary.LittleEndian.Uint16(data[8:]))
	case 2, 3:
		if len(data) < 12 {
			return nil, a.Errorf("the header is cut short")
		}
		start, size = 12, int(binary.LittleEndian.Uint32(data[8:]))
	default:
		return nil, a.Errorf(".npy version %d, want 1 to 3", data[6])
	}
	if size > len(data)-start {
		return nil, a.Errorf("the header is cut short")
	}
	if err := a.parseHeader(string(data[start : start+size])); err != nil {
		return nil, err
	}
	a.data = data[start+size:]
	if a.dtype.kind == 'O' {
		return a.unpickleObjects(g)
	}
	return a, a.check()
}

// unpickleObjects replaces the data of an object array by its elements.
func (a *Array) unpickleObjects(g *budget.Guard) (*Array, error) {
	v, err := Unpickle(a.Name, a.data, g)
	if err != nil {
		return nil, err
	}
	p, ok := v.(*Array)
	if !ok {
		return nil, a.Errorf("the pickled value is a %s, want an array", TypeName(v))
	}
	p.Name = a.Name
	return p, p.check()
}

// parseHeader reads the header, a Python dictionary of exactly the keys descr,
// fortran_order and shape.
func (a *Array) parseHeader(h string) error {
	s := literal{text: h}
	seen := map[string]bool{}
	s.expect('{')
	for s.err == nil && !s.accept('}') {
		key := s.str()
		s.expect(':')
		switch key {
		case "descr":
			d := s.str()
			if s.err == nil {
				a.dtype, s.err = parseDtype(d)
			}
		case "fortran_order":
			a.fortran = s.boolean()
		case "shape":
			a.Shape = s.tuple()
		default:
			s.fail("a known key")
		}
		if seen[key] {
			s.fail("each key once")
		}
		seen[key] = true
		if !s.accept(',') && !s.at('}') {
			s.fail("a comma or }")
		}
	}
	if s.err == nil && len(seen) != 3 {
		s.fail("the keys descr, fortran_order and shape")
	}
	if s.err != nil {
		return a.Errorf("header: %v", s.err)
	}
	return nil
}

// literal reads the few Python literals of a header; the first error stays.
type literal struct {
	text string
	pos  int
	err  error
}

func (s *literal) fail(want string) {
	if s.err == nil {
		s.err = fmt.Errorf("at byte %d, want %s", s.pos, want)
	}
}

func (s *literal) at(c byte) bool {
	for s.pos < len(s.text) && strings.IndexByte(" \t\n\r", s.text[s.pos]) >= 0 {
		s.pos++
	}
	return s.pos < len(s.text) && s.text[s.pos] == c
}

func (s *literal) accept(c byte) bool {
	if s.err != nil || !s.at(c) {
		return false
	}
	s.pos++
	return true
}

func (s *literal) expect(c byte) {
	if !s.accept(c) {
		s.fail(strconv.QuoteRune(rune(c)))
	}
}

func (s *literal) str() string {
	quote := byte('\'')
	if s.at('"') {
		quote = '"'
	}
	s.expect(quote)
	if s.err != nil {
		return ""
	}
	n := strings.IndexByte(s.text[s.pos:], quote)
	if n < 0 {
		s.fail("a closing quote")
		return ""
	}
	out := s.text[s.pos : s.pos+n]
	s.pos += n + 1
	return out
}

func (s *literal) boolean() bool {
	s.at(0) // skips white space
	for text, value := range map[string]bool{"True": true, "False": false} {
		if strings.HasPrefix(s.text[s.pos:], text) {
			s.pos += len(text)
			return value
		}
	}
	s.fail("True or False")
	return false
}

// maxDims is NumPy's own limit.
const maxDims = 64

func (s *literal) tuple() []int {
	shape := []int{}
	s.expect('(')
	for s.err == nil && !s.accept(')') {
		s.at(0)
		end := s.pos
		for end < len(s.text) && s.text[end] >= '0' && s.text[end] <= '9' {
			end++
		}
		v, err := strconv.Atoi(s.text[s.pos:end])
		if err != nil || len(shape) == maxDims {
			s.fail("a length")
			break
		}
		s.pos = end
		s.accept('L') // Python 2's long integers
		shape = append(shape, v)
		if !s.accept(',') && !s.at(')') {
			s.fail("a comma or )")
		}
	}
	return shape
}

// minMapped is the size from which files are mapped: below it, reading is as
// fast and the memory is given back.
const minMapped = 1 << 20

// Open maps the .npy file at path into memory and reads its header. The
// mapping lives as long as the process; replacing the file by a rename leaves
// it intact.
func Open(path string, g *budget.Guard) (*Array, error) {
	data, err := mapFile(path)
	if err != nil {
		return nil, err
	}
	return Parse(path, data, g)
}
