//go:build mpi

package mpi

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/pprof"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/weft-gnn/weft/comm"
)

// The tests start this test binary again under a launcher, as ranks that play a
// role. What a rank has to say goes into a file, named by its rank.
const (
	roleVariable   = "WEFT_TEST_ROLE"
	folderVariable = "WEFT_TEST_FOLDER"
	limit          = 30 * time.Second // of a run
)

func TestMain(m *testing.M) {
	name, isRank := os.LookupEnv(roleVariable)
	if !isRank {
		os.Exit(m.Run())
	}
	time.AfterFunc(limit, func() {
		_ = pprof.Lookup("goroutine").WriteTo(os.Stderr, 1)
		os.Exit(3)
	})
	if err := play(name); err != nil {
		rank, _, _ := Launched()
		fmt.Fprintf(os.Stderr, "rank %d: %v\n", rank, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// play is one rank's part.
func play(name string) error {
	r, ok := roles[name]
	if !ok {
		return fmt.Errorf("no role %q", name)
	}
	world, err := World()
	if err != nil {
		return err
	}
	e := world.(*end)
	err = r.run(e, comm.New(e, &comm.Watch{Limit: r.watch}))
	if r.says == nil {
		return errors.Join(err, e.Close())
	}
	// The job ends when all ranks that should have said something did.
	return sayAndAbort(e, err, r.says)
}

func sayAndAbort(e *end, said error, who []int) error {
	folder := os.Getenv(folderVariable)
	partial := filepath.Join(folder, fmt.Sprintf(".%d", e.rank))
	if err := os.WriteFile(partial, fmt.Append(nil, said), 0o600); err != nil {
		return err
	}
	if err := os.Rename(partial, filepath.Join(folder, strconv.Itoa(e.rank))); err != nil {
		return err
	}
	for _, rank := range who {
		for {
			if _, err := os.Stat(filepath.Join(folder, strconv.Itoa(rank))); err == nil {
				break
			}
			time.Sleep(time.Millisecond)
		}
	}
	e.Abort(said)
	return nil
}

// launcher is the command that starts ranks of the MPI that this binary is
// linked with, under the names that it goes by where several are installed.
func launcher(t testing.TB) string {
	names := []string{"mpirun.mpich", "mpiexec.hydra", "mpirun"}
	if openMPI() {
		names = []string{"mpirun.openmpi", "mpirun"}
	}
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Fatalf("built with %s, whose launcher is not installed: looked for %v", library(), names)
	return ""
}

func openMPI() bool { return strings.Contains(library(), "Open MPI") }

// launch runs ranks in a role on this machine, and returns what each said, and
// what they printed.
func launch(t testing.TB, command string, ranks int, role string, more ...string) (said map[int]string, printed string, err error) {
	t.Helper()
	return runRanks(t, ranks, role, func(ctx context.Context) *exec.Cmd {
		return exec.CommandContext(ctx, command, "-np", strconv.Itoa(ranks), self(t))
	}, more...)
}

// self is this test binary.
func self(t testing.TB) string {
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// runRanks runs a command that starts ranks, with more variables.
func runRanks(t testing.TB, ranks int, role string, command func(context.Context) *exec.Cmd, more ...string) (said map[int]string, printed string, err error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), limit+5*time.Second)
	defer cancel()
	folder, c := t.TempDir(), command(ctx)
	c.Cancel = func() error { return c.Process.Signal(syscall.SIGTERM) } // which the launcher passes on
	c.WaitDelay = 5 * time.Second
	c.Env = append(os.Environ(), roleVariable+"="+role, folderVariable+"="+folder,
		"OMPI_MCA_orte_tmpdir_base="+t.TempDir(), // two that start at once both make the usual one
		"OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1", "OMPI_MCA_rmaps_base_oversubscribe=1",
		"OMPI_MCA_hwloc_base_binding_policy=none", "OMPI_MCA_mpi_yield_when_idle=1")
	c.Env = append(c.Env, more...)
	var out bytes.Buffer
	c.Stdout, c.Stderr = &out, &out
	err = c.Run()
	if ctx.Err() != nil {
		t.Fatalf("%d ranks as %s did not end within %v:\n%s", ranks, role, limit, &out)
	}
	said = map[int]string{}
	for r := range ranks {
		if text, err := os.ReadFile(filepath.Join(folder, strconv.Itoa(r))); err == nil {
			said[r] = string(text)
		}
	}
	return said, out.String(), err
}
