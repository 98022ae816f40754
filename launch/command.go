package launch

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"time"
)

// Runner runs commands, one at a time, and passes signals on to them. A command
// has a process group of its own: a terminal's Ctrl-C reaches it once, by the Runner.
type Runner struct {
	Out, Err io.Writer

	mu      sync.Mutex
	process *os.Process // nil between commands
	stopped os.Signal   // the first signal
}

// drain is how long output is read on when a command has ended and processes that it
// left behind hold its pipe.
const drain = 5 * time.Second

// Run runs a command, with variables besides this process's own, until it ends.
//
// Errors: how it ended, an [exec.ExitError]; an [ErrCannotStart]; a signal came
// before it began.
func (r *Runner) Run(command, variables []string) error {
	c := exec.Command(command[0], command[1:]...)
	c.Env = append(os.Environ(), variables...)
	c.Stdout, c.Stderr = r.Out, r.Err
	c.WaitDelay = drain
	ownGroup(c)
	if err := r.start(c); err != nil {
		return err
	}
	err := c.Wait()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.process = nil
	return err
}

func (r *Runner) start(c *exec.Cmd) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.stopped != nil {
		return fmt.Errorf("launch: %v", r.stopped)
	}
	if err := c.Start(); err != nil {
		return errors.Join(ErrCannotStart, err)
	}
	r.process = c.Process
	return nil
}

// Signal passes a signal on to the command that runs. None begins afterwards.
//
// Errors: the system's; it may have just ended.
func (r *Runner) Signal(s os.Signal) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.stopped == nil {
		r.stopped = s
	}
	if r.process == nil {
		return nil
	}
	return signalGroup(r.process, s)
}
