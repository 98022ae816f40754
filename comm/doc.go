// Package comm lets ranks exchange words.
//
// A [Comm] is one rank's end of a communicator. Its collectives are written
// here once, in terms of one primitive, the exchange in which every rank sends a
// piece to every other; a [Transport] carries exchanges between goroutines of
// one process (comm/local) or between processes (comm/mpi). So the order in
// which contributions are added, the words and the messages are the same
// everywhere: reductions add in the order of ranks, and results have the same
// bits under every transport.
//
// # Costs
//
// Words are the 4-byte values a rank sends to others, messages the pieces that
// are not empty. For s words in all on P ranks:
//
//	operation        words sent per rank                  messages per rank
//	Exchange         the lengths of the pieces            pieces that are not empty
//	AllGather        its own piece × (P − 1)              P − 1
//	ReduceScatter    s − its own piece                    P − 1
//	AllReduce        ReduceScatter and AllGather          2(P − 1)
//	Broadcast        root: s − its piece, and AllGather   2(P − 1), others P − 1
//	Send             s                                    1
//
// s is cut as [Cut] says, into pieces that differ by one word at most; a piece
// of no words is no message. Each collective is one superstep, a point-to-point
// message none.
//
// # Failure
//
// An operation that cannot end because a rank is gone returns a [*RankError]
// that names it. One that takes longer than the time a [Watch] allows ends with
// a [*StallError] that says which operation of which step waits for whom.
package comm
