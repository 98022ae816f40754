package machine

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/weft-gnn/weft/tensor"
)

// Path returns the file below dir in which the rates of this machine are kept:
// its name tells processor, cores, threads and instructions.
func (m *Machine) Path(dir string) string {
	return filepath.Join(dir, fmt.Sprintf("machine-%s-c%d-t%d-%s.json", fileWords(m.CPU), m.Cores, m.Threads, m.ISA))
}

// fileWords is a name as part of a file's name.
func fileWords(name string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(name) {
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			b.WriteRune(r)
		case !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
	}
	return strings.Trim(b.String(), "-")
}

// Save keeps the rates below dir, which is made where it is not there.
func (m *Machine) Save(dir string) error { return save(m.Path(dir), m) }

// save writes what is measured, in a folder that is made where it is not there.
func save(path string, v any) error {
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return fmt.Errorf("machine: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("machine: %w", err)
	}
	return tensor.WriteAtomic(path, func(w io.Writer) error {
		_, err := w.Write(append(text, '\n'))
		return err
	})
}

// Calibrate measures the machine at hand and saves the rates below dir. Rates
// that were kept there stand where they are higher, unless fresh is set; a file
// that cannot be used is replaced.
//
// Errors: those of [Measure] and [Machine.Save].
func Calibrate(ctx context.Context, dir string, threads int, fresh bool, progress func(done, of int)) (*Machine, error) {
	m, err := Measure(ctx, threads, progress)
	if err != nil {
		return nil, err
	}
	if kept, err := Load(dir, threads); err == nil && !fresh {
		m = m.Best(kept)
	}
	return m, m.Save(dir)
}

// Load returns the rates of the machine at hand with that many threads, as Save
// kept them below dir.
//
// Errors: [fs.ErrNotExist] where none were; a file that is not such a file, or
// is of another machine.
func Load(dir string, threads int) (*Machine, error) {
	here := Detect(threads)
	name := here.Path(dir)
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("machine: %w", err)
	}
	m := &Machine{}
	if err := json.Unmarshal(text, m); err != nil {
		return nil, fmt.Errorf("machine: %s: %w", name, err)
	}
	if err := m.Validate(); err != nil {
		return nil, fmt.Errorf("machine: %s: %w", name, err)
	}
	if !m.same(here) {
		return nil, fmt.Errorf("machine: %s: rates of another machine: %s, %d cores, %d threads, %s, caches %v", name, m.CPU, m.Cores, m.Threads, m.ISA, m.names())
	}
	return m, nil
}

// same reports whether two machines have the same parts.
func (m *Machine) same(o *Machine) bool {
	return m.CPU == o.CPU && m.Cores == o.Cores && m.Threads == o.Threads && m.ISA == o.ISA &&
		slices.EqualFunc(m.Levels, o.Levels, func(a, b Level) bool {
			return a.Name == b.Name && a.Bytes == b.Bytes && a.Caches == b.Caches
		})
}
