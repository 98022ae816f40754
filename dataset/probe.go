package dataset

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/weft-gnn/weft/dataset/budget"
)

// probeHead is how much of a file detection looks at: enough for headers and
// some tens of lines.
const probeHead = 4 << 10

// Probe is what detection knows of a path.
type Probe struct {
	Path string
	// Dir is set for a folder.
	Dir bool
	// Names are the entries of a folder, or the members of a zip archive, in
	// ascending order; nil for other files.
	Names []string
	// Head is the start of a file, decompressed where the file is gzip'ed, at
	// most 4 KiB; whole lines cannot be assumed at its end. Nil for a folder.
	Head []byte
	// Size is the bytes on disk of a file.
	Size int64
}

// Base returns the last element of the path.
func (p Probe) Base() string { return filepath.Base(p.Path) }

// Ext returns the lower-case extension that says what the content is: that of
// "a.mtx.gz" is ".mtx".
func (p Probe) Ext() string {
	name := strings.ToLower(p.Base())
	for _, packed := range []string{".gz", ".zst"} {
		if s, ok := strings.CutSuffix(name, packed); ok && filepath.Ext(s) != "" {
			name = s
		}
	}
	return filepath.Ext(name)
}

// Has reports whether a folder or archive has the named entry.
func (p Probe) Has(name string) bool {
	_, found := slices.BinarySearch(p.Names, name)
	return found
}

// HasSuffix returns the entries of a folder or archive that end in suffix.
func (p Probe) HasSuffix(suffix string) []string {
	var out []string
	for _, n := range p.Names {
		if strings.HasSuffix(n, suffix) {
			out = append(out, n)
		}
	}
	return out
}

// Look looks at path, which need not exist where it is the common prefix of a
// set's files.
func Look(path string) (Probe, error) {
	p := Probe{Path: path}
	fi, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && prefixExists(path):
		return p, nil
	case err != nil:
		return p, fmt.Errorf("dataset: %w", err)
	case fi.IsDir():
		p.Dir = true
		p.Names, err = folderNames(path)
	default:
		p.Size = fi.Size()
		if err = budget.Regular(path, fi); err == nil {
			err = p.readHead()
		}
	}
	return p, err
}

func folderNames(path string) ([]string, error) {
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, fmt.Errorf("dataset: %w", err)
	}
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Name()
	}
	slices.Sort(names)
	return names, nil
}

var (
	gzipMagic = []byte{0x1f, 0x8b}
	zipMagic  = []byte("PK\x03\x04")
)

func (p *Probe) readHead() error {
	f, err := os.Open(p.Path)
	if err != nil {
		return fmt.Errorf("dataset: %w", err)
	}
	defer f.Close()
	buf := make([]byte, probeHead)
	n, err := io.ReadFull(f, buf)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return fmt.Errorf("dataset: %s: %w", p.Path, err)
	}
	p.Head = buf[:n]
	switch {
	case bytes.HasPrefix(p.Head, gzipMagic):
		p.Head = gunzipHead(p.Head)
	case bytes.HasPrefix(p.Head, zipMagic):
		// A broken archive is its reader's to report.
		if z, err := zip.NewReader(f, p.Size); err == nil {
			for _, m := range z.File {
				p.Names = append(p.Names, m.Name)
			}
			slices.Sort(p.Names)
		}
	}
	return nil
}

// gunzipHead decompresses what it can of the start of a gzip stream, or
// returns it as it is where that is nothing.
func gunzipHead(head []byte) []byte {
	z, err := gzip.NewReader(bytes.NewReader(head))
	if err != nil {
		return head
	}
	out := make([]byte, probeHead)
	n, _ := io.ReadFull(z, out) // cut short by construction
	if n == 0 {
		return head
	}
	return out[:n]
}

// Stem returns the name that a file gives its set: "4elt" for 4elt.graph,
// "molesol" for ogbg_molesol.zip.
func Stem(base string) string {
	name := base
	for _, packed := range []string{".gz", ".zst", ".zip"} {
		name = strings.TrimSuffix(name, packed)
	}
	if ext := filepath.Ext(name); ext != "" && ext != name {
		name = strings.TrimSuffix(name, ext)
	}
	return FolderStem(name)
}

// FolderStem is Stem for a folder, whose name has no ending: "arxiv@0.1" is one.
func FolderStem(base string) string {
	name := base
	for _, kind := range []string{"ogbn", "ogbg", "ogbl"} {
		for _, sep := range []string{"_", "-"} {
			if s, ok := strings.CutPrefix(name, kind+sep); ok && s != "" {
				name = s
			}
		}
	}
	return name
}

// Lines returns the lines that the head of a file shows entirely.
func (p Probe) Lines() [][]byte {
	head := bytes.TrimPrefix(p.Head, []byte("\ufeff"))
	lines := bytes.Split(head, []byte("\n"))
	if len(lines) > 1 {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// PlainStem is a file's name without what packed it and without its extension.
func PlainStem(name string) string {
	name = strings.TrimSuffix(name, ".gz")
	return strings.TrimSuffix(name, filepath.Ext(name))
}

// prefixExists reports whether files named path.something exist.
func prefixExists(path string) bool {
	names, err := folderNames(filepath.Dir(path))
	prefix := filepath.Base(path) + "."
	return err == nil && slices.ContainsFunc(names, func(n string) bool { return strings.HasPrefix(n, prefix) })
}
