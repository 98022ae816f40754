package dataset

import "testing"

func TestCellID(t *testing.T) {
	for _, c := range []struct {
		cell cell
		n    int64
		text string
	}{
		{cell{kind: cellInt, int: -7}, -7, ""},
		{cell{kind: cellReal, num: 12}, 12, ""},
		{cell{kind: cellReal, num: 0.5}, 0, "0.5"},
		{cell{kind: cellReal, num: 1e300}, 0, "1e+300"},
		{cell{kind: cellText, text: " 42 "}, 42, ""},
		{cell{kind: cellUntyped, text: "+7"}, 0, "+7"},
		{cell{kind: cellUntyped, text: "-0"}, 0, "-0"},
		{cell{kind: cellUntyped, text: "-"}, 0, "-"},
		{cell{kind: cellUntyped, text: "9223372036854775808"}, 0, "9223372036854775808"},
		{cell{kind: cellUntyped, text: "NA"}, 0, "NA"}, // a name, not a gap
	} {
		n, text, isInt := c.cell.id()
		if isInt != (c.text == "") || isInt && n != c.n || !isInt && text != c.text {
			t.Errorf("%+v: %d, %q, %v", c.cell, n, text, isInt)
		}
	}
}

func TestParseNumber(t *testing.T) {
	for text, want := range map[string]float64{"1": 1, "-2.5": -2.5, "1e3": 1000, "+.5": 0.5} {
		if x, ok := parseNumber(text); !ok || x != want {
			t.Errorf("%q: %v, %v", text, x, ok)
		}
	}
	for _, text := range []string{"", "inf", "nan", "0x1p4", "1_000", "1e999", "e", "1,5"} {
		if x, ok := parseNumber(text); ok {
			t.Errorf("%q is the number %v", text, x)
		}
	}
}
