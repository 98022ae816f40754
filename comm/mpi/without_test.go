//go:build !mpi

package mpi

import (
	"errors"
	"testing"
)

func TestWithout(t *testing.T) {
	if _, err := World(); !errors.Is(err, ErrWithout) {
		t.Errorf("got %v, want ErrWithout", err)
	}
}
