package cells

import "testing"

func TestCellID(t *testing.T) {
	for _, c := range []struct {
		cell Cell
		n    int64
		text string
	}{
		{Cell{kind: cellInt, int: -7}, -7, ""},
		{Cell{kind: cellReal, num: 12}, 12, ""},
		{Cell{kind: cellReal, num: 0.5}, 0, "0.5"},
		{Cell{kind: cellReal, num: 1e300}, 0, "1e+300"},
		{Cell{kind: cellText, text: " 42 "}, 42, ""},
		{Cell{kind: cellUntyped, text: "+7"}, 0, "+7"},
		{Cell{kind: cellUntyped, text: "-0"}, 0, "-0"},
		{Cell{kind: cellUntyped, text: "-"}, 0, "-"},
		{Cell{kind: cellUntyped, text: "9223372036854775808"}, 0, "9223372036854775808"},
		{Cell{kind: cellUntyped, text: "NA"}, 0, "NA"}, // a name, not a gap
	} {
		n, text, isInt := c.cell.ID()
		if isInt != (c.text == "") || isInt && n != c.n || !isInt && text != c.text {
			t.Errorf("%+v: %d, %q, %v", c.cell, n, text, isInt)
		}
	}
}

func TestParseNumber(t *testing.T) {
	for text, want := range map[string]float64{"1": 1, "-2.5": -2.5, "1e3": 1000, "+.5": 0.5} {
		if x, ok := ParseNumber(text); !ok || x != want {
			t.Errorf("%q: %v, %v", text, x, ok)
		}
	}
	for _, text := range []string{"", "inf", "nan", "0x1p4", "1_000", "1e999", "e", "1,5"} {
		if x, ok := ParseNumber(text); ok {
			t.Errorf("%q is the number %v", text, x)
		}
	}
}
