package main

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Help is at most so wide; flags' texts begin in the second column.
const (
	helpWidth  = 80
	helpColumn = 22
)

// printUsage is the part of a command's help below its description.
func printUsage(c *cobra.Command) error {
	w := c.OutOrStdout()
	fmt.Fprintf(w, "Usage:\n  %s\n", usageLine(c))
	if c.HasExample() {
		fmt.Fprintf(w, "\nExamples:\n%s\n", c.Example)
	}
	if c.HasAvailableSubCommands() {
		fmt.Fprintln(w, "\nCommands:")
		for _, sub := range c.Commands() {
			if sub.IsAvailableCommand() {
				fmt.Fprintf(w, "  %-11s %s\n", sub.Name(), sub.Short)
			}
		}
		fmt.Fprintf(w, "\n%s COMMAND --help says more of one.\n", c.CommandPath())
	}
	title := ""
	c.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Name == "help" {
			return
		}
		if t := titleOf(f); t != title {
			title = t
			fmt.Fprintf(w, "\n%s:\n", title)
		}
		printFlag(w, f)
	})
	return nil
}

func usageLine(c *cobra.Command) string {
	if c.HasAvailableSubCommands() {
		return c.CommandPath() + " COMMAND"
	}
	return c.UseLine()
}

// printFlag prints a flag's name beside what it does.
func printFlag(w io.Writer, f *pflag.Flag) {
	value, about := pflag.UnquoteUsage(f)
	name := "  --" + f.Name
	if f.Value.Type() != "bool" {
		name += " " + value
	}
	lines := wrap(flagText(f, about), helpWidth-helpColumn)
	if utf8.RuneCountInString(name) >= helpColumn {
		fmt.Fprintln(w, name)
		name = ""
	}
	for _, line := range lines {
		fmt.Fprintf(w, "%-*s%s\n", helpColumn, name, strings.ReplaceAll(line, unbroken, " "))
		name = ""
	}
}

// flagText is what a flag does, the words it takes, and what holds without it.
func flagText(f *pflag.Flag, about string) string {
	about, preset, stated := strings.Cut(about, " (default")
	if c, ok := f.Value.(*choice); ok {
		about += ": " + strings.Join(c.names, ", ")
	}
	switch {
	case stated:
		about += " (default" + preset
	case f.Value.Type() != "bool" && f.DefValue != "" && !strings.Contains(about, "(required)"):
		about += " (default" + unbroken + f.DefValue + ")"
	}
	return about
}

// unbroken is a space at which wrap does not break a line.
const unbroken = "\x00"

// wrap breaks a text into lines of at most width characters.
func wrap(text string, width int) []string {
	var lines []string
	line := ""
	for word := range strings.FieldsSeq(text) {
		if line != "" && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > width {
			lines = append(lines, line)
			line = ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	return append(lines, line)
}

// titleKey is the annotation of flags that names their part of the help.
const titleKey = "weft_title"

// title puts the flags declared since the last call under a title in the help.
func title(c *cobra.Command, name string) {
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if f.Annotations[titleKey] == nil {
			if f.Annotations == nil {
				f.Annotations = map[string][]string{}
			}
			f.Annotations[titleKey] = []string{name}
		}
	})
}

func titleOf(f *pflag.Flag) string {
	if t := f.Annotations[titleKey]; len(t) > 0 {
		return t[0]
	}
	return "Flags"
}
