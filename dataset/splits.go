package dataset

import (
	"bufio"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/weft-gnn/weft/dataset/budget"
	"github.com/weft-gnn/weft/internal/rng"
)

// UseSplit puts the split asked for first and checks that it has items and that
// its parts share none. Items without a label are taken out, and the validation
// part may be empty; both are noted. Whoever trains needs a training part too.
//
// Errors: a [NoSplitError]; a split that the set's items cannot have.
func (d *Dataset) UseSplit(s SplitSpec) error {
	if err := s.Validate(); err != nil {
		return err
	}
	var made Split
	var err error
	switch s.Kind {
	case RandomSplit:
		made = d.randomSplit(s)
	case PerClassSplit:
		made, err = d.perClassSplit(s)
	case NoSplit:
		return nil
	case FileSplit:
		made, err = d.fileSplit(s.File)
	case ColumnSplit:
		if d.Prep == nil {
			return fmt.Errorf("dataset: %s is no user's table: it has no column %q to split by", d.Name, s.Column)
		}
		made, err = d.ownSplit(s.Name)
	default:
		if len(d.Splits) == 0 && s.Name == "" {
			return nil // a set without a split can be looked at all the same
		}
		made, err = d.ownSplit(s.Name)
	}
	if err != nil {
		return err
	}
	made = d.labelledOnly(made)
	if err := d.checkSplit(made); err != nil {
		return err
	}
	rest := slices.DeleteFunc(slices.Clone(d.Splits), func(o Split) bool { return o.Name == made.Name })
	d.Splits = append([]Split{made}, rest...)
	if len(made.Val) == 0 {
		d.note(fmt.Sprintf("the split %q has no validation items", made.Name))
	}
	return nil
}

// note adds a fact that a user should hear once.
func (d *Dataset) note(text string) {
	if !slices.Contains(d.Notes, text) {
		d.Notes = append(d.Notes, text)
	}
}

func (d *Dataset) ownSplit(name string) (Split, error) {
	names := make([]string, len(d.Splits))
	for i, s := range d.Splits {
		if name == "" || strings.EqualFold(s.Name, name) {
			return s, nil
		}
		names[i] = s.Name
	}
	return Split{}, &NoSplitError{Set: d.Name, Name: name, Names: names}
}

func (d *Dataset) checkSplit(s Split) error {
	if len(s.Train)+len(s.Val)+len(s.Test) == 0 {
		return Lacking(SplitOption, "dataset: %s: the split %q has no items", d.Name, s.Name)
	}
	part := make([]string, d.Items())
	for _, p := range []struct {
		name  string
		items []int32
	}{{"train", s.Train}, {"val", s.Val}, {"test", s.Test}} {
		for _, i := range p.items {
			if part[i] != "" {
				return fmt.Errorf("dataset: %s: split %q: item %d is in %s and in %s", d.Name, s.Name, i, part[i], p.name)
			}
			part[i] = p.name
		}
	}
	return nil
}

// labelledOnly takes the items without a label out of a split.
func (d *Dataset) labelledOnly(s Split) Split {
	dropped := 0
	for _, part := range []*[]int32{&s.Train, &s.Val, &s.Test} {
		before := len(*part)
		*part = slices.DeleteFunc(slices.Clone(*part), func(i int32) bool { return !d.Labelled(int(i)) })
		dropped += before - len(*part)
	}
	if dropped > 0 {
		d.note(fmt.Sprintf("%d items of the split %q have no label and are left out", dropped, s.Name))
	}
	return s
}

// shuffled returns the labelled items in the seed's order.
func (d *Dataset) shuffled(seed uint64) []int32 {
	var items []int32
	for _, i := range d.byIdentity() {
		if d.Labelled(int(i)) {
			items = append(items, i)
		}
	}
	rng.Key{Seed: seed, Purpose: rng.Split}.Stream(0).Shuffle(len(items), func(i, j int) {
		items[i], items[j] = items[j], items[i]
	})
	return items
}

// randomSplit cuts the shuffled items where the running sums of the fractions
// fall, rounded to the nearest item.
func (d *Dataset) randomSplit(s SplitSpec) Split {
	items := d.shuffled(s.Seed)
	sum, lo := 0.0, 0
	var parts [3][]int32
	for p, f := range s.Fractions {
		sum += f
		hi := min(len(items), int(sum*float64(len(items))+0.5))
		parts[p] = slices.Sorted(slices.Values(items[lo:hi]))
		lo = hi
	}
	return Split{Name: "random", Train: parts[0], Val: parts[1], Test: parts[2]}
}

// perClassSplit takes PerClass items of each class, then Val and Test of what
// is left, in shuffled order.
func (d *Dataset) perClassSplit(s SplitSpec) (Split, error) {
	if d.Labels.Classes() == 0 {
		return Split{}, fmt.Errorf("dataset: %s has no classes to take %d items of each", d.Name, s.PerClass)
	}
	out := Split{Name: "per class"}
	taken := make([]int, d.Labels.Classes())
	var rest []int32
	for _, i := range d.shuffled(s.Seed) {
		if c := d.Labels.Class[i]; taken[c] < s.PerClass {
			taken[c]++
			out.Train = append(out.Train, i)
		} else {
			rest = append(rest, i)
		}
	}
	for c, k := range taken {
		if k < s.PerClass {
			return Split{}, fmt.Errorf("dataset: %s: class %q has %d items, %d were asked for", d.Name, d.Labels.Names[c], k, s.PerClass)
		}
	}
	if want := s.Val + s.Test; want > len(rest) {
		return Split{}, fmt.Errorf("dataset: %s: %d items are left for val and test, %d were asked for", d.Name, len(rest), want)
	}
	test := cmp.Or(s.Test, len(rest)-s.Val)
	out.Val, out.Test = rest[:s.Val:s.Val], rest[s.Val:s.Val+test]
	for _, part := range [][]int32{out.Train, out.Val, out.Test} {
		slices.Sort(part)
	}
	return out, nil
}

// fileSplit reads one word per line and item, in the order of the set that was
// first read.
func (d *Dataset) fileSplit(path string) (Split, error) {
	f, err := budget.Open(path)
	if err != nil {
		return Split{}, err
	}
	defer f.Close()
	var words []string
	scan := bufio.NewScanner(f)
	for scan.Scan() {
		if len(words) == d.Items() {
			return Split{}, fmt.Errorf("dataset: %s:%d: more lines than the %d items", path, len(words)+1, d.Items())
		}
		words = append(words, scan.Text())
	}
	if err := scan.Err(); err != nil {
		return Split{}, fmt.Errorf("dataset: %s: %w", path, err)
	}
	if len(words) != d.Items() {
		return Split{}, fmt.Errorf("dataset: %s: %d lines for %d items", path, len(words), d.Items())
	}
	s, err := SplitOfWords("file", words, func(i int) string { return fmt.Sprintf("%s:%d", path, i+1) })
	return s.naming(d.byIdentity()), err
}

// SplitOfWords makes a split of one word per item: train, val (valid,
// validation), test, or nothing or none. where names an item in errors.
func SplitOfWords(name string, words []string, where func(i int) string) (Split, error) {
	s := Split{Name: name}
	for i, w := range words {
		switch strings.ToLower(strings.TrimSpace(w)) {
		case "train", "training":
			s.Train = append(s.Train, int32(i))
		case "val", "valid", "validation":
			s.Val = append(s.Val, int32(i))
		case "test":
			s.Test = append(s.Test, int32(i))
		case "", "none":
		default:
			return Split{}, fmt.Errorf("dataset: %s: %q is no part of a split: want train, val, test or none", where(i), w)
		}
	}
	return s, nil
}
