package main

// traffic is what ranks send each other, all together.
type traffic struct{ words, messages int64 }

func (a traffic) plus(b traffic) traffic { return traffic{a.words + b.words, a.messages + b.messages} }

// What a word costs besides its four bytes, in bytes.
const (
	// header is what each packet begins with, as the interfaces count it: Ethernet
	// 14, IPv4 20, TCP 20, and TCP's timestamps 12.
	header = 66
	// envelope is what Open MPI puts before a message: its matching 16, its own
	// header over TCP 8. A message of more than 64 KiB is announced, acknowledged and
	// sent in pieces, which takes less than 0.3 % of it and is left out.
	envelope = 24
)

// framing is the bytes on the wire of what ranks send, besides the words.
type framing struct {
	headers int64 // of full packets, and of the last one of each message
	mpi     int64 // envelopes
	// acks is the most that packets without data take, which acknowledge two full
	// packets each; there are fewer where data flows both ways.
	acks int64
}

// frame returns what goes through links whose packets have so many bytes.
func (a traffic) frame(mtu int) framing {
	full := int64(mtu - header + 14) // of a packet, its own header without Ethernet's
	f := framing{mpi: envelope * a.messages}
	packets := (4*a.words+f.mpi)/full + a.messages
	f.headers = header * packets
	f.acks = header * packets / 2
	return f
}

// bytes are all of them: the words' four each, and the frames without packets that
// only acknowledge.
func (a traffic) bytes(mtu int) int64 {
	f := a.frame(mtu)
	return 4*a.words + f.headers + f.mpi
}

// tallied is how many numbers a rank's tallies of an evaluation are: the loss, and of
// the accuracy in each part of the split its items, the numbers of its sums and of
// its curves, right decisions, and all.
const tallied = 1 + 3*5

// tallies is what ranks send when they add up how well each of them did: to all
// others how long its tallies are, and these, two words each.
func tallies(ranks int) traffic {
	pairs := int64(ranks) * int64(ranks-1)
	return traffic{pairs * (1 + 2*tallied), 2 * pairs}
}

// asking is what ranks send when they ask whether one of them is to stop: the
// largest of one word of each, which one rank takes and gives to all.
func asking(ranks int) traffic {
	others := int64(ranks - 1)
	return traffic{2 * others, 2 * others}
}
