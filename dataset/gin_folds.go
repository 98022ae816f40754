package dataset

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
)

// readGINFolds reads the folds in the folder dir, of graphs 0 to graphs−1.
func readGINFolds(ctx context.Context, dir string, graphs int, g *guard) ([]Split, error) {
	set := &fileSet{FS: os.DirFS(dir), path: dir}
	var splits []Split
	for k := 1; ; k++ {
		train := path.Join(ginFolds, fmt.Sprintf("train_idx-%d.txt", k))
		test := path.Join(ginFolds, fmt.Sprintf("test_idx-%d.txt", k))
		if !set.has(train) && !set.has(test) {
			break
		}
		s := Split{Name: fmt.Sprintf("fold %d", k)}
		taken := make([]string, graphs)
		var err error
		if s.Train, err = readIndices(ctx, set, train, taken, g); err != nil {
			return nil, err
		}
		if s.Test, err = readIndices(ctx, set, test, taken, g); err != nil {
			return nil, err
		}
		splits = append(splits, s)
	}
	return splits, checkGINFolds(set, len(splits))
}

// checkGINFolds refuses a folder whose folds are not numbered 1, 2, ….
func checkGINFolds(set *fileSet, folds int) error {
	names, err := fs.Glob(set, ginFolds+"/*_idx-*.txt")
	if err != nil {
		return fmt.Errorf("dataset: %s: %w", set.path, err)
	}
	if len(names) != 2*folds {
		return fmt.Errorf("dataset: %s: %d files of folds, %d of them train_idx-k.txt or test_idx-k.txt with k = 1, 2, …",
			filepath.Join(set.path, ginFolds), len(names), 2*folds)
	}
	return nil
}

// readIndices reads a file with the number of an item on each line. taken[i] is
// the file that has named item i; naming it again is an error.
func readIndices(ctx context.Context, s *fileSet, name string, taken []string, g *guard) ([]int32, error) {
	l, err := s.lines(ctx, name, g)
	if err != nil {
		return nil, err
	}
	defer l.close()
	index := []int32{}
	for line, ok := l.next(); ok; line, ok = l.next() {
		field := bytes.TrimSpace(line)
		if len(field) == 0 {
			continue
		}
		i, isInt := parseInt(field)
		switch {
		case !isInt:
			return nil, l.errorf("%s is not the number of an item", show(field))
		case i < 0 || i >= int64(len(taken)):
			return nil, l.errorf("item %d is out of range, want 0 to %d", i, len(taken)-1)
		case taken[i] != "":
			return nil, l.errorf("item %d stands in %s already", i, taken[i])
		}
		taken[i] = path.Base(name)
		index = append(index, int32(i))
	}
	return index, l.err
}
