package main

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/weft-gnn/weft/dataset/budget"
	"github.com/weft-gnn/weft/internal/memory"
	"github.com/weft-gnn/weft/train"
)

// unlimited is the WEFT_MEMORY that refuses nothing.
const unlimited = "unlimited"

// memoryAtHand is how many bytes the command may take, 0 for any, and what says
// so: $WEFT_MEMORY, or else the system.
func (a *app) memoryAtHand() (bytes int64, limit string, err error) {
	text := a.getenv("WEFT_MEMORY")
	switch text {
	case "":
		room, _ := memory.Available()
		return room.Bytes, room.Limit, nil
	case unlimited:
		return 0, "", nil
	}
	bytes, err = parseSize(text)
	return bytes, "WEFT_MEMORY", usage(err)
}

// parseSize reads a number of bytes such as 12GB or 500000000.
func parseSize(text string) (int64, error) {
	number, unit := text, 1.0
	for i, c := range "kMGT" {
		if n, ok := strings.CutSuffix(text, string(c)+"B"); ok {
			number, unit = n, math.Pow(1000, float64(i+1))
		}
	}
	x, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if err != nil || !(x*unit >= 1 && x*unit < math.MaxInt64) {
		return 0, fmt.Errorf("WEFT_MEMORY=%q: want bytes such as 16GB (k, M, G or T), or %s", text, unlimited)
	}
	return int64(x * unit), nil
}

// memoryRemedy says, in parentheses, what ended the memory that an error lacks; ""
// for other errors.
func (a *app) memoryRemedy(err error) string {
	var run *train.MemoryError
	var data *budget.LimitError
	if !errors.As(err, &run) && !(errors.As(err, &data) && data.Memory) {
		return ""
	}
	_, limit, fault := a.memoryAtHand()
	if fault != nil || limit == "" {
		return ""
	}
	return fmt.Sprintf(" (by %s; WEFT_MEMORY=SIZE, such as 16GB or %s, takes its place)", limit, unlimited)
}
