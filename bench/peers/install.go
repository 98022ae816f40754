//go:build linux

package main

import (
	"bytes"
	"context"
	"embed"
	"fmt"
	"io/fs"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// programs are the peers' programs and the packages they need.
//
//go:embed py
var programs embed.FS

// built are packages of PyG's that exist as sources only. They are compiled
// against the environment's PyTorch, which takes minutes.
var built = []string{"torch-scatter==2.1.2", "torch-sparse==0.6.18"}

// peers are the installed environments.
type peers struct {
	cache, python string
}

// writePrograms puts the embedded files into the cache.
func (p peers) writePrograms() error {
	if err := os.MkdirAll(filepath.Join(p.cache, "py"), 0o755); err != nil {
		return err
	}
	return fs.WalkDir(programs, "py", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, err := programs.ReadFile(name)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(p.cache, filepath.FromSlash(name)), text, 0o644)
	})
}

// install makes an environment, unless it is there with the same packages.
func (p peers) install(ctx context.Context, env string) error {
	list := filepath.Join("py", env+".txt")
	want, err := programs.ReadFile(list)
	if err != nil {
		return err
	}
	extra := []string(nil)
	if env == "pyg" {
		extra = built
	}
	want = append(want, strings.Join(extra, "\n")...)
	mark := filepath.Join(p.cache, env, "installed.txt")
	if have, err := os.ReadFile(mark); err == nil && bytes.Equal(have, want) {
		return nil
	}
	log.Printf("installing %s into %s: gigabytes to fetch, and minutes to compile the first time", env, filepath.Join(p.cache, env))
	if err := p.command(ctx, p.python, "-m", "venv", env); err != nil {
		return err
	}
	if err := p.command(ctx, p.inside(env), "-m", "pip", "install", "-q", "-r", list); err != nil {
		return err
	}
	for _, pkg := range extra {
		if err := p.compile(ctx, env, pkg); err != nil {
			return err
		}
	}
	return os.WriteFile(mark, want, 0o644)
}

// compile installs a package from a wheel that is kept, building it first
// where there is none.
func (p peers) compile(ctx context.Context, env, pkg string) error {
	name, version, _ := strings.Cut(pkg, "==")
	const wheels = "wheels"
	kept, err := filepath.Glob(filepath.Join(p.cache, wheels, strings.ReplaceAll(name, "-", "_")+"-"+version+"-*.whl"))
	if err != nil {
		return err
	}
	if len(kept) == 0 {
		if err := p.command(ctx, p.inside(env), "-m", "pip", "wheel", "-q", "--no-build-isolation", "--no-deps", "-w", wheels, pkg); err != nil {
			return err
		}
	}
	return p.command(ctx, p.inside(env), "-m", "pip", "install", "-q", "--no-deps", "--no-index", "--find-links", wheels, pkg)
}

// inside returns an environment's Python.
func (p peers) inside(env string) string { return filepath.Join(p.cache, env, "bin", "python") }

// command runs a step of an installation in the cache.
func (p peers) command(ctx context.Context, name string, args ...string) error {
	c := exec.CommandContext(ctx, name, args...)
	c.Dir, c.Env = p.cache, peerEnv(0)
	c.Env = append(c.Env, "FORCE_ONLY_CPU=1") // torch-scatter and torch-sparse without CUDA
	var out bytes.Buffer
	c.Stdout, c.Stderr = &out, &out
	if err := c.Run(); err != nil {
		return fmt.Errorf("%s: %w: %s", strings.Join(c.Args, " "), err, lastLines(out.String(), 5))
	}
	return nil
}

// peerEnv is the environment of a peer's process: without settings that make
// linear algebra libraries choose other kernels than this machine's.
func peerEnv(threads int) []string {
	var out []string
	for _, v := range os.Environ() {
		name, _, _ := strings.Cut(v, "=")
		switch name {
		case "OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS":
			continue
		}
		out = append(out, v)
	}
	if threads == 0 {
		return out
	}
	return append(out,
		fmt.Sprintf("OMP_NUM_THREADS=%d", threads), fmt.Sprintf("MKL_NUM_THREADS=%d", threads),
		"TORCHINDUCTOR_COMPILE_THREADS=1") // compile in the process that is measured
}

// lastLines are the last lines of a program's messages, on one line.
func lastLines(s string, n int) string {
	lines := strings.Split(strings.TrimSpace(s), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], " | ")
}
