// Package fetch downloads public data sets, by a catalogue of their files' hashes.
package fetch

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/weft-gnn/weft/internal/nearest"
)

// The catalogue lists the files of every set that can be fetched, each with its
// size, its SHA-256 and the commit of the public repository it lies in. A set
// whose hashes are not known is not offered.
//
//go:embed catalogue.tsv
var catalogueText string

// remoteFile is a line of the catalogue.
type remoteFile struct {
	set    string // as Open takes it, "tu/MUTAG"
	path   string // below the cache folder, with slashes
	bytes  int64
	sha256 string
	// Where it lies on GitHub.
	repository, commit, source string
}

// catalogue returns the files of all sets.
var catalogue = sync.OnceValue(func() []remoteFile {
	files, err := parseCatalogue(catalogueText)
	if err != nil {
		panic(err) // the text is part of the program, and a test parses it
	}
	return files
})

func parseCatalogue(text string) ([]remoteFile, error) {
	var files []remoteFile
	for i, line := range strings.Split(strings.TrimSpace(text), "\n") {
		f := strings.Split(line, "\t")
		if i == 0 {
			continue // the columns' names
		}
		if len(f) != 7 || len(f[3]) != 64 || !filepath.IsLocal(f[1]) {
			return nil, fmt.Errorf("dataset: catalogue, line %d: %q", i+1, line)
		}
		size, err := strconv.ParseInt(f[2], 10, 64)
		if err != nil {
			return nil, fmt.Errorf("dataset: catalogue, line %d: %w", i+1, err)
		}
		files = append(files, remoteFile{set: f[0], path: f[1], bytes: size, sha256: f[3], repository: f[4], commit: f[5], source: f[6]})
	}
	return files, nil
}

// Names returns the names of the sets that [Set] knows.
func Names() []string {
	var names []string
	for _, f := range catalogue() {
		if !slices.Contains(names, f.set) {
			names = append(names, f.set)
		}
	}
	return names
}

// SetWith returns a set that brings the file at a path below the cache folder, as
// part of it or of a folder.
func SetWith(path string) (name string, ok bool) {
	for _, f := range catalogue() {
		if f.path == path || strings.HasPrefix(f.path, path+"/") {
			return f.set, true
		}
	}
	return "", false
}

// Options say where files go and how they come.
type Options struct {
	// Dir is the folder that the files go to, which is then a folder of
	// Options.DataPath or its CacheDir. It is made where it does not exist.
	Dir string
	// Address replaces https://raw.githubusercontent.com.
	Address string
	// Client makes the requests; nil is one that gives up on silent servers.
	Client *http.Client
	// Tries is how often a file is tried that fails for reasons that may pass;
	// 0 is 4. Between two tries Pause goes by, then twice as long and so on; 0
	// is one second.
	Tries int
	Pause time.Duration
	// Stall is how long a transfer may stand still; 0 is a minute.
	Stall time.Duration
	// Progress, where it is not nil, is called as bytes come in.
	Progress func(Progress)
}

// Progress says how far a fetch is.
type Progress struct {
	File        string // below Dir
	Done, Total int64  // bytes, of all files of the set
}

func (o Options) withDefaults() Options {
	if o.Address == "" {
		o.Address = "https://raw.githubusercontent.com"
	}
	if o.Client == nil {
		t := http.DefaultTransport.(*http.Transport).Clone()
		t.ResponseHeaderTimeout = 30 * time.Second
		t.DialContext = (&net.Dialer{Timeout: 10 * time.Second}).DialContext
		o.Client = &http.Client{Transport: t}
	}
	if o.Tries <= 0 {
		o.Tries = 4
	}
	if o.Pause <= 0 {
		o.Pause = time.Second
	}
	if o.Stall <= 0 {
		o.Stall = time.Minute
	}
	return o
}

// Set brings the files of a set into opt.Dir and returns their paths. Files
// that are there already are only checked. A file appears under its name when
// all of it is there and has the hash that the catalogue states; what came of it
// before an interruption is kept as a file that ends in .part, from where
// another call goes on. Several processes may fetch into one folder.
//
// Errors: an unknown name, with those that are known; no network or no such
// file, with the address and where to put the file by hand; a wrong hash, with
// both, after which the file is gone; ctx's.
func Set(ctx context.Context, name string, opt Options) ([]string, error) {
	var files []remoteFile
	for _, f := range catalogue() {
		if f.set == name {
			files = append(files, f)
		}
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("dataset: no set called %q can be fetched%s: there are %s", name, nearest.DidYouMean(name, Names()), strings.Join(Names(), ", "))
	}
	if opt.Dir == "" {
		return nil, errors.New("dataset: fetch: no folder to put the files in")
	}
	return fetchAll(ctx, files, opt.withDefaults())
}

func fetchAll(ctx context.Context, files []remoteFile, opt Options) ([]string, error) {
	p := &progress{report: opt.Progress}
	for _, f := range files {
		p.total += f.bytes
	}
	var paths []string
	for _, f := range files {
		t := &transfer{file: f, opt: opt, progress: p, to: filepath.Join(opt.Dir, filepath.FromSlash(f.path))}
		if err := t.run(ctx); err != nil {
			return nil, err
		}
		p.before += f.bytes
		paths = append(paths, t.to)
	}
	return paths, nil
}

// progress adds up the bytes of a set's files.
type progress struct {
	report        func(Progress)
	before, total int64
}

// at says that so many bytes of a file are there.
func (p *progress) at(file string, bytes int64) {
	if p.report != nil {
		p.report(Progress{File: file, Done: p.before + bytes, Total: p.total})
	}
}

// address returns where the file lies.
func (f remoteFile) address(base string) string {
	return strings.TrimSuffix(base, "/") + "/" + f.repository + "/" + f.commit + "/" + f.source
}

// makeParent makes the folder of path.
func makeParent(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return fmt.Errorf("dataset: fetch: %w", err)
	}
	return nil
}
