package dataset

// Nearest returns up to three of the names that word may be a misspelling of:
// other than the word, at an edit distance of at most a third of its length,
// nearest first.
func Nearest(word string, names []string) []string { return nearest(word, names) }
