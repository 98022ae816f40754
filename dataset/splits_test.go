package dataset

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/weft-gnn/weft/dataset/internal/datatest"
	"github.com/weft-gnn/weft/graph"
	"github.com/weft-gnn/weft/tensor"
)

// labelled is a set of vertices with the given classes, −1 for none, and no
// edges or splits.
func labelled(class ...int32) *Dataset {
	g, err := graph.FromCOO(len(class), nil, nil, nil, graph.Policy{})
	if err != nil {
		panic(err)
	}
	names := NumberedClasses(int(slices.Max(append(class, 0)) + 1))
	return &Dataset{Name: "d", Task: VertexClassification, Graph: g, X: tensor.New(len(class), 0), Labels: Labels{Class: class, Names: names}}
}

// TestRandomSplit: for any fractions, the parts share no item, hold labelled
// items only, and their sizes are the fractions' to within one.
func TestRandomSplit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		class := rapid.SliceOfN(rapid.Int32Range(-1, 2), 4, 60).Draw(t, "class")
		a := rapid.Float64Range(0.2, 1).Draw(t, "train")
		b := rapid.Float64Range(0, 1-a).Draw(t, "val")
		spec := SplitSpec{Kind: RandomSplit, Fractions: [3]float64{a, b, 1 - a - b}, Seed: rapid.Uint64().Draw(t, "seed")}
		n := 0
		for _, c := range class {
			if c >= 0 {
				n++
			}
		}
		d := labelled(class...)
		if err := d.UseSplit(spec); err != nil {
			if n > 2 {
				t.Fatal(err)
			}
			return
		}
		s := d.Splits[0]
		seen := map[int32]bool{}
		for p, part := range [][]int32{s.Train, s.Val, s.Test} {
			if want := spec.Fractions[p] * float64(n); float64(len(part)) > want+1 || float64(len(part)) < want-1 {
				t.Errorf("part %d has %d of %d items, the fraction is %v", p, len(part), n, spec.Fractions[p])
			}
			if !slices.IsSorted(part) {
				t.Errorf("part %d is not sorted", p)
			}
			for _, i := range part {
				if class[i] < 0 || seen[i] {
					t.Errorf("item %d of class %d, seen before: %v", i, class[i], seen[i])
				}
				seen[i] = true
			}
		}
		again := labelled(class...)
		if err := again.UseSplit(spec); err != nil || fmt.Sprint(again.Splits) != fmt.Sprint(d.Splits) {
			t.Errorf("the seed does not fix the split: %v, %v", again.Splits, err)
		}
	})
}

func TestRandomSplitSeeds(t *testing.T) {
	splits := map[string]bool{}
	for seed := range uint64(5) {
		d := labelled(make([]int32, 30)...)
		if err := d.UseSplit(SplitSpec{Kind: RandomSplit, Fractions: [3]float64{.6, .2, .2}, Seed: seed}); err != nil {
			t.Fatal(err)
		}
		splits[fmt.Sprint(d.Splits)] = true
	}
	if len(splits) != 5 {
		t.Errorf("%d different splits of 5 seeds", len(splits))
	}
}

func TestPerClassSplit(t *testing.T) {
	class := make([]int32, 40)
	for i := range class {
		class[i] = int32(i%4) - 1 // a quarter has no label
	}
	d := labelled(class...)
	if err := d.UseSplit(SplitSpec{Kind: PerClassSplit, PerClass: 3, Val: 5, Test: 10}); err != nil {
		t.Fatal(err)
	}
	s := d.Splits[0]
	var per [3]int
	for _, i := range s.Train {
		per[class[i]]++
	}
	if per != [3]int{3, 3, 3} || len(s.Val) != 5 || len(s.Test) != 10 {
		t.Errorf("%v per class, %d and %d", per, len(s.Val), len(s.Test))
	}
	d = labelled(class...)
	if err := d.UseSplit(SplitSpec{Kind: PerClassSplit, PerClass: 3, Val: 5}); err != nil || len(d.Splits[0].Test) != 16 {
		t.Errorf("%v: test holds %d, want all 16 left", err, len(d.Splits[0].Test))
	}
	for _, c := range []struct {
		spec SplitSpec
		want string
	}{
		{SplitSpec{Kind: PerClassSplit, PerClass: 11}, "10 items, 11 were"},
		{SplitSpec{Kind: PerClassSplit, PerClass: 3, Val: 22}, "21 items are left"},
		{SplitSpec{Kind: PerClassSplit}, "at least 1"},
	} {
		datatest.WantError(t, labelled(class...).UseSplit(c.spec), c.want)
	}
}

func TestSplitSpecFaults(t *testing.T) {
	nan := 0.0
	nan /= nan
	for _, f := range [][3]float64{{-.1, .5, .5}, {.8, .2, .2}, {2, 0, 0}, {nan, 0, 0}} {
		if err := (SplitSpec{Kind: RandomSplit, Fractions: f}).Validate(); err == nil {
			t.Errorf("the fractions %v are taken", f)
		}
	}
	if err := (SplitSpec{Kind: RandomSplit, Fractions: [3]float64{.1, .2, .7}}).Validate(); err != nil {
		t.Error(err)
	}
	datatest.WantError(t, labelled(0, 1).UseSplit(SplitSpec{Kind: RandomSplit}), "has no items")
	datatest.WantError(t, labelled(-1, -1).UseSplit(SplitSpec{Kind: RandomSplit, Fractions: [3]float64{1, 0, 0}}), "has no items")
	datatest.WantError(t, labelled(0, 1).UseSplit(SplitSpec{Name: "fold 1"}), "none of its own")
	datatest.WantError(t, labelled(0, 1).UseSplit(SplitSpec{Kind: ColumnSplit, Column: "fold"}), `column "fold"`)
	datatest.WantError(t, labelled(0, 1).UseSplit(SplitSpec{Kind: 99}), "unknown kind")
	d := labelled(0, 1)
	d.Splits = []Split{{Name: "fold 1", Train: []int32{0}}, {Name: "fold 2", Train: []int32{1}}}
	datatest.WantError(t, d.UseSplit(SplitSpec{Name: "fold 3"}), "fold 1, fold 2")
}

// TestSplitNotes: empty validation and unlabelled items are said, not refused.
func TestSplitNotes(t *testing.T) {
	d := labelled(0, 1, -1)
	d.Splits = []Split{{Name: "own", Train: []int32{0, 2}, Test: []int32{1}}}
	if err := d.UseSplit(SplitSpec{}); err != nil {
		t.Fatal(err)
	}
	notes := strings.Join(d.Notes, "; ")
	if !strings.Contains(notes, "no validation items") || !strings.Contains(notes, "1 items of the split") {
		t.Errorf("notes %q", notes)
	}
	if !slices.Equal(d.Splits[0].Train, []int32{0}) {
		t.Errorf("train %v, want the labelled item", d.Splits[0].Train)
	}
}

func TestFileSplit(t *testing.T) {
	dir := datatest.Files(t, map[string]string{
		"good.txt":  "train\nValidation\n test \nnone\n",
		"short.txt": "train\n",
		"long.txt":  "train\ntrain\ntrain\ntrain\ntrain\n",
		"word.txt":  "train\nvalidate\ntest\n\n",
	})
	spec := func(name string) SplitSpec { return SplitSpec{Kind: FileSplit, File: filepath.Join(dir, name)} }
	d := labelled(0, 1, 0, 1)
	if err := d.UseSplit(spec("good.txt")); err != nil {
		t.Fatal(err)
	}
	if s := d.Splits[0]; fmt.Sprint(s.Train, s.Val, s.Test) != "[0] [1] [2]" {
		t.Errorf("%+v", s)
	}
	datatest.WantError(t, labelled(0, 1, 0, 1).UseSplit(spec("short.txt")), "short.txt", "1 lines for 4")
	datatest.WantError(t, labelled(0, 1, 0, 1).UseSplit(spec("long.txt")), "long.txt:5", "4 items")
	datatest.WantError(t, labelled(0, 1, 0, 1).UseSplit(spec("word.txt")), "word.txt:2", `"validate"`)
	datatest.WantError(t, labelled(0, 1, 0, 1).UseSplit(spec("absent.txt")), "absent.txt")
	datatest.WantError(t, labelled(0).UseSplit(SplitSpec{Kind: FileSplit}), "no file")
}

// TestNoSplitOfThatName: what is meant comes first, among the set's own splits
// and the kinds that any set takes.
func TestNoSplitOfThatName(t *testing.T) {
	for name, want := range map[string]string{
		"randm":             `did you mean "random:0.6,0.2,0.2"?`,
		"random":            `did you mean "random:0.6,0.2,0.2"?`,
		"radnom:0.5,0.5,0":  `did you mean "random:0.6,0.2,0.2"?`,
		"per-clas:20,30,40": `did you mean "per-class:20,500,1000"?`,
		"colum:fold":        `did you mean "column:NAME"?`,
		"pubilc":            `did you mean "public"?`,
		"zzz":               `has no split "zzz" (it has public; any set takes random:`,
	} {
		d := labelled(0, 1, 0, 1)
		d.Splits = []Split{{Name: "public", Train: []int32{0}, Test: []int32{1}}}
		err := d.UseSplit(SplitSpec{Name: name})
		var none *NoSplitError
		if !errors.As(err, &none) || none.Name != name {
			t.Errorf("%s: %v", name, err)
		}
		datatest.WantError(t, err, want)
	}
}

// TestSplitsWithoutTraining: what is only tested on is a split, and none is made
// for who asks for none.
func TestSplitsWithoutTraining(t *testing.T) {
	d := labelled(0, 1, 0, 1)
	if err := d.UseSplit(SplitSpec{Kind: RandomSplit, Fractions: [3]float64{0, 0, 1}}); err != nil || len(d.Splits[0].Test) != 4 {
		t.Errorf("%v, %v", d.Splits, err)
	}
	d = labelled(-1, -1)
	if err := d.UseSplit(SplitSpec{Kind: NoSplit}); err != nil || d.Splits != nil {
		t.Errorf("%v, %v", d.Splits, err)
	}
}
