// Command weft trains graph neural networks, applies them, and says beforehand
// what they cost. Each subcommand is a file of this folder; what they do lies in
// the packages they call.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/term"
)

func main() {
	os.Exit(run())
}

// run is main without the exit, for tests that start the command anew.
func run() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	// The first Ctrl-C asks for an orderly end; a second one ends at once.
	context.AfterFunc(ctx, stop)
	a := &app{
		out: os.Stdout, log: os.Stderr, getenv: os.Getenv,
		terminal: term.IsTerminal(int(os.Stderr.Fd())),
	}
	return a.execute(ctx, os.Args[1:])
}
