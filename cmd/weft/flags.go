package main

import (
	"encoding"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/weft-gnn/weft/internal/nearest"
	"github.com/weft-gnn/weft/program"
)

// choice is a flag whose value is one of few words.
type choice struct {
	names []string
	value string
	set   func(string) error
}

func (c *choice) String() string { return c.value }
func (c *choice) Type() string   { return "NAME" }

// Set takes a word, or says which ones there are.
func (c *choice) Set(word string) error {
	if !slices.Contains(c.names, word) {
		if near := nearest.Names(word, c.names); len(near) > 0 {
			return fmt.Errorf("want one of %s; did you mean %s?", strings.Join(c.names, ", "), near[0])
		}
		return fmt.Errorf("want one of %s", strings.Join(c.names, ", "))
	}
	c.value = word
	return c.set(word)
}

// choiceFlag declares a flag that takes one of names and sets to by its text. Its
// default is to's own text where that is one of them.
func choiceFlag[T any, P interface {
	*T
	encoding.TextUnmarshaler
}](c *cobra.Command, to P, name string, names []string, usage string) {
	v := &choice{names: names, set: func(word string) error { return to.UnmarshalText([]byte(word)) }}
	if s, ok := any(*to).(fmt.Stringer); ok && slices.Contains(names, s.String()) {
		v.value = s.String()
	}
	addChoice(c, v, name, usage)
}

// wordFlag declares a flag that takes one of names as it is.
func wordFlag(c *cobra.Command, to *string, name, value string, names []string, usage string) {
	*to = value
	addChoice(c, &choice{names: names, value: value, set: func(word string) error { *to = word; return nil }}, name, usage)
}

func addChoice(c *cobra.Command, v *choice, name, usage string) {
	c.Flags().Var(v, name, usage)
	complete(c, name, cobra.FixedCompletions(v.names, cobra.ShellCompDirectiveNoFileComp))
}

// complete registers what a shell offers for a flag.
func complete(c *cobra.Command, flag string, f cobra.CompletionFunc) {
	if err := c.RegisterFlagCompletionFunc(flag, f); err != nil {
		panic(err) // no such flag: a defect of the declaration
	}
}

// passes is the flag that leaves out passes of the compiler.
type passes struct{ skip []string }

func (p *passes) Type() string { return "LIST" }

func (p *passes) String() string {
	switch {
	case len(p.skip) == 0:
		return "all"
	case slices.Contains(p.skip, "none"):
		return "none"
	}
	return "-" + strings.Join(p.skip, ",-")
}

// Set reads "all", "none" or "-fold,-reorder".
func (p *passes) Set(text string) error {
	p.skip = nil
	switch text {
	case "all":
		return nil
	case "none":
		p.skip = []string{"none"}
		return nil
	}
	names := optionalPasses()
	for word := range strings.SplitSeq(text, ",") {
		name, left := strings.CutPrefix(word, "-")
		if !left || !slices.Contains(names, name) {
			return fmt.Errorf("%q: %s", word, nearestPass(word, names))
		}
		p.skip = append(p.skip, name)
	}
	return nil
}

// nearestPass says what could stand for word in --passes.
func nearestPass(word string, names []string) string {
	words := []string{"all", "none"}
	for _, name := range names {
		words = append(words, "-"+name)
	}
	want := "want all, none, or any of " + strings.Join(words[2:], ",")
	if slices.Contains(names, word) {
		return want + "; did you mean -" + word + "?"
	}
	if near := nearest.Names(word, words); len(near) > 0 {
		return want + "; did you mean " + near[0] + "?"
	}
	return want
}

// skipped returns the passes left out as a set.
func (p *passes) skipped() map[string]bool {
	set := map[string]bool{}
	for _, name := range p.skip {
		set[name] = true
	}
	return set
}

// optionalPasses are the passes that may be left out.
func optionalPasses() []string {
	var names []string
	for _, p := range program.Passes() {
		if !p.Needed && !slices.Contains(names, p.Name) {
			names = append(names, p.Name)
		}
	}
	return names
}

func passesFlag(c *cobra.Command, p *passes) {
	c.Flags().Var(p, "passes", "compiler passes: all, none (the program runs as it was declared), or those to leave out, such as -fold,-reorder; see weft explain")
	words := []string{"all", "none"}
	for _, name := range optionalPasses() {
		words = append(words, "-"+name)
	}
	complete(c, "passes", cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp))
}
