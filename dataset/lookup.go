package dataset

import (
	"fmt"
	"os"
)

// Entry is a set that can be opened.
type Entry struct {
	Name   string // as Open takes it: "tu/MUTAG"
	Format string
	Path   string
}

// Find resolves a name or path to the set it stands for.
func Find(ref string, opt Options) (Entry, error) {
	if _, err := os.Stat(ref); err != nil {
		return Entry{}, fmt.Errorf("dataset: %w", err)
	}
	return Entry{Name: stem(ref), Path: ref}, nil
}

// didYouMean returns `, did you mean "x"?` for the closest name, or "".
func didYouMean(word string, names []string) string {
	best, dist := "", 1+len(word)/3
	for _, n := range names {
		if d := editDistance(word, n); d <= dist {
			best, dist = n, d-1
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf(", did you mean %q?", best)
}

// editDistance is Levenshtein's: the fewest insertions, deletions and
// substitutions of bytes that turn a into b.
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			diagonal, row[j+1] = row[j+1], min(row[j]+1, row[j+1]+1, diagonal+cost)
		}
	}
	return row[len(b)]
}
