//go:build mpi

package mpi

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/weft-gnn/weft/comm"
)

// Send copies words and starts delivering them to a rank.
func (e *end) Send(_ context.Context, to int, words []float32) error {
	if err := e.reap(); err != nil {
		return err
	}
	t := e.transfer(e.direct, e.messagesOf(len(words)))
	number := e.sent[to]
	e.sent[to]++
	if err := t.post(slices.Clone(words), to, number, false); err != nil {
		return err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.sends = append(e.sends, t)
	return nil
}

// reap frees what Send has delivered.
func (p *process) reap() error {
	p.mu.Lock()
	var err error
	p.sends = slices.DeleteFunc(p.sends, func(t *transfers) bool {
		left, failure := t.poll()
		err = errors.Join(err, failure)
		return left == 0
	})
	p.mu.Unlock()
	if err != nil {
		return p.fail(err)
	}
	return nil
}

// drainFor is how long a message that was received may take to say so.
const drainFor = time.Second

// drain waits until Send has delivered everything; no rank receives any more.
func (p *process) drain() error {
	for end := time.Now().Add(drainFor); ; pause(sleepFor) {
		if err := p.reap(); err != nil {
			return err
		}
		p.mu.Lock()
		left := len(p.sends)
		p.mu.Unlock()
		if left == 0 {
			return nil
		}
		if time.Now().After(end) {
			return p.fail(fmt.Errorf("comm/mpi: %d messages were sent that no rank has received: the ranks run different plans", left))
		}
	}
}

// Recv receives what a rank sent.
func (e *end) Recv(ctx context.Context, from int, words []float32) error {
	t := e.transfer(e.direct, e.messagesOf(len(words)))
	number := e.received[from]
	e.received[from]++
	if err := t.post(words, from, number, true); err != nil {
		return err
	}
	return t.wait(ctx, receiving{t, from, number})
}

// receiving is what a rank sent that has not all arrived.
type receiving struct {
	*transfers
	from, number int
}

// doubt looks for the message with its number but another length. A later one
// proves nothing: what is awaited may be on its way.
func (r receiving) doubt() error {
	tag, words, found, err := probe(r.from, anyTag, r.on)
	if err != nil {
		return r.end.gone(r.from, err)
	}
	if found && tag/r.end.lengths == r.number%r.end.numbers {
		return r.end.unfit(r.from, words, r.awaited(r.from))
	}
	return r.doubtClosed(r.from)
}

// Split returns the communicator of the ranks that gave the same color. They
// exchange colors and keys first, so that a rank that does not come leaves the
// others in a wait that can be given up, and so that MPI, which wants colors of
// 31 bits, can be told the number of each.
func (e *end) Split(ctx context.Context, color, key int) (comm.Transport, error) {
	if color != int(int32(color)) || key != int(int32(key)) {
		return nil, fmt.Errorf("color %d, key %d: want 32 bits each", color, key)
	}
	mine := []float32{math.Float32frombits(uint32(int32(color))), math.Float32frombits(uint32(int32(key)))}
	send, recv := make([][]float32, e.Size()), make([][]float32, e.Size())
	for q := range recv {
		send[q], recv[q] = mine, make([]float32, 2)
	}
	x, err := e.Begin(send, recv)
	if err != nil {
		return nil, err
	}
	if err := x.Wait(ctx); err != nil {
		return nil, err
	}
	part, err := e.group(color, key, recv)
	if err != nil {
		return nil, e.fail(fmt.Errorf("comm/mpi: %w", err))
	}
	return part, nil
}

// group makes the communicator of the ranks whose words name a color.
func (e *end) group(color, key int, words [][]float32) (*end, error) {
	word := func(q, i int) int { return int(int32(math.Float32bits(words[q][i]))) }
	var colors, members []int
	for q := range words {
		colors = append(colors, word(q, 0))
		if word(q, 0) == color {
			members = append(members, q)
		}
	}
	slices.Sort(colors)
	number, _ := slices.BinarySearch(slices.Compact(colors), color)
	slices.SortStableFunc(members, func(a, b int) int { return word(a, 1) - word(b, 1) })
	c, err := splitComm(e.exchanges, number, key)
	if err != nil {
		return nil, err
	}
	ranks := make([]int, len(members))
	for i, q := range members {
		ranks[i] = e.ranks[q]
	}
	part, err := newEnd(e.process, c, slices.Index(members, e.rank), ranks)
	return part, errors.Join(err, free(c))
}
