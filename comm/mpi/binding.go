//go:build mpi

package mpi

/*
#include <mpi.h>
#include <sched.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif
#include <time.h>

#cgo noescape weft_testsome
#cgo nocallback weft_testsome
#cgo noescape weft_isend
#cgo nocallback weft_isend
#cgo noescape weft_irecv
#cgo nocallback weft_irecv

// MPI's constants are macros, some of them invalid pointers, which Go memory
// must not hold: they stay on this side.

static int weft_initialized(void) { int yes = 0; MPI_Initialized(&yes); return yes; }

static int weft_returning(MPI_Comm c) { return MPI_Comm_set_errhandler(c, MPI_ERRORS_RETURN); }

// weft_init starts MPI. Errors of functions without a communicator go to the
// handler of one of these two.
static int weft_init(int *multiple) {
	int provided, rc = MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &provided);
	if (rc == MPI_SUCCESS) rc = weft_returning(MPI_COMM_WORLD);
	if (rc == MPI_SUCCESS) rc = weft_returning(MPI_COMM_SELF);
	*multiple = rc == MPI_SUCCESS && provided == MPI_THREAD_MULTIPLE;
	return rc;
}

static MPI_Comm weft_world(void) { return MPI_COMM_WORLD; }

static MPI_Comm weft_self(void) { return MPI_COMM_SELF; }

static int weft_last_tag(MPI_Comm c) {
	int *bound, found = 0;
	MPI_Comm_get_attr(c, MPI_TAG_UB, &bound, &found);
	return found ? *bound : 32767;
}

static int weft_isend(const float *words, int n, int to, int tag, MPI_Comm c, MPI_Request *r) {
	return MPI_Isend(words, n, MPI_FLOAT, to, tag, c, r);
}

static int weft_irecv(float *words, int n, int from, int tag, MPI_Comm c, MPI_Request *r) {
	return MPI_Irecv(words, n, MPI_FLOAT, from, tag, c, r);
}

// weft_ending is how a request ended.
typedef struct { int index, words, cancelled, error; } weft_ending;

// weft_testsome stores the requests that have ended. index and status have room
// for n of them.
static int weft_testsome(int n, MPI_Request *r, int *index, MPI_Status *status, weft_ending *ending, int *ended) {
	int rc = MPI_Testsome(n, r, ended, index, status);
	if (rc != MPI_SUCCESS && rc != MPI_ERR_IN_STATUS) { *ended = 0; return rc; }
	if (*ended == MPI_UNDEFINED) *ended = 0;
	for (int i = 0; i < *ended; i++) {
		ending[i].index = index[i];
		ending[i].error = rc == MPI_SUCCESS ? MPI_SUCCESS : status[i].MPI_ERROR;
		MPI_Get_count(&status[i], MPI_FLOAT, &ending[i].words);
		MPI_Test_cancelled(&status[i], &ending[i].cancelled);
	}
	return MPI_SUCCESS;
}

static int weft_cancel(MPI_Request *r) { return *r == MPI_REQUEST_NULL ? MPI_SUCCESS : MPI_Cancel(r); }

// weft_probe finds the first message from a rank that no receive has met, with
// the tag that is asked for, or with any where that is negative.
static int weft_probe(int from, int of, MPI_Comm c, int *found, int *tag, int *words) {
	MPI_Status status;
	int rc = MPI_Iprobe(from, of < 0 ? MPI_ANY_TAG : of, c, found, &status);
	if (rc == MPI_SUCCESS && *found) {
		*tag = status.MPI_TAG;
		MPI_Get_count(&status, MPI_FLOAT, words);
	}
	return rc;
}

static void weft_sleep(int microseconds) {
	struct timespec t = {0, microseconds * 1000L};
#ifdef __linux__
	prctl(PR_SET_TIMERSLACK, 1000UL); // else it sleeps 50 µs longer
#endif
	nanosleep(&t, NULL);
}

static void weft_yield(void) { sched_yield(); }

// weft_progress lets MPI move bytes until it is told to stop: often while
// something is under way, seldom otherwise, since what has been sent may still
// lie in a buffer. It asks for a message that nobody sends: every MPI moves all
// messages then, which not every one does when it is asked for none (MPICH's
// Iprobe).
static int weft_progress(MPI_Comm c, const int *under_way, const int *stop) {
	float never;
	int yes, rc;
	MPI_Request r;
	if ((rc = MPI_Irecv(&never, 1, MPI_FLOAT, 0, 0, c, &r)) != MPI_SUCCESS) return rc;
	while (!__atomic_load_n(stop, __ATOMIC_ACQUIRE)) {
		if ((rc = MPI_Test(&r, &yes, MPI_STATUS_IGNORE)) != MPI_SUCCESS) return rc;
		weft_sleep(__atomic_load_n(under_way, __ATOMIC_RELAXED) ? 50 : 1000);
	}
	MPI_Cancel(&r);
	return MPI_Wait(&r, MPI_STATUS_IGNORE);
}
*/
import "C"

import (
	"fmt"
	"strings"
	"sync/atomic"
	"time"
	"unsafe"
)

// communicator and request are MPI's handles.
type (
	communicator = C.MPI_Comm
	request      = C.MPI_Request
)

// fault is what an MPI function reported.
type fault struct {
	code C.int
}

func (f fault) Error() string {
	var text [C.MPI_MAX_ERROR_STRING]C.char
	var n C.int
	C.MPI_Error_string(f.code, &text[0], &n)
	return "MPI: " + C.GoStringN(&text[0], n)
}

// truncated reports whether a message was longer than what awaited it.
func (f fault) truncated() bool {
	var class C.int
	C.MPI_Error_class(f.code, &class)
	return class == C.MPI_ERR_TRUNCATE
}

func check(code C.int) error {
	if code == C.MPI_SUCCESS {
		return nil
	}
	return fault{code}
}

// library names the MPI that this process is linked with. It needs no start.
func library() string {
	var text [C.MPI_MAX_LIBRARY_VERSION_STRING]C.char
	var n C.int
	C.MPI_Get_library_version(&text[0], &n)
	line, _, _ := strings.Cut(C.GoStringN(&text[0], n), "\n")
	return strings.TrimSpace(line)
}

// initialize starts MPI on this thread.
func initialize() error {
	if C.weft_initialized() != 0 {
		return fmt.Errorf("comm/mpi: MPI was started before; a process does so once")
	}
	var multiple C.int
	if err := check(C.weft_init(&multiple)); err != nil {
		return fmt.Errorf("comm/mpi: start: %w", err)
	}
	if multiple == 0 {
		C.MPI_Finalize()
		return fmt.Errorf("comm/mpi: %s does not let several threads call it (MPI_THREAD_MULTIPLE)", library())
	}
	return nil
}

func finalize() error { return check(C.MPI_Finalize()) }

func abort() { C.MPI_Abort(C.weft_world(), 1) }

func worldComm() communicator { return C.weft_world() }

func selfComm() communicator { return C.weft_self() }

// lastTag is the largest tag that messages may have.
func lastTag() int { return int(C.weft_last_tag(C.weft_world())) }

func rankIn(c communicator) (rank, size int) {
	var r, n C.int
	C.MPI_Comm_rank(c, &r)
	C.MPI_Comm_size(c, &n)
	return int(r), int(n)
}

// duplicate returns a communicator of the same ranks whose messages match none
// of c's, and which returns errors.
func duplicate(c communicator) (d communicator, err error) {
	if err := check(C.MPI_Comm_dup(c, &d)); err != nil {
		return d, err
	}
	return d, check(C.weft_returning(d))
}

func splitComm(c communicator, color, key int) (s communicator, err error) {
	err = check(C.MPI_Comm_split(c, C.int(color), C.int(key), &s))
	return s, err
}

func free(c communicator) error { return check(C.MPI_Comm_free(&c)) }

func isend(words []float32, to, tag int, c communicator, r *request) error {
	return check(C.weft_isend((*C.float)(unsafe.SliceData(words)), C.int(len(words)), C.int(to), C.int(tag), c, r))
}

func irecv(words []float32, from, tag int, c communicator, r *request) error {
	return check(C.weft_irecv((*C.float)(unsafe.SliceData(words)), C.int(len(words)), C.int(from), C.int(tag), c, r))
}

// endings has room for how requests end.
type endings struct {
	index  []C.int
	status []C.MPI_Status
	all    []C.weft_ending
}

func newEndings(n int) endings {
	return endings{make([]C.int, n), make([]C.MPI_Status, n), make([]C.weft_ending, n)}
}

// ending is how a request ended.
type ending struct {
	index, words int
	cancelled    bool
	err          error
}

// testsome lets MPI make progress, and returns how many of the requests have
// ended since the last time; at tells of each.
func (e *endings) testsome(requests []request) (ended int, err error) {
	var n C.int
	err = check(C.weft_testsome(C.int(len(requests)), &requests[0], &e.index[0], &e.status[0], &e.all[0], &n))
	return int(n), err
}

func (e *endings) at(i int) ending {
	x := e.all[i]
	return ending{int(x.index), int(x.words), x.cancelled != 0, check(x.error)}
}

// cancel gives up a receive that no message has met; one that was met goes on.
func cancel(r *request) error { return check(C.weft_cancel(r)) }

// anyTag lets probe find messages with every tag.
const anyTag = -1

// probe returns the tag and the length of the first message from a rank that no
// receive has met.
func probe(from, of int, c communicator) (tag, words int, found bool, err error) {
	var f, t, n C.int
	err = check(C.weft_probe(C.int(from), C.int(of), c, &f, &t, &n))
	return int(t), int(n), f != 0, err
}

// progress lets MPI move bytes until stop is set.
func progress(c communicator, underWay, stop *atomic.Int32) error {
	return check(C.weft_progress(c, (*C.int)(unsafe.Pointer(underWay)), (*C.int)(unsafe.Pointer(stop))))
}

// pause stops this thread; others may use the processor.
func pause(d time.Duration) {
	if d == 0 {
		C.weft_yield()
		return
	}
	C.weft_sleep(C.int(d.Microseconds()))
}
