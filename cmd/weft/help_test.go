package main

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// commands visits a command and all below it, but those that cobra adds.
func commands(c *cobra.Command, visit func(*cobra.Command)) {
	if c.Name() == "completion" || c.Name() == "help" {
		return
	}
	visit(c)
	for _, sub := range c.Commands() {
		commands(sub, visit)
	}
}

func testApp(out *bytes.Buffer) *app {
	return &app{out: out, log: out, getenv: func(string) string { return "" }}
}

// TestHelpTeaches: every command says what it does at length and, if it is
// run, how; every flag has a text and states what holds without it.
func TestHelpTeaches(t *testing.T) {
	commands(testApp(&bytes.Buffer{}).root(), func(c *cobra.Command) {
		if len(c.Long) < 60 || c.Short == "" {
			t.Errorf("%s: says little: %q", c.CommandPath(), c.Long)
		}
		if !c.HasSubCommands() && c.Name() != "version" && !strings.Contains(c.Example, "weft "+name(c)) {
			t.Errorf("%s: no example shows it", c.CommandPath())
		}
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if f.Name == "help" {
				return
			}
			value, about := pflag.UnquoteUsage(f)
			text := flagText(f, about)
			stated := f.Value.Type() == "bool" || strings.Contains(text, "(default") || strings.Contains(text, "(required)")
			if about == "" || !stated {
				t.Errorf("%s --%s %s: no default is stated: %q", c.CommandPath(), f.Name, value, text)
			}
		})
	})
}

// TestHelpFitsATerminal: no line of any help is wider than 80 characters, but
// those of examples, which must be one line to be copied.
func TestHelpFitsATerminal(t *testing.T) {
	var paths []string
	commands(testApp(&bytes.Buffer{}).root(), func(c *cobra.Command) { paths = append(paths, c.CommandPath()) })
	for _, path := range paths {
		var out bytes.Buffer
		if code := testApp(&out).execute(t.Context(), append(strings.Fields(path)[1:], "--help")); code != exitOK {
			t.Fatalf("%s --help: exit %d", path, code)
		}
		for line := range strings.Lines(out.String()) {
			if utf8.RuneCountInString(line) > helpWidth+1 && !strings.Contains(line, "  weft ") {
				t.Errorf("%s: %q", path, line)
			}
		}
	}
}

func TestWrap(t *testing.T) {
	got := strings.Join(wrap("aa bb"+unbroken+"cc dddd e", 5), "|")
	if want := "aa|bb" + unbroken + "cc|dddd|e"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
