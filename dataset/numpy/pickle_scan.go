package numpy

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"

	"github.com/weft-gnn/weft/dataset/budget"
)

// argKind is how a pickle opcode's argument lies in the stream.
type argKind uint8

const (
	argNone    argKind = iota
	argFixed           // a known number of bytes
	argCounted         // a length, then as many bytes
	argLines           // text up to a newline, once or twice
)

// pickleOp describes an opcode that may occur.
type pickleOp struct {
	arg   argKind
	n     uint8 // bytes of a fixed argument or of a length; number of lines
	marks int8  // marks opened (1) or closed (−1)
	cost  int64 // bytes of memory that executing it may take, at most
}

// Memory that the unpickler uses, at most, per kind of value.
const (
	slotCost = 48  // a stack slot, with the slice's growth, and a boxed number
	listCost = 160 // a list with its first capacity, or a tuple
	dictCost = 208
	markCost = 360 // a mark starts a stack of its own
	memoCost = 96
	// classCost is an array's header with a shape of maxDims lengths.
	classCost = 160 + 8*maxDims
)

// pickleOps are the opcodes that NumPy's, SciPy's and plain containers'
// pickles use, protocols 0 to 5. What is absent is refused: persistent ids,
// extension codes, old-style instances, sets, out-of-band buffers.
//
// Source: CPython's Lib/pickletools.py.
var pickleOps = func() (t [256]pickleOp) {
	set := func(codes string, op pickleOp) {
		for _, c := range []byte(codes) {
			t[c] = op
		}
	}
	set("(", pickleOp{argFixed, 0, 1, markCost})
	set("tld", pickleOp{argFixed, 0, -1, dictCost})
	set("eu1", pickleOp{argFixed, 0, -1, slotCost})
	set(".02Nas\x88\x89", pickleOp{argFixed, 0, 0, slotCost})
	set("bR", pickleOp{argFixed, 0, 0, classCost})
	set("])\x81\x85\x86\x87", pickleOp{argFixed, 0, 0, listCost})
	set("}\x93", pickleOp{argFixed, 0, 0, dictCost})
	set("\x94", pickleOp{argFixed, 0, 0, memoCost})
	set("K", pickleOp{argFixed, 1, 0, slotCost})
	set("M", pickleOp{argFixed, 2, 0, slotCost})
	set("J", pickleOp{argFixed, 4, 0, slotCost})
	set("G", pickleOp{argFixed, 8, 0, slotCost})
	set("h", pickleOp{argFixed, 1, 0, slotCost})
	set("j", pickleOp{argFixed, 4, 0, slotCost})
	set("q", pickleOp{argFixed, 1, 0, memoCost})
	set("r", pickleOp{argFixed, 4, 0, memoCost})
	set("\x80", pickleOp{argFixed, 1, 0, 0})
	set("\x95", pickleOp{argFixed, 8, 0, slotCost})
	set("UC\x8c\x8a", pickleOp{argCounted, 1, 0, slotCost})
	set("TXB\x8b", pickleOp{argCounted, 4, 0, slotCost})
	set("\x8d\x8e\x96", pickleOp{argCounted, 8, 0, slotCost})
	set("FILSVg", pickleOp{argLines, 1, 0, slotCost})
	set("p", pickleOp{argLines, 1, 0, memoCost})
	set("c", pickleOp{argLines, 2, 0, dictCost})
	return t
}()

// maxMarks is how deep tuples, lists and dictionaries may lie in each other
// while they are built: arrays and adjacency lists need four.
const maxMarks = 32

// scanPickle walks a pickle's opcodes without executing them and takes the
// memory that executing them may use from the budget, so that no length in the
// stream is believed before it was compared with the bytes that are there.
func scanPickle(name string, data []byte, g *budget.Guard) error {
	var cost int64
	marks := 0
	for pos := 0; pos < len(data); {
		code := data[pos]
		op := pickleOps[code]
		arg, err := op.argument(code, data[pos+1:])
		if err != nil {
			return fmt.Errorf("dataset: %s: pickle, byte %d: %w", name, pos, err)
		}
		if marks = max(0, marks+int(op.marks)); marks > maxMarks {
			return fmt.Errorf("dataset: %s: pickle, byte %d: nested more than %d deep", name, pos, maxMarks)
		}
		cost += op.cost + 3*int64(len(arg)) // read, framed, kept
		if code == '.' {
			return g.Need(name+": pickled objects", cost, 1)
		}
		pos += 1 + len(arg)
	}
	return fmt.Errorf("dataset: %s: the pickle is cut short", name)
}

// argument returns the argument of the opcode, lengths and newlines included.
func (op pickleOp) argument(code byte, rest []byte) ([]byte, error) {
	var size uint64
	switch op.arg {
	case argNone:
		return nil, fmt.Errorf("opcode %#02x is not allowed", code)
	case argFixed:
		size = uint64(op.n)
	case argCounted:
		n, err := countOf(code, rest, int(op.n))
		if err != nil {
			return nil, err
		}
		size = n
	case argLines:
		for range op.n {
			i := bytes.IndexByte(rest[size:], '\n')
			if i < 0 {
				return nil, fmt.Errorf("a line without an end")
			}
			size += uint64(i) + 1
		}
	}
	if size > uint64(len(rest)) {
		return nil, fmt.Errorf("%d bytes are needed, %d are left", size, len(rest))
	}
	arg := rest[:size]
	return arg, checkArgument(code, arg, len(rest)-len(arg))
}

// countOf returns the bytes of a counted argument, its length field included.
func countOf(code byte, rest []byte, width int) (uint64, error) {
	if len(rest) < width {
		return 0, fmt.Errorf("the length is cut short")
	}
	var field [8]byte
	copy(field[:], rest[:width])
	n := binary.LittleEndian.Uint64(field[:])
	if n > math.MaxInt32 && width == 4 && code != 'X' && code != 'B' {
		return 0, fmt.Errorf("a negative length")
	}
	if (code == 0x8a || code == 0x8b) && (n == 0 || n > 8) {
		return 0, fmt.Errorf("an integer of %d bytes, want 1 to 8", n)
	}
	if n > math.MaxInt64-8 {
		return 0, fmt.Errorf("a length of %d", n)
	}
	return n + uint64(width), nil
}

// checkArgument refuses what the unpickler would misread.
func checkArgument(code byte, arg []byte, left int) error {
	switch code {
	case 'S', 'V':
		if bytes.IndexByte(arg, '\\') >= 0 {
			return fmt.Errorf("escaped text of protocol 0: save the pickle with protocol 2 or later")
		}
	case 'L', 'I':
		if len(arg) > 22 {
			return fmt.Errorf("an integer of %d digits", len(arg)-1)
		}
	case 0x95:
		if n := binary.LittleEndian.Uint64(arg); n > uint64(left) {
			return fmt.Errorf("a frame of %d bytes, %d are left", n, left)
		}
	case 'c':
		if class := string(bytes.ReplaceAll(bytes.TrimSuffix(arg, []byte("\n")), []byte("\n"), []byte("."))); class == builtinArray {
			return classError(class)
		}
	case 'U', 'T', 'X', 0x8c, 0x8d:
		if bytes.HasSuffix(arg, []byte("_array_reconstructor")) {
			return classError(builtinArray)
		}
	}
	return nil
}

// builtinArray is the one class that gopickle makes without asking its
// FindClass and that copies its argument, and so could be made to use any
// amount of memory.
const builtinArray = "array._array_reconstructor"
