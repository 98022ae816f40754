// Command neon writes the assembly of the kernels for arm64. It runs in the
// folder of package kernel:
//
//	go run ./internal/neon
//
// writes, for each family of functions, FAMILY_arm64.s and FAMILY_arm64.go, which
// declares them. Avo, which writes those for amd64, knows no other architecture;
// this command needs little of what it does, since 32 vector registers and 26
// general ones leave nothing to allocate.
package main

import (
	"fmt"
	"go/format"
	"os"
)

// families are the groups of functions that one pair of files holds.
var families = map[string]func(*file){
	"matmul": matmul,
	"spmm":   spmm,
	"peak":   peak,
}

func main() {
	for name, build := range families {
		if err := write(name, build); err != nil {
			fmt.Fprintln(os.Stderr, "neon:", err)
			os.Exit(1)
		}
	}
}

func write(family string, build func(*file)) error {
	f := newFile()
	build(f)
	stubs, err := format.Source(f.stubs.Bytes())
	if err != nil {
		return err
	}
	if err := os.WriteFile(family+"_arm64.s", f.asm.Bytes(), 0o644); err != nil {
		return err
	}
	return os.WriteFile(family+"_arm64.go", stubs, 0o644)
}
