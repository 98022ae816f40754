package train

import (
	"context"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/weft-gnn/weft/dataset/source"
)

// MismatchError says that ranks were started differently, and so would train
// different models.
type MismatchError struct {
	Rank int
	// Got is what the rank has, Want what rank 0 has in its place; empty for
	// nothing.
	Got, Want string
}

func (e *MismatchError) Error() string {
	said := func(what string) string {
		if what == "" {
			return "nothing of the kind"
		}
		return fmt.Sprintf("%q", what)
	}
	return fmt.Sprintf("train: the ranks were started differently: rank %d has %s, rank 0 has %s", e.Rank, said(e.Got), said(e.Want))
}

// agree holds what this rank has, line by line, against what the others have.
//
// Errors: a [MismatchError] of the first rank that differs from rank 0, the same on
// all ranks.
func (t *Trainer) agree(ctx context.Context, lines []string) error {
	all, err := t.set.Rank.Comm.GatherBytes(ctx, []byte(strings.Join(lines, "\n")))
	if err != nil {
		return err
	}
	want := strings.Split(string(all[0]), "\n")
	for q, text := range all[1:] {
		got := strings.Split(string(text), "\n")
		for i := range max(len(got), len(want)) {
			if line(got, i) != line(want, i) {
				return &MismatchError{Rank: q + 1, Got: line(got, i), Want: line(want, i)}
			}
		}
	}
	return nil
}

// line is line i, empty after the last.
func line(lines []string, i int) string {
	if i >= len(lines) {
		return ""
	}
	return strings.TrimSpace(lines[i])
}

// identity is what determines the run: the plan, the configuration but for the
// place of the data, and what the data are.
func (t *Trainer) identity() ([]string, error) {
	c := t.cfg
	c.Source = source.Spec{} // hosts may have their own copies
	text, err := yaml.Marshal(c)
	if err != nil {
		return nil, fmt.Errorf("train: %w", err)
	}
	lines := append([]string{
		"plan " + t.set.Rank.Plan.String(),
		fmt.Sprintf("%d features", t.d.X.Cols),
		fmt.Sprintf("%d outputs", t.problem.out),
	}, t.known.lines...)
	if o := t.set.Rank.Owners; o != nil {
		lines = append(lines, fmt.Sprintf("a division with the checksum %08x", checksum(o.Vertex)))
	}
	return append(lines, strings.Split(strings.TrimSpace(string(text)), "\n")...), nil
}

// castagnoli is the polynomial that processors know.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// checksum is the CRC-32C of numbers, in little endian.
func checksum[T int32 | int64 | float32](numbers []T) uint32 {
	const piece = 1 << 13
	var sum uint32
	var bytes []byte
	for some := range slices.Chunk(numbers, piece) {
		bytes, _ = binary.Append(bytes[:0], binary.LittleEndian, some) // it knows these types
		sum = crc32.Update(sum, castagnoli, bytes)
	}
	return sum
}
