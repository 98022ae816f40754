package train

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode"
)

// NewDir makes an empty folder for a run under root, called
// <model>-<data>-<seed>-<n>, n being the first number from 1 that is free.
// Processes that ask at the same time get different ones.
func NewDir(root string, c Config) (string, error) {
	if err := os.MkdirAll(root, 0o755); err != nil {
		return "", fmt.Errorf("train: no run directory: %w", err)
	}
	base := filepath.Join(root, fmt.Sprintf("%s-%s-%d", c.Model, dirName(c.Data), c.Seed))
	for n := 1; ; n++ {
		dir := fmt.Sprintf("%s-%d", base, n)
		err := os.Mkdir(dir, 0o755)
		if err == nil {
			return dir, nil
		}
		if !errors.Is(err, fs.ErrExist) {
			return "", fmt.Errorf("train: no run directory: %w", err)
		}
	}
}

// dirName turns what a set was called into a part of a folder's name: the last
// element of a path without its ending, names with - for /.
func dirName(data string) string {
	if filepath.IsAbs(data) || strings.HasPrefix(data, ".") || filepath.Ext(data) != "" {
		data = filepath.Base(filepath.Clean(data))
		data = strings.TrimSuffix(data, filepath.Ext(data))
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' || r == '.' {
			return r
		}
		return '-'
	}, strings.TrimLeft(data, "."))
}
