package mpi

import (
	"errors"
	"os"
	"strconv"
)

// ErrWithout is what [World] returns where weft was built without MPI.
var ErrWithout = errors.New("comm/mpi: this weft was built without MPI: build it with CC=mpicc go build -tags mpi ./cmd/weft")

// launchers are the variables in which launchers tell each process its rank and
// the number of all, the more specific first: what mpirun starts under Slurm
// has Slurm's variables too. Of Slurm's, those of a job step count, since a
// batch script has the others without being a rank.
var launchers = []struct{ rank, size string }{
	{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"}, // Open MPI
	{"PMI_RANK", "PMI_SIZE"},                         // MPICH, Intel MPI, Slurm's pmi2
	{"MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE"},   // MVAPICH
	{"SLURM_PROCID", "SLURM_STEP_NUM_TASKS"},         // srun
}

// Launched returns the rank of this process and the number of all, as the
// launcher that started it says in the environment; ok is false where none did.
// A launcher that tells ranks only (PMIX_RANK) gives size 0: unknown.
//
// It needs no MPI. A launcher of N processes whose [World] is of one rank is
// another MPI's: World refuses that, and a weft without MPI must too, since N
// equal runs would write over each other.
func Launched() (rank, size int, ok bool) { return launched(os.LookupEnv) }

func launched(lookup func(string) (string, bool)) (rank, size int, ok bool) {
	number := func(name string) (int, bool) {
		text, _ := lookup(name)
		n, err := strconv.Atoi(text)
		return n, err == nil && n >= 0
	}
	for _, l := range launchers {
		rank, named := number(l.rank)
		size, counted := number(l.size)
		if named && counted && rank < size {
			return rank, size, true
		}
	}
	rank, ok = number("PMIX_RANK")
	return rank, 0, ok
}
