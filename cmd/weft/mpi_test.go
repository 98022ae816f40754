//go:build mpi && unix

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/weft-gnn/weft/dataset/source"
	"github.com/weft-gnn/weft/train"
)

// mpirun finds the launcher of the MPI that this binary is linked with: under
// another's, processes that are to be ranks stop.
var mpirun = sync.OnceValues(func() (string, error) {
	for _, name := range []string{"mpirun.openmpi", "mpirun.mpich", "mpirun"} {
		path, err := exec.LookPath(name)
		if err != nil {
			continue
		}
		self, err := os.Executable()
		if err != nil {
			return "", err
		}
		folder, err := os.MkdirTemp("", "weft-mpi")
		if err != nil {
			return "", err
		}
		defer os.RemoveAll(folder)
		weft := filepath.Join(folder, "weft")
		if err := os.Symlink(self, weft); err != nil {
			return "", err
		}
		c := exec.Command(path, "-np", "2", weft, "train", "--epochs", "1", "--out", filepath.Join(folder, "run"))
		if err := c.Run(); err == nil {
			return path, nil
		}
	}
	return "", errors.New("no launcher starts ranks of the MPI that this test is built with")
})

// ranks returns a command that starts weft as so many ranks.
func ranks(t testing.TB, n int, words ...string) []string {
	t.Helper()
	for _, v := range []string{"OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "OMPI_MCA_rmaps_base_oversubscribe", "OMPI_MCA_mpi_yield_when_idle"} {
		t.Setenv(v, "1")
	}
	t.Setenv("OMPI_MCA_hwloc_base_binding_policy", "none")
	if _, err := exec.LookPath("mpirun"); err != nil {
		t.Skip("needs MPI's launcher: there is no mpirun")
	}
	path, err := mpirun()
	if err != nil {
		t.Fatal(err)
	}
	return append([]string{path, "-np", strconv.Itoa(n), weftCommand(t)}, words...)
}

// needs skips a test where a data set is not at hand.
func needs(t testing.TB, name string) {
	t.Helper()
	if e, err := source.Find(name, source.Places(os.Getenv)); err != nil || e.Path == "" {
		t.Skipf("needs data set %s: set WEFT_DATA or run weft data fetch %s", name, name)
	}
}

func result(t testing.TB, text string) (r train.Result) {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(text))
	if err := d.Decode(&r); err != nil || d.More() {
		t.Fatalf("not one JSON object: %v\n%s", err, text)
	}
	return r
}

// TestMPICurves: ranks that are processes learn what one learns, and send what was
// predicted.
func TestMPICurves(t *testing.T) {
	needs(t, "cora")
	for _, model := range []string{"gcn", "gat"} {
		words := []string{"train", "--data", "cora", "--model", model, "--epochs", "20", "--json"}
		one := result(t, command(t, append([]string{weftCommand(t)}, append(words, "--out", filepath.Join(t.TempDir(), "one"))...)...))
		for n := 2; n <= 4; n++ {
			r := result(t, command(t, ranks(t, n, append(words, "--out", filepath.Join(t.TempDir(), "run"))...)...))
			if r.Ranks != n || len(r.Loss) != 20 {
				t.Errorf("%s: %d ranks and %d epochs, want %d and 20", model, r.Ranks, len(r.Loss), n)
			}
			for i, loss := range r.Loss {
				if far := math.Abs(float64(loss/one.Loss[i]) - 1); far > 1e-5 { // rounding, over 20 steps
					t.Errorf("%s on %d ranks: the loss of epoch %d is %v, on one %v", model, n, i, loss, one.Loss[i])
				}
			}
			if r.Counted != r.Predicted || r.Counted.Words.Total == 0 {
				t.Errorf("%s on %d ranks: counted %+v, predicted %+v", model, n, r.Counted, r.Predicted)
			}
		}
	}
}

// TestMPIPlanNamesNoRanks: a plan that does not say on how many ranks is for the
// processes that there are.
func TestMPIPlanNamesNoRanks(t *testing.T) {
	for words, want := range map[string]string{
		"algorithm=3d": "algorithm=3d,partition=1x2x2,partitioner=random", "halo=recompute": "algorithm=1d,partition=4,partitioner=multilevel,halo=recompute",
	} {
		text := command(t, ranks(t, 4, "train", "--plan", words, "--epochs", "1", "--json", "--out", filepath.Join(t.TempDir(), "run"))...)
		if r := result(t, text); r.Plan == nil || *r.Plan != want {
			t.Errorf("%s on 4 processes is not %s: %s", words, want, text)
		}
	}
}

// TestMPIParts: processes that open their parts have the bits of those that read the
// whole set; a part that is damaged is told of once, and nothing is begun.
func TestMPIParts(t *testing.T) {
	needs(t, "cora")
	const n = 3
	dir := t.TempDir()
	parts := filepath.Join(dir, "parts")
	command(t, weftCommand(t), "partition", "--data", "cora", "--parts", strconv.Itoa(n), "--balance", "work", "--spread", "train", "--out", parts)
	words := []string{"train", "--epochs", "20", "--json", "--out"}
	whole := result(t, command(t, ranks(t, n, append(words, filepath.Join(dir, "whole"), "--data", "cora")...)...))
	r := result(t, command(t, ranks(t, n, append(words, filepath.Join(dir, "run"), "--data", parts)...)...))
	if !slices.Equal(r.Loss, whole.Loss) || r.Counted != whole.Counted || r.Counted != r.Predicted {
		t.Errorf("losses %v, counted %+v; with the whole set %v, %+v", r.Loss, r.Counted, whole.Loss, whole.Counted)
	}
	status, said := failing(t, ranks(t, n-1, "train", "--data", parts)...)
	if n := strings.Count(said, "the launcher started 2 processes, each of which is a rank"); status != 2 || n != 1 {
		t.Errorf("too few processes: status %d, said %d times:\n%s", status, n, said)
	}
	if err := os.Truncate(filepath.Join(parts, "part-1", "feat.npy"), 1000); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(dir, "never")
	status, said = failing(t, ranks(t, n, "train", "--data", parts, "--out", out)...)
	if n := len(regexp.MustCompile(`weft: rank 1: .*part-1/feat.npy`).FindAllString(said, -1)); status == 0 || n != 1 {
		t.Errorf("a damaged part: status %d, said %d times:\n%s", status, n, said)
	}
	if _, err := os.Stat(out); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a run directory was made: %v", err)
	}
}

// failing runs a command that must not end well, and returns its status and what it
// said.
func failing(t testing.TB, words ...string) (status int, said string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), runs)
	defer cancel()
	c := exec.CommandContext(ctx, words[0], words[1:]...)
	c.WaitDelay = time.Second
	var out bytes.Buffer
	c.Stdout, c.Stderr = &out, &out
	err := c.Run()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || ctx.Err() != nil {
		t.Fatalf("%s: %v\n%s", strings.Join(words, " "), err, &out)
	}
	return exit.ExitCode(), out.String()
}

// TestMPIRefusals: what is wrong with the command is said once; what one rank lacks,
// by that rank.
func TestMPIRefusals(t *testing.T) {
	for _, flag := range []string{"--ranks=3", "--plan=algorithm=2d,partition=2x2"} {
		status, said := failing(t, ranks(t, 2, "train", flag)...)
		if n := strings.Count(said, "the launcher started 2 processes, each of which is a rank"); status != 2 || n != 1 {
			t.Errorf("%s: status %d, said %d times:\n%s", flag, status, n, said)
		}
	}
	status, said := failing(t, ranks(t, 2, "train", "--lr", "1e30", "--out", filepath.Join(t.TempDir(), "run"))...)
	if n := strings.Count(said, "the loss is not finite"); status == 0 || n != 1 {
		t.Errorf("a loss that is not finite: status %d, said %d times:\n%s", status, n, said)
	}
	status, said = failing(t, ranks(t, 2, "train", "--data", "/nowhere")...)
	if status == 0 || !regexp.MustCompile(`weft: rank [01]: .*nowhere`).MatchString(said) {
		t.Errorf("no data: status %d, said\n%s", status, said)
	}
}

// processes awaits the beginning of a run, and returns its ranks' processes by what
// the newest lines of their logs say.
func processes(t testing.TB, run string, ranks, epochs int) []int {
	t.Helper()
	var pids []int
	for deadline := time.Now().Add(runs); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		pids = pids[:0]
		for r := range ranks {
			text, err := os.ReadFile(filepath.Join(run, fmt.Sprintf("rank-%d.log", r)))
			begun := regexp.MustCompile(`pid=(\d+)`).FindAllSubmatch(text, -1)
			if err != nil || len(begun) == 0 || bytes.Count(text, []byte("msg=epoch")) < epochs {
				break
			}
			pid, err := strconv.Atoi(string(begun[len(begun)-1][1]))
			if err != nil {
				t.Fatal(err)
			}
			pids = append(pids, pid)
		}
		if len(pids) == ranks {
			return pids
		}
	}
	t.Fatalf("no run of %d ranks began in %s", ranks, run)
	return nil
}

// TestMPIKilled: a rank is killed, the job is started again, and ends with the
// weights of an undisturbed run.
func TestMPIKilled(t *testing.T) {
	const n, epochs = 2, "600"
	dir := t.TempDir()
	whole, run := filepath.Join(dir, "whole"), filepath.Join(dir, "run")
	words := []string{"train", "--epochs", epochs, "--save-every", "7epochs", "--quiet", "--out"}
	command(t, ranks(t, n, append(words, whole)...)...)
	job := exec.Command(weftCommand(t), append([]string{"launch", "--pause", "10ms", "--"}, ranks(t, n, append(words, run)...)...)...)
	var log bytes.Buffer
	job.Stderr = &log
	if err := job.Start(); err != nil {
		t.Fatal(err)
	}
	victim := processes(t, run, n, 30)[1]
	if err := syscall.Kill(victim, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if err := job.Wait(); err != nil || !strings.Contains(log.String(), "attempt 1 ended with") || !strings.Contains(log.String(), "finished in attempt 2") {
		t.Errorf("%v:\n%s", err, &log)
	}
	if read(t, run, "model.safetensors") != read(t, whole, "model.safetensors") {
		t.Error("a run whose rank was killed has other weights")
	}
}

// TestMPIStall: a rank that does nothing is named, and the job ends.
func TestMPIStall(t *testing.T) {
	run := filepath.Join(t.TempDir(), "run")
	words := ranks(t, 2, "train", "--epochs", "1000000", "--stall-limit", "1s", "--quiet", "--out", run)
	job := exec.Command(words[0], words[1:]...)
	var log bytes.Buffer
	job.Stderr, job.WaitDelay = &log, time.Second
	if err := job.Start(); err != nil {
		t.Fatal(err)
	}
	victim := processes(t, run, 2, 5)[1]
	if err := syscall.Kill(victim, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- job.Wait() }()
	select {
	case err := <-ended:
		if err == nil || !strings.Contains(log.String(), "has waited 1s for ranks 1") || !strings.Contains(log.String(), "weft: rank 0: ") {
			t.Errorf("%v:\n%s", err, &log)
		}
	case <-time.After(runs):
		syscall.Kill(victim, syscall.SIGKILL)
		t.Fatal("a job whose rank was stopped does not end")
	}
	if text := read(t, run, "rank-0.log"); !strings.Contains(text, "has waited 1s for ranks 1") {
		t.Errorf("the log of rank 0 does not tell of the stall:\n%s", text[max(0, len(text)-400):])
	}
}

// TestMPIInterrupted: ranks that are told to end name the last checkpoint.
func TestMPIInterrupted(t *testing.T) {
	run := filepath.Join(t.TempDir(), "run")
	words := ranks(t, 2, "train", "--epochs", "1000000", "--save-every", "1000000epochs", "--quiet", "--out", run)
	job := exec.Command(words[0], words[1:]...)
	var log bytes.Buffer
	job.Stderr, job.WaitDelay = &log, time.Second
	if err := job.Start(); err != nil {
		t.Fatal(err)
	}
	pids := processes(t, run, 2, 5)
	if err := syscall.Kill(slices.Max(pids), syscall.SIGTERM); err != nil { // one of them: they stop together
		t.Fatal(err)
	}
	if err := job.Wait(); err == nil || !strings.Contains(log.String(), "goes on from epoch 0, the last checkpoint") {
		t.Errorf("%v:\n%s", err, &log)
	}
}
