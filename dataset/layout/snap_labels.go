package layout

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/dataset/budget"
	"github.com/weft-gnn/weft/dataset/internal/idindex"
	"github.com/weft-gnn/weft/dataset/internal/lines"
)

// snapLabels is the content of a label file: class i is that of vertex id[i].
type snapLabels struct {
	path  string
	id    []int64 // nil: one class for each vertex, in ascending order of ids
	class []int64

	seen map[int64]int64 // class of each id
}

// readLabels reads the file of classes beside the edge list, nil where there is
// none, and adds vertices that only it names.
func (s *snapList) readLabels(ctx context.Context, path string, limits budget.Limits) (*snapLabels, error) {
	name, err := labelFile(path)
	if name == "" || err != nil {
		return nil, err
	}
	l, _, err := lines.Open(ctx, name, limits)
	if err != nil {
		return nil, err
	}
	defer l.Close()
	y, err := parseSNAPLabels(l)
	if err != nil {
		return nil, err
	}
	return y, y.match(l, &s.ids)
}

// labelFile finds the file of classes that belongs to the edge list at path.
func labelFile(path string) (string, error) {
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		return "", fmt.Errorf("dataset: %w", err)
	}
	base, found := dataset.PlainStem(filepath.Base(path)), ""
	for _, e := range entries {
		tail, ok := strings.CutPrefix(dataset.PlainStem(e.Name()), base)
		if !ok || tail == "" || tail[0] != '-' && tail[0] != '_' {
			continue
		}
		if tail[1:] != "groundtruth" && !strings.HasSuffix(tail, "labels") {
			continue
		}
		if found != "" {
			return "", fmt.Errorf("dataset: %s: both %s and %s could have its labels: keep one beside it", path, filepath.Base(found), e.Name())
		}
		found = filepath.Join(filepath.Dir(path), e.Name())
	}
	return found, nil
}

func parseSNAPLabels(l *lines.Reader) (*snapLabels, error) {
	y := &snapLabels{path: l.Name, seen: make(map[int64]int64)}
	for line, ok := l.Next(); ok; line, ok = l.Next() {
		if lines.IsBlank(line) || isSNAPComment(line) {
			continue
		}
		if err := y.parseLine(l, line); err != nil {
			return nil, err
		}
	}
	return y, l.Err
}

func (y *snapLabels) parseLine(l *lines.Reader, line []byte) error {
	var value [2]int64
	n := 0
	w := lines.Words{Rest: line, Comma: true}
	for field, ok := w.Next(); ok; field, ok = w.Next() {
		x, fault := lines.IntegerField(field)
		if fault != "" {
			return l.Errorf("%s %s", lines.Quote(field), fault)
		}
		if n == len(value) {
			return l.Errorf("more than two columns: want an id and a class")
		}
		value[n] = x
		n++
	}
	if len(y.class) > 0 && (n == 2) != (y.id != nil) {
		return l.Errorf("%d columns, unlike the lines before", n)
	}
	if n == 2 {
		id, class := value[0], value[1]
		if c, twice := y.seen[id]; twice && c != class {
			return l.Errorf("vertex %d has class %d, and %d on a line before: want one", id, class, c)
		}
		y.seen[id] = class
		y.id = append(y.id, id)
	}
	y.class = append(y.class, value[n-1])
	return nil
}

// match checks the labels against the vertices and adds those that are new.
func (y *snapLabels) match(l *lines.Reader, ids *idindex.Index) error {
	if y.id == nil {
		if len(y.class) != len(ids.List) {
			return fmt.Errorf("dataset: %s: %d classes for the %d vertices of the edge list", y.path, len(y.class), len(ids.List))
		}
		return nil
	}
	for _, id := range y.id {
		if _, err := ids.Number(id); err != nil {
			return l.Errorf("%v", err)
		}
	}
	return nil
}

// labels gives each vertex its class, −1 where it has none. The vertices are in
// ascending order of ids by now.
func (y *snapLabels) labels(ids *idindex.Index) dataset.Labels {
	found := classLabels(y.class)
	if y.id == nil {
		return found
	}
	out := dataset.Labels{Class: make([]int32, len(ids.List)), Names: found.Names}
	for v := range out.Class {
		out.Class[v] = -1
	}
	for i, id := range y.id {
		if v, ok := ids.Find(id); ok {
			out.Class[v] = found.Class[i]
		}
	}
	return out
}
