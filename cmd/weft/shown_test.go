package main

import (
	"errors"
	"os/exec"
	"testing"
)

// TestVisible: what a file has in place of text does not steer the terminal.
func TestVisible(t *testing.T) {
	for text, want := range map[string]string{
		"Über uns, 83 % 🙂\"":        "Über uns, 83 % 🙂\"",
		"id \x1b[2Jada\r":           `id \x1b[2Jada\r`,
		"bob\xff\x00":               `bob\xff\x00`,
		"a\u202eb\u009bc\tlast":     `a\u202eb\u009bc\tlast`,
		"the replacement \ufffd is": "the replacement \ufffd is",
	} {
		if got := visible(text); got != want {
			t.Errorf("%q is shown as %q, want %q", text, got, want)
		}
	}
	if got := oneLine(errors.New("dataset: e.csv:3: id \x1b[31mada\nis unknown")); got != `e.csv:3: id \x1b[31mada; is unknown` {
		t.Errorf("an error is shown as %q", got)
	}
}

// TestShellWord: a shell takes a word as the path that it stands for.
func TestShellWord(t *testing.T) {
	for path, want := range map[string]string{
		"runs/gcn-cora-0-1":          "runs/gcn-cora-0-1",
		"algorithm=2d,partition=2x2": "algorithm=2d,partition=2x2",
		"my runs/a":                  "'my runs/a'",
		"it's $HOME":                 `'it'\''s $HOME'`,
		"läufe/*":                    "'läufe/*'",
		"":                           "''",
	} {
		word := shellWord(path)
		if word != want {
			t.Errorf("%q is written %s, want %s", path, word, want)
		}
		sh, err := exec.LookPath("sh")
		if err != nil {
			continue
		}
		if out, err := exec.Command(sh, "-c", "printf %s "+word).Output(); err != nil || string(out) != path {
			t.Errorf("%s is %q to a shell (%v), want %q", word, out, err, path)
		}
	}
}
