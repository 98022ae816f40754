package perf

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/dataset/ondisk"
	"github.com/weft-gnn/weft/dataset/source"
	"github.com/weft-gnn/weft/dataset/synth"
)

// synthetic reads a name such as arxiv@0.1: a kind of graph that can be made,
// and its scale. ok is false for other names.
func synthetic(name string) (kind synth.Kind, opt synth.Options, ok bool, err error) {
	word, scale, ok := strings.Cut(name, "@")
	if !ok || kind.UnmarshalText([]byte(word)) != nil {
		return 0, opt, false, nil
	}
	opt.Seed = 1
	opt.Scale, err = strconv.ParseFloat(scale, 64)
	if err != nil || !(opt.Scale > 0) {
		return 0, opt, true, fmt.Errorf("perf: %s: the scale is %q, want a positive number", name, scale)
	}
	return kind, opt, true, nil
}

// CheckData returns an error where name is that of a synthetic graph with a
// scale that is none.
func CheckData(name string) error {
	_, _, _, err := synthetic(name)
	return err
}

// find returns the error of a name under which nothing is found, before anything
// is measured.
func find(names []string, lookup dataset.Options) error {
	for _, name := range names {
		_, _, ok, err := synthetic(name)
		if !ok && err == nil {
			_, err = source.Find(name, lookup)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Open reads a set, or makes one of a name such as arxiv@0.1.
func Open(ctx context.Context, name string, lookup dataset.Options) (*dataset.Dataset, error) {
	kind, opt, ok, err := synthetic(name)
	if err != nil {
		return nil, err
	}
	if !ok {
		return source.Spec{Data: name}.Open(ctx, lookup, nil)
	}
	d, err := synth.Generate(ctx, kind, opt)
	if err == nil {
		d.Name = name
	}
	return d, err
}

// written makes the synthetic set of a name below dir, so that processes that
// measure only read it, and returns where it lies; other names stay.
func written(ctx context.Context, name, dir string) (string, error) {
	if _, _, ok, err := synthetic(name); !ok || err != nil {
		return name, err
	}
	path := filepath.Join(dir, name)
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	d, err := Open(ctx, name, dataset.Options{})
	if err != nil {
		return "", err
	}
	return path, ondisk.Write(path, d, ondisk.Options{})
}
