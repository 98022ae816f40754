// Package nearest finds the names that a misspelt word may have meant.
package nearest

import (
	"fmt"
	"slices"
	"strings"
)

// Names returns up to three of the names that word may be a misspelling of:
// other than the word, at an edit distance of at most a third of its length,
// nearest first.
func Names(word string, names []string) []string {
	distance := func(n string) int { return editDistance(strings.ToLower(word), strings.ToLower(n)) }
	near := slices.DeleteFunc(slices.Clone(names), func(n string) bool { return n == word || distance(n) > 1+len(word)/3 })
	slices.SortStableFunc(near, func(a, b string) int { return distance(a) - distance(b) })
	var out []string
	for _, n := range near {
		if !slices.Contains(out, n) && len(out) < 3 {
			out = append(out, n)
		}
	}
	return out
}

// DidYouMean returns `, did you mean "x"?` for the nearest name, or "".
func DidYouMean(word string, names []string) string {
	near := Names(word, names)
	if len(near) == 0 {
		return ""
	}
	return fmt.Sprintf(", did you mean %q?", near[0])
}

// editDistance is the fewest insertions, deletions, substitutions and exchanges
// of neighbours that turn the bytes of a into those of b, no byte being edited
// twice: fingers that are too fast exchange letters.
//
// Source: Damerau, CACM 7 (1964); Wagner and Lowrance, JACM 22 (1975), restricted
// to what is called optimal string alignment.
func editDistance(a, b string) int {
	before, row, next := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		next[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			next[j+1] = min(row[j+1]+1, next[j]+1, row[j]+cost)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				next[j+1] = min(next[j+1], before[j-1]+1)
			}
		}
		before, row, next = row, next, before
	}
	return row[len(b)]
}
