// Package mpi carries exchanges between ranks that are processes, by the
// Message Passing Interface.
//
// It is a binding of its own to the few functions that [comm.Transport] needs,
// behind the build tag mpi, for any implementation of MPI 3 whose compiler
// wrapper is named in CC:
//
//	CC=mpicc go build -tags mpi ./cmd/weft
//	mpirun -np 4 weft train …
//
// Built without the tag, the package uses no C, and [World] returns
// [ErrWithout].
//
// # Messages
//
// A piece of an exchange is one message, or several of 4 MiB; an empty piece is
// none. Pieces are sent from and received into the caller's memory, pinned until
// MPI is done with it. What Send delivers is copied first, and travels on a
// communicator of its own, so that it matches no exchange. A message's tag holds
// the number of its exchange and its length.
//
// # Progress
//
// MPI moves bytes while one of its functions runs, and only then. One thread of
// each process calls it every 50 µs, so that exchanges proceed while ranks
// compute; it sleeps in C, and needs no turn from Go's scheduler. A rank that
// waits asks all the time at first, then every 50 µs itself: short operations take
// little longer than MPI's own.
//
// # Failure
//
// MPI tells the survivors of a lost process nothing: they wait, until its
// launcher ends the job. So a [comm.Watch] should bound every wait, and a rank
// whose operation failed calls Abort, which ends all of them. After a failure
// Close does not finish MPI, which would wait for ranks that may never come: it
// returns an error, and the process must exit with a status that is not 0.
// Pieces of an operation that failed remain MPI's until the process ends.
//
// Ranks that run different plans are told so: a message that meets no piece of
// its length, and one of a later exchange where an earlier one is still awaited,
// are errors within a tenth of a second of waiting, or when the world is closed.
package mpi
