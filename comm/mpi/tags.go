//go:build mpi

package mpi

// tags are those of messages: a number, by which a rank counts its exchanges or
// what it sends another, and the message's length, both modulo something.
//
// A message meets the receive that awaits it only where both agree, so one of
// another length stays where it is and is found when the receiver has doubts.
// That is safer than to let MPI compare lengths: Open MPI 4.1 lets a message of
// more than some kilobytes overrun the memory that awaits a shorter one, before
// it reports that.
type tags struct {
	numbers, lengths int
	longest          int // words of a message
}

// newTags shares out the tags up to the last one that MPI has. Where that is 2³⁰
// or more, as in Open MPI over shared memory and TCP, all lengths differ.
func newTags(last int) tags {
	const numbers = 1 << 8
	return tags{numbers: numbers, lengths: last / numbers, longest: 1 << 20}
}

// of returns the tag of a message.
func (t tags) of(number, words int) int { return number%t.numbers*t.lengths + words%t.lengths }

// goodbye is the tag of a rank's last message.
func (t tags) goodbye() int { return t.numbers * t.lengths }

// since returns how many messages ago a tag's number was used, where the next
// number is given; a number that is yet to come is that of a tag from a rank
// that is ahead. Ranks are less than half of all numbers apart.
func (t tags) since(tag, next int) (ago int, used bool) {
	ago = ((next-1-tag/t.lengths)%t.numbers + t.numbers) % t.numbers
	return ago, ago < min(next, t.numbers/2)
}
