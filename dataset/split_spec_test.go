package dataset

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/weft-gnn/weft/dataset/internal/datatest"
)

func drawSplit(t *rapid.T) SplitSpec {
	s := SplitSpec{Kind: SplitKind(rapid.IntRange(0, 4).Draw(t, "kind"))}
	switch s.Kind {
	case OwnSplit:
		s.Name = rapid.SampledFrom([]string{"", "public", "fold 3", "random"}).Draw(t, "name")
	case RandomSplit:
		a := rapid.Float64Range(0, 0.5).Draw(t, "train")
		s.Fractions = [3]float64{a, a / 2, a / 4}
	case PerClassSplit:
		s.PerClass, s.Val, s.Test = rapid.IntRange(1, 99).Draw(t, "per class"), rapid.IntRange(0, 99).Draw(t, "val"), rapid.IntRange(0, 99).Draw(t, "test")
	case ColumnSplit:
		s.Column = datatest.DrawName(t, "column")
	case FileSplit:
		s.File = datatest.DrawName(t, "file")
	}
	if s.Kind == RandomSplit || s.Kind == PerClassSplit {
		s.Seed = rapid.Uint64().Draw(t, "seed")
	}
	return s
}

func TestSplitTextRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := drawSplit(t)
		text, err := want.MarshalText()
		if err != nil {
			t.Fatal(err)
		}
		var got SplitSpec
		if err := got.UnmarshalText(text); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if got != want {
			t.Fatalf("%s gives %+v, want %+v", text, got, want)
		}
	})
}

func TestSplitText(t *testing.T) {
	for text, want := range map[string]SplitSpec{
		"":                        {},
		"public":                  {Name: "public"},
		"fold 3":                  {Name: "fold 3"},
		"random:0.6,0.2,0.2":      {Kind: RandomSplit, Fractions: [3]float64{0.6, 0.2, 0.2}},
		"random:0.6,0.2,0.2:7":    {Kind: RandomSplit, Fractions: [3]float64{0.6, 0.2, 0.2}, Seed: 7},
		"per-class:20,500,1000":   {Kind: PerClassSplit, PerClass: 20, Val: 500, Test: 1000},
		"per-class:20,500,1000:3": {Kind: PerClassSplit, PerClass: 20, Val: 500, Test: 1000, Seed: 3},
		"column:my fold":          {Kind: ColumnSplit, Column: "my fold"},
		"file:C:/a:b.csv":         {Kind: FileSplit, File: "C:/a:b.csv"},
	} {
		var got SplitSpec
		if err := got.UnmarshalText([]byte(text)); err != nil || got != want {
			t.Errorf("%q gives %+v, %v; want %+v", text, got, err, want)
		}
	}
	for text, want := range map[string]string{
		"random:0.6,0.2":        "want random:TRAIN,VAL,TEST[:SEED]",
		"random:a,b,c":          "want random:TRAIN,VAL,TEST[:SEED]",
		"random:0.6,0.2,0.2:-1": "want random:TRAIN,VAL,TEST[:SEED]",
		"random:0.6,0.6,0.2":    "sum to 1.4",
		"per-class:1.5,2,3":     "want random:TRAIN",
		"per-class:0,2,3":       "at least 1",
		"file:":                 "no file named",
	} {
		var got SplitSpec
		if err := got.UnmarshalText([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want …%s", text, err, want)
		}
	}
}
