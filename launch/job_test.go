package launch_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/weft-gnn/weft/launch"
)

// TestJob: attempts are made until the work says that it is done, whatever they end
// with.
func TestJob(t *testing.T) {
	lost := errors.New("lost")
	for what, c := range map[string]struct {
		restarts int
		ends     []error
		done     int // the attempt after which the work is done
		made     []int
		pauses   []time.Duration
		err      string
	}{
		"at once":               {3, []error{nil}, 4, []int{4}, nil, ""},
		"done, with an error":   {3, []error{lost}, 4, []int{4}, nil, ""},
		"third time":            {5, []error{lost, nil, nil}, 6, []int{4, 5, 6}, []time.Duration{20 * time.Second, 40 * time.Second}, ""},
		"pauses have a limit":   {4, []error{lost, lost, lost, lost, nil}, 8, []int{4, 5, 6, 7, 8}, []time.Duration{20 * time.Second, 40 * time.Second, time.Minute, time.Minute}, ""},
		"given up":              {1, []error{lost, lost}, 0, []int{4, 5}, []time.Duration{20 * time.Second}, "not finished after 2 attempts: the last one: lost"},
		"well, and not done":    {0, []error{nil}, 0, []int{4}, nil, "not finished after 1 attempts: the last one: ended without an error"},
		"there is no such file": {3, []error{launch.ErrCannotStart}, 0, []int{4}, nil, "cannot start"},
	} {
		var made []int
		var pauses []time.Duration
		err := launch.Job{
			First: 4, Restarts: c.restarts, Pause: 20 * time.Second,
			Attempt: func(_ context.Context, n int) error {
				made = append(made, n)
				return c.ends[len(made)-1]
			},
			Finished: func() (bool, error) { return made[len(made)-1] == c.done, nil },
			After: func(d time.Duration) <-chan time.Time {
				pauses = append(pauses, d)
				now := make(chan time.Time, 1)
				now <- time.Time{}
				return now
			},
		}.Do(t.Context())
		if !slices.Equal(made, c.made) || !slices.Equal(pauses, c.pauses) {
			t.Errorf("%s: attempts %v with pauses %v, want %v with %v", what, made, pauses, c.made, c.pauses)
		}
		if (c.err == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%s: got %v, want %q", what, err, c.err)
		}
	}
}

// TestJobStops: nothing follows once it is cancelled, during an attempt or a pause.
func TestJobStops(t *testing.T) {
	enough := errors.New("enough")
	for _, during := range []string{"attempt", "pause"} {
		ctx, cancel := context.WithCancelCause(t.Context())
		made := 0
		err := launch.Job{
			Restarts: 9,
			Attempt: func(context.Context, int) error {
				if made++; during == "attempt" {
					cancel(enough)
				}
				return nil
			},
			Finished: func() (bool, error) { return false, nil },
			After:    func(time.Duration) <-chan time.Time { cancel(enough); return nil },
		}.Do(ctx)
		if !errors.Is(err, enough) || made != 1 {
			t.Errorf("cancelled during the %s: %v after %d attempts", during, err, made)
		}
	}
}

// TestRunner: a command's output, its status, its variables, and signals to all of
// its processes.
func TestRunner(t *testing.T) {
	var out bytes.Buffer
	r := &launch.Runner{Out: &out, Err: &out}
	if err := r.Run([]string{"sh", "-c", "echo $N; exit 3"}, []string{"N=7"}); fmt.Sprint(err) != "exit status 3" || out.String() != "7\n" {
		t.Errorf("%v, printed %q", err, &out)
	}
	if err := r.Run([]string{t.TempDir() + "/none"}, nil); !errors.Is(err, launch.ErrCannotStart) {
		t.Errorf("a command that is not there gave %v", err)
	}
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	r.Out = writer
	ended := make(chan error)
	go func() { ended <- r.Run([]string{"sh", "-c", "sleep 60 & echo begun; wait"}, nil) }()
	begun := make([]byte, 6)
	if _, err := reader.Read(begun); err != nil {
		t.Fatal(err)
	}
	if err := r.Signal(syscall.SIGTERM); err != nil {
		t.Error(err)
	}
	if err := <-ended; err == nil {
		t.Error("a command that was told to end ended well")
	}
	writer.Close()
	// The pipe ends when its last writer has: the process in the background, too.
	if n, err := reader.Read(begun); n != 0 || err == nil {
		t.Errorf("read %d bytes, %v", n, err)
	}
	if err := r.Run([]string{"true"}, nil); err == nil {
		t.Error("a command began after a signal")
	}
}
