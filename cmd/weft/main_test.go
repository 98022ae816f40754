package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/weft-gnn/weft/dataset/source"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"weft": main})
}

// TestScripts runs the sessions of testdata/script: each is a user's, from
// the commands typed to what lies on the disk afterwards.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(env *testscript.Env) error {
			env.Setenv("WEFT_CACHE", filepath.Join(env.WorkDir, ".cache"))
			real := source.Places(os.Getenv) // for those that need real sets
			env.Setenv("DATA", strings.Join(append(real.DataPath, real.CacheDir), string(filepath.ListSeparator)))
			if e, err := source.Find("snap/karate", real); err == nil {
				env.Setenv("KARATE", e.Path)
			}
			env.Values["stopped"] = &stopped{}
			return nil
		},
		Condition: condition,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"await":     awaitCmd,
			"exit":      exitCmd,
			"exited":    exitedCmd,
			"interrupt": interruptCmd,
			"json":      jsonCmd,
			"lines":     linesCmd,
			"oneline":   onelineCmd,
			"same":      sameCmd,
		},
	})
}

// condition adds data:NAME, that the real set NAME is in $WEFT_DATA or in the
// cache, and root.
func condition(name string) (bool, error) {
	if set, ok := strings.CutPrefix(name, "data:"); ok {
		e, err := source.Find(set, source.Places(os.Getenv))
		return err == nil && e.Path != "", nil
	}
	if name == "root" {
		return os.Geteuid() == 0, nil
	}
	return false, fmt.Errorf("no condition is called %q", name)
}

// jsonCmd checks a JSON document: `json FILE PATH OP [VALUE]`, the path's steps
// joined by dots. Ops: == (a JSON value, or a word), has (the object has all
// these keys), len, type, and < and > of numbers.
//
//	json stdout score.test > 0.5
//	json stdout . has model data task
func jsonCmd(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) < 3 {
		ts.Fatalf("usage: json FILE PATH OP [VALUE]")
	}
	doc := decode(ts, args[0])
	v, err := at(doc, args[1])
	ts.Check(err)
	if holds(ts, v, args[2], args[3:]) == neg {
		ts.Fatalf("%s: %s %s does not hold: it is %s", args[0], args[1], strings.Join(args[2:], " "), text(v))
	}
}

// decode reads a file that must be exactly one JSON document.
func decode(ts *testscript.TestScript, file string) any {
	d := json.NewDecoder(strings.NewReader(ts.ReadFile(file)))
	d.UseNumber()
	var doc any
	if err := d.Decode(&doc); err != nil {
		ts.Fatalf("%s is not JSON: %v", file, err)
	}
	if _, err := d.Token(); err != io.EOF {
		ts.Fatalf("%s holds more than one JSON document", file)
	}
	return doc
}

// at walks a path of keys and indices.
func at(v any, path string) (any, error) {
	for step := range strings.SplitSeq(strings.Trim(path, "."), ".") {
		switch w := v.(type) {
		case map[string]any:
			next, ok := w[step]
			if !ok && step != "" {
				return nil, fmt.Errorf("no key %q in %s", step, text(v))
			}
			if step != "" {
				v = next
			}
		case []any:
			i, err := strconv.Atoi(step)
			if err != nil || i < 0 || i >= len(w) {
				return nil, fmt.Errorf("no element %q of %d", step, len(w))
			}
			v = w[i]
		default:
			return nil, fmt.Errorf("no %q in %s", step, text(v))
		}
	}
	return v, nil
}

func text(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(b)
}

func holds(ts *testscript.TestScript, v any, op string, args []string) bool {
	switch op {
	case "has":
		object, ok := v.(map[string]any)
		for _, key := range args {
			if _, has := object[key]; !ok || !has {
				return false
			}
		}
		return ok
	case "len":
		list, ok := v.([]any)
		return ok && fmt.Sprint(len(list)) == args[0]
	case "type":
		return kind(v) == args[0]
	case "<", ">":
		x, err := strconv.ParseFloat(text(v), 64)
		ts.Check(err)
		y, err := strconv.ParseFloat(args[0], 64)
		ts.Check(err)
		return op == "<" && x < y || op == ">" && x > y
	case "==":
		want := strings.Join(args, " ")
		var value any
		d := json.NewDecoder(strings.NewReader(want))
		d.UseNumber()
		if s, ok := v.(string); ok && s == want {
			return true
		}
		return d.Decode(&value) == nil && reflect.DeepEqual(v, value)
	}
	ts.Fatalf("json: no comparison is called %q", op)
	return false
}

func kind(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return "bool"
	case json.Number:
		return "number"
	case string:
		return "string"
	case []any:
		return "list"
	}
	return "object"
}

// exitCmd runs weft and checks its exit code: `exit 2 weft train --epoch 5`.
// Its output is there for stdout and stderr.
func exitCmd(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exit CODE COMMAND…")
	}
	err := ts.Exec(args[1], args[2:]...)
	code := 0
	if coded, ok := err.(interface{ ExitCode() int }); ok {
		code = coded.ExitCode()
	} else {
		ts.Check(err)
	}
	if fmt.Sprint(code) != args[0] {
		ts.Fatalf("exit code %d, want %s", code, args[0])
	}
}

// onelineCmd checks that a stream is exactly one line, as errors are.
func onelineCmd(ts *testscript.TestScript, neg bool, args []string) {
	s := ts.ReadFile(args[0])
	if one := strings.Count(s, "\n") == 1 && strings.HasSuffix(s, "\n"); one == neg {
		ts.Fatalf("%s is not one line: %q", args[0], s)
	}
}

// linesCmd checks a file's number of lines: `lines metrics.jsonl 200`, or
// `lines stderr 8 14`, the least and the most.
func linesCmd(ts *testscript.TestScript, neg bool, args []string) {
	n := strings.Count(ts.ReadFile(args[0]), "\n")
	least, err := strconv.Atoi(args[1])
	ts.Check(err)
	most := least
	if len(args) > 2 {
		most, err = strconv.Atoi(args[2])
		ts.Check(err)
	}
	if (n >= least && n <= most) == neg {
		ts.Fatalf("%s has %d lines", args[0], n)
	}
}

// awaitCmd waits until a file holds something.
func awaitCmd(ts *testscript.TestScript, neg bool, args []string) {
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(2 * time.Millisecond) {
		if fi, err := os.Stat(ts.MkAbs(args[0])); err == nil && fi.Size() > 0 {
			return
		}
	}
	ts.Fatalf("%s did not appear", args[0])
}

// stopped is where a script keeps the background command that it interrupted.
type stopped struct{ cmd *exec.Cmd }

// interruptCmd sends SIGINT to the one background command, as Ctrl-C does.
func interruptCmd(ts *testscript.TestScript, neg bool, args []string) {
	running := ts.BackgroundCmds()
	if len(running) != 1 {
		ts.Fatalf("%d background commands, want 1", len(running))
	}
	ts.Check(running[0].Process.Signal(os.Interrupt))
	ts.Value("stopped").(*stopped).cmd = running[0]
}

// exitedCmd checks the exit code of the interrupted command, after wait.
func exitedCmd(ts *testscript.TestScript, neg bool, args []string) {
	if code := ts.Value("stopped").(*stopped).cmd.ProcessState.ExitCode(); fmt.Sprint(code) != args[0] {
		ts.Fatalf("exit code %d, want %s", code, args[0])
	}
}

// sameCmd checks that two JSON files agree in the given paths.
func sameCmd(ts *testscript.TestScript, neg bool, args []string) {
	a, b := decode(ts, args[0]), decode(ts, args[1])
	for _, path := range args[2:] {
		x, err := at(a, path)
		ts.Check(err)
		y, err := at(b, path)
		ts.Check(err)
		if reflect.DeepEqual(x, y) == neg {
			ts.Fatalf("%s: %.200s and %.200s", path, text(x), text(y))
		}
	}
}
