package table

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/dataset/internal/cells"
)

// splitMarks holds what a table says of each vertex's part in the split.
type splitMarks struct {
	words []string // by vertex
	known map[string]string
}

func newSplitMarks(n int) *splitMarks {
	return &splitMarks{words: make([]string, n), known: make(map[string]string)}
}

// put marks vertex v.
func (m *splitMarks) put(v int32, c cells.Cell) {
	if c.Missing() {
		return
	}
	word, ok := m.known[c.String()]
	if !ok {
		word = strings.Clone(c.String())
		m.known[word] = word
	}
	m.words[v] = word
}

// splits returns the split that the words train, val and test make, or one per
// fold where all are whole numbers: fold i tests on i, validates on the next
// number and trains on the others. Vertices that keep refuses are left out.
func (m *splitMarks) splits(name string, keep func(i int) bool, where func(i int) string) ([]dataset.Split, error) {
	words := slices.Clone(m.words)
	for i := range words {
		if !keep(i) {
			words[i] = ""
		}
	}
	folds, isFolds := m.folds()
	if !isFolds {
		s, err := dataset.SplitOfWords(name, words, where)
		return []dataset.Split{s}, err
	}
	if len(folds) < 3 {
		return nil, fmt.Errorf("dataset: split %s: %d folds, want at least 3, for training, validation and test", name, len(folds))
	}
	splits := make([]dataset.Split, len(folds))
	for f := range folds {
		splits[f].Name = "fold " + folds[f]
	}
	at := positions(folds)
	for i, w := range words {
		if w == "" {
			continue
		}
		fold, previous := at[w], (at[w]+len(folds)-1)%len(folds)
		for f := range splits {
			switch f {
			case fold:
				splits[f].Test = append(splits[f].Test, int32(i))
			case previous:
				splits[f].Val = append(splits[f].Val, int32(i))
			default:
				splits[f].Train = append(splits[f].Train, int32(i))
			}
		}
	}
	return splits, nil
}

// maxFolds bounds the folds that a column of numbers may name.
const maxFolds = 1000

// folds returns the numbers of the folds in ascending order; false where a word
// is not a whole number.
func (m *splitMarks) folds() ([]string, bool) {
	if len(m.known) == 0 || len(m.known) > maxFolds {
		return nil, false
	}
	set := make(valueSet, len(m.known))
	for w := range m.known {
		if _, ok := cells.CanonicalInt(w); !ok {
			return nil, false
		}
		set[w] = true
	}
	return sortedClasses(set), true
}

// chooseSplit gives the set the split that was asked for, or a random one.
func (r *reading) chooseSplit() error {
	r.out.Task = r.prep.Task // what is split depends on it
	s := r.spec.Split
	switch {
	case !r.learning() && !r.anyLabelled():
		return nil
	case s.Kind == dataset.FileSplit:
		marks, err := r.readSplitFile(s.File)
		if err != nil || marks == nil {
			return err
		}
		r.marks = marks
	case s.Kind == dataset.OwnSplit:
		if !r.learning() || r.out.Task == dataset.NoTask || r.out.Items() == 0 {
			return nil
		}
		s = DefaultSplit(s.Seed)
		r.note("no split given: 60 %% train, 20 %% val, 20 %% test at random, seed %d", s.Seed)
	}
	if r.marks == nil {
		return r.out.UseSplit(s)
	}
	if len(r.marks.words) != r.out.Items() {
		return fmt.Errorf("dataset: the split marks vertices, but the task is %v", r.out.Task)
	}
	name := s.Column
	if s.Kind == dataset.FileSplit {
		name = dataset.Stem(filepath.Base(s.File))
	}
	splits, err := r.marks.splits(name, r.out.Labelled, func(i int) string { return "the vertex " + r.idOf(i) })
	if err != nil {
		return err
	}
	r.out.Splits = splits
	return r.out.UseSplit(dataset.SplitSpec{Name: s.Name})
}

// anyLabelled reports whether there are items to be split.
func (r *reading) anyLabelled() bool {
	for i := range r.out.Items() {
		if r.out.Labelled(i) {
			return true
		}
	}
	return false
}

// idOf returns the user's identifier of vertex i, for errors.
func (r *reading) idOf(i int) string {
	ids := r.keys.ids()
	if ids.Text != nil {
		return ids.Text[i]
	}
	return fmt.Sprint(ids.Int[i])
}

// readSplitFile reads a table of identifiers and words. A file with one column
// is a list of words in the order of the vertices: it is applied, and nil is
// returned.
func (r *reading) readSplitFile(path string) (*splitMarks, error) {
	t, err := cells.Open(path, cells.Layout{}, r.guard)
	if err != nil {
		return nil, err
	}
	if len(t.Columns()) == 1 {
		return nil, r.out.UseSplit(r.spec.Split)
	}
	marks := newSplitMarks(r.keys.len())
	err = t.Scan(r.ctx, []int{0, 1}, func(line int64, row []cells.Cell) error {
		v, known := r.keys.find(row[0])
		if !known {
			return fmt.Errorf("dataset: %s: id %s is not in the vertex table", t.At(line), row[0])
		}
		if marks.words[v] != "" {
			return fmt.Errorf("dataset: %s: id %s is listed twice", t.At(line), row[0])
		}
		marks.put(v, row[1])
		return nil
	})
	return marks, err
}

// DefaultSplit is drawn where tables state none.
func DefaultSplit(seed uint64) dataset.SplitSpec {
	return dataset.SplitSpec{Kind: dataset.RandomSplit, Fractions: [3]float64{0.6, 0.2, 0.2}, Seed: seed}
}
