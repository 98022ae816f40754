package synth

import (
	"context"
	"slices"
	"sync"
)

// noEdge is the key of a draw that gave none, such as a loop. It sorts last.
const noEdge = ^uint64(0)

// edgeKey names the edge of two vertices, the smaller first.
func edgeKey(u, v int32) uint64 {
	if u == v {
		return noEdge
	}
	return uint64(min(u, v))<<32 | uint64(max(u, v))
}

// drawRounds bounds how often missing edges are drawn again; what is missing
// then is left out.
const drawRounds = 30

// drawEdges returns about want distinct edges in ascending order of their keys,
// at most want and at least 99.5 % of it unless drawing becomes hopeless. Draw i
// is a pure function, called for i = 0, 1, … by several goroutines.
//
// Equal draws count once, and as many as are missing are drawn again: the edges
// do not depend on the number of goroutines.
func drawEdges(ctx context.Context, want, threads int, draw func(i uint64) uint64) ([]uint64, error) {
	var keys []uint64
	next := uint64(0)
	for range drawRounds {
		missing := want - len(keys)
		if missing <= want/200 {
			break
		}
		fresh, err := drawKeys(ctx, next, missing, threads, draw)
		if err != nil {
			return nil, err
		}
		next += uint64(missing)
		fresh = radixSort(fresh)
		fresh = slices.Compact(fresh)
		if len(fresh) > 0 && fresh[len(fresh)-1] == noEdge {
			fresh = fresh[:len(fresh)-1]
		}
		keys = union(keys, fresh)
	}
	return keys, nil
}

// drawPiece is how many draws a goroutine takes at once.
const drawPiece = 1 << 16

// drawKeys makes n draws, the first of which is numbered first.
func drawKeys(ctx context.Context, first uint64, n, threads int, draw func(i uint64) uint64) ([]uint64, error) {
	keys := make([]uint64, n)
	err := parallel(ctx, n, drawPiece, threads, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			keys[i] = draw(first + uint64(i))
		}
	})
	return keys, err
}

// parallel calls do for the pieces of 0 to n−1 on several goroutines.
func parallel(ctx context.Context, n, piece, threads int, do func(lo, hi int)) error {
	starts := make(chan int)
	var wg sync.WaitGroup
	for range threads {
		wg.Go(func() {
			for lo := range starts {
				do(lo, min(lo+piece, n))
			}
		})
	}
	for lo := 0; lo < n && ctx.Err() == nil; lo += piece {
		starts <- lo
	}
	close(starts)
	wg.Wait()
	return ctx.Err()
}

// union merges two ascending lists without duplicates into one.
func union(a, b []uint64) []uint64 {
	if len(a) == 0 {
		return b
	}
	out := make([]uint64, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0] < b[0]:
			out, a = append(out, a[0]), a[1:]
		case a[0] > b[0]:
			out, b = append(out, b[0]), b[1:]
		default:
			out, a, b = append(out, a[0]), a[1:], b[1:]
		}
	}
	out = append(out, a...)
	return append(out, b...)
}

// radixSort sorts keys by digits of 11 bits, the lowest first, and returns
// them, in the same memory or not. Digits that all keys share cost nothing.
func radixSort(keys []uint64) []uint64 {
	const bits, mask = 11, 1<<11 - 1
	var used uint64 // bits in which keys differ
	for _, k := range keys {
		used |= k ^ keys[0]
	}
	spare := make([]uint64, len(keys))
	for shift := 0; shift < 64; shift += bits {
		if used>>shift&mask == 0 {
			continue
		}
		var at [1 << bits]int
		for _, k := range keys {
			at[k>>shift&mask]++
		}
		sum := 0
		for d, count := range at {
			at[d] = sum
			sum += count
		}
		for _, k := range keys {
			d := k >> shift & mask
			spare[at[d]] = k
			at[d]++
		}
		keys, spare = spare, keys
	}
	return keys
}

// ends splits edge keys into their vertices.
func ends(keys []uint64) (src, dst []int32) {
	src, dst = make([]int32, len(keys)), make([]int32, len(keys))
	for i, k := range keys {
		src[i], dst[i] = int32(k>>32), int32(uint32(k))
	}
	return src, dst
}
