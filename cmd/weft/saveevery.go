package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// saveEvery is how far apart checkpoints are: a time, or a number of epochs.
type saveEvery struct {
	time   time.Duration
	epochs int
}

// epochWords end a number of epochs.
var epochWords = []string{"epochs", "epoch"}

func (s *saveEvery) String() string {
	if s.epochs > 0 {
		return fmt.Sprint(s.epochs, epochWords[0])
	}
	return strings.TrimSuffix(s.time.String(), "0s")
}

func (s *saveEvery) Type() string { return "TIME|Nepochs" }

// Set reads "90s", "5m" or "10epochs".
func (s *saveEvery) Set(text string) error {
	for _, word := range epochWords {
		if number, ok := strings.CutSuffix(text, word); ok {
			n, err := strconv.Atoi(strings.TrimSpace(number))
			if err != nil || n < 1 {
				return fmt.Errorf("want a whole number of epochs from 1, as in 10epochs")
			}
			*s = saveEvery{epochs: n}
			return nil
		}
	}
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 {
		return fmt.Errorf("want a time, as in 90s or 5m, or a number of epochs, as in 10epochs")
	}
	*s = saveEvery{time: d}
	return nil
}
