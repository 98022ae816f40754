package comm

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
)

// GatherBytes returns what every rank gives, by rank; texts and the like may
// have any length at each.
//
// Cost: an all-gather of a word per rank, and ⌈length/4⌉ words to each other rank.
func (c *Comm) GatherBytes(ctx context.Context, mine []byte) ([][]byte, error) {
	if len(mine) > math.MaxInt32 {
		return nil, fmt.Errorf("comm: gather of %d bytes, want less than 2³¹", len(mine))
	}
	lengths := make([]float32, c.Size())
	lengths[c.Rank()] = math.Float32frombits(uint32(len(mine)))
	if err := c.AllGather(ctx, lengths); err != nil {
		return nil, err
	}
	words := make([]float32, wordsOf(len(mine)))
	for i := range words {
		var four [4]byte
		copy(four[:], mine[4*i:])
		words[i] = math.Float32frombits(binary.LittleEndian.Uint32(four[:]))
	}
	send, recv := make([][]float32, c.Size()), make([][]float32, c.Size())
	for q := range recv {
		send[q], recv[q] = words, make([]float32, wordsOf(int(math.Float32bits(lengths[q]))))
	}
	if err := c.exchange(ctx, "gather", send, recv, 1); err != nil {
		return nil, err
	}
	all := make([][]byte, c.Size())
	for q, words := range recv {
		for _, w := range words {
			all[q] = binary.LittleEndian.AppendUint32(all[q], math.Float32bits(w))
		}
		all[q] = all[q][:math.Float32bits(lengths[q])]
	}
	return all, nil
}

// wordsOf is how many words hold so many bytes.
func wordsOf(bytes int) int { return (bytes + 3) / 4 }
