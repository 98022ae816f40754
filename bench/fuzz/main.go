// Command fuzz runs every fuzz target of the module in turn, each for the same
// time, and stops at the first crash.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"os/signal"
	"regexp"
	"strings"
	"time"
)

func main() {
	each := flag.Duration("time", time.Minute, "time per target")
	only := flag.String("run", ".", "regular expression of the targets to run")
	workers := flag.Int("parallel", 2, "fuzzing processes")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	wanted, err := regexp.Compile(*only)
	if err != nil {
		log.Fatal(err)
	}
	targets, err := list(ctx)
	if err != nil {
		log.Fatal(err)
	}
	for _, t := range targets {
		if !wanted.MatchString(t.name) {
			continue
		}
		fmt.Printf("fuzz: %s %s for %v\n", t.pkg, t.name, *each)
		// An input that reaches new code is minimised once, not for up to a minute.
		cmd := exec.CommandContext(ctx, "go", "test", "-run", "^$", "-fuzz", "^"+t.name+"$",
			"-fuzztime", each.String(), "-fuzzminimizetime", "1x", "-parallel", fmt.Sprint(*workers), t.pkg)
		cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
		if err := cmd.Run(); err != nil {
			log.Fatalf("fuzz: %s %s: %v", t.pkg, t.name, err)
		}
	}
}

type target struct{ pkg, name string }

// list asks every package for its fuzz targets.
func list(ctx context.Context) ([]target, error) {
	pkgs, err := exec.CommandContext(ctx, "go", "list", "./...").Output()
	if err != nil {
		return nil, fmt.Errorf("fuzz: go list: %w", err)
	}
	var out []target
	for _, pkg := range strings.Fields(string(pkgs)) {
		names, err := exec.CommandContext(ctx, "go", "test", "-list", "^Fuzz", pkg).Output()
		if err != nil {
			return nil, fmt.Errorf("fuzz: %s: %w", pkg, err)
		}
		for _, name := range strings.Fields(string(names)) {
			if strings.HasPrefix(name, "Fuzz") {
				out = append(out, target{pkg, name})
			}
		}
	}
	return out, nil
}
