package main

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/internal/nearest"
	"github.com/weft-gnn/weft/train"
)

// The exit codes.
const (
	exitOK          = 0
	exitFailure     = 1
	exitUsage       = 2
	exitInterrupted = 130 // 128 + SIGINT, as shells have it
)

// usageError is a command line that cannot be meant.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// usage marks err as the command line's fault.
func usage(err error) error {
	if err == nil {
		return nil
	}
	return usageError{err}
}

// report turns the error of a command into its one line and exit code.
func report(ctx context.Context, c *cobra.Command, err error) (string, int) {
	var stopped *train.Interrupted
	var signalled *stoppedError
	var wrong usageError
	var noSplit *dataset.NoSplitError
	switch {
	case errors.As(err, &stopped) && stopped.Dir != "" && stopped.Kept < stopped.Epoch:
		return fmt.Sprintf("stopped after %s: `%s` goes on from epoch %d, the last checkpoint", plural(int64(stopped.Epoch), "epoch", "epochs"), resuming(c, stopped.Dir), stopped.Kept), exitInterrupted
	case errors.As(err, &stopped) && stopped.Dir != "":
		return fmt.Sprintf("stopped after %s, saved: go on with `%s`", plural(int64(stopped.Epoch), "epoch", "epochs"), resuming(c, stopped.Dir)), exitInterrupted
	case errors.As(err, &signalled):
		return oneLine(err), exitInterrupted
	case ctx.Err() != nil && errors.Is(err, context.Canceled):
		return "interrupted", exitInterrupted
	case errors.As(err, &wrong), errors.As(err, &noSplit) && changed(c, "split") != "":
		return oneLine(err) + remedy(c, err), exitUsage
	}
	return oneLine(err) + remedy(c, err), exitFailure
}

// resuming is the command that goes on with a run on the same ranks. A run may go on
// under any plan, so that its directory does not keep one.
func resuming(c *cobra.Command, dir string) string {
	words := "weft train --resume " + shellWord(dir)
	for _, name := range []string{"plan", "ranks"} {
		if f := c.Flags().Lookup(name); f != nil && f.Changed {
			words += " --" + name + " " + shellWord(f.Value.String())
		}
	}
	return words
}

// packagePrefix is what packages of weft put before their errors; to a user it
// says nothing.
var packagePrefix = regexp.MustCompile(`(^|: )(?:(?:analysis|comm|comm/mpi|dataset|graph|infer|kernel|launch|machine|model|partition|perf|plan|program|runtime|tensor|train): )+`)

// oneLine is an error's text without packages' names and line ends, visible as it is.
func oneLine(err error) string {
	var parts []string
	for line := range strings.SplitSeq(err.Error(), "\n") {
		parts = append(parts, visible(packagePrefix.ReplaceAllString(line, "$1")))
	}
	return strings.Join(parts, "; ")
}

// accepted says which words could stand in place of word, the nearest first.
func accepted(word string, names []string) string {
	list := ": there are " + strings.Join(names, ", ")
	if near := nearest.Names(word, names); len(near) > 0 {
		return fmt.Sprintf(", did you mean %q? (there are %s)", near[0], strings.Join(names, ", "))
	}
	return list
}

// flagError explains a flag that could not be parsed.
func flagError(c *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	var missing *pflag.ValueRequiredError
	var invalid *pflag.InvalidValueError
	switch {
	case errors.As(err, &unknown):
		return unknownFlag(c, unknown)
	case errors.As(err, &missing):
		f := missing.GetFlag()
		return usagef("--%s needs a value: %s", f.Name, f.Usage)
	case errors.As(err, &invalid):
		f := invalid.GetFlag()
		return usagef("--%s %s: %s", f.Name, invalid.GetValue(), reason(f, invalid.Unwrap()))
	}
	return usage(err)
}

func unknownFlag(c *cobra.Command, e *pflag.NotExistError) error {
	called, given, word := name(c), "--"+e.GetSpecifiedName(), e.GetSpecifiedName()
	if short := e.GetSpecifiedShortnames(); short != "" {
		given, word = "-"+short, short
	}
	var names []string
	c.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	if slices.Contains(names, word) { // one dash instead of two
		return usagef("%s has no flag %s, did you mean --%s?", called, given, word)
	}
	if near := nearest.Names(word, names); len(near) > 0 {
		return usagef("%s has no flag %s, did you mean --%s?", called, given, near[0])
	}
	return usagef("%s has no flag %s: see %s --help", called, given, c.CommandPath())
}

// reason says what is wrong with a flag's value: the words of the standard
// library's parsers are for programmers.
func reason(f *pflag.Flag, err error) string {
	switch f.Value.Type() {
	case "int", "int64":
		return "want a whole number"
	case "uint64":
		return "want a whole number from 0 to 2⁶⁴−1"
	case "float64":
		return "want a number"
	case "bool":
		return "want true or false"
	case "duration":
		return "want a time, as in 90s or 5m"
	}
	return oneLine(err)
}

// name is what users call a command, such as "data info".
func name(c *cobra.Command) string { return strings.TrimPrefix(c.CommandPath(), "weft ") }

// noArgs refuses words after a command that takes none.
func noArgs(c *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usagef("%s takes no arguments, only flags: got %q", name(c), args[0])
	}
	return nil
}

// args checks the number of words after a command; what says what they are.
func args(least, most int, what string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		switch {
		case len(args) < least:
			return usagef("%s needs %s: see %s --help", name(c), what, c.CommandPath())
		case len(args) > most:
			return usagef("%s takes %s only: got %q too", name(c), what, args[most])
		}
		return nil
	}
}
