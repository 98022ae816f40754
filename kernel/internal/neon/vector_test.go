package main

import (
	"bufio"
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// Instructions that are written as words are what their comments say: Go's
// disassembler knows more of them than its assembler.
func TestWordsAreTheirInstructions(t *testing.T) {
	include := filepath.Join(strings.TrimSpace(output(t, "go", "env", "GOROOT")), "pkg", "include")
	for name, build := range families {
		f := newFile()
		build(f)
		source, object := filepath.Join(t.TempDir(), name+".s"), filepath.Join(t.TempDir(), name+".o")
		if err := os.WriteFile(source, f.asm.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		output(t, "go", "tool", "asm", "-p", "kernel", "-I", include, "-o", object, source)
		lines, words := strings.Split(f.asm.String(), "\n"), 0
		for text := bufio.NewScanner(strings.NewReader(output(t, "go", "tool", "objdump", object))); text.Scan(); {
			// name.s:LINE, address, encoding, instruction
			fields := strings.Fields(text.Text())
			if len(fields) < 4 || !strings.HasPrefix(fields[0], name+".s:") {
				continue
			}
			number, err := strconv.Atoi(strings.TrimPrefix(fields[0], name+".s:"))
			if err != nil {
				t.Fatal(err)
			}
			line := lines[number-1]
			_, want, written := strings.Cut(line, " // ")
			if !written || !strings.HasPrefix(line, "\tWORD") {
				continue
			}
			words++
			if got := strings.Join(fields[3:], " "); got != want {
				t.Errorf("%s: %q is %s", name, line, got)
			}
		}
		if want := bytes.Count(f.asm.Bytes(), []byte("\tWORD")); words != want || words == 0 {
			t.Errorf("%s: %d of %d words were disassembled", name, words, want)
		}
	}
}

func output(t *testing.T, command string, args ...string) string {
	t.Helper()
	c := exec.Command(command, args...)
	c.Env = append(os.Environ(), "GOARCH=arm64", "GOOS=linux")
	out, err := c.Output()
	if err != nil {
		t.Fatalf("%v: %v", c, err)
	}
	return string(out)
}
