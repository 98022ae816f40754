package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/dataset/source"
	"github.com/weft-gnn/weft/internal/cpu"
)

// app is what subcommands share: where they write and what surrounds them.
type app struct {
	out      io.Writer // results
	log      io.Writer // everything else
	terminal bool      // log is a terminal: bars may be drawn
	getenv   func(string) string
	quiet    bool  // only results and errors
	memory   int64 // bytes at hand, 0 for any
	world    *world
}

// execute runs the command line and returns the exit code.
func (a *app) execute(ctx context.Context, args []string) int {
	written := &watched{w: a.out}
	a.out = written
	root := a.root()
	root.SetArgs(args)
	called, err := root.ExecuteContextC(ctx)
	if err == nil {
		err = written.err // help and completions do not report it
	}
	if err == nil {
		err = a.world.leave(nil)
	}
	if err == nil {
		return exitOK
	}
	line, code := report(ctx, called, err)
	if prefix, ok := a.world.tells(err); ok {
		fmt.Fprintln(a.log, "weft: "+prefix+line+a.memoryRemedy(err))
	}
	if err := a.world.leave(err); err != nil {
		fmt.Fprintln(a.log, "weft: "+oneLine(err))
	}
	return code
}

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "weft",
		Short: "Train graph neural networks, apply them, and know beforehand what they cost",
		Long: `weft trains graph neural networks on the CPUs at hand, applies them, and says
beforehand what they cost in work, depth, bytes and memory.

  weft train                                  a GCN on the karate club, contained in weft
  weft train --model gat --data cora          a set from $WEFT_DATA, or fetched
  weft train --vertices people.csv --edges knows.csv --label team    your own tables

Data are looked up in the folders of $WEFT_DATA, then in the cache ($WEFT_CACHE,
or weft in the user's cache folder). WEFT_ISA=avx512, avx2 or generic, on arm64
neon or generic, chooses the vector instructions; without it the widest count.
Results go to stdout, everything else to stderr; --json prints one JSON object.
What needs more memory than the system has left is refused; WEFT_MEMORY=16GB or
unlimited takes the place of what it says. Exit codes: 0 success, 1 failure, 2
wrong usage, 130 interrupted.`,
		Version:      readVersion().Version,
		SilenceUsage: true, SilenceErrors: true,
		PersistentPreRunE: func(*cobra.Command, []string) (err error) {
			if err = cpu.Check(); err != nil {
				return usage(err)
			}
			a.memory, _, err = a.memoryAtHand()
			return err
		},
	}
	root.SetOut(a.out)
	root.SetErr(a.log)
	root.SetVersionTemplate("weft {{.Version}}\n")
	root.SetFlagErrorFunc(flagError)
	root.SetUsageFunc(printUsage)
	group(root)
	root.AddCommand(
		a.trainCommand(), a.launchCommand(), a.evalCommand(), a.predictCommand(), a.embedCommand(),
		a.analyzeCommand(), a.explainCommand(), a.planCommand(), a.modelsCommand(), a.dataCommand(),
		a.partitionCommand(), a.benchCommand(), a.calibrateCommand(), a.versionCommand(),
	)
	root.SetHelpCommand(helpCommand(root))
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		if c.Name() == "completion" {
			group(c)
		}
	}
	return root
}

// helpCommand makes `weft help data gen` the same as `weft data gen --help`.
func helpCommand(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Say what a command does",
		ValidArgsFunction: func(_ *cobra.Command, words []string, _ string) ([]string, cobra.ShellCompDirective) {
			c, _, err := root.Find(words)
			if err != nil {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return subcommands(c), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, words []string) error {
			c, rest, err := root.Find(words)
			if err == nil && len(rest) > 0 {
				return noSuchCommand(c, rest[0])
			}
			if err != nil {
				return err
			}
			return c.Help()
		},
	}
}

// group makes a command that only has subcommands print its help, and name the
// nearest one where it is given another word.
func group(c *cobra.Command) {
	c.Args = cobra.ArbitraryArgs
	c.RunE = func(c *cobra.Command, args []string) error {
		if len(args) == 0 {
			return c.Help()
		}
		return noSuchCommand(c, args[0])
	}
}

// noSuchCommand says which commands c has in place of word.
func noSuchCommand(c *cobra.Command, word string) error {
	called := strings.TrimSpace(strings.TrimPrefix(c.CommandPath(), "weft") + " " + word)
	return usagef("no command is called %q%s", called, accepted(word, subcommands(c)))
}

func subcommands(c *cobra.Command) []string {
	var names []string
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() || sub.Name() == "help" {
			names = append(names, sub.Name())
		}
	}
	return names
}

// lookup says where data are found.
func (a *app) lookup() dataset.Options {
	opt := source.Places(a.getenv)
	opt.Memory = a.memory
	return opt
}

// cacheDir is where fetched and imported sets go; "" where the system has none.
func (a *app) cacheDir() string { return a.lookup().CacheDir }

// watched remembers the first error of a writer.
type watched struct {
	w   io.Writer
	err error
}

func (w *watched) Write(p []byte) (int, error) {
	n, err := w.w.Write(p)
	if err != nil && w.err == nil {
		w.err = fmt.Errorf("standard output: %w", err)
	}
	return n, err
}

// say writes a line for people to stderr, unless they want quiet.
func (a *app) say(format string, args ...any) {
	if !a.quiet {
		fmt.Fprintf(a.log, format+"\n", args...)
	}
}

// print writes a result to stdout.
func (a *app) print(format string, args ...any) error {
	if _, err := fmt.Fprintf(a.out, format, args...); err != nil {
		return fmt.Errorf("standard output: %w", err)
	}
	return nil
}

// printJSON writes the one JSON object of a command to stdout.
func (a *app) printJSON(v any) error {
	e := json.NewEncoder(a.out)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return fmt.Errorf("standard output: %w", err)
	}
	return nil
}
