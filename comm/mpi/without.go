//go:build !mpi

package mpi

import "github.com/weft-gnn/weft/comm"

// World starts MPI and returns the transport of all ranks. Here, built without
// MPI, it returns [ErrWithout].
func World() (comm.Transport, error) { return nil, ErrWithout }
