package table

import (
	"context"
	"math"
	"path/filepath"
	"slices"
	"testing"

	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/dataset/internal/datatest"
)

// TestUnfitNumbers: a column of numbers in which one is not finite, or is not
// decimal, is an error with its line and column, not one of categories.
func TestUnfitNumbers(t *testing.T) {
	open := func(text string, change func(*Spec)) (*dataset.Dataset, error) {
		s := Spec{Vertices: Vertices{File: filepath.Join(datatest.Files(t, map[string]string{"v.csv": text}), "v.csv"), Label: "y"}, Scale: Unscaled}
		if change != nil {
			change(&s)
		}
		return Open(context.Background(), s, dataset.Options{})
	}
	for _, cell := range []string{"1e400", "-1e400", "inf", "Infinity", "0x10", "1_000"} {
		_, err := open("id,x,y\na,1,p\nb,"+cell+",q\nc,3,p\n", nil)
		datatest.WantError(t, err, "v.csv:3", `column "x"`, cell, "finite decimal number")
		_, err = open("id,x,y\na,1,1.5\nb,2,"+cell+"\nc,3,2.5\n", nil)
		datatest.WantError(t, err, "v.csv:3", `column "y"`, cell, "finite decimal number")
	}
	_, err := open("id,x,y\na,inf,p\nb,inf,q\n", nil)
	datatest.WantError(t, err, "v.csv:2", `column "x"`)

	// Texts and codes stay what they are.
	for text, want := range map[string][]string{
		"id,x,y\na,1,p\nb,inf,q\nc,red,p\n": {"1", "inf", "red"},
		"id,x,y\na,0x10,p\nb,0x20,q\n":      {"0x10", "0x20"},
	} {
		d, err := open(text, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := d.Prep.Vertex[0].Values; !slices.Equal(got, want) {
			t.Errorf("values %q, want %q", got, want)
		}
	}

	// A table that a trained model is applied to.
	d, err := open("id,x,y\na,1,p\nb,2,q\n", nil)
	if err != nil {
		t.Fatal(err)
	}
	_, err = open("id,x,y\na,1,p\nb,inf,q\n", func(s *Spec) { s.Prep = d.Prep })
	datatest.WantError(t, err, "v.csv:3", `column "x"`, "inf", "finite number")

	type row struct {
		ID string  `parquet:"id"`
		X  float64 `parquet:"x"`
	}
	path := filepath.Join(t.TempDir(), "v.parquet")
	datatest.WriteParquet(t, path, []row{{"a", math.Inf(1)}, {"b", math.Inf(1)}})
	_, err = Open(context.Background(), Spec{Vertices: Vertices{File: path}}, dataset.Options{})
	datatest.WantError(t, err, "v.parquet", `column "x"`, "+Inf", "finite decimal number")
}
