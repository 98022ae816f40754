//go:build mpi

package mpi

import (
	"fmt"
	"os/exec"
	"strings"
	"testing"
	"time"
)

func TestSuite(t *testing.T) {
	for ranks := 1; ranks <= 4; ranks++ {
		t.Run(fmt.Sprintf("ranks=%d", ranks), func(t *testing.T) {
			if _, printed, err := launch(t, launcher(t), ranks, "suite"); err != nil {
				t.Errorf("%v:\n%s", err, printed)
			}
		})
	}
}

func TestProgress(t *testing.T) {
	if _, printed, err := launch(t, launcher(t), 2, "progress"); err != nil {
		t.Errorf("%v:\n%s", err, printed)
	}
}

// TestEnds: a rank that is killed, or that aborts, ends the job soon, with a
// status that says so.
func TestEnds(t *testing.T) {
	for _, role := range []string{"killed", "abort"} {
		start := time.Now()
		_, printed, err := launch(t, launcher(t), 3, role)
		if took := time.Since(start); err == nil || took > 20*time.Second {
			t.Errorf("%s: %v after %v:\n%s", role, err, took, printed)
		}
	}
}

// TestFailures: what ranks say of others that do not do their part. No run
// hangs: launch bounds it.
func TestFailures(t *testing.T) {
	const plans = ": the ranks run different plans"
	for role, c := range map[string]struct {
		ranks int
		want  map[int]string
	}{
		"stall": {3, map[int]string{
			0: "rank 0, all-reduce (operation 1, step 7) has waited 500ms for ranks 2",
			1: "rank 1, all-reduce (operation 1, step 7) has waited 500ms for ranks 2",
		}},
		"cancelled":         {2, map[int]string{0: "deadline exceeded"}},
		"cancelled receive": {2, map[int]string{0: "deadline exceeded"}},
		"cancelled split":   {2, map[int]string{0: "deadline exceeded"}},
		"longer":            {2, map[int]string{1: "rank 0 sent a message of 7 words to rank 1, which awaits 5 more" + plans}},
		"shorter":           {2, map[int]string{1: "rank 0 sent a message of 5 words to rank 1, which awaits 7 more" + plans}},
		"longer, same tag":  {2, map[int]string{1: "rank 0 sent more words to rank 1, which awaits 5" + plans}},
		"shorter, same tag": {2, map[int]string{1: "rank 0 sent 5 words to rank 1, which awaits 7" + plans}},
		"long and longer":   {2, map[int]string{1: "rank 0 sent a message of 3 words to rank 1, which awaits 1 more" + plans}},
		"long and shorter":  {2, map[int]string{1: "rank 0 sent a message of 1 words to rank 1, which awaits 3 more" + plans}},
		"much longer":       {2, map[int]string{1: "rank 0 sent a message of 1048576 words to rank 1, which awaits 524288 more" + plans}},
		"much shorter":      {2, map[int]string{1: "rank 0 sent a message of 524288 words to rank 1, which awaits 2097152 more" + plans}},
		"one too few":       {2, map[int]string{1: "rank 0 went on without sending rank 1 the 5 words that it awaits" + plans}},
		"one too many":      {2, map[int]string{1: "rank 0 sent 5 words to rank 1, which awaits none" + plans}},
		"part too many":     {2, map[int]string{1: "rank 0 sent 4 words to rank 1, which awaits none" + plans}},
		"direct":            {2, map[int]string{1: "rank 0 sent a message of 3 words to rank 1, which awaits 2 more" + plans}},
		"never awaited":     {2, map[int]string{1: "rank 0 sent 3 words to rank 1, which awaits none" + plans}},
		"never received":    {2, map[int]string{0: "1 messages were sent that no rank has received" + plans}},
		"closed": {2, map[int]string{
			0: "rank 1 is gone: it closed its communicator",
			1: "rank 0 sent 4 words to rank 1, which awaits none" + plans,
		}},
		"closed, part": {2, map[int]string{0: "rank 1 is gone: it closed its communicator"}},
	} {
		t.Run(role, func(t *testing.T) {
			t.Parallel()
			said, printed, err := launch(t, launcher(t), c.ranks, role)
			for rank, want := range c.want {
				if !strings.Contains(said[rank], want) {
					t.Errorf("rank %d says %q, want %q", rank, said[rank], want)
				}
			}
			if err == nil {
				t.Error("the job was aborted, and its status is 0")
			}
			if t.Failed() {
				t.Log(printed)
			}
		})
	}
}

// TestOtherLauncher: the launcher of another MPI makes every process a world of
// its own, which is refused.
func TestOtherLauncher(t *testing.T) {
	other := "mpirun.openmpi"
	if openMPI() {
		other = "mpirun.mpich"
	}
	path, err := exec.LookPath(other)
	if err != nil {
		t.Skipf("needs a second MPI: %s is not installed", other)
	}
	_, printed, err := launch(t, path, 2, "suite")
	if err == nil || !strings.Contains(printed, "start weft with the launcher of the MPI that it was built with") {
		t.Errorf("%v:\n%s", err, printed)
	}
}

// BenchmarkAllReduce sums over two ranks.
func BenchmarkAllReduce(b *testing.B) {
	for _, words := range []int{1, 1 << 10, 1 << 18} {
		b.Run(fmt.Sprintf("bytes=%d", 4*words), func(b *testing.B) {
			_, printed, err := launch(b, launcher(b), 2, "latency", fmt.Sprint("WEFT_TEST_WORDS=", words), fmt.Sprint("WEFT_TEST_TIMES=", b.N))
			var median, mean float64
			if _, scanErr := fmt.Sscanf(printed, "median %f ns, mean %f ns", &median, &mean); err != nil || scanErr != nil {
				b.Fatalf("%v, %v:\n%s", err, scanErr, printed)
			}
			b.ReportMetric(median, "median-ns/op")
			b.ReportMetric(mean, "ns/op")
		})
	}
}
