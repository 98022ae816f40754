package dataset

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
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
func (m *splitMarks) put(v int32, c cell) {
	if c.missing() {
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
func (m *splitMarks) splits(name string, keep func(i int) bool, where func(i int) string) ([]Split, error) {
	words := slices.Clone(m.words)
	for i := range words {
		if !keep(i) {
			words[i] = ""
		}
	}
	folds, isFolds := m.folds()
	if !isFolds {
		s, err := splitOfWords(name, words, where)
		return []Split{s}, err
	}
	if len(folds) < 3 {
		return nil, fmt.Errorf("dataset: split %s: %d folds, want at least 3, for training, validation and test", name, len(folds))
	}
	splits := make([]Split, len(folds))
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
		if _, ok := canonicalInt(w); !ok {
			return nil, false
		}
		set[w] = true
	}
	return sortedClasses(set), true
}

// chooseSplit gives the set the split that was asked for, or a random one.
func (r *tableRead) chooseSplit() error {
	r.out.Task = r.prep.Task // what is split depends on it
	s := r.spec.Split
	switch {
	case s.Kind == FileSplit:
		marks, err := r.readSplitFile(s.File)
		if err != nil || marks == nil {
			return err
		}
		r.marks = marks
	case s.Kind == OwnSplit:
		if !r.learning() || r.out.Task == NoTask || r.out.Items() == 0 {
			return nil
		}
		s = defaultSplit(s.Seed)
		r.note("no split given: 60 %% train, 20 %% val, 20 %% test at random, seed %d", s.Seed)
	}
	if r.marks == nil {
		return r.out.applySplit(s)
	}
	if len(r.marks.words) != r.out.Items() {
		return fmt.Errorf("dataset: the split marks vertices, but the task is %v", r.out.Task)
	}
	name := s.Column
	if s.Kind == FileSplit {
		name = stem(filepath.Base(s.File))
	}
	splits, err := r.marks.splits(name, r.out.Labelled, func(i int) string { return "the vertex " + r.idOf(i) })
	if err != nil {
		return err
	}
	r.out.Splits = splits
	return r.out.applySplit(SplitSpec{Name: s.Name})
}

// idOf returns the user's identifier of vertex i, for errors.
func (r *tableRead) idOf(i int) string {
	ids := r.keys.ids()
	if ids.Text != nil {
		return ids.Text[i]
	}
	return fmt.Sprint(ids.Int[i])
}

// readSplitFile reads a table of identifiers and words. A file with one column
// is a list of words in the order of the vertices: it is applied, and nil is
// returned.
func (r *tableRead) readSplitFile(path string) (*splitMarks, error) {
	t, err := openTable(path, textLayout{}, r.guard)
	if err != nil {
		return nil, err
	}
	if len(t.columns()) == 1 {
		return nil, r.out.applySplit(r.spec.Split)
	}
	marks := newSplitMarks(r.keys.len())
	err = t.scan(r.ctx, []int{0, 1}, func(line int64, row []cell) error {
		v, known := r.keys.find(row[0])
		if !known {
			return fmt.Errorf("dataset: %s: id %s is not in the vertex table", t.at(line), row[0])
		}
		if marks.words[v] != "" {
			return fmt.Errorf("dataset: %s: id %s is listed twice", t.at(line), row[0])
		}
		marks.put(v, row[1])
		return nil
	})
	return marks, err
}

// defaultSplit is drawn where tables state none.
func defaultSplit(seed uint64) SplitSpec {
	return SplitSpec{Kind: RandomSplit, Fractions: [3]float64{0.6, 0.2, 0.2}, Seed: seed}
}
