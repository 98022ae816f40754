package numpy

import (
	"bytes"
	"fmt"
	"unsafe"

	"github.com/nlpodyssey/gopickle/pickle"
	"github.com/nlpodyssey/gopickle/types"

	"github.com/weft-gnn/weft/dataset/budget"
)

// Unpickle returns the value of a Python pickle made of plain containers,
// numbers, text, NumPy arrays ([Array]) and SciPy's sparse rows ([CSR]).
// Any other class is an error that names it: nothing a pickle says is executed.
// The value may alias data.
func Unpickle(name string, data []byte, g *budget.Guard) (value any, err error) {
	if err := scanPickle(name, data, g); err != nil {
		return nil, err
	}
	defer func() {
		// gopickle indexes what it pops without looking: a malformed stack ends here.
		if r := recover(); r != nil {
			value, err = nil, fmt.Errorf("dataset: %s: malformed pickle: %v", name, r)
		}
	}()
	u := pickle.NewUnpickler(bytes.NewReader(data))
	u.FindClass = func(module, class string) (any, error) { return findClass(module, class, g) }
	value, err = u.Load()
	if err != nil {
		return nil, fmt.Errorf("dataset: %s: pickle: %w", name, shortened(err))
	}
	return value, nil
}

// shortened keeps gopickle's errors, which print the values they are about, to
// a readable length.
func shortened(err error) error {
	const most = 200
	if text := err.Error(); len(text) > most {
		return fmt.Errorf("%.*s…", most, text)
	}
	return err
}

func classError(class string) error {
	return fmt.Errorf("the class %s is not allowed in a pickle", class)
}

// findClass is the allow-list.
func findClass(module, name string, g *budget.Guard) (any, error) {
	switch module + "." + name {
	case "numpy.core.multiarray._reconstruct", "numpy._core.multiarray._reconstruct":
		return call(newPickledArray), nil
	case "numpy.core.multiarray.scalar", "numpy._core.multiarray.scalar":
		return call(newPickledScalar), nil
	case "numpy.core.numeric._frombuffer", "numpy._core.numeric._frombuffer":
		return call(newBufferArray), nil
	case "numpy.ndarray":
		return arrayClass{}, nil
	case "numpy.dtype":
		return call(newPickledDtype), nil
	case "scipy.sparse.csr.csr_matrix", "scipy.sparse._csr.csr_matrix":
		return csrClass{}, nil
	case "collections.defaultdict":
		return call(func(...any) (any, error) { return types.NewDict(), nil }), nil
	case "__builtin__.list", "__builtin__.dict":
		return arrayClass{}, nil // named as the factory of a defaultdict, never called
	case "_codecs.encode":
		return call(func(args ...any) (any, error) { return encodeLatin1(g, args) }), nil
	}
	return nil, classError(module + "." + name)
}

// call is a Python callable.
type call func(args ...any) (any, error)

// Call implements gopickle's types.Callable.
func (c call) Call(args ...any) (any, error) { return c(args...) }

// arrayClass stands for a class that is only named.
type arrayClass struct{}

// encodeLatin1 undoes how Python 3 writes bytes in protocols 0 to 2: as text
// of the code points 0 to 255.
func encodeLatin1(g *budget.Guard, args []any) (any, error) {
	if len(args) != 2 || args[1] != any("latin1") {
		return nil, fmt.Errorf("_codecs.encode: want text and latin1")
	}
	s, ok := args[0].(string)
	if !ok {
		return nil, fmt.Errorf("_codecs.encode of a %s", TypeName(args[0]))
	}
	if err := g.Need("encoded bytes", int64(len(s)), 1); err != nil {
		return nil, err
	}
	out := make([]byte, 0, len(s))
	for _, r := range s {
		if r > 0xff {
			return nil, fmt.Errorf("_codecs.encode: %q is not in latin1", r)
		}
		out = append(out, byte(r))
	}
	return out, nil
}

// rawBytes views bytes or the raw text of Python 2, which is never written.
func rawBytes(v any) ([]byte, bool) {
	switch b := v.(type) {
	case []byte:
		return b, true
	case string:
		return unsafe.Slice(unsafe.StringData(b), len(b)), true
	case *types.ByteArray:
		return *b, true
	}
	return nil, false
}

// rawText returns a name, as text or as bytes that stand for it.
func rawText(v any) (string, bool) {
	b, ok := rawBytes(v)
	if !ok || len(b) > 80 {
		return "", false
	}
	return string(b), true
}

// TypeName names the type of an unpickled value in errors, without formatting
// the value, which may contain itself.
func TypeName(v any) string {
	switch v.(type) {
	case nil:
		return "None"
	case *types.List:
		return "list"
	case *types.Tuple:
		return "tuple"
	case *types.Dict:
		return "dict"
	case *Array:
		return "NumPy array"
	case *CSR:
		return "SciPy CSR matrix"
	}
	return fmt.Sprintf("%T", v)
}
