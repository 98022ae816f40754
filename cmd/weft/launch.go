package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/weft-gnn/weft/launch"
	"github.com/weft-gnn/weft/train"
)

// launchRun is one call of weft launch.
type launchRun struct {
	*app
	restarts int
	dir      string
	pause    time.Duration
	command  trainCall
}

func (a *app) launchCommand() *cobra.Command {
	l := &launchRun{app: a}
	c := &cobra.Command{
		Use:   "launch [flags] -- COMMAND…",
		Short: "Train until the run has finished, restarting what fails",
		Long: `Run a command that trains, and run it again where it ended before the run had
finished: a rank was killed, a host was lost, a network broke. A run has
finished when its directory says so; the command's exit code is told, but not
believed.

In the command, weft train and its flags are looked for: it is run as given
first, and then with --resume RUN in place of the flags that the run keeps, so
that it goes on from the last checkpoint. A command that has no weft train in
it, such as a script, is run as it is every time: WEFT_ATTEMPT in its
environment is the number of the attempt, from 1. Checkpoints bear the number,
so that processes left over from an attempt that was given up overwrite nothing.

Signals are passed on, and end the job. Pauses between attempts double, up to a
minute.`,
		Example: `  weft launch -- mpirun -np 4 weft train --data arxiv --out runs/arxiv
  weft launch --restarts 10 -- srun --mpi=pmix weft train --data arxiv --out runs/arxiv --save-every 10epochs
  weft launch -- mpirun -np 4 weft train --resume runs/arxiv
  weft launch --dir runs/arxiv -- ./train.sh`,
		RunE: func(c *cobra.Command, words []string) error { return l.run(c, words) },
	}
	s := c.Flags()
	s.SetInterspersed(false)
	s.IntVar(&l.restarts, "restarts", 3, "number `R` of times that the command is run again at most")
	s.StringVar(&l.dir, "dir", "", "run directory `RUN` (default: what the command gives weft train as --out or --resume)")
	s.DurationVar(&l.pause, "pause", time.Second, "`TIME` before the first restart; each further pause is twice as long, up to a minute")
	quietFlag(a, c)
	return c
}

func (l *launchRun) run(c *cobra.Command, words []string) error {
	if err := l.read(words); err != nil {
		return err
	}
	if l.command.at >= 0 && !l.command.begun && begun(l.dir) {
		return fmt.Errorf("train: %s %w", l.dir, train.ErrHoldsRun)
	}
	newest, err := train.Newest(l.dir)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(context.WithoutCancel(c.Context())) // signals come here
	defer cancel(nil)
	r := &launch.Runner{Out: l.out, Err: l.log}
	defer l.passOn(r, cancel)()
	return launch.Job{
		First: newest + 1, Restarts: l.restarts, Pause: l.pause, Tell: l.tell,
		Attempt: func(_ context.Context, number int) error {
			return r.Run(l.command.attempt(l.dir), []string{fmt.Sprintf("%s=%d", attemptVariable, number)})
		},
		Finished: func() (bool, error) {
			attempt, err := train.Finished(l.dir)
			return attempt > newest, err
		},
	}.Do(ctx)
}

// read takes the command line.
//
// Errors: of usage.
func (l *launchRun) read(words []string) (err error) {
	switch {
	case len(words) == 0:
		return usagef("launch needs a command: weft launch -- mpirun -np 4 weft train --out RUN …")
	case l.restarts < 0:
		return usagef("--restarts %d: want 0 or more", l.restarts)
	case l.pause < 0:
		return usagef("--pause %v: want 0s or more", l.pause)
	}
	if l.command, err = readTrainCall(words); err != nil {
		return usage(err)
	}
	named := l.command.dir
	switch {
	case l.dir == "" && named == "":
		return usagef("launch needs to know the run directory: give weft train --out RUN, or weft launch --dir RUN")
	case l.dir == "":
		l.dir = named
	case named != "" && filepath.Clean(named) != filepath.Clean(l.dir):
		return usagef("--dir %s: the command trains in %s", l.dir, named)
	}
	return nil
}

// passOn passes signals on to the command that runs, until the function that it
// returns is called. The first one ends the job.
func (l *launchRun) passOn(r *launch.Runner, cancel context.CancelCauseFunc) (stop func()) {
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	done := make(chan struct{})
	go func() {
		for {
			select {
			case s := <-signals:
				cancel(&stoppedError{s, l.dir})
				if err := r.Signal(s); err != nil {
					l.say("launch: %v is not passed on: %v", s, err)
				}
			case <-done:
				return
			}
		}
	}()
	return func() { signal.Stop(signals); close(done) }
}

// stoppedError says that a signal ended a job.
type stoppedError struct {
	signal os.Signal
	dir    string
}

func (e *stoppedError) Error() string {
	return fmt.Sprintf("%v: stopped; `weft train --resume %s` goes on from the last checkpoint", e.signal, shellWord(e.dir))
}

// tell says how an attempt ended.
func (l *launchRun) tell(e launch.Ended) {
	how := "ended without an error"
	if e.Err != nil {
		how = fmt.Sprintf("ended with %v", oneLine(e.Err))
	}
	switch {
	case e.Finished && e.Err != nil:
		l.say("launch: the run has finished in attempt %d, which %s all the same", e.Attempt, how)
	case e.Finished:
		l.say("launch: the run has finished in attempt %d", e.Attempt)
	case e.Again:
		l.say("launch: attempt %d %s before the run had finished: attempt %d begins in %v, %d more may follow", e.Attempt, how, e.Attempt+1, e.Pause, e.Left-1)
	default:
		l.say("launch: attempt %d %s before the run had finished", e.Attempt, how)
	}
}

// trainCall is a command in which weft train may be called.
type trainCall struct {
	words []string
	at    int      // of the word train; −1 where there is none
	keeps []string // its flags that go with --resume
	dir   string   // its run directory
	begun bool     // it resumes the run already
}

// readTrainCall looks for weft train in a command.
//
// Errors: flags that weft train does not take, or that cannot be restarted.
func readTrainCall(words []string) (trainCall, error) {
	t := trainCall{words: words, at: -1}
	for i := 1; i < len(words); i++ {
		if words[i] == "train" && strings.HasPrefix(filepath.Base(words[i-1]), "weft") {
			t.at = i
			break
		}
	}
	if t.at < 0 {
		return t, nil
	}
	c := (&app{out: io.Discard, log: io.Discard, getenv: os.Getenv}).trainCommand()
	if err := c.ParseFlags(words[t.at+1:]); err != nil {
		return t, flagError(c, err)
	}
	if err := noArgs(c, c.Flags().Args()); err != nil {
		return t, err
	}
	if changed(c, "seeds") != "" {
		return t, errors.New("--seeds does not go with launch, which restarts one run: launch each seed")
	}
	c.Flags().Visit(func(f *pflag.Flag) {
		switch {
		case f.Name == "out" || f.Name == "resume":
			t.dir, t.begun = f.Value.String(), f.Name == "resume"
		case slices.Contains(withResume, f.Name):
			t.keeps = append(t.keeps, fmt.Sprintf("--%s=%s", f.Name, f.Value))
		}
	})
	return t, nil
}

// attempt is the command of the next attempt: as it was given where there is
// nothing to resume yet.
func (t trainCall) attempt(dir string) []string {
	if t.at < 0 || t.begun || !begun(dir) {
		return t.words
	}
	return slices.Concat(t.words[:t.at+1], []string{"--resume=" + dir}, t.keeps)
}

// begun reports whether a directory holds a run.
func begun(dir string) bool {
	_, err := train.ReadConfig(dir)
	return err == nil
}
