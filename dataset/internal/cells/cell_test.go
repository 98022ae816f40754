package cells

import (
	"math"
	"testing"
)

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

// TestUnfit: what was meant for a number and is none, apart from what is one, is
// missing, or is a text.
func TestUnfit(t *testing.T) {
	for text, want := range map[string][2]bool{
		"1e400": {true, false}, "-1e400": {true, false}, "inf": {true, false}, " +Infinity ": {true, false}, "-inf": {true, false},
		"0x10": {true, true}, "0b11": {true, true}, "1_000": {true, true}, "0x1p-2": {true, true}, "0x1ffffffffffffffffff": {true, true},
		"1e30": {}, "-.5": {}, "010": {}, "": {}, "nan": {}, "NA": {}, "red": {}, "1,000": {}, "12a": {}, "infant": {},
	} {
		if unfit, code := Untyped(text).Unfit(); unfit != want[0] || code != want[1] {
			t.Errorf("%q: unfit %v, code %v, want %v", text, unfit, code, want)
		}
	}
	for x, want := range map[float64]bool{1: false, math.Inf(1): true, math.Inf(-1): true, math.NaN(): false} {
		if unfit, code := (Cell{kind: cellReal, num: x}).Unfit(); unfit != want || code {
			t.Errorf("%v: unfit %v, code %v", x, unfit, code)
		}
	}
	if unfit, _ := (Cell{kind: cellText, text: "inf"}).Unfit(); unfit {
		t.Error("a text of a typed column was meant for a number")
	}
}
