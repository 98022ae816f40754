package main

import "testing"

// TestFrame: by hand, for packets of 1500 bytes, of which 52 are headers of TCP and
// IP: 27 full ones, and one more for each message.
func TestFrame(t *testing.T) {
	got := traffic{words: 10_000, messages: 4}.frame(1500)
	want := framing{mpi: 96, headers: 66 * (27 + 4), acks: 33 * (27 + 4)}
	if got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// TestAround: what ranks send besides a step, as lists of who sends what to whom.
func TestAround(t *testing.T) {
	const ranks = 3
	var p, a traffic
	for rank := range ranks {
		for other := range ranks {
			if other != rank {
				p = p.plus(traffic{1, 1})  // how long
				p = p.plus(traffic{32, 1}) // 16 numbers
			}
		}
		if rank != ranks-1 {
			a = a.plus(traffic{1, 1}) // to the last, which owns the word
			a = a.plus(traffic{1, 1}) // and back
		}
	}
	if got := tallies(ranks); got != p {
		t.Errorf("tallies: got %+v, want %+v", got, p)
	}
	if got := asking(ranks); got != a {
		t.Errorf("asking: got %+v, want %+v", got, a)
	}
}
