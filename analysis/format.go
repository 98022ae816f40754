package analysis

import (
	"math"
	"strconv"
	"strings"
)

// short prints v with three significant digits or more and a decimal prefix:
// 12, 1.23 k, 125 M.
func short(v float64) string {
	const prefixes = " kMGTPE"
	i := 0
	for math.Abs(v) >= 999.5 && i < len(prefixes)-1 {
		v /= 1000
		i++
	}
	text := significant(v, i == 0)
	if i == 0 {
		return text
	}
	return text + " " + prefixes[i:i+1]
}

// significant prints v < 1000 with three significant digits; whole numbers
// without a fraction where exact is set.
func significant(v float64, exact bool) string {
	switch {
	case exact && v == math.Trunc(v):
		return strconv.FormatFloat(v, 'f', 0, 64)
	case math.Abs(v) >= 99.95:
		return strconv.FormatFloat(v, 'f', 0, 64)
	case math.Abs(v) >= 9.995:
		return strconv.FormatFloat(v, 'f', 1, 64)
	case math.Abs(v) >= 0.01:
		return strconv.FormatFloat(v, 'f', 2, 64)
	}
	return strconv.FormatFloat(v, 'g', 2, 64)
}

// bytesText prints a number of bytes: 140 B, 1.23 MB.
func bytesText(v int64) string {
	if text := short(float64(v)); strings.Contains(text, " ") {
		return text + "B"
	}
	return short(float64(v)) + " B"
}

// percent prints a share.
func percent(share float64) string { return significant(100*share, true) + " %" }

// grouped prints v in groups of three digits.
func grouped(v int64) string {
	digits := strconv.FormatInt(v, 10)
	var b strings.Builder
	for i, d := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 && digits[i-1] != '-' {
			b.WriteByte(',')
		}
		b.WriteRune(d)
	}
	return b.String()
}
