package tensor

// lineWords is a cache line, and a vector of AVX-512, in words.
const lineWords = 16

// oddFrom is the width from which rows lie an odd number of lines apart.
const oddFrom = 8 * lineWords

// Apart returns how many words should lie from the start of one row to that of the
// next where rows of so many words are read in random order.
//
// A row begins at a cache line, one in bfloat16 at half a line, where that takes no
// more than about three times the memory: it then costs no line more than it fills,
// and no load crosses two. 41 columns, 48 apart, are gathered 1.4 times as fast.
// Wide rows have a line more where they would lie an even number of lines apart:
// sums over some columns of all rows at a time find their lines spread over all
// sets of the caches. 256 columns, 272 apart, are summed 1.3 times as fast.
func Apart(words int, bfloat16 bool) int {
	if words < 5 || words == 8 {
		return words
	}
	vector := lineWords
	if bfloat16 {
		vector /= 2
	}
	apart := (words + vector - 1) / vector * vector
	if !bfloat16 && apart >= oddFrom && apart%(2*lineWords) == 0 {
		apart += lineWords
	}
	return apart
}
