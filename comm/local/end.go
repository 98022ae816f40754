package local

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/weft-gnn/weft/comm"
)

// end is one rank's end of a communicator.
type end struct {
	world *world
	name  string // of the communicator, the same at all its ranks
	ranks []int  // the world's numbers of its ranks
	rank  int    // this one's number among them

	exchanges, splits int
	sent, received    []int // messages to and from each rank
}

func newEnd(w *world, name string, ranks []int, rank int) *end {
	return &end{world: w, name: name, ranks: ranks, rank: rank, sent: make([]int, len(ranks)), received: make([]int, len(ranks))}
}

// Rank returns the number of this rank.
func (e *end) Rank() int { return e.rank }

// Size returns the number of ranks.
func (e *end) Size() int { return len(e.ranks) }

// me is this rank's number in the world.
func (e *end) me() int { return e.ranks[e.rank] }

// box is where this rank receives.
func (e *end) box() *mailbox { return e.world.boxes[e.me()] }

// Begin starts an exchange.
func (e *end) Begin(send, recv [][]float32) (comm.Pending, error) {
	if err := e.world.operate(e.me()); err != nil {
		return nil, err
	}
	if len(send[e.rank]) != len(recv[e.rank]) {
		return nil, fmt.Errorf("rank %d sends itself %d words and awaits %d", e.rank, len(send[e.rank]), len(recv[e.rank]))
	}
	x := &exchange{end: e, number: e.exchanges}
	e.exchanges++
	e.box().expect(x, recv)
	for q, piece := range send {
		if q != e.rank && len(piece) > 0 {
			e.world.lend(x.to(q), piece, x)
		}
	}
	copy(recv[e.rank], send[e.rank])
	return x, nil
}

// Send copies words and delivers them to a rank.
func (e *end) Send(_ context.Context, to int, words []float32) error {
	if err := e.world.operate(e.me()); err != nil {
		return err
	}
	x := exchange{end: e, direct: true, number: e.sent[to]}
	e.sent[to]++
	e.world.post(x.to(to), words)
	return nil
}

// Recv receives what a rank sent.
func (e *end) Recv(ctx context.Context, from int, words []float32) error {
	if err := e.world.operate(e.me()); err != nil {
		return err
	}
	x := &exchange{end: e, direct: true, number: e.received[from]}
	e.received[from]++
	e.box().expectOne(x.from(from), room{words, x})
	return x.Wait(ctx)
}

// Split returns the communicator of the ranks that gave the same color.
func (e *end) Split(ctx context.Context, color, key int) (comm.Transport, error) {
	if color != int(int32(color)) || key != int(int32(key)) {
		return nil, fmt.Errorf("color %d, key %d: want 32 bits each", color, key)
	}
	mine := []float32{math.Float32frombits(uint32(int32(color))), math.Float32frombits(uint32(int32(key)))}
	send, recv := make([][]float32, len(e.ranks)), make([][]float32, len(e.ranks))
	for q := range recv {
		send[q], recv[q] = mine, make([]float32, 2)
	}
	p, err := e.Begin(send, recv)
	if err != nil {
		return nil, err
	}
	if err := p.Wait(ctx); err != nil {
		return nil, err
	}
	e.splits++
	return e.group(color, recv), nil
}

// group makes the communicator of the ranks whose words name a color.
func (e *end) group(color int, words [][]float32) *end {
	type member struct{ key, rank int }
	var members []member
	for q, w := range words {
		if int(int32(math.Float32bits(w[0]))) == color {
			members = append(members, member{int(int32(math.Float32bits(w[1]))), q})
		}
	}
	slices.SortStableFunc(members, func(a, b member) int { return a.key - b.key })
	ranks := make([]int, len(members))
	rank := 0
	for i, m := range members {
		ranks[i] = e.ranks[m.rank]
		if m.rank == e.rank {
			rank = i
		}
	}
	return newEnd(e.world, fmt.Sprintf("%s/%d:%d", e.name, e.splits, color), ranks, rank)
}

// Abort ends all ranks.
func (e *end) Abort(cause error) { e.world.abort(cause) }

var errClosed = errors.New("it closed its communicator")

// Close says that this rank takes no part any more; that of the world ends it.
func (e *end) Close() error {
	if e.name == worldName {
		e.world.end(e.me(), errClosed)
	}
	return nil
}
