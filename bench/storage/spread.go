//go:build unix

package main

import (
	"fmt"
	"math"
)

// spread is a mean and a standard deviation of n numbers.
type spread struct {
	mean, std float64
	n         int
}

func spreadOf(xs []float64) spread {
	s := spread{n: len(xs)}
	for _, x := range xs {
		s.mean += x / float64(s.n)
	}
	for _, x := range xs {
		s.std += (x - s.mean) * (x - s.mean) / float64(max(1, s.n-1))
	}
	s.std = math.Sqrt(s.std)
	return s
}

// error is the standard error of the mean.
func (s spread) error() float64 { return s.std / math.Sqrt(float64(s.n)) }

func (s spread) String() string { return fmt.Sprintf("%.2f ± %.2f", s.mean, s.std) }

// minus returns the differences x − y.
func minus(x, y []float64) []float64 {
	out := make([]float64, len(x))
	for i := range out {
		out[i] = x[i] - y[i]
	}
	return out
}
