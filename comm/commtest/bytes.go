package commtest

import (
	"bytes"
	"context"
	"fmt"

	"github.com/weft-gnn/weft/comm"
)

// text is what a rank gives: of another length at each, of every remainder by 4,
// with all bytes, those of signalling NaNs among them.
func text(rank, n int) []byte {
	b := make([]byte, (n+rank)%(3*n+1))
	for i := range b {
		b[i] = byte(0xff - 37*i*(rank+1))
	}
	return b
}

func gatherBytes(ctx context.Context, c *comm.Comm) error {
	for n := range 20 {
		all, err := c.GatherBytes(ctx, text(c.Rank(), n))
		if err != nil {
			return err
		}
		for q, got := range all {
			if !bytes.Equal(got, text(q, n)) {
				return fmt.Errorf("rank %d gave %x, got %x", q, text(q, n), got)
			}
		}
	}
	return nil
}
